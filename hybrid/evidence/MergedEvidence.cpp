// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/MergedEvidence.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/core/StrongestSites.h"
#include "hybrid/program/LifeWeights.h"
#include "hybrid/program/StaticEvidence.h"
#include "hybrid/program/VisitBasis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace kst {

namespace {

/// Counts of one field in the unit of the result.
struct FieldTotals {
  double Reads = 0, Writes = 0;           ///< all
  double StrayReads = 0, StrayWrites = 0; ///< of them: in stray sets
  double Handed = 0;    ///< times the address was handed on, not in the others
  bool AtLeast = false; ///< some accesses may not have been seen
};

class EvidenceMaker {
public:
  EvidenceMaker(const Program &Whole, RecordId Id,
                const std::vector<MatchedProfile> &Matched,
                const MeasuredCode &Code, bool Prior)
      : Whole(Whole), Id(Id), Matched(Matched), Code(Code), Prior(Prior),
        Totals(Whole.recordInfo(Id).Fields.size()) {}

  AffinityEvidence make() {
    const VisitBasis Basis(Whole, Code.Often, Code.Code);
    VisitList Found = findVisits(Basis, SubjectRecord(Whole, Basis.Places, Id));
    for (Visit &Of : Found.Visits)
      describe(Of);
    weighByLives(Found.Visits);
    addTotals();
    std::vector<CoAccessSet> Strays = straySets();
    correct(Found.Visits);
    boundIdle(Found.Visits);
    AffinityEvidence Made = evidenceOf(Whole, Id, Found);
    addLost(Strays);
    addStrays(Made, std::move(Strays));
    describeFields(Made);
    sortSets(Made.Sets);
    if (Made.Users.Exclusive)
      makeExclusive(Made, Made.Users.Source);
    return Made;
  }

private:
  void describe(Visit &Of) const {
    const FunctionRate &Rate = Code.Rates[Of.Owner];
    double Total = Code.Often.Total[Of.Owner];
    Of.From.From = Rate.From;
    Of.From.MeasuredShare = Rate.MeasuredShare;
    Of.From.ReferenceShare = Rate.Referenced;
    Of.From.Counted = Rate.Counted;
    Of.From.StaticWeight = Total > 0 ? Of.Weight * Rate.Static / Total : 0;
    Of.From.Weight = {Of.Weight * Rate.Low, Of.Weight * Rate.High};
  }

  void addTotals() {
    for (size_t P = 0; P != Matched.size(); ++P)
      for (size_t F = 0; F != Totals.size(); ++F) {
        const MatchedField &Of = Matched[P].Fields[F];
        Totals[F].Reads += Code.Factors[P] * double(Of.Reads);
        Totals[F].Writes += Code.Factors[P] * double(Of.Writes);
        Totals[F].Handed += Code.Factors[P] * double(Of.Handed);
        Totals[F].AtLeast |= Of.AtLeast;
      }
  }

  /// What the source side has no visit for: a set for each function.
  std::vector<CoAccessSet> straySets() {
    std::map<std::pair<std::string, std::string>, CoAccessSet> Sets;
    for (size_t P = 0; P != Matched.size(); ++P)
      for (const StraySet &Of : Matched[P].Strays) {
        double A = Code.Factors[P];
        CoAccessSet &Set = Sets[{Of.File, Of.Function}];
        Set.Kind = SetKind::Block;
        Set.Where = {Of.Function, Of.File, Of.Line};
        Set.Weight += A * Of.Entries;
        Set.From.Counted += Of.Entries;
        for (const auto &[Field, Use] : Of.Fields) {
          Totals[Field].StrayReads += A * Use.Reads;
          Totals[Field].StrayWrites += A * Use.Writes;
          // Sums; divided by the weight of the set below.
          auto It = std::lower_bound(
              Set.Touches.begin(), Set.Touches.end(), Field,
              [](const FieldTouch &T, uint32_t F) { return T.Field < F; });
          if (It == Set.Touches.end() || It->Field != Field) {
            It = Set.Touches.insert(It, FieldTouch());
            It->Field = Field;
          }
          for (const auto &[Line, Each] : Use.Lines)
            It->Sites.push_back({{Of.Function, Of.File, Line},
                                 A * Each.Reads,
                                 A * Each.Writes});
          It->Probability += A * Use.Most;
          It->Reads += A * Use.Reads;
          It->Writes += A * Use.Writes;
        }
      }
    std::vector<CoAccessSet> All;
    for (auto &[Place, Set] : Sets) {
      if (!(Set.Weight > 0))
        continue;
      for (FieldTouch &T : Set.Touches) {
        T.Probability = std::min(1.0, T.Probability / Set.Weight);
        T.Reads /= Set.Weight;
        T.Writes /= Set.Weight;
        for (AccessSite &At : T.Sites) {
          At.Reads /= Set.Weight;
          At.Writes /= Set.Weight;
        }
        mergePlaces(T.Sites);
        keepStrongest(T.Sites);
      }
      finish(Set);
      All.push_back(std::move(Set));
    }
    return All;
  }

