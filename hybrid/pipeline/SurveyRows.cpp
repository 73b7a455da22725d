// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/SurveyRows.h"

#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/LayoutView.h"
#include "hybrid/fieldorder/ReportView.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/layout/MissSaving.h"
#include "hybrid/layout/Scores.h"

#include <set>

namespace kst {

namespace {

double resolvedShare(const Coverage &Covered) {
  uint64_t Dropped = 0;
  for (const auto &[Reason, Count] : Covered.AccessesDropped)
    Dropped += Count;
  const uint64_t All = Covered.AccessesResolved + Dropped;
  return All ? double(Covered.AccessesResolved) / double(All) : 1;
}

} // namespace

void addHolders(SurveyRow &Row, const StructInConfigs &Struct) {
  constexpr size_t Named = 3;
  std::set<std::string> Fields;
  for (const Config *In : Struct.Where) {
    const Program &Whole = *In->Whole;
    for (RecordId Id : Whole.recordsNamed(Row.Name))
      for (const FieldId &Of : In->Source->places().holders(Id))
        Fields.insert(Whole.recordName(Of.first) + "." +
                      Whole.recordInfo(Of.first).Fields[Of.second].Name);
  }
  Row.Holders = static_cast<uint32_t>(Fields.size());
  for (const std::string &Field : Fields)
    if (Row.HeldIn.size() < Named)
      Row.HeldIn.push_back(Field);
}

SurveyRow pricedRow(const StructInConfigs &Struct,
                    const LayoutProblem &Problem) {
  const AffinityEvidence &E = Struct.Evidence.Configs.front();
  const RecordInfo &Record = E.Record;
  SurveyRow Row;
  Row.File = Record.File;
  Row.Line = Record.Line;
  for (const Config *In : Struct.Where)
    Row.Configs.push_back(In->Name);
  const Layout Stated = statedLayout(Record);
  const LayoutView View = placesOf(Record, Stated);
  Row.SizeBytes = Record.SizeBytes;
  Row.HoleBits = View.HoleBits;
  Row.HoleCount = View.HoleCount;
  Row.PaddingBytes = View.PaddingBytes;
  Row.Fields = static_cast<uint32_t>(Record.Fields.size());
  for (const FieldUse &Use : E.Fields) {
    Row.Touched += Use.total() > 0;
    Row.Reads += Use.Reads;
    Row.Writes += Use.Writes;
  }
  const uint64_t LineBytes = Problem.options().LineBytes;
  Row.Lines =
      static_cast<uint32_t>((Record.SizeBytes + LineBytes - 1) / LineBytes);
  Row.Visits = totalWeight(E);
  Row.ReferenceShare = referenceShare(E);
  Row.ResolvedShare = resolvedShare(E.Covered);
  Row.Now = Problem.model().price(Stated);
  Row.Objective =
      scoreOf(Problem, "current", Problem.space().declared()).Objective;
  Row.Rules = Problem.rules().notes();
  return Row;
}

void addFound(SurveyRow &Row, const Report &R, SearchEffort Effort) {
  const Advice &A = R.Layouts;
  Row.Searched = Effort;
  Row.What = A.What;
  Row.Objective = A.ObjectiveNow;
  Row.Bound = A.ObjectiveBound;
  Row.Few = Row.Proposed = Row.Best = std::nullopt;
  Row.Survives = 0;
  Row.MissesLow = Row.MissesMiddle = Row.MissesHigh = std::nullopt;
  Row.Rules = A.Constraints;
  Row.Reason =
      A.What == Verdict::Reorder || A.Reasons.empty() ? "" : A.Reasons.front();
  Row.ProposedBytes = A.Proposed.Plan.SizeBytes;
  const ReportView View(R);
  if (A.What == Verdict::Reorder) {
    Row.Proposed = {A.ObjectiveNew, View.moves(), {}};
    for (uint32_t F = 0; F != View.Moved.size(); ++F)
      if (View.Moved[F])
        Row.Proposed->Moved.push_back(displayName(R.Evidence.Record, F));
    for (const FrontierPoint &Point : A.Frontier)
      if (Point.Moves && Point.Moves <= FewMoves &&
          (!Row.Few || Point.TotalCost < Row.Few->Cost))
        Row.Few = {Point.TotalCost, Point.Moves, Point.Moved};
    Row.Best = Row.Proposed;
    if (A.Best)
      Row.Best = {A.Best->Objective, A.Best->Moves, {}};
    if (A.Weights.Draws)
      Row.Survives = A.Weights.Survives;
    if (auto Misses = missSaving(A, R.Evidence)) {
      Row.MissesLow = Misses->Low;
      Row.MissesMiddle = Misses->Middle;
      Row.MissesHigh = Misses->High;
    }
  }
  const auto Risks = sharingRisks(R, View.Current, View.Proposed);
  Row.RiskCount = static_cast<uint32_t>(Risks.size());
  Row.Worst.reset();
  double Sum = 0;
  for (const SharingRisk &Risk : Risks)
    Sum += Risk.Loss;
  if (!Risks.empty()) {
    const SharingRisk &First = Risks.front();
    Row.Worst = {displayName(R.Evidence.Record, First.Written),
                 displayName(R.Evidence.Record, First.Used), First.Line,
                 First.Loss / Sum, First.StillTogether};
  }
}

} // namespace kst
