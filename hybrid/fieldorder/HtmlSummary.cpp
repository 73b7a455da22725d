// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/HtmlSummary.h"

#include "hybrid/fieldorder/AdviceView.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/MeasuredView.h"
#include "hybrid/fieldorder/OwnershipView.h"
#include "hybrid/fieldorder/PhaseView.h"
#include "hybrid/fieldorder/SummaryView.h"
#include "hybrid/fieldorder/WorseView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

/// What was measured and who is taken to use an object.
std::string evidence(const HtmlPage &To) {
  std::string Text,
      Measured = measuredWords(To.View.E, measuredShare(To.View.E));
  if (!Measured.empty())
    Text += " &middot; " + escapedHtml(Measured) + " by accesses";
  std::string Users = ownershipWords(To.View.E.Users, sharesLines(To.View.R));
  if (!Users.empty())
    Text += "<br>users of an object: " + escapedHtml(Users);
  return Text;
}

void header(HtmlPage &To) {
  const RecordInfo &S = To.View.E.Record;
  uint64_t Configs = optimisedCount(To.View.R);
  std::string More = Configs > 1
                         ? ", the first of " + counted(Configs, "configuration")
                         : std::string();
  To.Out += std::string("<h1>") + (S.Union ? "union " : "struct ") +
            escapedHtml(S.Name) + "</h1>\n<div class=\"soft\">" +
            escapedHtml(location({"", S.File, S.Line})) + " &middot; " +
            std::to_string(S.SizeBytes) + " bytes, " +
            counted(To.View.Current.Lines.size(), "cache line") + " of " +
            std::to_string(To.View.R.CacheLineBytes) + ", " +
            counted(To.View.Current.Places.size(), "field") + " &middot; " +
            escapedHtml(To.View.R.Triple) + More +
            " &middot; kstatic-affinity " +
            escapedHtml(To.View.R.Tool.Version) + ", LLVM " +
            escapedHtml(To.View.R.Tool.Llvm) + evidence(To) +
            "</div>\n<div class=\"verdict " + toWord(To.View.R.Layouts.What) +
            "\">verdict: " + toWord(To.View.R.Layouts.What) + "</div>\n<ul>";
  for (const std::string &Reason : To.View.R.Layouts.Reasons)
    To.Out += "<li>" + escapedHtml(Reason) + "</li>";
  std::string Weights = stabilityWords(To.View);
  if (!Weights.empty())
    To.Out += "<li>" + escapedHtml(Weights) + "</li>";
  if (std::string Phases = phaseWords(To.View.E); !Phases.empty())
    To.Out += "<li>" + escapedHtml(Phases) + "</li>";
  for (const std::string &Worse : worseWords(To.View))
    To.Out += "<li>" + escapedHtml(Worse) + "</li>";
  To.Out += "</ul>\n";
}

void summary(HtmlPage &To) {
  std::vector<SummaryRow> Rows = summaryOf(To.View);
  if (Rows.empty())
    return;
  To.Out += std::string("<div><h2>Per visit</h2><table><tr><th></th>"
                        "<th class=\"num\">current</th>") +
            (To.View.Reorders ? "<th class=\"num\">proposed</th><th "
                                "class=\"num\">change</th>"
                              : "") +
            "<th></th></tr>\n";
  for (const SummaryRow &Row : Rows) {
    To.Out +=
        "<tr><td class=\"tight\">" + Row.What + "</td>" + cell(Row.Now, true);
    if (To.View.Reorders)
      To.Out += cell(Row.Then, true) + cell(Row.Change, true);
    To.Out += "<td class=\"soft\">" + escapedHtml(Row.Words) + "</td></tr>\n";
  }
  To.Out += "</table></div>\n";
}

void groups(HtmlPage &To) {
  std::vector<GroupView> Groups = groupsOf(To.View.R, To.View.best());
  if (Groups.empty())
    return;
  To.Out += std::string("<div><h2>Hottest groups, by line of the ") +
            To.View.bestWord() + " layout</h2>\n";
  for (size_t I = 0; I < std::min<size_t>(Groups.size(), 3); ++I) {
    const GroupView &Group = Groups[I];
    if (I && Group.Share < 0.01)
      break;
    To.Out += "<div class=\"group\"><b>" + escapedHtml(percent(Group.Share)) +
              "</b> of accesses on line " + std::to_string(Group.Line) + ": " +
              escapedHtml(characterOf(To.View.R, Group)) + "<div>" +
              To.names(Group.Fields, 12) + "</div>";
    std::string Word = "wanted by ";
    for (const GroupReason *Why : leadingReasons(To.View.R, Group, 2)) {
      const CoAccessSet &Set = To.View.E.Sets[Why->Set];
      To.Out += "<div>" + Word + To.site(Why->By) + " (" + visitWords(Set) +
                ", " + escapedHtml(percent(Why->Saved / Group.Saved)) +
                " of what it saves)</div>";
      Word = "and ";
    }
    To.Out += "</div>\n";
  }
  To.Out += "</div>\n";
}

} // namespace

void writeSummary(HtmlPage &To) {
  header(To);
  To.Out += "<div class=\"top\">\n";
  summary(To);
  groups(To);
  To.Out += "</div>\n";
}

} // namespace kst
