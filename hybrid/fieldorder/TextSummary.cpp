// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/TextSummary.h"

#include "hybrid/fieldorder/AdviceView.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/MeasuredView.h"
#include "hybrid/fieldorder/OwnershipView.h"
#include "hybrid/fieldorder/PhaseView.h"
#include "hybrid/fieldorder/SummaryView.h"
#include "hybrid/fieldorder/TextEvidence.h"
#include "hybrid/fieldorder/WorseView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

void header(TextPage &To) {
  const RecordInfo &S = To.View.E.Record;
  std::string At = location({"", S.File, S.Line});
  std::string Title = std::string(S.Union ? "union " : "struct ") + S.Name;
  To.line(To.ink(Ink::Bold, Title) + (At.empty() ? "" : "  " + At));
  uint64_t Configs = optimisedCount(To.View.R);
  std::string More = Configs > 1
                         ? ", the first of " + counted(Configs, "configuration")
                         : std::string();
  To.flow("", std::to_string(S.SizeBytes) + " bytes, " +
                  counted(To.View.Current.Lines.size(), "cache line") + " of " +
                  std::to_string(To.View.R.CacheLineBytes) + ", " +
                  counted(To.View.Current.Places.size(), "field") + ", " +
                  std::to_string(To.View.Seen) + " seen in use; target " +
                  (To.View.R.Triple.empty() ? "unknown" : To.View.R.Triple) +
                  More + "; kstatic-affinity " + To.View.R.Tool.Version +
                  ", LLVM " + To.View.R.Tool.Llvm);
  const Coverage &C = To.View.E.Covered;
  uint64_t Dropped = 0;
  for (const auto &[Reason, Count] : C.AccessesDropped)
    Dropped += Count;
  std::string Kind = C.Static && C.Dynamic ? "static and measured"
                     : C.Dynamic           ? "measured"
                     : C.Static            ? "static"
                                           : "none";
  uint64_t Places = C.AccessesResolved + Dropped;
  std::string Share =
      Places ? ", " + percent(double(C.AccessesResolved) / double(Places)) +
                   " of those found"
             : "";
  std::string Measured = measuredWords(To.View.E, measuredShare(To.View.E));
  To.flow("", "evidence: " + Kind + "; " +
                  (Measured.empty() ? "" : Measured + " by accesses; ") +
                  std::to_string(C.UnitsParsed) + " of " +
                  counted(C.UnitsSelected, "translation unit") + "; " +
                  counted(C.AccessesResolved, "place") + " that access it" +
                  Share);
  if (std::string Phases = phaseWords(To.View.E); !Phases.empty())
    To.flow("", Phases);
  if (!C.UnitsFailed.empty())
    To.line(To.ink(Ink::Hot, counted(C.UnitsFailed.size(), "translation unit") +
                                 " gave no facts, see the end"));
}

void verdict(TextPage &To) {
  Ink With = To.View.Reorders ? Ink::Warm : Ink::Bold;
  To.line("\n" + To.ink(Ink::Bold, "verdict: ") +
          To.ink(With, toWord(To.View.R.Layouts.What)));
  for (const std::string &Reason : To.View.R.Layouts.Reasons)
    To.flow("  - ", Reason);
  std::string Weights = stabilityWords(To.View);
  if (!Weights.empty())
    To.flow("  - ", Weights);
  for (const std::string &Worse :
       worseWords(To.View, To.Options.Full ? ~0ull : 3))
    To.flow("  - ", Worse);
}

void row(TextPage &To, const SummaryRow &Row) {
  std::string Text = "  " + padRight(Row.What, 18) + padLeft(Row.Now, 9);
  if (To.View.Reorders)
    Text += padLeft(Row.Then, 10) + padLeft(Row.Change, 9);
  To.flow(Text + "  ", Row.Words);
}

void summary(TextPage &To) {
  std::vector<SummaryRow> Rows = summaryOf(To.View);
  if (Rows.empty())
    return;
  To.Out += "\n";
  row(To, {"per visit", "current", "proposed", "change", ""});
  for (const SummaryRow &Row : Rows)
    row(To, Row);
  std::string Users = ownershipWords(To.View.E.Users, sharesLines(To.View.R));
  if (!Users.empty())
    To.flow("  ", "users of an object: " + Users);
}

void topGroups(TextPage &To) {
  std::vector<GroupView> Groups = groupsOf(To.View.R, To.View.best());
  if (Groups.empty())
    return;
  To.heading(std::string("hottest groups, by line of the ") +
             To.View.bestWord() + " layout");
  for (size_t I = 0; I < std::min<size_t>(Groups.size(), 3); ++I) {
    const GroupView &Group = Groups[I];
    if (I && Group.Share < 0.01)
      break;
    To.line("  " +
            To.ink(heatInk(Group.Share), padLeft(percent(Group.Share), 6)) +
            " of accesses on line " + std::to_string(Group.Line) + ": " +
            characterOf(To.View.R, Group));
    To.flow("         ", To.names(Group.Fields, 10));
    std::string Word = "wanted by ";
    for (const GroupReason *Why : leadingReasons(To.View.R, Group, 2)) {
      To.line("         " + Word + groupReason(To, Group, *Why));
      Word = "    and ";
    }
  }
}

} // namespace

void writeSummary(TextPage &To) {
  header(To);
  verdict(To);
  summary(To);
  topGroups(To);
}

} // namespace kst
