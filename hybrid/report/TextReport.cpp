// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/TextReport.h"

#include "hybrid/report/FieldView.h"
#include "hybrid/report/GroupView.h"
#include "hybrid/report/LayoutView.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/report/SummaryView.h"
#include "hybrid/report/TextLayout.h"
#include "hybrid/report/TextStyle.h"

#include <algorithm>

namespace kst {
namespace {

class Writer {
public:
  Writer(const Report &R, const TextOptions &Given)
      : R(R), E(R.Evidence), Options(Given), Heat(hotness(E)),
        Weight(totalWeight(E)), Current(currentView(R)),
        Proposed(proposedView(R)), Reorders(proposes(R)) {
    Options.Width = std::max(72u, Options.Width);
    for (double Share : Heat)
      Seen += Share > 0;
  }

  std::string write() {
    header();
    verdict();
    summary();
    topGroups();
    layouts();
    sets();
    groupReasons();
    sharing();
    frontier();
    constraints();
    coverage();
    return std::move(Out);
  }

private:
  const Report &R;
  const AffinityEvidence &E;
  TextOptions Options;
  std::vector<double> Heat;
  double Weight;
  LayoutView Current, Proposed;
  bool Reorders;
  size_t Seen = 0; // fields with an access
  std::string Out;

  std::string ink(Ink With, const std::string &Text) const {
    return painted(Options.Color, With, Text);
  }
  void line(const std::string &Text) { Out += Text + "\n"; }
  void heading(const std::string &Text) { line("\n" + ink(Ink::Bold, Text)); }
  void flow(const std::string &First, const std::string &Text) {
    Out += wrapped(First, Text, Options.Width);
  }
  /// Limit, or everything when the full report is wanted.
  size_t atMost(size_t Count, size_t Limit) const {
    return Options.Full ? Count : std::min(Count, Limit);
  }

  std::string name(uint32_t F) const { return displayName(E.Record, F); }

  /// "function() file:line", as far as known.
  static std::string place(const Site &S) {
    std::string Text = S.Function.empty() ? "" : S.Function + "()";
    std::string File = location(S);
    return Text + (Text.empty() || File.empty() ? "" : "  ") + File;
  }

  std::string names(const std::vector<uint32_t> &Fields, size_t Limit) const {
    std::string Text;
    size_t Count = atMost(Fields.size(), Limit);
    for (size_t I = 0; I < Count; ++I)
      Text += (I ? ", " : "") + name(Fields[I]);
    if (Count < Fields.size())
      Text += " and " + std::to_string(Fields.size() - Count) + " more";
    return Text;
  }

  void header() {
    const RecordInfo &S = E.Record;
    std::string At = location({"", S.File, S.Line});
    std::string Title = std::string(S.Union ? "union " : "struct ") + S.Name;
    line(ink(Ink::Bold, Title) + (At.empty() ? "" : "  " + At));
    flow("", std::to_string(S.SizeBytes) + " bytes, " +
                 counted(Current.Lines.size(), "cache line") + " of " +
                 std::to_string(R.CacheLineBytes) + ", " +
                 counted(S.Fields.size(), "field") + ", " +
                 std::to_string(Seen) + " seen in use; target " +
                 (R.Triple.empty() ? "unknown" : R.Triple) +
                 "; kstatic-affinity " + R.Tool.Version + ", LLVM " +
                 R.Tool.Llvm);
    const Coverage &C = E.Covered;
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
    flow("", "evidence: " + Kind + "; " + std::to_string(C.UnitsParsed) +
                 " of " + counted(C.UnitsSelected, "translation unit") + "; " +
                 counted(C.AccessesResolved, "place") + " that access it" +
                 Share);
    if (!C.UnitsFailed.empty())
      line(ink(Ink::Hot, counted(C.UnitsFailed.size(), "translation unit") +
                             " gave no facts, see the end"));
  }

  void verdict() {
    Ink With = Reorders ? Ink::Warm : Ink::Bold;
    line("\n" + ink(Ink::Bold, "verdict: ") +
         ink(With, toWord(R.Layouts.What)));
    for (const std::string &Reason : R.Layouts.Reasons)
      flow("  - ", Reason);
  }

  void row(const SummaryRow &Row) {
    std::string Text = "  " + padRight(Row.What, 18) + padLeft(Row.Now, 9);
    if (Reorders)
      Text += padLeft(Row.Then, 10) + padLeft(Row.Change, 9);
    flow(Text + "  ", Row.Words);
  }

  void summary() {
    std::vector<SummaryRow> Rows = summaryOf(R, Current, Proposed);
    if (Rows.empty())
      return;
    Out += "\n";
    row({"per visit", "current", "proposed", "change", ""});
    for (const SummaryRow &Row : Rows)
      row(Row);
  }

  std::string reason(const GroupView &Group, const GroupReason &Why) const {
    const CoAccessSet &Set = E.Sets[Why.Set];
    std::string Cpu = Set.Cpu == CpuRelation::Unknown
                          ? ""
                          : std::string(toWord(Set.Cpu)) + " ";
    return place(Set.Where) + " (" + Cpu + toWord(Set.Kind) + ", " +
           percent(Why.Saved / Group.Saved) + " of the gain)";
  }

