// SPDX-License-Identifier: GPL-2.0-or-later
//
// The one door to igraph. The library keeps process-wide state (error handler,
// random generator, attribute table), aborts on errors by default and is not
// thread safe; whoever holds a session has it alone and in a known state.

#pragma once

#include <igraph/igraph.h>

#include <cstdint>
#include <mutex>

namespace kst {

/// While it lives: igraph belongs to this thread, errors come back as codes,
/// the random generator starts at the seed, attributes are kept. Restores the
/// handlers on destruction. Do not nest.
class IgraphSession {
public:
  explicit IgraphSession(uint64_t Seed = 1);
  ~IgraphSession();
  IgraphSession(const IgraphSession &) = delete;
  IgraphSession &operator=(const IgraphSession &) = delete;

private:
  std::unique_lock<std::mutex> Held;
  igraph_error_handler_t *OldError;
  igraph_warning_handler_t *OldWarning;
  igraph_attribute_table_t *OldTable;
};

} // namespace kst
