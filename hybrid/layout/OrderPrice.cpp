// SPDX-License-Identifier: GPL-2.0-or-later
//
// See OrderPrice.h.

#include "hybrid/layout/OrderPrice.h"

namespace kst {

OrderPrice::OrderPrice(const SearchSpace &Space, const UnitOrder &Order)
    : Space(Space), Offsets(Space.targets().size()) {
  Space.rules().fields(Order, Fields);
  States.reserve(Space.targets().size());
  uint64_t TooMany = 0;
  for (size_t T = 0; T < Space.targets().size(); ++T) {
    const Target &At = Space.targets()[T];
    Layout Plan = At.Offsets.layout(Fields);
    Offsets[T] = Plan.OffsetBits;
    States.emplace_back(*At.Model, Plan);
    TooMany += SearchSpace::wordsTooMany(At, Plan.SizeBytes);
  }
  Penalty = penalty(TooMany);
  Total = price().total() + Penalty;
}

double OrderPrice::penalty(uint64_t WordsTooMany) const {
  return Space.placementPenalty() *
         static_cast<double>(Space.unmet(Fields, Offsets[0]) + WordsTooMany);
}

double OrderPrice::trial(const UnitOrder &Order) {
  ++Trials;
  Space.rules().fields(Order, Fields);
  double Sum = 0;
  uint64_t TooMany = 0;
  for (size_t T = 0; T < States.size(); ++T) {
    const Target &At = Space.targets()[T];
    uint64_t Size = At.Offsets.place(Fields, Offsets[T]);
    Sum += At.Share * States[T].trial(Offsets[T], Size);
    TooMany += SearchSpace::wordsTooMany(At, Size);
  }
  NextPenalty = penalty(TooMany);
  return Sum + NextPenalty;
}

void OrderPrice::commit() {
  for (CostState &State : States)
    State.commit();
  Penalty = NextPenalty;
  Total = price().total() + Penalty;
}

Cost OrderPrice::price() const {
  Cost Sum;
  for (size_t T = 0; T < States.size(); ++T) {
    const Cost &One = States[T].price();
    double Share = Space.targets()[T].Share;
    Sum.Lines += Share * One.Lines;
    Sum.Sharing += Share * One.Sharing;
    Sum.Padding += Share * One.Padding;
  }
  return Sum;
}

uint64_t OrderPrice::work() const {
  uint64_t Sum = Trials * Space.model().fieldCount() * States.size();
  for (const CostState &State : States)
    Sum += State.work();
  return Sum;
}

} // namespace kst
