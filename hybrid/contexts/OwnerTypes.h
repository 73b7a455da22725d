// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the types of a trace's objects are to contexts: by the layouts of one
// kernel, a table that a look-up of each event can afford.

#pragma once

#include "hybrid/contexts/TypeGraph.h"
#include "hybrid/trace/ObjectTable.h"

#include <string>
#include <vector>

namespace kst {

/// What is known of a type before the trace is read.
struct OwnerType {
  static constexpr size_t MostWays = 4;
  std::string Name;
  bool Slab = true;      ///< else pages
  bool IsAnchor = false; ///< it holds an anchor
  uint32_t Anchor = 0;   ///< rank of the one that it holds
  bool Holder = false;   ///< while one lives, its context is open
  /// Of the pointers that lead on, the shortest way first: of an anchor, to one
  /// of a lower rank. At most MostWays.
  std::vector<uint32_t> NextOffsets;
  std::vector<uint32_t> NextPointers; ///< on the way from there, with it
  /// The ways before this one are of the types; what is behind counts where the
  /// pointer leads right into an object with an anchor (TypeGraph::inward).
  size_t Inward = 0;
  std::string Path; ///< for people: "d_inode", "mapping -> host"
};

struct OwnerOptions {
  /// Names of types, the first ones before the others.
  std::vector<std::string> Anchors = defaultAnchors();
  std::vector<std::string> Skipped; ///< TYPE or TYPE.MEMBER
  unsigned MostPointers = 3;

  static std::vector<std::string> defaultAnchors();
  /// Skipped, and what the kernel's names say that leads elsewhere.
  std::vector<std::string> skipped() const;
};

/// Types by what a trace says of an object. Pages of files are of the type
/// `page`, as the kernel's struct.
class OwnerTypes {
public:
  /// The tables outlive this.
  OwnerTypes(const TraceTables &Tables, const TypeGraph &Graph,
             const OwnerOptions &Options);

  uint32_t of(const TracePlace &Place) const {
    if (Place.Struct < Structs.size())
      return Structs[Place.Struct];
    if (Place.Allocator < Allocators.size())
      return Allocators[Place.Allocator];
    return PageType;
  }
  const OwnerType &operator[](uint32_t Type) const { return Types[Type]; }
  const std::vector<OwnerType> &all() const { return Types; }
  uint32_t page() const { return PageType; }
  /// Structs that the trace and the graph lay out with different sizes.
  const std::vector<std::string> &misfits() const { return Misfits; }

private:
  uint32_t add(const std::string &Name);
  void addWays(OwnerType &To, std::vector<PathStep> Steps,
               const std::vector<AnchorPath> &Paths, size_t Most,
               uint64_t Base = 0);

  std::vector<OwnerType> Types;
  std::map<std::string, uint32_t> ByName;
  std::vector<uint32_t> Structs, Allocators;
  std::vector<std::string> Misfits;
  uint32_t PageType;
};

} // namespace kst
