// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/HtmlReport.h"

#include "hybrid/report/FieldView.h"
#include "hybrid/report/GroupView.h"
#include "hybrid/report/HtmlStyle.h"
#include "hybrid/report/LayoutView.h"
#include "hybrid/report/Numbers.h"

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

/// Colour step 0..5 for a share of all accesses.
int heatStep(double Share) {
  if (Share <= 0)
    return 0;
  int Step = 1;
  for (double Limit : {0.005, 0.01, 0.03, 0.08})
    Step += Share >= Limit;
  return Step;
}

std::string cell(const std::string &Html, bool Number = false) {
  return (Number ? "<td class=\"num\">" : "<td>") + Html + "</td>";
}

class Page {
public:
  Page(const Report &R, size_t Serial)
      : R(R), E(R.Evidence), Serial(Serial), Heat(hotness(E)),
        Weight(totalWeight(E)), Current(currentView(R)),
        Proposed(proposedView(R)), Reorders(R.Layouts.What == Verdict::Reorder),
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

  void row(const std::string &What, const std::string &Now,
           const std::string &Then, const std::string &Change,
           const std::string &Words) {
    Out += "<tr>" + cell(What) + cell(Now, true);
    if (Reorders)
      Out += cell(Then, true) + cell(Change, true);
    Out += "<td class=\"soft\">" + Words + "</td></tr>\n";
  }

  void costRow(const std::string &What, double Now, double Then,
               const std::string &Words) {
    double Unit = Weight > 0 ? Weight : 1;
    row(What, fixed(Now / Unit, 2), fixed(Then / Unit, 2), change(Now, Then),
        Words);
  }