  void topGroups() {
    std::vector<GroupView> Groups = groupsOf(R, Reorders ? Proposed : Current);
    if (Groups.empty())
      return;
    heading(std::string("hottest groups, by line of the ") +
            (Reorders ? "proposed" : "current") + " layout");
    for (size_t I = 0; I < std::min<size_t>(Groups.size(), 3); ++I) {
      const GroupView &Group = Groups[I];
      if (I && Group.Share < 0.01)
        break;
      line("  " + ink(heatInk(Group.Share), padLeft(percent(Group.Share), 6)) +
           " of accesses on line " + std::to_string(Group.Line) + ": " +
           characterOf(R, Group));
      flow("         ", names(Group.Fields, 10));
      for (size_t J = 0; J < std::min<size_t>(Group.Reasons.size(), 2); ++J)
        line("         " + std::string(J ? "    and " : "wanted by ") +
             reason(Group, Group.Reasons[J]));
    }
  }

  void layouts() {
    heading("current layout");
    if (Seen)
      flow("  ", "Columns: offset, size, share of all accesses, r only read, R "
                 "read-mostly (16 reads and more per write), rw, w only "
                 "written, rem: by other CPUs, lock.");
    Out += layoutText(R, Current, Options);
    if (!Reorders)
      return;
    heading("proposed layout (> moved)");
    Out += layoutText(R, Proposed, Options, &Current);
  }

  void touch(const FieldTouch &T, size_t Columns) {
    FieldUse PerVisit;
    PerVisit.Reads = T.Reads;
    PerVisit.Writes = T.Writes;
    std::string Text = "       " + padLeft(percent(T.Probability), 6) + " " +
                       padRight(toMark(accessMark(PerVisit)), 2) + "  " +
                       padRight(shortened(name(T.Field), Columns), Columns);
    if (!T.Sites.empty())
      Text += "  " + place(T.Sites.front());
    if (T.Sites.size() > 1)
      Text += " +" + std::to_string(T.Sites.size() - 1);
    Text.resize(Text.find_last_not_of(' ') + 1);
    line(Text);
  }

  void sets() {
    if (E.Sets.empty())
      return;
    size_t Count = atMost(E.Sets.size(), 8);
    double Shown = 0;
    for (size_t I = 0; I < Count; ++I)
      Shown += E.Sets[I].Weight;
    heading("strongest co-access sets (" + std::to_string(Count) + " of " +
            std::to_string(E.Sets.size()) + ", " +
            percent(Weight > 0 ? Shown / Weight : 0) + " of all visits)");
    for (size_t I = 0; I < Count; ++I) {
      const CoAccessSet &Set = E.Sets[I];
      double Share = Weight > 0 ? Set.Weight / Weight : 0;
      line("  " + padLeft(std::to_string(I + 1), 2) + ". " +
           ink(heatInk(Share), padLeft(percent(Share), 6)) + "  " +
           ink(Ink::Bold, place(Set.Where)) + "  " + toWord(Set.Kind) +
           (Set.Cpu == CpuRelation::Unknown
                ? ""
                : std::string(", ") + toWord(Set.Cpu) + " CPU's instance"));
      setFields(Set);
    }
  }

  void setFields(const CoAccessSet &Set) {
    std::vector<const FieldTouch *> Touches;
    size_t Columns = 8;
    for (const FieldTouch &T : Set.Touches)
      Touches.push_back(&T);
    std::stable_sort(Touches.begin(), Touches.end(), [](auto *L, auto *R) {
      return L->Probability > R->Probability;
    });
    size_t Count = atMost(Touches.size(), 10);
    for (size_t I = 0; I < Count; ++I)
      Columns = std::max(Columns, name(Touches[I]->Field).size());
    for (size_t I = 0; I < Count; ++I)
      touch(*Touches[I], std::min<size_t>(Columns, 28));
    if (Count < Touches.size())
      line(ink(Ink::Dim, "       ... " +
                             std::to_string(Touches.size() - Count) +
                             " more fields"));
  }

  void groupReasons() {
    std::vector<GroupView> Groups = groupsOf(R, Reorders ? Proposed : Current);
    std::erase_if(Groups, [](auto &Group) { return Group.Reasons.empty(); });
    if (Groups.empty())
      return;
    heading(std::string("why fields share a line (") +
            (Reorders ? "proposed" : "current") + " layout)");
    flow("  ", "Per line, the visits that would touch more lines if its fields "
               "were apart. Gain: line touches that sharing the line saves.");
    for (size_t I = 0; I < atMost(Groups.size(), 6); ++I) {
      const GroupView &Group = Groups[I];
      line("  line " + std::to_string(Group.Line) + ", " +
           percent(Group.Share) + " of accesses");
      for (size_t J = 0; J < atMost(Group.Reasons.size(), 3); ++J) {
        if (!Options.Full && J && Group.Reasons[J].Saved < 0.02 * Group.Saved)
          break;
        line("    " + reason(Group, Group.Reasons[J]));
        flow("      ", names(Group.Reasons[J].Fields, 10));
      }
    }
  }

