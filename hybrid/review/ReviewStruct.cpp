// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/ReviewStruct.h"

#include "hybrid/review/StructFindings.h"

namespace kst {

static StructChange structChange(const ComparedStruct &Struct) {
  const StructVersions &Versions = Struct.Versions;
  StructChange Change;
  Change.Config = Versions.Config;
  Change.Triple = Versions.Triple;
  Change.Name = Struct.Record.Name;
  Change.File = Struct.Record.File;
  Change.Line = Struct.Record.Line;
  if (Struct.Base.Name != Struct.Record.Name)
    Change.Was = Struct.Base.Name;
  Change.LineBytes = Versions.Layout.LineBytes;
  Change.BaseBytes = Struct.Base.SizeBytes;
  Change.HeadBytes = Struct.Record.SizeBytes;
  Change.Through = Versions.Through;
  Change.Base = Struct.Prices.old().price(Struct.Prices.base());
  Change.Head = Struct.Prices.old().price(Struct.Prices.head());
  Change.Visits = Struct.Visits;
  Change.Calls = Versions.Calls;
  Change.Used = !Struct.Head.Sets.empty();
  Change.Fields = fieldChanges(Struct);
  return Change;
}

ReviewedStruct reviewStruct(const StructVersions &Of,
                            const ReviewOptions &Options) {
  const ComparedStruct Struct(Of, Options);
  ReviewedStruct Reviewed;
  Reviewed.Change = structChange(Struct);
  std::vector<Finding> &Findings = Reviewed.Findings;
  addLinesTaken(Struct, Findings);
  addGroupMoves(Struct, Findings);
  if (Struct.Total > 0 && Struct.Visits >= Options.Cold * Of.Calls) {
    addSharedLines(Struct, Findings);
    addLinesTouched(Struct, Findings);
    addBetterPlaces(Struct, Findings);
  }
  return Reviewed;
}

} // namespace kst
