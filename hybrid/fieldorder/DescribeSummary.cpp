// SPDX-License-Identifier: GPL-2.0-or-later
//
// The numbers that say how good a layout is, before and after, and the lines
// that matter most.

#include "hybrid/fieldorder/DescribeParts.h"
#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <cmath>

namespace kst {
namespace {

/// Costs are divided by the weight of all sets: they are per visit.
class Summary {
public:
  explicit Summary(const ReportView &View) : View(View), A(View.R.Layouts) {}

  Table table() {
    T.Columns = {{"per visit", false, true}, {"current", true}};
    if (View.Reorders)
      T.Columns.insert(T.Columns.end(), {{"proposed", true}, {"change", true}});
    T.Columns.push_back({""});
    costs();
    bound();
    uint32_t Now = linesForShare(View.Current, 0.9);
    uint32_t Then = linesForShare(View.Proposed, 0.9);
    add("hot lines", std::to_string(Now), std::to_string(Then),
        change(Now, Then), "lines with 90% of all accesses");
    if (!View.Reorders)
      return std::move(T);
    uint64_t Old = View.Current.SizeBytes, New = View.Proposed.SizeBytes;
    add("bytes", std::to_string(Old), std::to_string(New),
        change(double(Old), double(New)), "");
    add("fields moved", "", std::to_string(View.moves()), "",
        "of " + std::to_string(View.Current.Places.size()));
    return std::move(T);
  }

private:
  const ReportView &View;
  const Advice &A;
  Table T;

  void add(const char *What, const std::string &Now, const std::string &Then,
           const std::string &Change, const std::string &Words) {
    if (View.Reorders)
      T.Rows.push_back({{What, Now, Then, Change, Words}});
    else
      T.Rows.push_back({{What, Now, Words}});
  }

  void addCost(const char *What, double Now, double Then,
               const std::string &Words) {
    add(What, fixed(View.perVisit(Now), 2), fixed(View.perVisit(Then), 2),
        change(Now, Then), Words);
  }

  void addCycles(const char *What, double Now, double Then,
                 const std::string &Words) {
    add(What, fixed(View.perVisit(Now), 1), fixed(View.perVisit(Then), 1),
        change(Now, Then), Words);
  }

  void costs() {
    const Cost &Old = A.Current.Price;
    const Cost &New = View.Reorders ? A.Proposed.Price : Old;
    addCost("lines touched", Old.Touched, New.Touched,
            "cache lines a visit needs");
    addCost("lines lost", Old.Lost, New.Lost,
            "of these, taken by another CPU's write");
    if (Old.Padding > 0 || New.Padding > 0)
      addCycles("padding", Old.Padding, New.Padding,
                "price of lines beyond the fewest its fields fit");
    addCycles("cycles", Old.total(), New.total(),
              fixed(View.R.LineCycles, 0) + " a line, " +
                  fixed(View.R.LostCycles, 0) + " more for a lost one (" +
                  View.R.On.Name + ")");
    if (View.Optimised > 1)
      addCycles("all configs", A.ObjectiveNow, A.ObjectiveNew,
                "mean over " + counted(View.Optimised, "configuration") +
                    (View.Shared ? " and both cases" : "") +
                    "; above is the first");
    else if (View.Shared) {
      addCycles("if shared", View.Shared->Now.total(), View.Shared->New.total(),
                "the cost if all CPUs use each object at the same time");
      addCycles("mean", A.ObjectiveNow, A.ObjectiveNew,
                "of both cases: what the order is chosen by");
    }
  }

  void bound() {
    if (A.ObjectiveBound <= 0 || A.Fixed)
      return;
    std::string Bound = fixed(View.perVisit(A.ObjectiveBound), 1);
    double Gap = (A.ObjectiveNew - A.ObjectiveBound) / A.ObjectiveBound;
    std::string Words = A.Proven ? std::string("the ") + View.bestWord() +
                                       " order is proven to be the best"
                                 : "no legal order costs less; gap " +
                                       percent(std::max(0.0, Gap));
    add("bound", View.Reorders ? "" : Bound, Bound, "", Words);
  }
};

/// What the fields of a group have in common, e.g. "read-mostly, lockless,
/// 82% by other CPUs".
std::string characterOf(const Report &R, const GroupView &Group) {
  FieldUse Sum;
  for (uint32_t F : Group.Fields) {
    FieldUse Use = useOf(R.Evidence, F);
    Sum.Reads += Use.Reads;
    Sum.Writes += Use.Writes;
    Sum.RemoteReads += Use.RemoteReads;
    Sum.RemoteWrites += Use.RemoteWrites;
    Sum.Lockless += Use.Lockless;
    Sum.Lock += Use.Lock;
  }
  std::string Text = toWords(accessMark(Sum));
  if (locklessShare(Sum) >= 0.5)
    Text += ", lockless";
  if (isRemote(Sum))
    Text += ", " + fixed(remoteShare(Sum) * 100, 0) + "% by other CPUs";
  if (Sum.Lock > 0)
    Text += ", holds a lock";
  std::string Measured =
      measuredWords(R.Evidence, measuredShare(R.Evidence, Group.Fields));
  return Text + (Measured.empty() ? "" : ", ") + Measured;
}

void topGroups(const ReportView &View, Document &Doc) {
  std::vector<GroupView> Groups = groupsOf(View.R, View.best());
  if (Groups.empty())
    return;
  Section &Part = Doc.Sections.emplace_back(
      Section{std::string("hottest groups, by line of the ") + View.bestWord() +
              " layout"});
  for (size_t I = 0; I < std::min<size_t>(Groups.size(), 3); ++I) {
    const GroupView &Group = Groups[I];
    if (I && Group.Share < 0.01)
      break;
    Entry Line{percent(Group.Share),
               "of accesses on line " + std::to_string(Group.Line) + ": " +
                   characterOf(View.R, Group),
               {Paragraph{fieldNames(View, Group.Fields, 10)}},
               Group.Share};
    std::string Lead = "wanted by ";
    for (const GroupReason *Why : leadingReasons(View.R, Group, 2)) {
      Line.Body.push_back(Paragraph{reasonOf(View, Group, *Why), Lead});
      Lead = "      and ";
    }
    Part.Body.push_back(std::move(Line));
  }
}

} // namespace

void describeSummary(const ReportView &View, Document &Doc) {
  if (View.Weight > 0) {
    Section &Part = Doc.Sections.emplace_back();
    Part.Body.push_back(Summary(View).table());
    bool Shares = View.R.Layouts.Current.Price.Sharing > 0 ||
                  View.R.Layouts.Proposed.Price.Sharing > 0;
    std::string Users = ownershipWords(View.E.Users, Shares);
    if (!Users.empty())
      Part.Body.push_back(Paragraph{"users of an object: " + Users});
    std::string Chosen = chosenWords(View.E.Sets, View.E.Users);
    if (Shares && !Chosen.empty())
      Part.Body.push_back(Paragraph{"chosen CPUs: " + Chosen});
    std::string Seen = seenWords(View.E.Sets);
    if (Shares && !Seen.empty() && View.E.Users.Turns != UserTurns::Shared)
      Part.Body.push_back(Paragraph{"who comes: " + Seen});
  }
  topGroups(View, Doc);
}

} // namespace kst
