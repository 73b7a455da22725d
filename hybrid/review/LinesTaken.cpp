// SPDX-License-Identifier: GPL-2.0-or-later
//
// The finding line-more: the struct takes more cache lines.

#include "hybrid/report/Numbers.h"
#include "hybrid/review/StructFindings.h"

#include <algorithm>

namespace kst {

static std::string quotedList(const std::vector<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += (Text.empty() ? "" : ", ") + inQuotes(Name);
  return Text;
}

/// Between fields, without what is behind the last.
static uint64_t holeBits(const RecordInfo &Record) {
  uint64_t Holes = 0, End = 0;
  for (const FieldInfo &Field : Record.Fields) {
    if (Field.OffsetBits > End)
      Holes += Field.OffsetBits - End;
    End = std::max(End, Field.OffsetBits + Field.SizeBits);
  }
  return Holes;
}

void addLinesTaken(const ComparedStruct &Struct, std::vector<Finding> &To) {
  const uint64_t Line = Struct.Versions.Layout.LineBytes;
  const uint64_t OldBytes = Struct.Base.SizeBytes,
                 NewBytes = Struct.Record.SizeBytes;
  const uint64_t Before = (OldBytes + Line - 1) / Line,
                 After = (NewBytes + Line - 1) / Line;
  if (After <= Before)
    return;
  Finding &New = To.emplace_back(Struct.finding(FindingKind::LineMore, 0));
  New.Amount = static_cast<double>(After - Before);
  New.Said = "takes " + std::to_string(After) + " lines instead of " +
             std::to_string(Before) + ": " + std::to_string(OldBytes) + " to " +
             std::to_string(NewBytes) + " bytes";
  if (!Struct.Versions.Through.empty())
    New.Why.push_back("it holds " + quotedList(Struct.Versions.Through) +
                      ", which grew");
  else if (const uint64_t Bytes = holeBits(Struct.Record) / 8)
    // Room that the new fields could have had.
    New.Why.push_back("it has " + counted(Bytes, "byte") + " of holes");
}

} // namespace kst
