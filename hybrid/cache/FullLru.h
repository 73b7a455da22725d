// SPDX-License-Identifier: GPL-2.0-or-later
//
// A fully associative cache: what a cache of this size would hold if no two
// lines could ever meet in a set.

#pragma once

#include "hybrid/cache/LineTable.h"

namespace kst {

class FullLru {
public:
  /// `Lines`: how many it holds, at least 1 and below 2^32. Memory grows with
  /// those that it holds.
  explicit FullLru(uint64_t Lines) : Lines(uint32_t(Lines)) {}

  /// The line becomes the most recently used. Was it there?
  bool touch(uint64_t Line);

private:
  struct Node {
    uint64_t Line = NoLine;
    uint32_t Newer = 0, Older = 0;
  };
  void unlink(uint32_t N);
  void linkNewest(uint32_t N);

  const uint32_t Lines;
  /// A ring through node 0: its Older is the newest, its Newer the oldest line.
  std::vector<Node> Nodes = std::vector<Node>(1);
  LineTable<uint32_t> Places;
};

} // namespace kst
