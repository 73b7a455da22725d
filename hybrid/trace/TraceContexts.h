// SPDX-License-Identifier: GPL-2.0-or-later
//
// On whose behalf a CPU works, while contexts come and go.

#ifndef KST_HYBRID_TRACE_TRACECONTEXTS_H
#define KST_HYBRID_TRACE_TRACECONTEXTS_H

#include "hybrid/trace/Trace.h"

#include <unordered_map>

namespace kst {

/// What a CPU is doing. The innermost of NMI, hardirq, softirq, system call and
/// task is where its accesses come from.
struct TraceContext {
  static constexpr uint64_t NoCall = ~uint64_t(0);
  uint64_t Task = 0;       ///< its id; 0: idle, or not known
  uint64_t TaskObject = 0; ///< address; 0: not known
  uint64_t Call = NoCall;  ///< number of the task's system call
  bool Softirq = false, Hardirq = false, Nmi = false;

  ContextKind kind() const {
    return Nmi              ? ContextKind::Nmi
           : Hardirq        ? ContextKind::Hardirq
           : Softirq        ? ContextKind::Softirq
           : Call != NoCall ? ContextKind::SystemCall
                            : ContextKind::Task;
  }
};

/// Follows the events of a trace. A task that is switched away in a system call
/// is in it when it comes back. Memory grows with CPUs and with tasks that are
/// in a system call.
class TraceContexts {
public:
  void apply(const TraceEvent &E) {
    if (E.Kind == EventKind::Free)
      CallOf.erase(E.Address); // a task that ended in a call
    if (E.Kind != EventKind::Context)
      return;
    TraceContext &Of = ByStream[E.Stream];
    switch (static_cast<ContextKind>(E.Info)) {
    case ContextKind::Task: {
      Of.Task = E.Value;
      Of.TaskObject = E.Address;
      auto At = CallOf.find(key(Of));
      Of.Call = At == CallOf.end() ? TraceContext::NoCall : At->second;
      return;
    }
    case ContextKind::Softirq:
      Of.Softirq = E.Index;
      return;
    case ContextKind::Hardirq:
      Of.Hardirq = E.Index;
      return;
    case ContextKind::Nmi:
      Of.Nmi = E.Index;
      return;
    case ContextKind::SystemCall:
      Of.Call = E.Index ? E.Value : TraceContext::NoCall;
      if (E.Index)
        CallOf[key(Of)] = E.Value;
      else
        CallOf.erase(key(Of));
      return;
    }
  }
  TraceContext of(uint32_t Stream) const {
    auto At = ByStream.find(Stream);
    return At == ByStream.end() ? TraceContext() : At->second;
  }

private:
  static uint64_t key(const TraceContext &C) {
    return C.TaskObject ? C.TaskObject : C.Task;
  }
  std::unordered_map<uint32_t, TraceContext> ByStream;
  std::unordered_map<uint64_t, uint64_t> CallOf; ///< by task
};

} // namespace kst

#endif
