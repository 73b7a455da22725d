// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/HtmlEvidence.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/HtmlLayout.h"
#include "hybrid/fieldorder/MeasuredView.h"
#include "hybrid/fieldorder/PhaseView.h"
#include "hybrid/fieldorder/RuleSentences.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

void touches(HtmlPage &To, const CoAccessSet &Set) {
  To.Out += "<table><tr><th class=\"num\">touched</th><th>field</th>"
            "<th class=\"num\">reads</th><th class=\"num\">writes</th>"
            "<th>where</th></tr>\n";
  std::vector<const FieldTouch *> Sorted;
  for (const FieldTouch &T : Set.Touches)
    Sorted.push_back(&T);
  std::stable_sort(Sorted.begin(), Sorted.end(), [](auto *L, auto *R) {
    return L->Probability > R->Probability;
  });
  for (const FieldTouch *T : Sorted) {
    std::string Sites;
    for (const AccessSite &At : T->Sites)
      Sites += (Sites.empty() ? "" : "<br>") + To.site(At);
    To.Out += "<tr>" + cell(escapedHtml(percent(T->Probability)), true) +
              cell("<code>" + To.name(T->Field) + "</code>") +
              cell(brief(T->Reads), true) + cell(brief(T->Writes), true) +
              cell(Sites) + "</tr>\n";
  }
  To.Out += "</table>";
}

void sets(HtmlPage &To) {
  if (To.View.E.Sets.empty())
    return;
  size_t Count = std::min<size_t>(To.View.E.Sets.size(), 100);
  To.Out += "<h2>Co-access sets, strongest first</h2>\n";
  for (size_t I = 0; I < Count; ++I) {
    const CoAccessSet &Set = To.View.E.Sets[I];
    double Share = To.View.Weight > 0 ? Set.Weight / To.View.Weight : 0;
    To.Out +=
        std::string("<details") + (I < 2 ? " open" : "") +
        "><summary><span class=\"bar " + heatClass(Share) +
        "\" style=\"width:" + fixed(std::max(2.0, Share * 120), 0) +
        "px\"></span><b>" + escapedHtml(percent(Share)) +
        "</b> of visits &middot; " + To.place(Set.Where) + " &middot; " +
        (Set.When == Phase::Steady ? "" : std::string(toWord(Set.When)) + " ") +
        toWord(Set.Kind) +
        (Set.Cpu == CpuRelation::Unknown
             ? ""
             : std::string(", ") + toWord(Set.Cpu) + " CPU&#39;s instance") +
        " &middot; " + counted(Set.Touches.size(), "field") + "</summary>\n";
    touches(To, Set);
    To.Out += "</details>\n";
  }
  if (Count < To.View.E.Sets.size())
    To.Out += "<p class=\"soft\">" +
              std::to_string(To.View.E.Sets.size() - Count) +
              " weaker sets are in the JSON report.</p>\n";
}

std::string actors(const HtmlPage &To, const std::vector<Actor> &Actors) {
  std::string Text;
  for (size_t I = 0; I < std::min<size_t>(Actors.size(), 3); ++I)
    Text +=
        (I ? "<br>" : "") + To.site(Actors[I].At) +
        (Actors[I].Cpu == CpuRelation::Unknown
             ? ""
             : std::string(" ") + toWord(Actors[I].Cpu)) +
        (forWhom(Actors[I]).empty() ? ""
                                    : " " + escapedHtml(forWhom(Actors[I])));
  return Text;
}

void sharing(HtmlPage &To) {
  std::vector<SharingRisk> Risks =
      sharingRisks(To.View.R, To.View.Current, To.View.Proposed);
  if (Risks.empty())
    return;
  double Sum = 0;
  for (const SharingRisk &Risk : Risks)
    Sum += Risk.Loss;
  const bool Measured = !To.View.E.Covered.Profiles.empty();
  To.Out += "<h2>False-sharing risks of the current layout</h2>\n<div "
            "class=\"scroll\"><table><tr><th class=\"num\">of all</th><th "
            "class=\"num\">line</th>" +
            std::string(Measured ? "<th></th>" : "") +
            "<th>written</th><th>by</th><th>used by "
            "another CPU</th><th>by</th>" +
            std::string(To.View.Reorders ? "<th>proposed</th>" : "") +
            "</tr>\n";
  for (size_t I = 0; I < std::min<size_t>(Risks.size(), 20); ++I) {
    const SharingRisk &Risk = Risks[I];
    To.Out += "<tr>" + cell(escapedHtml(percent(Risk.Loss / Sum)), true) +
              cell(std::to_string(Risk.Line), true) +
              (Measured ? cell(measuredWords(To.View.E, Risk.Measured)) : "") +
              cell("<code>" + To.name(Risk.Written) + "</code>") +
              cell(actors(To, Risk.Writers)) +
              cell("<code>" + To.name(Risk.Used) + "</code>") +
              cell(actors(To, Risk.Users)) +
              (To.View.Reorders
                   ? cell(Risk.StillTogether ? "still together" : "apart")
                   : "") +
              "</tr>\n";
  }
  To.Out += "</table></div>\n";
}