  void actors(const std::string &First, const std::vector<Actor> &Actors) {
    size_t Count = atMost(Actors.size(), 2);
    for (size_t I = 0; I < Count; ++I) {
      const Actor &A = Actors[I];
      line((I ? std::string(First.size(), ' ') : First) + place(A.Where) +
           (A.Cpu == CpuRelation::Unknown ? ""
                                          : std::string("  ") + toWord(A.Cpu)));
    }
  }

  void sharing() {
    std::vector<SharingRisk> Risks = sharingRisks(R, Current, Proposed);
    if (Risks.empty())
      return;
    double Sum = 0;
    for (const SharingRisk &Risk : Risks)
      Sum += Risk.Loss;
    size_t Count = std::min(atMost(Risks.size(), 5), ExplainedRisks);
    heading("false-sharing risks of the current layout (" +
            std::to_string(Count) + " of " + counted(Risks.size(), "pair") +
            " on one line)");
    for (size_t I = 0; I < Count; ++I) {
      const SharingRisk &Risk = Risks[I];
      std::string Then = !Reorders ? ""
                         : Risk.StillTogether
                             ? "; still together in the proposed layout"
                             : "; apart in the proposed layout";
      flow("  " + padLeft(percent(Risk.Loss / Sum), 6) + "  ",
           "line " + std::to_string(Risk.Line) + ": " + name(Risk.Written) +
               " is written while another CPU uses " + name(Risk.Used) + Then);
      actors("          writers  ", Risk.Writers);
      actors("          users    ", Risk.Users);
    }
  }

  void frontier() {
    const std::vector<FrontierPoint> &Points = R.Layouts.Frontier;
    if (Points.empty())
      return;
    double Unit = Weight > 0 ? Weight : 1;
    double Start = R.Layouts.Current.Price.total();
    heading("cost against number of moved fields");
    size_t Count = atMost(Points.size(), 8);
    for (size_t I = 0; I < Count; ++I) {
      const FrontierPoint &P = Points[I];
      std::string Names;
      for (size_t J = 0; J < atMost(P.Moved.size(), 8); ++J)
        Names += (J ? ", " : "") + P.Moved[J];
      if (P.Moved.size() > atMost(P.Moved.size(), 8))
        Names += " ...";
      flow("  " + padLeft(std::to_string(P.Moves), 4) + "  " +
               padLeft(fixed(P.TotalCost / Unit, 2), 7) +
               padLeft(change(Start, P.TotalCost), 9) + "  ",
           Names);
    }
    if (Count < Points.size())
      line("        ... " + std::to_string(Points.size() - Count) + " more");
  }

  void constraints() {
    const std::vector<ConstraintNote> &Notes = R.Layouts.Constraints;
    if (Notes.empty())
      return;
    heading("what must stay, and why");
    size_t Count = atMost(Notes.size(), 12);
    for (size_t I = 0; I < Count; ++I)
      flow("  ", (Notes[I].Field.empty() ? "" : Notes[I].Field + ": ") +
                     Notes[I].Why);
    if (Count < Notes.size())
      line("  ... " + std::to_string(Notes.size() - Count) + " more");
  }

  void coverage() {
    const Coverage &C = E.Covered;
    heading("what was looked at");
    line("  translation units  " + std::to_string(C.UnitsParsed) +
         " parsed of " + std::to_string(C.UnitsSelected) + " selected");
    line("  accesses           " + std::to_string(C.AccessesResolved) +
         " attributed to a field");
    counts("not attributed", C.AccessesDropped);
    counts("compiler flags that clang does not know, left out of commands",
           C.FlagsDropped);
    size_t Count = atMost(C.UnitsFailed.size(), 10);
    for (size_t I = 0; I < Count; ++I)
      flow("  " + ink(Ink::Hot, "failed") + "  ",
           C.UnitsFailed[I].File + ": " + C.UnitsFailed[I].Reason);
    if (Count < C.UnitsFailed.size())
      line("  ... " + std::to_string(C.UnitsFailed.size() - Count) +
           " more that failed");
  }

  void counts(const std::string &Title,
              const std::map<std::string, uint64_t> &Counts) {
    if (Counts.empty())
      return;
    std::vector<std::pair<std::string, uint64_t>> Sorted(Counts.begin(),
                                                         Counts.end());
    std::stable_sort(Sorted.begin(), Sorted.end(),
                     [](auto &L, auto &R) { return L.second > R.second; });
    line("  " + Title);
    size_t Shown = atMost(Sorted.size(), 12);
    for (size_t I = 0; I < Shown; ++I)
      line("    " + padLeft(std::to_string(Sorted[I].second), 7) + "  " +
           Sorted[I].first);
    if (Shown < Sorted.size())
      line("             ... " + std::to_string(Sorted.size() - Shown) +
           " more");
  }
};

} // namespace

std::string toText(const Report &R, const TextOptions &Options) {
  return Writer(R, Options).write();
}

} // namespace kst
