// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/HtmlReport.h"

#include "hybrid/report/FieldView.h"
#include "hybrid/report/GroupView.h"
#include "hybrid/report/HtmlLayout.h"
#include "hybrid/report/HtmlStyle.h"
#include "hybrid/report/LayoutView.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/report/SummaryView.h"

#include <algorithm>

namespace kst {

std::string escapedHtml(const std::string &Text) {
  std::string Out;
  for (char C : Text) {
    switch (C) {
    case '&':
      Out += "&amp;";
      break;
    case '<':
      Out += "&lt;";
      break;
    case '>':
      Out += "&gt;";
      break;
    case '"':
      Out += "&quot;";
      break;
    case '\'':
      Out += "&#39;";
      break;
    default:
      Out += C;
    }
  }
  return Out;
}

namespace {

std::string cell(const std::string &Html, bool Number = false) {
  return (Number ? "<td class=\"num\">" : "<td>") + Html + "</td>";
}

class Page {
public:
  Page(const Report &R, size_t Serial)
      : R(R), E(R.Evidence), Serial(Serial), Heat(hotness(E)),
        Weight(totalWeight(E)), Current(currentView(R)),
        Proposed(proposedView(R)), Reorders(proposes(R)),
        Moved(movedFields(Current, Proposed)) {}

  std::string write() {
    Out +=
        "<section class=\"report\" id=\"r" + std::to_string(Serial) + "\">\n";
    header();
    Out += "<div class=\"top\">\n";
    summary();
    groups();
    Out += "</div>\n";
    layouts();
    sets();
    sharing();
    frontier();
    fields();
    coverage();
    Out += "</section>\n";
    return std::move(Out);
  }

private:
  const Report &R;
  const AffinityEvidence &E;
  size_t Serial;
  std::vector<double> Heat;
  double Weight;
  LayoutView Current, Proposed;
  bool Reorders;
  std::vector<bool> Moved;
  std::string Out;

  std::string name(uint32_t F) const {
    return escapedHtml(displayName(E.Record, F));
  }

  static std::string place(const Site &S) {
    std::string Function =
        S.Function.empty() ? ""
                           : "<code>" + escapedHtml(S.Function) + "()</code>";
    std::string File = escapedHtml(location(S));
    return Function +
           (File.empty() ? "" : " <span class=\"soft\">" + File + "</span>");
  }

  std::string names(const std::vector<uint32_t> &Fields, size_t Limit) const {
    std::string Text;
    for (size_t I = 0; I < std::min(Fields.size(), Limit); ++I)
      Text += (I ? ", " : "") + ("<code>" + name(Fields[I]) + "</code>");
    if (Fields.size() > Limit)
      Text += " and " + std::to_string(Fields.size() - Limit) + " more";
    return Text;
  }

  void header() {
    const RecordInfo &S = E.Record;
    Out += std::string("<h1>") + (S.Union ? "union " : "struct ") +
           escapedHtml(S.Name) + "</h1>\n<div class=\"soft\">" +
           escapedHtml(location({"", S.File, S.Line})) + " &middot; " +
           std::to_string(S.SizeBytes) + " bytes, " +
           counted(Current.Lines.size(), "cache line") + " of " +
           std::to_string(R.CacheLineBytes) + ", " +
           counted(S.Fields.size(), "field") + " &middot; " +
           escapedHtml(R.Triple) + " &middot; kstatic-affinity " +
           escapedHtml(R.Tool.Version) + ", LLVM " + escapedHtml(R.Tool.Llvm) +
           "</div>\n<div class=\"verdict " + toWord(R.Layouts.What) +
           "\">verdict: " + toWord(R.Layouts.What) + "</div>\n<ul>";
    for (const std::string &Reason : R.Layouts.Reasons)
      Out += "<li>" + escapedHtml(Reason) + "</li>";
    Out += "</ul>\n";
  }

  void summary() {
    std::vector<SummaryRow> Rows = summaryOf(ReportView(R));
    if (Rows.empty())
      return;
    Out += std::string("<div><h2>Per visit</h2><table><tr><th></th>"
                       "<th class=\"num\">current</th>") +
           (Reorders ? "<th class=\"num\">proposed</th><th "
                       "class=\"num\">change</th>"
                     : "") +
           "<th></th></tr>\n";
    for (const SummaryRow &Row : Rows) {
      Out += "<tr>" + cell(Row.What) + cell(Row.Now, true);
      if (Reorders)
        Out += cell(Row.Then, true) + cell(Row.Change, true);
      Out += "<td class=\"soft\">" + escapedHtml(Row.Words) + "</td></tr>\n";
    }
    Out += "</table></div>\n";
  }