  void finish(CoAccessSet &Set) const {
    Set.From.From = Origin::Measured;
    Set.From.MeasuredShare = 1;
    double Unit = Set.From.Counted > 0 ? Set.Weight / Set.From.Counted : 1;
    Set.From.Weight =
        rateInterval(Set.Weight, Unit, std::numeric_limits<double>::infinity());
  }

  /// Makes reads and writes of each field, over all visits and their measured
  /// shares, add up to what was counted.
  void correct(std::vector<Visit> &Visits) {
    std::vector<double> Reads(Totals.size()), Writes(Totals.size());
    for (const Visit &Of : Visits)
      for (const auto &[Field, Inner] : Of.Fields) {
        double W = Of.Weight * Of.From.MeasuredShare;
        Reads[Field] += W * Inner.Reads;
        Writes[Field] += W * Inner.Writes;
      }
    std::vector<double> ReadFactor(Totals.size(), 1), WriteFactor = ReadFactor;
    for (size_t F = 0; F != Totals.size(); ++F) {
      const FieldTotals &Of = Totals[F];
      double R = std::max(0.0, Of.Reads - Of.StrayReads);
      double W = std::max(0.0, Of.Writes - Of.StrayWrites);
      LostReads.push_back(Reads[F] > 0 ? 0 : R);
      LostWrites.push_back(Writes[F] > 0 ? 0 : W);
      // No access seen, but it may be one of a callee that got the address: its
      // blocks say how often, the source what the callee does. Of a field that
      // was not even handed on only a prior knows.
      if (Of.Reads + Of.Writes <= 0 && (Prior || Of.Handed > 0 || Of.AtLeast))
        continue;
      if (Reads[F] > 0)
        ReadFactor[F] = R / Reads[F];
      if (Writes[F] > 0)
        WriteFactor[F] = W / Writes[F];
      // What ran is known by its blocks, so what was not seen is still told.
      if (Of.AtLeast) {
        ReadFactor[F] = std::max(1.0, ReadFactor[F]);
        WriteFactor[F] = std::max(1.0, WriteFactor[F]);
      }
    }
    for (Visit &Of : Visits) {
      double S = Of.From.MeasuredShare;
      for (auto &[Field, Inner] : Of.Fields) {
        Inner.scale(1 - S + S * ReadFactor[Field],
                    1 - S + S * WriteFactor[Field]);
        // A visit cannot touch a field without an access.
        Inner.limit(Inner.Reads + Inner.Writes);
      }
      std::erase_if(Of.Fields,
                    [](const auto &F) { return !(F.second.Probability > 0); });
      normalise(Of);
    }
    std::erase_if(Visits, [](const Visit &Of) { return Of.Fields.empty(); });
  }

  /// Visits of code that was counted and never ran make no more than
  /// IdleAtMost of the accesses. Its calls were brought down to that before;
  /// what a call does, through loops and callees, only its visits tell.
  void boundIdle(std::vector<Visit> &Visits) const {
    double Ran = 0, Idle = 0;
    for (const Visit &Of : Visits)
      for (const auto &[Field, Inner] : Of.Fields) {
        double Accesses = Of.Weight * (Inner.Reads + Inner.Writes);
        Ran += Accesses * Of.From.MeasuredShare;
        Idle += Accesses * Code.Rates[Of.Owner].IdleShare;
      }
    const double Most = Code.IdleAtMost / (1 - Code.IdleAtMost) * Ran;
    if (!(Ran > 0) || Idle <= Most)
      return;
    for (Visit &Of : Visits) {
      double Gone =
          Of.Weight * Code.Rates[Of.Owner].IdleShare * (1 - Most / Idle);
      if (!(Gone > 0))
        continue;
      Of.From.MeasuredShare *= Of.Weight / (Of.Weight - Gone);
      Of.Weight -= Gone;
      Of.From.Weight.High = std::max(Of.Weight, Of.From.Weight.High - Gone);
      Of.From.Weight.Low = std::min(Of.Weight, Of.From.Weight.Low);
    }
    std::erase_if(Visits, [](const Visit &Of) { return !(Of.Weight > 0); });
  }

