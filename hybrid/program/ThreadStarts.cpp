// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/ThreadStarts.h"

#include <algorithm>
#include <string_view>

namespace kst {

namespace {

/// POSIX, C11, Linux; then the libraries that programs in C get threads from.
constexpr std::string_view Starters[] = {"pthread_create",
                                         "thrd_create",
                                         "clone",
                                         "clone3",
                                         "__clone",
                                         "g_thread_new",
                                         "g_thread_try_new",
                                         "g_thread_pool_new",
                                         "uv_thread_create",
                                         "uv_queue_work",
                                         "SDL_CreateThread",
                                         "apr_thread_create",
                                         "GOMP_parallel",
                                         "omp_set_num_threads"};
/// std::thread's constructors.
constexpr std::string_view StdThread = "_ZNSt6thread";

bool starts(std::string_view Name) {
  return Name.starts_with(StdThread) ||
         std::find(std::begin(Starters), std::end(Starters), Name) !=
             std::end(Starters);
}

bool ofKernel(ValueKind Kind) {
  return Kind == ValueKind::ThisCpu || Kind == ValueKind::Current ||
         Kind == ValueKind::PerCpu;
}

} // namespace

bool startsNoThread(const Program &Whole) {
  if (Whole.functionsNamed("main").empty())
    return false;
  for (uint32_t U = 0; U != Whole.unitCount(); ++U) {
    const TuFacts &Unit = Whole.unit(U);
    for (const CallFact &Call : Unit.Calls)
      if (Call.Kind == CallKind::Direct && starts(Unit.Strings[Call.Callee]))
        return false;
    for (const ValueFact &Value : Unit.Values)
      if (ofKernel(Value.Kind) ||
          (Value.Kind == ValueKind::Function && starts(Unit.Strings[Value.A])))
        return false;
  }
  return true;
}

} // namespace kst
