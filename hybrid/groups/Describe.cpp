// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings about cacheline groups and tables as a document, for people.

#include "hybrid/findings/FindingForms.h"
#include "hybrid/groups/GroupReport.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <map>

namespace kst {

namespace {

const char *useWord(GroupUse Use) {
  return Use == GroupUse::Read      ? "read"
         : Use == GroupUse::Written ? "written"
                                    : "";
}

Table groups(const GroupedStruct &S) {
  Table T{{{"group", false, true},
           {"named as"},
           {"members", true},
           {"bytes", true},
           {"asserted", true},
           {"offset", true},
           {"lines", false, true},
           {"accesses", true},
           {"of them writes", true}}};
  for (const GroupSummary &G : S.Groups)
    T.Rows.push_back(
        {{G.Name, useWord(G.Use), std::to_string(G.Members),
          std::to_string(G.Bytes),
          G.AssertedBytes ? std::to_string(G.AssertedBytes) : "",
          std::to_string(G.BeginBytes),
          G.FirstLine == G.LastLine
              ? std::to_string(G.FirstLine)
              : std::to_string(G.FirstLine) + "-" + std::to_string(G.LastLine),
          S.Used ? heat(G.Accesses) : Sentence("-"),
          G.Accesses > 0 ? percent(G.Writes) : "-"}});
  return T;
}

/// Findings of a low grade: a line for each.
Table lowFindings(const std::vector<const Finding *> &Low) {
  Table T{{{"kind", false, true}, {"where", false, true}, {"what"}}};
  for (const Finding *F : Low) {
    std::string Text = F->Said;
    for (const std::string &Why : F->Why)
      Text += "; " + Why;
    const size_t Slash = F->File.rfind('/');
    const std::string File =
        Slash == std::string::npos ? F->File : F->File.substr(Slash + 1);
    T.Rows.push_back(
        {{toWord(F->Kind), File + ":" + std::to_string(F->Line), Text}});
  }
  T.shorten(20, " of a low grade");
  return T;
}

Section describeStruct(const GroupReport &R, const GroupedStruct &S) {
  Section Part;
  Part.Title =
      "struct " + S.Name + "  " + soft(S.File + ":" + std::to_string(S.Line)) +
      (R.Configs.size() > 1 ? Sentence("  in " + S.Config) : Sentence());
  Part.Wide = true;
  Part.Body.push_back(Paragraph{
      counted(S.SizeBytes, "byte") + ", lines of " +
      std::to_string(S.LineBytes) + "; " +
      (S.Groups.empty() ? "no cacheline groups"
       : S.Used
           ? counted(S.Groups.size(), "group") + ", " + percent(S.Outside) +
                 " of accesses are to fields outside of them"
           : counted(S.Groups.size(), "group") +
                 "; no unit that was looked at uses it while in use")});
  if (S.Table.empty())
    Part.Body.push_back(Paragraph{"no table is about it"});
  else
    Part.Body.push_back(
        Paragraph{S.Table + " has " + counted(S.Rows, "row") +
                  (S.RowsElsewhere ? ", " + std::to_string(S.RowsElsewhere) +
                                         " of them about members that this "
                                         "configuration does not have"
                                   : "")});
  if (!S.Groups.empty())
    Part.Body.push_back(groups(S));
  std::vector<const Finding *> Low;
  for (const Finding &F : R.Findings)
    if (F.Struct == S.Name && F.How == Grade::Low &&
        std::ranges::find(F.Config, S.Config) != F.Config.end())
      Low.push_back(&F);
  std::ranges::stable_sort(Low, {}, [](const Finding *F) { return F->Kind; });
  if (!Low.empty())
    Part.Body.push_back(lowFindings(Low));
  return Part;
}

Table byKind(const GroupReport &R) {
  std::map<FindingKind, size_t> Count;
  for (const Finding &F : R.Findings)
    ++Count[F.Kind];
  Table T{{{"findings", true}, {"kind", false, true}, {"about"}}};
  for (const auto &[Kind, Times] : Count)
    T.Rows.push_back({{std::to_string(Times), toWord(Kind), about(Kind)}});
  return T;
}

} // namespace

Document describe(const GroupReport &R) {
  Document Doc;
  Doc.Name = "groups";
  Doc.Title = "cacheline groups";
  Doc.Head.push_back(Paragraph{counted(R.Structs.size(), "struct") + ", " +
                               counted(R.UnitsLooked, "unit") + " looked at; " +
                               joined(R.Configs)});
  for (const std::string &Note : R.Notes)
    Doc.Head.push_back(Paragraph{"note: " + Note});
  FindingList Strong = R;
  std::erase_if(Strong.Findings,
                [](const Finding &F) { return F.How == Grade::Low; });
  Section Part = findingsSection(Strong);
  const size_t Low = R.Findings.size() - Strong.Findings.size();
  if (Low)
    Part.Title = counted(R.Findings.size(), "finding") + ", " +
                 std::to_string(Low) + " of a low grade";
  if (!R.Findings.empty())
    Part.Body.insert(Part.Body.begin(), byKind(R));
  Doc.Sections.push_back(std::move(Part));
  for (const GroupedStruct &S : R.Structs)
    Doc.Sections.push_back(describeStruct(R, S));
  if (!R.Structs.empty()) {
    Section &Words = Doc.Sections.emplace_back();
    Words.Body.push_back(Paragraph{
        "What texts say of each other is exact. Accesses are estimated from "
        "the source and recordings of other workloads, while the object is in "
        "use, over the units that were looked at. Lines are counted from the "
        "start of the struct."});
  }
  return Doc;
}

} // namespace kst
