// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/groups/GroupCheck.h"

#include "hybrid/groups/GroupCode.h"
#include "hybrid/groups/TableCheck.h"

#include <algorithm>

namespace kst {

GroupedStruct checkGroups(const GroupSubject &Of, const GroupOptions &Options) {
  const AffinityEvidence &Evidence = *Of.Evidence;
  const RecordInfo &Record = Evidence.Record;
  GroupedStruct Out;
  Out.Config = Of.Config;
  Out.Name = Record.Name;
  Out.File = Record.File;
  Out.Line = Record.Line;
  Out.LineBytes = Of.LineBytes;
  Out.SizeBytes = Record.SizeBytes;
  std::vector<double> Reads, Writes;
  double All = 0, Inside = 0;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    Reads.push_back(steadyReads(Evidence, F));
    Writes.push_back(steadyWrites(Evidence, F));
    All += Reads[F] + Writes[F];
  }
  std::set<uint32_t> Grouped;
  for (const MarkedGroup &Group : markedGroups(Record)) {
    GroupSummary &One = Out.Groups.emplace_back();
    One.Name = Group.Name;
    One.Use = useByName(Group.Name);
    One.Bytes = Group.Bytes;
    One.BeginBytes = Record.Fields[Group.Begin].OffsetBits / 8;
    One.EndBytes = One.BeginBytes + Group.Bytes;
    One.FirstLine = static_cast<uint32_t>(One.BeginBytes / Of.LineBytes);
    One.LastLine = static_cast<uint32_t>(
        (One.EndBytes - (Group.Bytes ? 1 : 0)) / Of.LineBytes);
    double Written = 0, Used = 0;
    for (uint32_t F : Group.Fields) {
      One.Members += !Record.Fields[F].ZeroSize;
      Written += Writes[F];
      Used += Reads[F] + Writes[F];
      if (Grouped.insert(F).second)
        Inside += Reads[F] + Writes[F];
    }
    One.Accesses = All > 0 ? Used / All : 0;
    One.Writes = Used > 0 ? Written / Used : 0;
    for (const GroupAssert &Claim : Of.Asserts)
      if (Claim.Group == Group.Name && Claim.Member.empty())
        One.AssertedBytes = Claim.Bytes;
  }
  Out.Used = All > 0;
  Out.Outside = All > 0 ? (All - Inside) / All : 0;
  checkCode(Of, Options, Out);
  if (Of.Table)
    checkTable(Of, Options, Out);
  for (Finding &One : Out.Findings) {
    One.Struct = Record.Name;
    One.Config = {Of.Config};
  }
  return Out;
}

} // namespace kst
