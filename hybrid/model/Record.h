// SPDX-License-Identifier: GPL-2.0-or-later
//
// A record (struct or union) as the target ABI lays it out. This is the form
// that everything after the front end works on: owned strings, no clang types.

#ifndef KST_HYBRID_MODEL_RECORD_H
#define KST_HYBRID_MODEL_RECORD_H

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// One top-level field of a record, in declaration order.
struct FieldInfo {
  /// The declared name. An anonymous struct or union is named by its members
  /// joined with '|'; an unnamed bit-field or zero-length marker is "".
  std::string Name;
  /// The type as the compiler prints it, for people.
  std::string TypeName;
  uint64_t OffsetBits = 0;
  /// Bits the field occupies; for a bit-field its width.
  uint64_t SizeBits = 0;
  /// Alignment the ABI gives the field here, attributes and packing included.
  uint32_t AlignBytes = 1;
  /// Alignment asked for by an attribute on this field; 0 when there is none.
  uint32_t ExplicitAlignBytes = 0;
  /// For a bit-field: size in bits of the declared type's storage unit.
  uint32_t StorageUnitBits = 0;
  uint32_t Line = 0;
  bool BitField = false;
  bool Anonymous = false;     ///< anonymous struct or union
  bool ZeroSize = false;      ///< occupies no byte: group marker, empty struct
  bool FlexibleArray = false; ///< `T x[]`: must stay last
  bool Packed = false;        ///< attribute packed on the field itself
  bool Pointer = false;
  /// Not in this configuration, but in another that was looked at together
  /// with it: it occupies and aligns nothing.
  bool Absent = false;

  bool operator==(const FieldInfo &) const = default;
};

/// A complete record definition with its layout for one target.
struct RecordInfo {
  std::string Name; ///< tag, or typedef name of an untagged record
  std::string File; ///< relative to the source root where it lies below it
  uint32_t Line = 0;
  uint32_t EndLine = 0;
  uint64_t SizeBytes = 0;
  uint32_t AlignBytes = 1;
  /// Alignment asked for by an attribute on the record; 0 when there is none.
  uint32_t ExplicitAlignBytes = 0;
  bool Union = false;
  bool Packed = false;
  bool RandomizeLayout = false; ///< __randomize_layout
  std::vector<FieldInfo> Fields;

  bool operator==(const RecordInfo &) const = default;
};

} // namespace kst

#endif
