// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `contexts graph` shows: how types lead to anchors.

#pragma once

#include "hybrid/contexts/TypeGraph.h"
#include "hybrid/core/ToolId.h"
#include "hybrid/report/Document.h"

namespace kst {

struct ContextGraph {
  std::string Source; ///< where the types are from, for people
  TypeGraph Graph;
  std::vector<std::string> Anchors;
  unsigned MostPointers = 0;
  std::vector<std::string> Skipped; ///< as TypeGraph::paths() takes them
  std::vector<AnchorPath> Paths;    ///< by type
  std::vector<std::string> Only;    ///< types that are asked about; empty: all
  /// Pointers whose type is a typedef that the facts do not resolve.
  uint64_t UnknownPointers = 0;
  bool HasStores = false; ///< the graph says who stores
};

/// Rows of the types that are shown: those with a way of at least one pointer,
/// or that are asked for; fewest pointers first, then by name.
std::vector<uint32_t> shownTypes(const ContextGraph &G);

Document describe(const ContextGraph &G);
/// schema/kst-contexts-graph-1.schema.json
std::string toJson(const ContextGraph &G, const ToolId &Tool);
/// The shown types and the first pointer of each.
std::string toDot(const ContextGraph &G);
/// The same as a picture: types by pointers from the anchor, left to right.
std::string toSvg(const ContextGraph &G);

} // namespace kst
