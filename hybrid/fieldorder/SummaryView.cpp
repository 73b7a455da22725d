// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/SummaryView.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/MeasuredView.h"
#include "hybrid/fieldorder/OrderView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <cmath>

namespace kst {

uint64_t optimisedCount(const Report &R) {
  return uint64_t(std::count_if(
      R.Layouts.Configs.begin(), R.Layouts.Configs.end(),
      [](const ConfigScore &Target) { return Target.Optimised; }));
}

bool sharesLines(const Report &R) {
  return R.Layouts.Current.Price.Sharing > 0 ||
         R.Layouts.Proposed.Price.Sharing > 0;
}

bool proposes(const Report &R) { return R.Layouts.What == Verdict::Reorder; }

namespace {

class Summary {
public:
  explicit Summary(const ReportView &View) : View(View), A(View.R.Layouts) {}

  std::vector<SummaryRow> rows() {
    costs();
    bound();
    uint32_t Now = linesForShare(View.Current, 0.9);
    uint32_t Then = linesForShare(View.Proposed, 0.9);
    add("hot lines", std::to_string(Now), std::to_string(Then),
        change(Now, Then), "lines with 90% of all accesses");
    if (!View.Reorders)
      return std::move(Rows);
    uint64_t Old = View.Current.SizeBytes, New = View.Proposed.SizeBytes;
    add("bytes", std::to_string(Old), std::to_string(New),
        change(double(Old), double(New)), "");
    add("fields moved", "", std::to_string(movesOf(View)), "",
        "of " + std::to_string(View.Current.Places.size()));
    return std::move(Rows);
  }

private:
  const ReportView &View;
  const Advice &A;
  std::vector<SummaryRow> Rows;

  void add(const char *What, const std::string &Now, const std::string &Then,
           const std::string &Change, const std::string &Words) {
    bool Both = View.Reorders;
    Rows.push_back({What, Now, Both ? Then : "", Both ? Change : "", Words});
  }

  void addCost(const char *What, double Now, double Then,
               const std::string &Words) {
    add(What, fixed(View.perVisit(Now), 2), fixed(View.perVisit(Then), 2),
        change(Now, Then), Words);
  }

  std::string remoteWords() const {
    double Factor = View.R.LambdaRemote;
    std::string Text = "cache lines a visit needs";
    if (Factor == 1)
      return Text;
    return Text + "; a remote one's count " +
           fixed(Factor, Factor == std::floor(Factor) ? 0 : 1);
  }

  void costs() {
    const Cost &Old = A.Current.Price;
    const Cost &New = View.Reorders ? A.Proposed.Price : Old;
    addCost("lines touched", Old.Lines, New.Lines, remoteWords());
    addCost("sharing", Old.Sharing, New.Sharing,
            "one CPU writes a line that another CPU uses");
    addCost("padding", Old.Padding, New.Padding,
            "lines beyond the fewest its fields fit");
    addCost("cost", Old.total(), New.total(), "sum of these");
    if (uint64_t Configs = optimisedCount(View.R); Configs > 1)
      addCost("all configs", A.ObjectiveNow, A.ObjectiveNew,
              "mean over " + counted(Configs, "configuration") +
                  "; above is the first");
  }

  void bound() {
    if (A.ObjectiveBound <= 0 || A.Fixed)
      return;
    std::string Bound = fixed(View.perVisit(A.ObjectiveBound), 2);
    double Gap = (A.ObjectiveNew - A.ObjectiveBound) / A.ObjectiveBound;
    std::string Words = A.Proven ? std::string("the ") + View.bestWord() +
                                       " order is proven to be the best"
                                 : "no legal order costs less; gap " +
                                       percent(std::max(0.0, Gap));
    add("bound", View.Reorders ? "" : Bound, Bound, "", Words);
  }
};

} // namespace

std::vector<SummaryRow> summaryOf(const ReportView &View) {
  if (View.Weight <= 0)
    return {};
  return Summary(View).rows();
}

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

} // namespace kst
