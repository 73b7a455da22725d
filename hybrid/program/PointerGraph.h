// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where pointers to records go while their type is forgotten: across functions,
// members and units. Finds records that some code takes for others, and
// functions that see the bytes of one.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/program/Program.h"

#include <memory>
#include <string>
#include <vector>

namespace kst {

struct Conversion {
  RecordId From = None, To = None;
  Site Where; ///< where it becomes a pointer to To; a union: its definition
  bool Direct = false; ///< in one step: a cast, a copy
  bool Shared = false; ///< members of one union, and no pointer goes
};

/// A pointer to the record that becomes one to numbers, through untyped ones.
struct ScalarView {
  uint32_t Bytes = 0; ///< of one
  bool Pointer = false;
  Site Where; ///< the first place that is known
};

/// A byte behind the start of the record that code uses by its number.
struct ByteView {
  uint32_t Byte = 0;
  Site Where; ///< the first place that is known
};

/// A place that reaches the record's memory in a way that nothing knows.
struct OpaqueView {
  OpaqueKind Kind = OpaqueKind::Offset;
  Site Where;
};

/// A function that gets or returns a pointer to the record as one to anything,
/// or a member that holds one.
struct UntypedUse {
  SlotKind Kind = SlotKind::Param; ///< or Result, Member
  std::string Function;            ///< name; "record.field" of a member
  uint32_t Param = 0;
  Site Where; ///< the first place that is known
  /// Through the parameter of a function that gets pointers to many records.
  bool Shared = false;
};

/// A slot into which pointers to more records than this go says nothing about
/// any two of them: memory handed to kfree(), entries of an xarray.
inline constexpr size_t MaxRecordsOfSlot = 6;

/// Borrows the program. Does not tell the calls of one function apart.
class PointerGraph {
public:
  explicit PointerGraph(const Program &Whole);
  ~PointerGraph();

  /// Conversions between one of the records Some (ascending) and any other
  /// record, each pair once, by the two records, with the first place (by file,
  /// line, function). Members of one union count as converted to each other.
  std::vector<Conversion> conversions(const std::vector<RecordId> &Some) const;

  /// By bytes, numbers before pointers.
  std::vector<ScalarView> scalarViews(RecordId Id) const;

  /// By number.
  std::vector<ByteView> byteViews(RecordId Id) const;

  /// By place (file, line, function) and kind. None of which the number is
  /// known (NumberKind), and no bytes that were a pointer to this record
  /// before. Bytes that become another record are not this one's.
  std::vector<OpaqueView> opaqueViews(RecordId Id) const;

  /// In the order of their names; what is done to the bytes that become the
  /// record is done to it.
  std::vector<UntypedUse> untypedUses(RecordId Id) const;
  /// The same where it is the record's pointer itself, and no other one on the
  /// way.
  std::vector<UntypedUse> ownUses(RecordId Id) const;

private:
  class Nodes;
  const Program &Whole;
  std::unique_ptr<Nodes> Graph;
};

} // namespace kst