void fields(HtmlPage &To) {
  To.Out +=
      "<h2>Fields</h2>\n<details><summary>all " +
      std::to_string(To.View.Current.Places.size()) +
      " in the order of declaration</summary><div class=\"scroll\">"
      "<table><tr><th>field</th><th>type</th><th class=\"num\">offset</th>"
      "<th class=\"num\">proposed</th><th class=\"num\">size</th>"
      "<th class=\"num\">share</th><th>use</th><th class=\"num\">by other "
      "CPUs</th><th class=\"num\">lockless</th></tr>\n";
  std::vector<uint64_t> Then(To.View.E.Record.Fields.size(), 0), Now = Then;
  for (const FieldPlace &P : To.View.Proposed.Places)
    Then[P.Field] = P.BeginBits / 8;
  for (const FieldPlace &P : To.View.Current.Places)
    Now[P.Field] = P.BeginBits / 8;
  for (uint32_t F = 0; F < To.View.E.Record.Fields.size(); ++F) {
    const FieldInfo &Info = To.View.E.Record.Fields[F];
    if (Info.Absent)
      continue;
    FieldUse Use = useOf(To.View.E, F);
    bool Used = Use.total() > 0;
    To.Out += "<tr>" + cell("<code>" + To.name(F) + "</code>") +
              cell("<code>" + escapedHtml(Info.TypeName) + "</code>") +
              cell(std::to_string(Now[F]), true) +
              cell(std::to_string(Then[F]), true) +
              cell(Info.BitField ? counted(Info.SizeBits, "bit")
                                 : std::to_string(Info.SizeBits / 8),
                   true) +
              cell(Used ? escapedHtml(percent(To.View.Heat[F])) : "", true) +
              cell(std::string(toWords(accessMark(Use))) +
                   (Use.Lock > 0 ? ", lock" : "")) +
              cell(Used ? escapedHtml(percent(remoteShare(Use))) : "", true) +
              cell(Used ? escapedHtml(percent(locklessShare(Use))) : "", true) +
              "</tr>\n";
  }
  To.Out += "</table></div></details>\n";
}

void measuredTable(HtmlPage &To, const char *Align,
                   std::vector<std::vector<std::string>> Rows) {
  if (Rows.empty())
    return;
  for (std::vector<std::string> &Row : Rows)
    for (std::string &Cell : Row)
      Cell = escapedHtml(Cell);
  std::vector<std::string> Head = Rows.front();
  Rows.erase(Rows.begin());
  To.table(Align, Head, Rows);
}

void measured(HtmlPage &To) {
  std::vector<ProfileRows> Profiles = profileRows(To.View.R);
  if (Profiles.empty())
    return;
  To.Out += "<h2>What was measured</h2>\n";
  for (const ProfileRows &Of : Profiles) {
    To.Out += "<p><b>" + escapedHtml(Of.Name) + "</b></p>\n<table>";
    for (const auto &[Head, What] : Of.Rows)
      To.Out += "<tr>" + cell(escapedHtml(Head)) + cell(escapedHtml(What)) +
                "</tr>\n";
    To.Out += "</table>\n";
  }
  To.Out += "<p>" + escapedHtml(scaleWords(To.View.E.Covered)) + "</p>\n";
  measuredTable(To, "llrrrrrl", measuredFields(To.View));
  measuredTable(To, "lrll", underProfiles(To.View.R));
  To.Out += "<p>" + escapedHtml(holdsWords(To.View.R)) + "</p>\n";
}

void counts(HtmlPage &To, const std::map<std::string, uint64_t> &Counts,
            const char *Words) {
  for (const auto &[What, Count] : Counts)
    To.Out += "<tr>" + cell(std::to_string(Count), true) +
              cell(std::string(Words) + escapedHtml(What)) + "</tr>\n";
}

void coverage(HtmlPage &To) {
  const Coverage &C = To.View.E.Covered;
  To.Out += "<h2>What was looked at</h2>\n<table>" +
            ("<tr>" + cell(std::to_string(C.UnitsParsed) + " of " +
                               std::to_string(C.UnitsSelected),
                           true)) +
            cell("translation units parsed") + "</tr>\n<tr>" +
            cell(std::to_string(C.AccessesResolved), true) +
            cell("accesses attributed to a field") + "</tr>\n";
  counts(To, C.AccessesDropped, "not attributed: ");
  counts(To, C.FlagsDropped, "compiler flag left out: ");
  To.Out += "</table>\n";
  for (const Onlookers &Of : To.View.R.SeenBy)
    if (std::string Words = missedSentence(Of, To.View.R.SeenBy.size() > 1);
        !Words.empty())
      To.Out += "<p>" + escapedHtml(Words) + "</p>\n";
  if (C.UnitsFailed.empty())
    return;
  To.Out += "<ul>";
  for (const FailedUnit &Unit : C.UnitsFailed)
    To.Out += "<li><b>failed</b> <code>" + escapedHtml(Unit.File) +
              "</code>: " + escapedHtml(Unit.Reason) + "</li>";
  To.Out += "</ul>\n";
}

} // namespace

void writeEvidence(HtmlPage &To) {
  sets(To);
  sharing(To);
  fields(To);
  measured(To);
  coverage(To);
}

} // namespace kst
