// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/OrderPrice.h"

namespace kst {

OrderPrice::OrderPrice(const SearchSpace &Space, const MoveUnitOrder &Order)
    : Space(Space), Offsets(Space.configs().size()) {
  Space.rules().fields(Order, Fields);
  States.reserve(Space.configs().size());
  uint64_t TooMany = 0;
  for (size_t T = 0; T < Space.configs().size(); ++T) {
    const SearchConfig &In = Space.configs()[T];
    Layout Plan = In.Offsets.layout(Fields);
    Offsets[T] = Plan.OffsetBits;
    States.emplace_back(*In.Model, Plan);
    TooMany += SearchSpace::wordsTooMany(In, Plan.SizeBytes);
  }
  Penalty = penalty(TooMany);
  Total = price().total() + Penalty;
}

double OrderPrice::penalty(uint64_t WordsTooMany) const {
  return Space.placementPenalty() *
         static_cast<double>(Space.unmet(Fields, Offsets[0]) + WordsTooMany);
}

double OrderPrice::trial(const MoveUnitOrder &Order) {
  ++Trials;
  Space.rules().fields(Order, Fields);
  double Sum = 0;
  uint64_t TooMany = 0;
  for (size_t T = 0; T < States.size(); ++T) {
    const SearchConfig &In = Space.configs()[T];
    uint64_t Size = In.Offsets.place(Fields, Offsets[T]);
    Sum += In.Share * States[T].trial(Offsets[T], Size);
    TooMany += SearchSpace::wordsTooMany(In, Size);
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
    double Share = Space.configs()[T].Share;
    Sum.Lines += Share * One.Lines;
    Sum.Sharing += Share * One.Sharing;
    Sum.Padding += Share * One.Padding;
    Sum.Touched += Share * One.Touched;
    Sum.Lost += Share * One.Lost;
  }
  return Sum;
}

uint64_t OrderPrice::work() const {
  uint64_t Sum = Trials * Space.model().extents().size() * States.size();
  for (const CostState &State : States)
    Sum += State.work();
  return Sum;
}

} // namespace kst