  void groups() {
    std::vector<GroupView> Groups = groupsOf(R, Reorders ? Proposed : Current);
    if (Groups.empty())
      return;
    Out += std::string("<div><h2>Hottest groups, by line of the ") +
           (Reorders ? "proposed" : "current") + " layout</h2>\n";
    for (size_t I = 0; I < std::min<size_t>(Groups.size(), 3); ++I) {
      const GroupView &Group = Groups[I];
      if (I && Group.Share < 0.01)
        break;
      Out += "<div class=\"group\"><b>" + escapedHtml(percent(Group.Share)) +
             "</b> of accesses on line " + std::to_string(Group.Line) + ": " +
             escapedHtml(characterOf(R, Group)) + "<div>" +
             names(Group.Fields, 12) + "</div>";
      for (size_t J = 0; J < std::min<size_t>(Group.Reasons.size(), 2); ++J) {
        const GroupReason &Why = Group.Reasons[J];
        const CoAccessSet &Set = E.Sets[Why.Set];
        Out += std::string("<div>") + (J ? "and " : "wanted by ") +
               place(Set.Where) + " (" + toWord(Set.Kind) + ", " +
               escapedHtml(percent(Why.Saved / Group.Saved)) +
               " of what the line saves)</div>";
      }
      Out += "</div>\n";
    }
    Out += "</div>\n";
  }

  void layouts() {
    Out += "<h2>Cache lines</h2>\n" + layoutKeyHtml(Reorders) +
           "<div class=\"both\">\n" + layoutHtml(R, "Current", Current);
    if (Reorders)
      Out += layoutHtml(R, "Proposed", Proposed, Moved);
    Out += "</div>\n";
  }

  void touches(const CoAccessSet &Set) {
    Out += "<table><tr><th class=\"num\">touched</th><th>field</th>"
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
      for (const Site &S : T->Sites)
        Sites += (Sites.empty() ? "" : "<br>") + place(S);
      Out += "<tr>" + cell(escapedHtml(percent(T->Probability)), true) +
             cell("<code>" + name(T->Field) + "</code>") +
             cell(brief(T->Reads), true) + cell(brief(T->Writes), true) +
             cell(Sites) + "</tr>\n";
    }
    Out += "</table>";
  }

  void sets() {
    if (E.Sets.empty())
      return;
    size_t Count = std::min<size_t>(E.Sets.size(), 100);
    Out += "<h2>Co-access sets, strongest first</h2>\n";
    for (size_t I = 0; I < Count; ++I) {
      const CoAccessSet &Set = E.Sets[I];
      double Share = Weight > 0 ? Set.Weight / Weight : 0;
      Out +=
          std::string("<details") + (I < 2 ? " open" : "") +
          "><summary><span class=\"bar " + heatClass(Share) +
          "\" style=\"width:" + fixed(std::max(2.0, Share * 120), 0) +
          "px\"></span><b>" + escapedHtml(percent(Share)) +
          "</b> of visits &middot; " + place(Set.Where) + " &middot; " +
          toWord(Set.Kind) +
          (Set.Cpu == CpuRelation::Unknown
               ? ""
               : std::string(", ") + toWord(Set.Cpu) + " CPU&#39;s instance") +
          " &middot; " + counted(Set.Touches.size(), "field") + "</summary>\n";
      touches(Set);
      Out += "</details>\n";
    }
    if (Count < E.Sets.size())
      Out += "<p class=\"soft\">" + std::to_string(E.Sets.size() - Count) +
             " weaker sets are in the JSON report.</p>\n";
  }

  std::string actors(const std::vector<Actor> &Actors) const {
    std::string Text;
    for (size_t I = 0; I < std::min<size_t>(Actors.size(), 3); ++I)
      Text += (I ? "<br>" : "") + place(Actors[I].Where) +
              (Actors[I].Cpu == CpuRelation::Unknown
                   ? ""
                   : std::string(" ") + toWord(Actors[I].Cpu));
    return Text;
  }

  void sharing() {
    std::vector<SharingRisk> Risks = sharingRisks(R, Current, Proposed);
    if (Risks.empty())
      return;
    double Sum = 0;
    for (const SharingRisk &Risk : Risks)
      Sum += Risk.Loss;
    Out += "<h2>False-sharing risks of the current layout</h2>\n<div "
           "class=\"scroll\"><table><tr><th class=\"num\">of all</th><th "
           "class=\"num\">line</th><th>written</th><th>by</th><th>used by "
           "another CPU</th><th>by</th>" +
           std::string(Reorders ? "<th>proposed</th>" : "") + "</tr>\n";
    for (size_t I = 0; I < std::min<size_t>(Risks.size(), 20); ++I) {
      const SharingRisk &Risk = Risks[I];
      Out += "<tr>" + cell(escapedHtml(percent(Risk.Loss / Sum)), true) +
             cell(std::to_string(Risk.Line), true) +
             cell("<code>" + name(Risk.Written) + "</code>") +
             cell(actors(Risk.Writers)) +
             cell("<code>" + name(Risk.Used) + "</code>") +
             cell(actors(Risk.Users)) +
             (Reorders ? cell(Risk.StillTogether ? "still together" : "apart")
                       : "") +
             "</tr>\n";
    }
    Out += "</table></div>\n";
  }

