// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/SummaryView.h"

#include "hybrid/report/FieldView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {

bool proposes(const Report &R) { return R.Layouts.What == Verdict::Reorder; }

std::vector<SummaryRow> summaryOf(const Report &R, const LayoutView &Current,
                                  const LayoutView &Proposed) {
  double Weight = totalWeight(R.Evidence);
  if (Weight <= 0)
    return {};
  const Cost &Old = R.Layouts.Current.Price;
  const ScoredLayout &Last =
      proposes(R) ? R.Layouts.Proposed : R.Layouts.Current;
  const Cost &New = Last.Price;
  std::vector<SummaryRow> Rows;
  auto Add = [&](const char *What, const std::string &Now,
                 const std::string &Then, const std::string &Change,
                 const std::string &Words) {
    bool Both = proposes(R);
    Rows.push_back({What, Now, Both ? Then : "", Both ? Change : "", Words});
  };
  auto AddCost = [&](const char *What, double Now, double Then,
                     const std::string &Words) {
    Add(What, fixed(Now / Weight, 2), fixed(Then / Weight, 2),
        change(Now, Then), Words);
  };
  AddCost("lines touched", Old.Lines, New.Lines,
          "cache lines a visit needs; a remote one's count 4");
  AddCost("sharing", Old.Sharing, New.Sharing,
          "one CPU writes a line that another CPU uses");
  AddCost("padding", Old.Padding, New.Padding,
          "lines beyond the fewest its fields fit");
  AddCost("cost", Old.total(), New.total(),
          "sum; no legal order costs less than " +
              fixed(Last.LowerBound / Weight, 2) + " (gap " +
              percent(Last.Gap) + ")");
  uint32_t Now = linesForShare(Current, 0.9);
  uint32_t Then = linesForShare(Proposed, 0.9);
  Add("hot lines", std::to_string(Now), std::to_string(Then), change(Now, Then),
      "lines with 90% of all accesses");
  if (!proposes(R))
    return Rows;
  Add("bytes", std::to_string(Current.SizeBytes),
      std::to_string(Proposed.SizeBytes),
      change(double(Current.SizeBytes), double(Proposed.SizeBytes)), "");
  std::vector<bool> Moved = movedFields(Current, Proposed);
  Add("fields moved", "",
      std::to_string(std::count(Moved.begin(), Moved.end(), true)), "",
      "of " + std::to_string(Moved.size()));
  return Rows;
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
  return Text + (Sum.Lock > 0 ? ", holds a lock" : "");
}

} // namespace kst
