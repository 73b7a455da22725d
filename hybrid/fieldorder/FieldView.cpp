// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/FieldView.h"

namespace kst {

FieldUse useOf(const AffinityEvidence &E, uint32_t F) {
  return F < E.Fields.size() ? E.Fields[F] : FieldUse();
}

std::string displayName(const RecordInfo &R, uint32_t F) {
  if (F >= R.Fields.size() || R.Fields[F].Name.empty())
    return "(unnamed)";
  return R.Fields[F].Name;
}

std::vector<double> hotness(const AffinityEvidence &E) {
  std::vector<double> Share(E.Record.Fields.size(), 0.0);
  double Total = 0;
  for (uint32_t F = 0; F < Share.size(); ++F)
    Total += useOf(E, F).total();
  if (Total <= 0)
    return Share;
  for (uint32_t F = 0; F < Share.size(); ++F)
    Share[F] = useOf(E, F).total() / Total;
  return Share;
}

AccessMark accessMark(const FieldUse &Use) {
  if (Use.total() <= 0)
    return AccessMark::None;
  if (Use.Writes <= 0)
    return AccessMark::Read;
  if (Use.Reads <= 0)
    return AccessMark::Write;
  return Use.Reads >= ReadMostlyRatio * Use.Writes ? AccessMark::ReadMostly
                                                   : AccessMark::ReadWrite;
}

const char *toMark(AccessMark Mark) {
  static const char *const Marks[] = {"", "r", "R", "rw", "w"};
  return Marks[static_cast<size_t>(Mark)];
}

const char *toWords(AccessMark Mark) {
  static const char *const Words[] = {"no access seen", "only read",
                                      "read-mostly", "read and written",
                                      "only written"};
  return Words[static_cast<size_t>(Mark)];
}

std::string siteMark(const AccessSite &At) {
  return std::string(At.Reads > 0 ? "r" : "") + (At.Writes > 0 ? "w" : "") +
         (At.Assumed ? "?" : "");
}

double remoteShare(const FieldUse &Use) {
  return Use.total() > 0 ? (Use.RemoteReads + Use.RemoteWrites) / Use.total()
                         : 0;
}

double locklessShare(const FieldUse &Use) {
  return Use.total() > 0 ? Use.Lockless / Use.total() : 0;
}

bool isRemote(const FieldUse &Use) {
  return remoteShare(Use) >= RemoteMarkShare;
}

const char *evidenceWord(const AffinityEvidence &E, uint32_t F) {
  const Coverage &C = E.Covered;
  if (useOf(E, F).total() <= 0 || (!C.Static && !C.Dynamic))
    return "none";
  if (C.Static && C.Dynamic) {
    bool Counted = F >= E.Origins.size() ||
                   E.Origins[F].From == Origin::Measured ||
                   E.Origins[F].From == Origin::NeverHit;
    return Counted ? "both" : "static";
  }
  return C.Static ? "static" : "dynamic";
}

const char *toWord(SetKind Kind) {
  static const char *const Words[] = {"block", "loop", "visit", "trace"};
  return Words[static_cast<size_t>(Kind)];
}

const char *toWord(CpuRelation Cpu) {
  static const char *const Words[] = {"local", "remote", "chosen", "unknown"};
  return Words[static_cast<size_t>(Cpu)];
}

const char *toWord(Verdict What) {
  static const char *const Words[] = {"reorder", "keep",
                                      "insufficient-evidence"};
  return Words[static_cast<size_t>(What)];
}

double totalWeight(const AffinityEvidence &E) {
  double Sum = 0;
  for (const CoAccessSet &Set : E.Sets)
    Sum += Set.Weight;
  return Sum;
}

std::string location(const Site &S) {
  return S.File.empty() ? "" : S.File + ":" + std::to_string(S.Line);
}

Declaration declaration(const FieldInfo &F) {
  if (F.Anonymous) {
    bool Union = F.TypeName.rfind("struct", 0) != 0;
    bool Braces = F.Name.starts_with("{");
    return {std::string(Union ? "union " : "struct ") +
                (Braces ? F.Name : "{ " + F.Name + " }"),
            ""};
  }
  std::string Type = F.TypeName;
  if (F.BitField)
    return {Type, F.Name + ":" + std::to_string(F.SizeBits)};
  if (size_t At = Type.find("(*"); At != std::string::npos)
    return {Type.insert(At + 2, F.Name), ""};
  std::string Extents;
  if (size_t At = Type.find('['); At != std::string::npos) {
    Extents = Type.substr(At);
    Type.resize(At);
    while (!Type.empty() && Type.back() == ' ')
      Type.pop_back();
  }
  return {Type, F.Name + Extents};
}

} // namespace kst