  void frontier() {
    if (R.Layouts.Frontier.empty())
      return;
    double Unit = Weight > 0 ? Weight : 1;
    Out += "<h2>Cost against number of moved fields</h2>\n<table><tr><th "
           "class=\"num\">moves</th><th class=\"num\">cost per visit</th><th "
           "class=\"num\">change</th><th>moved</th></tr>\n";
    for (const FrontierPoint &P : R.Layouts.Frontier) {
      std::string Names;
      for (const std::string &Name : P.Moved)
        Names += (Names.empty() ? "" : ", ") + escapedHtml(Name);
      Out += "<tr>" + cell(std::to_string(P.Moves), true) +
             cell(fixed(P.TotalCost / Unit, 2), true) +
             cell(change(R.Layouts.Current.Price.total(), P.TotalCost), true) +
             cell("<code>" + Names + "</code>") + "</tr>\n";
    }
    Out += "</table>\n";
  }

  void fields() {
    Out += "<h2>Fields</h2>\n<details><summary>all " +
           std::to_string(E.Record.Fields.size()) +
           " in the order of declaration</summary><div class=\"scroll\">"
           "<table><tr><th>field</th><th>type</th><th class=\"num\">offset</th>"
           "<th class=\"num\">proposed</th><th class=\"num\">size</th>"
           "<th class=\"num\">share</th><th>use</th><th class=\"num\">by other "
           "CPUs</th><th class=\"num\">lockless</th></tr>\n";
    std::vector<uint64_t> Then(E.Record.Fields.size(), 0), Now = Then;
    for (const FieldPlace &P : Proposed.Places)
      Then[P.Field] = P.BeginBits / 8;
    for (const FieldPlace &P : Current.Places)
      Now[P.Field] = P.BeginBits / 8;
    for (uint32_t F = 0; F < E.Record.Fields.size(); ++F) {
      const FieldInfo &Info = E.Record.Fields[F];
      FieldUse Use = useOf(E, F);
      bool Used = Use.total() > 0;
      Out += "<tr>" + cell("<code>" + name(F) + "</code>") +
             cell("<code>" + escapedHtml(Info.TypeName) + "</code>") +
             cell(std::to_string(Now[F]), true) +
             cell(std::to_string(Then[F]), true) +
             cell(Info.BitField ? counted(Info.SizeBits, "bit")
                                : std::to_string(Info.SizeBits / 8),
                  true) +
             cell(Used ? escapedHtml(percent(Heat[F])) : "", true) +
             cell(std::string(toWords(accessMark(Use))) +
                  (Use.Lock > 0 ? ", lock" : "")) +
             cell(Used ? escapedHtml(percent(remoteShare(Use))) : "", true) +
             cell(Used ? escapedHtml(percent(locklessShare(Use))) : "", true) +
             "</tr>\n";
    }
    Out += "</table></div></details>\n";
    if (R.Layouts.Constraints.empty())
      return;
    Out += "<h2>What must stay, and why</h2>\n<ul>";
    for (const ConstraintNote &Note : R.Layouts.Constraints)
      Out += "<li><code>" + escapedHtml(Note.Field) + "</code> " +
             escapedHtml(Note.Why) + "</li>";
    Out += "</ul>\n";
  }

  void counts(const std::map<std::string, uint64_t> &Counts,
              const char *Words) {
    for (const auto &[What, Count] : Counts)
      Out += "<tr>" + cell(std::to_string(Count), true) +
             cell(std::string(Words) + escapedHtml(What)) + "</tr>\n";
  }

  void coverage() {
    const Coverage &C = E.Covered;
    Out += "<h2>What was looked at</h2>\n<table>" +
           ("<tr>" + cell(std::to_string(C.UnitsParsed) + " of " +
                              std::to_string(C.UnitsSelected),
                          true)) +
           cell("translation units parsed") + "</tr>\n<tr>" +
           cell(std::to_string(C.AccessesResolved), true) +
           cell("accesses attributed to a field") + "</tr>\n";
    counts(C.AccessesDropped, "not attributed: ");
    counts(C.FlagsDropped, "compiler flag left out: ");
    Out += "</table>\n";
    if (C.UnitsFailed.empty())
      return;
    Out += "<ul>";
    for (const FailedUnit &Unit : C.UnitsFailed)
      Out += "<li><b>failed</b> <code>" + escapedHtml(Unit.File) +
             "</code>: " + escapedHtml(Unit.Reason) + "</li>";
    Out += "</ul>\n";
  }
};

} // namespace

std::string toHtml(const std::vector<Report> &Reports) {
  std::string Title = "kstatic-affinity";
  for (const Report &R : Reports)
    Title += " " + R.Evidence.Record.Name;
  std::string Out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      escapedHtml(Title) + "</title>\n<style>" + HtmlStyleSheet +
      "</style></head>\n<body>\n";
  if (Reports.size() > 1) {
    Out += "<nav>";
    for (size_t I = 0; I < Reports.size(); ++I)
      Out += "<a href=\"#r" + std::to_string(I) + "\">" +
             escapedHtml(Reports[I].Evidence.Record.Name) + "</a>";
    Out += "</nav>\n";
  }
  for (size_t I = 0; I < Reports.size(); ++I)
    Out += Page(Reports[I], I).write();
  return Out + "<script>" + HtmlScript + "</script>\n</body></html>\n";
}

std::string toHtml(const Report &R) { return toHtml(std::vector<Report>{R}); }

} // namespace kst
