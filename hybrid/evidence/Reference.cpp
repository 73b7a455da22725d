// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/Reference.h"

#include "hybrid/evidence/ProfileMatch.h"
#include "hybrid/program/CallGraph.h"

#include <algorithm>

namespace kst {

/// What code that no recorded kernel has may make of all accesses: they have
/// what most systems run.
static constexpr double UnseenAtMost = 0.2;

/// Blocks with accesses, by FunctionId.
static std::vector<std::vector<uint32_t>> accessBlocks(const Program &Whole) {
  std::vector<std::vector<uint32_t>> Blocks;
  for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id) {
    Blocks.emplace_back();
    for (const AccessFact &Access :
         rowsOf(Whole.unitOf(Id).Accesses, Whole.Functions[Id].Fact->Accesses))
      Blocks.back().push_back(Access.Block);
  }
  return Blocks;
}

/// Calls that come from outside of the program: what its own do not explain, of
/// functions that have a way in at all.
static std::vector<double> entriesFrom(const Program &Whole,
                                       const Estimate &Static,
                                       const MeasuredCode &Code) {
  std::vector<double> Inside(Whole.Functions.size());
  const CallGraph Graph = callGraph(Whole, Code.Code);
  for (FunctionId Id = 0; Id != Graph.size(); ++Id)
    for (const CallEdge &E : Graph[Id])
      Inside[E.Callee] += Code.Often.Total[Id] * E.Times;
  std::vector<double> Entries = Code.Often.Entry;
  for (FunctionId Id = 0; Id != Entries.size(); ++Id)
    if (Static.Often.Entry[Id] > 0)
      Entries[Id] = std::max({Entries[Id], Code.Often.Total[Id] - Inside[Id],
                              1e-3 * Code.Often.Total[Id]});
  return Entries;
}

/// Whether the functions outside of headers are those that ran there.
static bool fits(const Program &Whole,
                 const std::vector<MatchedProfile> &Matched) {
  std::vector<bool> Ran(Whole.Functions.size());
  for (const MatchedProfile &P : Matched)
    for (const auto &[Id, Of] : P.Functions)
      Ran[Id] = Ran[Id] || Of.Entries > 0;
  size_t All = 0, Found = 0;
  for (FunctionId Id = 0; Id != Ran.size(); ++Id) {
    const LinkedFunction &Of = Whole.Functions[Id];
    if (!Whole.text(Of.Unit, Of.Fact->File).ends_with(".c"))
      continue;
    ++All;
    Found += Ran[Id];
  }
  return Found && Found * 20 >= All;
}

Estimate withReference(const Program &Whole, const Estimate &Static,
                       std::span<const Profile> Reference, bool IfFits,
                       SourceText Text) {
  ProfileMatcher Matcher(Whole, std::move(Text));
  std::vector<MatchedProfile> Matched;
  for (const Profile &Of : Reference)
    Matched.push_back(Matcher.match(Of, {}));
  if (IfFits && !fits(Whole, Matched))
    return Static;
  const std::vector<double> Weights(Matched.size(), 1);
  MergeOptions Options;
  Options.UnseenAtMost = UnseenAtMost;
  const MeasuredCode Code = measuredCode(Whole, Static, Matched, Weights,
                                         accessBlocks(Whole), Options);
  if (!Code.Unit.Pairs)
    return Static;
  Estimate Made = {{entriesFrom(Whole, Static, Code), Code.Often.Total},
                   Code.Code,
                   {},
                   UnseenAtMost};
  for (const FunctionRate &Rate : Code.Rates)
    Made.Referenced.push_back(Rate.MeasuredShare);
  return Made;
}

} // namespace kst
