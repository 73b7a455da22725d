// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/BaselineCheck.h"

#include "hybrid/report/Numbers.h"
#include "hybrid/review/FieldPairs.h"

namespace kst {

/// Whether an instance that starts with a line has parts of it on two, though
/// it fits one.
static bool isSplit(const FieldInfo &Field, uint32_t LineBytes) {
  const uint64_t Line = 8 * uint64_t(LineBytes);
  return Field.SizeBits && Field.SizeBits <= Line &&
         Field.OffsetBits / Line !=
             (Field.OffsetBits + Field.SizeBits - 1) / Line;
}

void addBaselineFindings(const StructVersions &Of, const ReviewOptions &Options,
                         ReviewedStruct &To) {
  const RecordInfo &Base = *Of.Base, &Record = Of.Head->Record;
  auto Add = [&](FindingKind Kind, double Amount) -> Finding & {
    Finding &New = To.Findings.emplace_back();
    New.Kind = Kind;
    New.How = Kind == FindingKind::SizeGrew || Amount < Options.Medium
                  ? Grade::Low
              : Amount >= Options.High ? Grade::High
                                       : Grade::Medium;
    New.Amount = Amount;
    New.Struct = Record.Name;
    New.Config = {Of.Config};
    New.File = Record.File;
    New.Line = Record.Line;
    return New;
  };
  if (Record.SizeBytes > Base.SizeBytes)
    Add(FindingKind::SizeGrew,
        Base.SizeBytes ? static_cast<double>(Record.SizeBytes) /
                                 static_cast<double>(Base.SizeBytes) -
                             1
                       : 1)
        .Said = "has " + counted(Record.SizeBytes, "byte") + " instead of " +
                std::to_string(Base.SizeBytes);
  const double Was = To.Change.Base.total(), Is = To.Change.Head.total();
  if (Was > 0 && Is > Was && Is >= (1 + Options.MinShare) * Was) {
    Finding &New = Add(FindingKind::CostGrew, Is / Was - 1);
    New.Share = Is / Was - 1;
    New.Said = "the fields of both layouts cost " + percent(Is / Was - 1) +
               " more than where they were, under the visits of today";
    New.Why.push_back("lines touched " + brief(To.Change.Base.Touched) +
                      " to " + brief(To.Change.Head.Touched) + ", lost " +
                      brief(To.Change.Base.Lost) + " to " +
                      brief(To.Change.Head.Lost));
  }
  double All = 0;
  for (const FieldUse &Use : Of.Head->Fields)
    All += Use.total();
  const FieldPairs Pairs = pairFields(Base, Record);
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    const FieldInfo &Field = Record.Fields[F];
    const double Share = All > 0 ? Of.Head->Fields[F].total() / All : 0;
    if (!isSplit(Field, Of.Layout.LineBytes) || Share < Options.MinShare ||
        (Pairs.BaseOf[F] != NoField &&
         isSplit(Base.Fields[Pairs.BaseOf[F]], Of.Layout.LineBytes)))
      continue;
    Finding &New = Add(FindingKind::SplitField, Share);
    New.Fields = {Field.Name};
    New.Line = Field.Line;
    New.Share = Share;
    const uint64_t Line = 8 * uint64_t(Of.Layout.LineBytes);
    New.Said = "field '" + Field.Name + "', " + percent(Share) +
               " of the accesses, lies at offset " +
               std::to_string(Field.OffsetBits / 8) +
               " across the end of line " +
               std::to_string(Field.OffsetBits / Line) + " of " +
               counted(Of.Layout.LineBytes, "byte");
  }
}

} // namespace kst
