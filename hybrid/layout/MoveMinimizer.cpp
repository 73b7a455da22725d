// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/MoveMinimizer.h"

#include "hybrid/layout/Moves.h"

namespace kst {

/// Smaller differences are rounding.
static constexpr double Tolerance = 1e-9;

/// A step is taken at once if it costs no more than this share of what is left
/// up to the limit; dear ones come last.
static constexpr double Shares[] = {1.0 / 64, 1.0 / 8, 1};

MoveMinimizer::MoveMinimizer(const SearchSpace &Space, MoveUnitOrder From)
    : Space(Space), Rules(Space.rules()), Order(std::move(From)),
      Price(Space, Order), Moved(movedUnits(Space, Order)),
      Position(Order.size()), Homes(Order.size()),
      Moves(moveCount(Rules, Moved)) {
  findHomes();
}

/// Where each move unit stands, and between which positions it would be at
/// home.
void MoveMinimizer::findHomes() {
  const uint32_t N = Space.brickCount();
  for (size_t At = 0; At < Order.size(); ++At)
    Position[Order[At]] = At;
  for (uint32_t U = 0; U < N; ++U) {
    bool Opens = U == Rules.segmentBegin(U);
    Homes[U].First = Opens          ? U
                     : Moved[U - 1] ? Homes[U - 1].First
                                    : Position[U - 1] + 1;
  }
  for (uint32_t U = N; U-- > 0;) {
    bool Closes = U + 1 == Rules.segmentEnd(U);
    Homes[U].Last = Closes         ? U + 1
                    : Moved[U + 1] ? Homes[U + 1].Last
                                   : Position[U + 1];
  }
}

/// Remembers Trial if it is the best step so far. It saves MostSaved moves at
/// most.
void MoveMinimizer::consider(uint32_t MostSaved) {
  // Places in the declared order may lie in a group that has moved.
  if (Rules.floats() && !Rules.legal(Trial))
    return;
  const double P = Price.trial(Trial), Now = Price.total();
  const double Paid = P - Now, Small = Tolerance * Limit;
  const double BestRate = Paid > 0 ? Paid / MostSaved : Paid;
  if (P > Limit || (Best && BestRate >= Best->Rate - Small))
    return;
  Counted += 8 * Order.size();
  Step Here{Trial, P, Paid, movedUnits(Space, Trial), 0};
  Here.Moves = moveCount(Rules, Here.Moved);
  if (Here.Moves > Moves || (Here.Moves == Moves && Paid > -Small))
    return;
  if (Here.Moves < Moves)
    Here.Rate /= Moves - Here.Moves;
  if (!Best || Here.Rate < Best->Rate - Small)
    Best = std::move(Here);
}

void MoveMinimizer::considerHome(uint32_t U) {
  const size_t From = Position[U];
  for (size_t To = Homes[U].First; To <= Homes[U].Last && !spent(); ++To) {
    if (To == From || To == From + 1)
      continue;
    Trial = Order;
    moveRun(Trial, From, 1, To);
    consider(2 * weight(U));
  }
  for (uint32_t W = Rules.segmentBegin(U); W < Rules.segmentEnd(U) && !spent();
       ++W) {
    if (W == U || !Moved[W] || !Rules.bricks()[W].Movable ||
        Space.shape(W).SizeBytes != Space.shape(U).SizeBytes)
      continue;
    Trial = Order;
    std::swap(Trial[From], Trial[Position[W]]);
    moveRun(Trial, Position[W], 1, Homes[U].First);
    consider(weight(U) + weight(W));
  }
}

/// With move units of the same shape.
void MoveMinimizer::considerTrades(uint32_t U) {
  const MoveUnitShape &Mine = Space.shape(U);
  for (uint32_t V = Rules.segmentBegin(U); V < Rules.segmentEnd(U); ++V) {
    if (V == U || !Rules.bricks()[V].Movable || !Space.shape(V).sameRoom(Mine))
      continue;
    if (spent())
      return;
    Trial = Order;
    std::swap(Trial[Position[U]], Trial[Position[V]]);
    consider(weight(U) + weight(V));
  }
}

void MoveMinimizer::take(Step Next) {
  Price.trial(Next.Order);
  Price.commit();
  Order = std::move(Next.Order);
  Moved = std::move(Next.Moved);
  Moves = Next.Moves;
  findHomes();
}

void MoveMinimizer::run(double Most, uint64_t Budget) {
  Limit = Most;
  Stop = work() + Budget;
  for (double Share : Shares)
    for (bool Changed = true; Changed && !spent();) {
      Changed = false;
      for (uint32_t U = 0; U < Order.size() && !spent(); ++U) {
        if (!Moved[U] || !Rules.bricks()[U].Movable)
          continue;
        Best.reset();
        considerHome(U);
        considerTrades(U);
        if (!Best || Best->Rate > Share * (Limit - Price.total()))
          continue;
        take(std::move(*Best));
        Changed = true;
      }
    }
}

} // namespace kst