  void summary() {
    const ScoredLayout &Old = R.Layouts.Current;
    const ScoredLayout &New = Reorders ? R.Layouts.Proposed : Old;
    Out += std::string("<div><h2>Per visit</h2><table><tr><th></th>"
                       "<th class=\"num\">current</th>") +
           (Reorders
                ? "<th class=\"num\">proposed</th><th class=\"num\">change</th>"
                : "") +
           "<th></th></tr>\n";
    costRow("lines touched", Old.Price.Lines, New.Price.Lines,
            "cache lines of it that one visit needs, on average");
    costRow("sharing", Old.Price.Sharing, New.Price.Sharing,
            "one CPU writes a line that another CPU uses");
    costRow("padding", Old.Price.Padding, New.Price.Padding,
            "lines beyond the fewest its fields fit");
    double Unit = Weight > 0 ? Weight : 1;
    costRow("<b>cost</b>", Old.Price.total(), New.Price.total(),
            "sum; no legal order costs less than " +
                fixed(New.LowerBound / Unit, 2) + " (gap " + percent(New.Gap) +
                ")");
    uint32_t Now = linesForShare(Current, 0.9);
    uint32_t Then = linesForShare(Proposed, 0.9);
    row("hot lines", std::to_string(Now), std::to_string(Then),
        change(Now, Then), "lines with 90% of all accesses");
    row("bytes", std::to_string(Current.SizeBytes),
        std::to_string(Proposed.SizeBytes),
        change(double(Current.SizeBytes), double(Proposed.SizeBytes)), "");
    if (Reorders)
      row("fields moved", "",
          std::to_string(std::count(Moved.begin(), Moved.end(), true)), "",
          "of " + std::to_string(Moved.size()));
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
      Out += "<div class=\"group\"><b>" + escapedHtml(percent(Group.Share)) +
             "</b> of accesses on line " + std::to_string(Group.Line) + ": " +
             names(Group.Fields, 12);
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

  std::string tooltip(uint32_t F, uint64_t OffsetBits) const {
    const FieldInfo &Info = E.Record.Fields[F];
    FieldUse Use = useOf(E, F);
    Declaration D = declaration(Info);
    std::string Text = D.Type + (D.Name.empty() ? "" : " " + D.Name) +
                       "; offset " + std::to_string(OffsetBits / 8) + ", " +
                       (Info.BitField ? counted(Info.SizeBits, "bit")
                                      : counted(Info.SizeBits / 8, "byte"));
    Text += "; " + std::string(toWords(accessMark(Use)));
    if (Use.total() > 0)
      Text += "; " + percent(Heat[F]) + " of accesses, " +
              percent(remoteShare(Use)) + " by other CPUs, " +
              percent(locklessShare(Use)) + " lockless";
    return escapedHtml(Text);
  }

  std::string block(const FieldPlace &P, uint64_t Line, bool MarkMoved) const {
    uint64_t Bits = 8 * uint64_t(R.CacheLineBytes ? R.CacheLineBytes : 64);
    uint64_t Begin = std::max(P.BeginBits, Line * Bits);
    uint64_t End = std::min(P.EndBits, (Line + 1) * Bits);
    FieldUse Use = useOf(E, P.Field);
    AccessMark Mark = accessMark(Use);
    bool Writes = Mark == AccessMark::ReadWrite || Mark == AccessMark::Write;
    std::string Class = "f h" + std::to_string(heatStep(Heat[P.Field]));
    Class += Writes ? " w" : "";
    Class += isRemote(Use) ? " rem" : "";
    Class += Use.Lock > 0 ? " lock" : "";
    Class += MarkMoved && Moved[P.Field] ? " moved" : "";
    bool Zero = P.BeginBits == P.EndBits;
    std::string Style =
        "left:" + fixed(100.0 * double(Begin - Line * Bits) / double(Bits), 4) +
        "%";
    if (!Zero)
      Style +=
          ";width:" + fixed(100.0 * double(End - Begin) / double(Bits), 4) +
          "%";
    return "<div class=\"" + Class + (Zero ? " zero" : "") + "\" style=\"" +
           Style + "\" data-f=\"" + std::to_string(P.Field) + "\" title=\"" +
           tooltip(P.Field, P.BeginBits) + "\">" + (Zero ? "" : name(P.Field)) +
           "</div>";
  }

  std::string strip(const LayoutView &View, const LineView &Line,
                    bool MarkMoved) const {
    std::string Text =
        "<div class=\"line\"><div class=\"num\">" + std::to_string(Line.Index) +
        " &middot; " +
        (Line.Share > 0 ? escapedHtml(percent(Line.Share)) : std::string("-")) +
        "</div><div class=\"strip\">";
    for (const FieldPlace &P : View.Places)
      if (std::find(Line.Fields.begin(), Line.Fields.end(), P.Field) !=
          Line.Fields.end())
        Text += block(P, Line.Index, MarkMoved);
    return Text + "</div></div>\n";
  }

  /// Lines without an access are folded, two and more at a time.
  void layout(const char *Title, const LayoutView &View, bool MarkMoved) {
    Out += std::string("<div><h3>") + Title + ", " +
           std::to_string(View.SizeBytes) + " bytes, " +
           counted(View.HoleCount, "hole") + "</h3>\n";
    for (size_t I = 0; I < View.Lines.size();) {
      size_t Run = 0, Fields = 0;
      while (I + Run < View.Lines.size() && View.Lines[I + Run].Share <= 0 &&
             Weight > 0)
        Fields += View.Lines[I + Run++].Fields.size();
      if (Run < 2) {
        Out += strip(View, View.Lines[I++], MarkMoved);
        continue;
      }
      Out += "<details class=\"cold\"><summary>lines " + std::to_string(I) +
             " to " + std::to_string(I + Run - 1) + ": " +
             counted(Fields, "field") + ", no access seen</summary>\n";
      for (size_t End = I + Run; I < End; ++I)
        Out += strip(View, View.Lines[I], MarkMoved);
      Out += "</details>\n";
    }
    Out += "</div>\n";
  }

  void layouts() {
    Out += "<h2>Cache lines</h2>\n<div class=\"key soft\"><span>share of "
           "accesses:</span>";
    const char *Steps[] = {"none", "below 0.5%", "0.5%", "1%", "3%", "8%"};
    for (int I = 0; I < 6; ++I)
      Out += "<span><i class=\"f h" + std::to_string(I) + "\"></i>" + Steps[I] +
             "</span>";
    Out += "<span><i class=\"f h2 w\"></i>written</span>"
           "<span><i class=\"f h2 rem\"></i>used by other CPUs</span>"
           "<span><i class=\"f h2 lock\">lock</i></span>";
    if (Reorders)
      Out += "<span><i class=\"f h2 moved\"></i>moved</span>";
    Out += "</div>\n<div class=\"both\">\n";
    layout("Current", Current, false);
    if (Reorders)
      layout("Proposed", Proposed, true);
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
          "><summary><span class=\"bar h" + std::to_string(heatStep(Share)) +
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