  /// A visit is one that touches something, as on the static side.
  static void normalise(Visit &Of) {
    double Most = 0;
    for (const auto &[Field, Inner] : Of.Fields)
      Most = std::max(Most, Inner.Probability);
    if (Most <= 0 || Most >= 1)
      return;
    for (auto &[Field, Inner] : Of.Fields)
      Inner.condition(Most);
    for (double *Part : {&Of.Weight, &Of.From.StaticWeight, &Of.From.Weight.Low,
                         &Of.From.Weight.High})
      *Part *= Most;
  }

  /// Counted accesses of fields, of a kind that no visit has: a set each.
  void addLost(std::vector<CoAccessSet> &Strays) const {
    for (uint32_t F = 0; F != Totals.size(); ++F) {
      double Both = LostReads[F] + LostWrites[F];
      if (!(Both > 0))
        continue;
      CoAccessSet Set;
      Set.Kind = SetKind::Block;
      Set.Weight = std::max(LostReads[F], LostWrites[F]);
      Set.From.Counted = Set.Weight;
      FieldTouch Touch;
      Touch.Field = F;
      Touch.Probability = 1;
      Touch.Reads = LostReads[F] / Set.Weight;
      Touch.Writes = LostWrites[F] / Set.Weight;
      Set.Touches.push_back(Touch);
      finish(Set);
      Strays.push_back(std::move(Set));
    }
  }

  static void addStrays(AffinityEvidence &Made,
                        std::vector<CoAccessSet> Strays) {
    for (CoAccessSet &Set : Strays) {
      for (const FieldTouch &T : Set.Touches) {
        FieldUse &Use = Made.Fields[T.Field];
        Use.Reads += Set.Weight * T.Reads;
        Use.Writes += Set.Weight * T.Writes;
        Use.Sites += T.Sites.size();
      }
      Made.Sets.push_back(std::move(Set));
    }
  }

  void describeFields(AffinityEvidence &Made) const {
    std::vector<double> Counted(Totals.size()), All(Totals.size()),
        Below(Totals.size()), Above(Totals.size());
    for (const CoAccessSet &Set : Made.Sets)
      for (const FieldTouch &T : Set.Touches) {
        double Each = T.Reads + T.Writes;
        All[T.Field] += Set.Weight * Each;
        Counted[T.Field] += Set.Weight * Each * Set.From.MeasuredShare;
        Below[T.Field] +=
            std::pow((Set.Weight - Set.From.Weight.Low) * Each, 2);
        Above[T.Field] +=
            std::pow((Set.From.Weight.High - Set.Weight) * Each, 2);
      }
    Made.Origins.resize(Totals.size());
    for (size_t F = 0; F != Totals.size(); ++F) {
      FieldOrigin &Of = Made.Origins[F];
      uint32_t Reached = 0, NotReached = 0;
      for (const MatchedProfile &P : Matched) {
        Of.Reads += P.Fields[F].Reads;
        Of.Writes += P.Fields[F].Writes;
        Of.ByAddress += P.Fields[F].ByAddress;
        Reached += P.Fields[F].SitesReached;
        NotReached += P.Fields[F].SitesNotReached;
      }
      Of.From = Totals[F].AtLeast      ? Origin::Derived
                : Of.Reads + Of.Writes ? Origin::Measured
                : Reached              ? Origin::NeverHit
                : NotReached           ? Origin::NotReached
                                       : Origin::NotInstrumented;
      Of.MeasuredShare = All[F] > 0 ? Counted[F] / All[F] : 0;
      Of.Uses = {std::max(0.0, All[F] - std::sqrt(Below[F])),
                 All[F] + std::sqrt(Above[F])};
    }
    Coverage &Covered = Made.Covered;
    Covered.Dynamic = true;
    Covered.StaticScale = Code.Unit.Factor;
    Covered.StaticSpread = Code.Unit.Sigma;
    for (size_t P = 0; P != Matched.size(); ++P) {
      Covered.Profiles.push_back(Matched[P].Covered);
      Covered.Profiles.back().Share = Code.Shares[P];
    }
  }

  const Program &Whole;
  RecordId Id;
  const std::vector<MatchedProfile> &Matched;
  const MeasuredCode &Code;
  bool Prior;
  std::vector<FieldTotals> Totals;
  std::vector<double> LostReads, LostWrites;
};

} // namespace

AffinityEvidence mergedEvidence(const Program &Whole, RecordId Record,
                                const std::vector<MatchedProfile> &Matched,
                                const MeasuredCode &Code, bool Prior) {
  return EvidenceMaker(Whole, Record, Matched, Code, Prior).make();
}

} // namespace kst
