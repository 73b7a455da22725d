// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/PooledCounts.h"

#include <algorithm>

namespace kst {

static const BlockFact &blockOf(const Program &Whole, FunctionId Id,
                                uint32_t Block) {
  return Whole.unitOf(Id)
      .Blocks[Whole.Functions[Id].Fact->Blocks.Begin + Block];
}

double workOfCall(const Program &Whole, FunctionId Id) {
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Function = *Whole.Functions[Id].Fact;
  double Sum = 1;
  for (uint32_t I = Function.Accesses.Begin; I != Function.Accesses.End; ++I)
    Sum += blockOf(Whole, Id, Facts.Accesses[I].Block).Frequency;
  for (uint32_t I = Function.Calls.Begin; I != Function.Calls.End; ++I)
    Sum += blockOf(Whole, Id, Facts.Calls[I].Block).Frequency;
  return Sum;
}

/// Where a source has no entries: the blocks ran at least so often.
static double entriesOf(const Program &Whole, FunctionId Id,
                        const MatchedFunction &Matched) {
  if (Matched.HasEntry)
    return Matched.Entries;
  if (!Matched.Counted)
    return Matched.Samples / workOfCall(Whole, Id);
  double Most = 0;
  for (auto [Block, Count] : Matched.Blocks)
    Most = std::max(Most,
                    Count / std::max(1.0, blockOf(Whole, Id, Block).Frequency));
  return Most;
}

/// Each profile becomes as long as the average one, by accesses of the struct,
/// or by calls where some profile has no accesses.
static void scaleProfiles(PooledCounts &Pooled, const Program &Whole,
                          std::span<const MatchedProfile> Profiles,
                          std::span<const double> Weights, bool AddUp) {
  double Sum = 0;
  for (double W : Weights)
    Sum += W;
  bool ByAccess = true;
  for (const MatchedProfile &P : Profiles)
    ByAccess &= P.Covered.Accesses > 0;
  std::vector<double> Length;
  double Mean = 0;
  for (size_t P = 0; P != Profiles.size(); ++P) {
    double L = 0;
    if (ByAccess)
      L = double(Profiles[P].Covered.Accesses);
    else
      for (const auto &[Id, Matched] : Profiles[P].Functions)
        L += entriesOf(Whole, Id, Matched);
    Length.push_back(L);
    Pooled.Shares.push_back(Weights[P] / Sum);
    Mean += Pooled.Shares.back() * L;
  }
  for (size_t P = 0; P != Profiles.size(); ++P)
    Pooled.Factors.push_back(AddUp ? Weights[P]
                             : Length[P] > 0
                                 ? Pooled.Shares[P] * Mean / Length[P]
                                 : 0);
}

static void pool(PooledFunction &Into, const Program &Whole, FunctionId Id,
                 const MatchedFunction &Matched, double Share, double Factor) {
  if (!Matched.Counted && !(Matched.Samples > 0))
    return;
  // One profile that tells calls is enough.
  Into.Elsewhere = Matched.Elsewhere && (Into.Elsewhere || !Into.Counts);
  Into.Counts |= Matched.Counted;
  Into.ShareSeen += Share;
  double Entries = entriesOf(Whole, Id, Matched);
  Into.Raw += Matched.Counted ? Entries : 0;
  if (Matched.Counted) {
    Into.Entries.add(Entries, Factor);
  } else {
    // As many events as samples, not as calls.
    Into.Entries.Value += Factor * Entries;
    Into.Entries.Variance +=
        Factor * Factor * Entries * Entries / Matched.Samples;
  }
  for (auto [Block, Count] : Matched.Blocks)
    Into.Blocks[Block] += Factor * Count;
}

static void renormalise(PooledFunction &Function) {
  if (!(Function.ShareSeen > 0))
    return;
  double F = 1 / Function.ShareSeen;
  Function.Entries.Value *= F;
  Function.Entries.Variance *= F * F;
  for (auto &[Block, Count] : Function.Blocks)
    Count *= F;
}

PooledCounts pooledCounts(const Program &Whole,
                          std::span<const MatchedProfile> Profiles,
                          std::span<const double> Weights, bool AddUp) {
  PooledCounts Pooled;
  Pooled.Functions.resize(Whole.Functions.size());
  scaleProfiles(Pooled, Whole, Profiles, Weights, AddUp);
  for (size_t P = 0; P != Profiles.size(); ++P)
    for (const auto &[Id, Matched] : Profiles[P].Functions)
      pool(Pooled.Functions[Id], Whole, Id, Matched, Pooled.Shares[P],
           Pooled.Factors[P]);
  if (!AddUp)
    for (PooledFunction &Function : Pooled.Functions)
      renormalise(Function);
  return Pooled;
}

} // namespace kst
