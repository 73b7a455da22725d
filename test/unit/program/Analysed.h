// SPDX-License-Identifier: GPL-2.0-or-later
//
// Evidence on a small program from C text: the front end and the linker
// together.

#pragma once

#include "hybrid/program/StaticEvidence.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace kst {

inline const char *PerCpuStruct = R"c(
struct s { raw_spinlock_t lock; int running; int idle; int cold; atomic_t users;
           struct list_head tasks; unsigned long clock; };
extern struct s instances __percpu_section;
#define instance(cpu) (per_cpu_ptr(&instances, (cpu)))
)c";

/// Evidence on struct `s` of a program of several units. They may include
/// "percpu.h", which has a per-CPU struct s.
class Analysed {
public:
  explicit Analysed(std::vector<std::string> Codes, HotFunctions Hot = {}) {
    for (size_t I = 0; I != Codes.size(); ++I) {
      TestTU Unit = TestTU::withCode("#include \"kernel.h\"\n" + Codes[I]);
      Unit.Headers["kernel.h"] = kernelLike();
      Unit.Headers["percpu.h"] = PerCpuStruct;
      Unit.File = "unit" + std::to_string(I) + ".c";
      llvm::Expected<TuFacts> Facts = Unit.build();
      if (!Facts) {
        ADD_FAILURE() << llvm::toString(Facts.takeError());
        return;
      }
      Units.push_back(std::move(*Facts));
    }
    Program Whole(Units);
    Result<AffinityEvidence> Found =
        staticEvidence(Whole, estimateFrequencies(Whole, Hot), "s");
    if (!Found)
      ADD_FAILURE() << Found.error();
    else
      Evidence = std::move(*Found);
  }

  uint32_t field(const std::string &Name) const {
    for (uint32_t I = 0; I != Evidence.Record.Fields.size(); ++I)
      if (Evidence.Record.Fields[I].Name == Name)
        return I;
    ADD_FAILURE() << "no field " << Name;
    return 0;
  }
  const FieldUse &use(const std::string &Name) const {
    return Evidence.Fields[field(Name)];
  }
  /// The set owned by Function; null when there is none.
  const CoAccessSet *set(const std::string &Function) const {
    for (const CoAccessSet &Set : Evidence.Sets)
      if (Set.Where.Function == Function)
        return &Set;
    return nullptr;
  }
  /// What Function's first set does to a field; null when nothing.
  const FieldTouch *touch(const std::string &Function,
                          const std::string &Name) const {
    if (const CoAccessSet *Set = set(Function))
      for (const FieldTouch &Touch : Set->Touches)
        if (Touch.Field == field(Name))
          return &Touch;
    return nullptr;
  }
  double probability(const CoAccessSet *Set, const std::string &Name) const {
    if (Set)
      for (const FieldTouch &Touch : Set->Touches)
        if (Touch.Field == field(Name))
          return Touch.Probability;
    return 0;
  }

  /// Functions with a site that reads, or writes, the field: sorted, each once;
  /// "?" behind those of which it is assumed.
  std::vector<std::string> readers(const std::string &Name) const {
    return functions(Name, &AccessSite::Reads);
  }
  std::vector<std::string> writers(const std::string &Name) const {
    return functions(Name, &AccessSite::Writes);
  }

  AffinityEvidence Evidence;

private:
  std::vector<std::string> functions(const std::string &Name,
                                     double AccessSite::*Amount) const {
    std::vector<std::string> Found;
    for (const CoAccessSet &Set : Evidence.Sets)
      for (const FieldTouch &Touch : Set.Touches)
        for (const AccessSite &At : Touch.Sites)
          if (Touch.Field == field(Name) && At.*Amount > 0)
            Found.push_back(At.Where.Function + (At.Assumed ? "?" : ""));
    std::sort(Found.begin(), Found.end());
    Found.erase(std::unique(Found.begin(), Found.end()), Found.end());
    return Found;
  }

  std::vector<TuFacts> Units;
};

} // namespace kst
