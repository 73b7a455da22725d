// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where pointers to records go while their type is forgotten: across functions,
// members and units. Finds records that some code takes for others, and
// functions that see the bytes of one.

#ifndef KST_HYBRID_LINK_POINTERGRAPH_H
#define KST_HYBRID_LINK_POINTERGRAPH_H

#include "hybrid/link/Program.h"
#include "hybrid/model/CoAccessSet.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kst {

struct Conversion {
  RecordId From = None, To = None;
  Site Where; ///< where it becomes a pointer to To; a union: its definition
};

/// A function that gets or returns a pointer to the record as one to anything.
struct UntypedUse {
  SlotKind Kind = SlotKind::Param; ///< or Result
  std::string Function;            ///< name
  uint32_t Param = 0;
  Site Where; ///< the first place that is known
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

  /// In the order of their names.
  std::vector<UntypedUse> untypedUses(RecordId Id) const;

private:
  class Nodes;
  const Program &Whole;
  std::unique_ptr<Nodes> Graph;
};

} // namespace kst

#endif
