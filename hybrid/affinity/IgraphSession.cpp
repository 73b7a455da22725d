// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/affinity/IgraphSession.h"

namespace kst {

static std::mutex &igraphMutex() {
  static std::mutex Mutex; // guards the process-wide state of the library
  return Mutex;
}

IgraphSession::IgraphSession(uint64_t Seed)
    : Held(igraphMutex()),
      OldError(igraph_set_error_handler(igraph_error_handler_ignore)),
      OldWarning(igraph_set_warning_handler(igraph_warning_handler_ignore)),
      OldTable(igraph_set_attribute_table(&igraph_cattribute_table)) {
  igraph_rng_seed(igraph_rng_default(), static_cast<igraph_uint_t>(Seed));
}

IgraphSession::~IgraphSession() {
  igraph_set_attribute_table(OldTable);
  igraph_set_warning_handler(OldWarning);
  igraph_set_error_handler(OldError);
}

} // namespace kst
