// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Assumptions.h"

#include "hybrid/affinity/CpuGrowth.h"
#include "hybrid/affinity/Ownership.h"
#include "hybrid/layout/Remedies.h"

#include <numeric>
#include <set>

namespace kst {

Assumption::Assumption(const LayoutProblem &Problem, const Change &Of)
    : Name(Of.Name) {
  std::vector<SearchConfig> Configs;
  for (size_t M : Of.Models) {
    AffinityEvidence Turned = Problem.evidence().Configs[Problem.configOf(M)];
    if (Of.Cpus && Turned.Users.Cpus.Wanted)
      turnToCpus(Turned, Of.Cpus);
    SharingOptions Who = Problem.sharing(M, Turned.Users, Turned.Sets);
    for (uint32_t F = 0; Of.Waiting > 0 && F < Turned.Fields.size(); ++F)
      if (Turned.Fields[F].Lock > 0)
        Who.Arrivals.try_emplace(F, Of.Waiting);
    Models.push_back(std::make_unique<LayoutCost>(
        Problem.priced(M, Turned.Sets, Of.Options, Who)));
    Configs.push_back({Problem.space().configs()[M].Offsets,
                       Models.back().get(), Problem.share(M)});
  }
  Space = std::make_unique<SearchSpace>(Problem.record(), Problem.rules(),
                                        std::move(Configs),
                                        std::vector<Placement>());
}

namespace {

/// What is the same for all.
class Changes {
public:
  explicit Changes(const LayoutProblem &Problem) : Problem(Problem) {
    Usual.Options = Problem.options();
    Usual.Models.resize(Problem.modelCount());
    std::iota(Usual.Models.begin(), Usual.Models.end(), size_t(0));
  }

  std::vector<Assumption> all() {
    machines();
    lines();
    if (!Problem.evidence().Configs.front().Users.Exclusive) {
      cpus();
      users();
      locks();
    }
    return std::move(Made);
  }

private:
  void add(Assumption::Change Of, std::string Name) {
    Of.Name = std::move(Name);
    Made.emplace_back(Problem, Of);
  }

  void machines() {
    for (const Machine &Other : knownMachines()) {
      Assumption::Change Of = Usual;
      Of.Options.On = Other;
      if (Other.Name != Usual.Options.On.Name)
        add(std::move(Of), "on " + Other.Name);
    }
  }

  void lines() {
    for (uint32_t Bytes : Problem.options().AlsoLineBytes) {
      Assumption::Change Of = Usual;
      Of.Options.LineBytes = Bytes;
      if (Bytes != Usual.Options.LineBytes)
        add(std::move(Of), "with lines of " + std::to_string(Bytes) + " bytes");
    }
  }

  void cpus() {
    std::set<uint32_t> Wanted;
    for (const AffinityEvidence &Of : Problem.evidence().Configs)
      Wanted.insert(Of.Users.Cpus.Wanted);
    if (Wanted == std::set<uint32_t>{0})
      return;
    for (uint32_t Cpus : AlsoCpus) {
      Assumption::Change Of = Usual;
      Of.Cpus = Cpus;
      if (!Wanted.contains(Cpus))
        add(std::move(Of), "with " + std::to_string(Cpus) + " CPUs");
    }
  }

  void users() {
    if (Problem.modelCount() == Problem.configCount())
      return;
    Assumption::Change Handed = Usual, Shared = Usual;
    Handed.Models.resize(Problem.configCount());
    std::erase_if(Shared.Models,
                  [&](size_t M) { return !Problem.isShared(M); });
    add(std::move(Handed), "if objects are handed from CPU to CPU");
    add(std::move(Shared), "if all CPUs share each object");
  }

  void locks() {
    bool Locks = false;
    for (const AffinityEvidence &Of : Problem.evidence().Configs)
      for (const FieldUse &Use : Of.Fields)
        Locks |= Use.Lock > 0;
    if (!Locks || !Problem.options().Arrivals.empty())
      return;
    Assumption::Change Of = Usual;
    Of.Waiting = ContendedArrivals;
    add(std::move(Of), "if CPUs wait for its locks");
  }

  const LayoutProblem &Problem;
  Assumption::Change Usual;
  std::vector<Assumption> Made;
};

} // namespace

std::vector<Assumption> assumptions(const LayoutProblem &Problem) {
  return Changes(Problem).all();
}

} // namespace kst
