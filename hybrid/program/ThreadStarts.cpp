// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/ThreadStarts.h"

#include "hybrid/vocabulary/Vocabulary.h"

namespace kst {

namespace {

bool ofKernel(ValueKind Kind) {
  return Kind == ValueKind::ThisCpu || Kind == ValueKind::Current ||
         Kind == ValueKind::PerCpu;
}

/// Other processes may share its memory.
bool sharesMemory(std::string_view Name) {
  for (const char *Known : {"fork", "vfork", "clone", "mmap", "mmap64", "shmat",
                            "shm_open", "memfd_create"})
    if (Name == Known)
      return true;
  return Name.starts_with("omp_");
}

} // namespace

bool startsNoThread(const Program &Whole) {
  if (Whole.functionsNamed("main").empty())
    return false;
  for (uint32_t U = 0; U != Whole.unitCount(); ++U) {
    const TuFacts &Unit = Whole.unit(U);
    for (const CallFact &Call : Unit.Calls)
      if (Call.Kind == CallKind::Direct &&
          (isA(NameKind::ThreadStart, Unit.Strings[Call.Callee]) ||
           sharesMemory(Unit.Strings[Call.Callee])))
        return false;
    for (const ValueFact &Value : Unit.Values)
      if (ofKernel(Value.Kind) ||
          (Value.Kind == ValueKind::Function &&
           isA(NameKind::ThreadStart, Unit.Strings[Value.A])))
        return false;
  }
  return true;
}

} // namespace kst
