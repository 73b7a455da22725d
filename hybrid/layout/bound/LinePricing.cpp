// SPDX-License-Identifier: GPL-2.0-or-later
//
// See LinePricing.h.
//
// The bound of a node. With the chosen items I, what other items J add to the
// cost of set s is W_s (1 - prod over J (1 - p)), W_s = w_s prod over I (1 -
// p). For any order of the candidates, 1 - prod over J (1 - p)
//   = sum over f in J: p_f prod over earlier h in J (1 - p_h)
//  >= sum over f in J: p_f prod over earlier candidates h (1 - p_h),
// so these products, and averages of them over several orders, are shares that
// each candidate bears for certain; so with the writes. The use of the line is
// then at least that by I plus what each of J adds for certain, u_f, and by the
// slopes of lost() at I (lostSlopes)
//   lost(I and J) >= lost(I) + sum over f in J: slopes * u_f.
// What is left is a knapsack of independent items, bounded by its linear
// relaxation. Shares are improved by putting the items that the knapsack takes
// first (Frank-Wolfe steps).

#include "hybrid/layout/bound/LinePricing.h"

#include <algorithm>
#include <numeric>

namespace kst {

LinePricing::LinePricing(const LineProblem &Problem)
    : Problem(Problem), Missing(Problem.setCount(), 1.0),
      Unwritten(Problem.setCount(), 1.0), Marginal(Problem.itemCount()),
      Brings(Problem.itemCount()), Locals(Problem.setCount(), ~0u) {}

void LinePricing::offer(double Value) {
  if (!Result.Best.Items.empty() && Value <= Result.BestValue)
    return;
  Result.BestValue = Value;
  Result.Best.Items = Chosen;
  Result.Best.LastShare = 1;
}

/// An entry that neither touches nor writes what was not so far can go.
bool LinePricing::matters(const Node &At, uint32_t Set, double W) const {
  return At.Weight[Set] > 0 || W * At.Unwritten[Set] > 0;
}

/// What the candidate does to the line beyond the chosen items; Certain: at
/// least, whoever else joins.
LineUse LinePricing::brings(const Node &At, const Candidate &Of,
                            bool Certain) const {
  LineUse Sum;
  for (uint32_t E = Of.Begin; E < Of.End; ++E) {
    const Entry &X = At.Entries[E];
    Sum.add(Meetings[X.Set], At.Untouched[X.Set] * (Certain ? X.Share : X.P),
            At.Unwritten[X.Set] * (Certain ? X.WriteShare : X.W));
  }
  return Sum;
}

/// What sharing costs more if the candidate joins the chosen items.
double LinePricing::lostBy(const Node &At, const Candidate &Of) const {
  return Problem.sharing(At.Use + brings(At, Of, false)) -
         Problem.sharing(At.Use);
}

void LinePricing::root(uint32_t Root, const std::vector<char> &Allowed,
                       Node &Top) {
  Top = Node();
  SetIds.clear();
  Meetings.clear();
  Top.Value = Prices[Root] - Problem.alone(Root) - Charge;
  const LineItem &Mine = Problem.item(Root);
  Top.Room = Problem.lineBits() - Mine.Bits;
  Top.Large = Mine.Large;
  Top.StartsLine = Mine.StartsLine;
  for (auto [Set, P, W] : Problem.setsOf(Root)) {
    Missing[Set] = 1 - P;
    Unwritten[Set] = 1 - W;
    Top.Use.add(Problem.meeting(Set), P, W);
  }
  for (uint32_t I = 0; I < Problem.itemCount(); ++I) {
    const LineItem &Item = Problem.item(I);
    if (I == Root || !Problem.mayMeet(I, Root) || Prices[I] <= 0)
      continue;
    bool Whole = Allowed[I] && Item.Bits <= Top.Room;
    bool Part = Item.Splits && Top.Room;
    if (!Whole && !Part)
      continue;
    Candidate C{I, !Whole, static_cast<uint32_t>(Top.Entries.size()), 0};
    for (auto [Set, P, W] : Problem.setsOf(I)) {
      if (Locals[Set] == ~0u) {
        Locals[Set] = static_cast<uint32_t>(Top.Weight.size());
        Top.Weight.push_back(Problem.weight(Set) * Missing[Set]);
        Top.Untouched.push_back(Top.Weight.back() / Problem.weight(Set));
        Top.Unwritten.push_back(Unwritten[Set]);
        SetIds.push_back(Set);
        Meetings.push_back(Problem.meeting(Set));
      }
      if (matters(Top, Locals[Set], W))
        Top.Entries.push_back({Locals[Set], P, W, 0, 0});
    }
    C.End = static_cast<uint32_t>(Top.Entries.size());
    Top.Candidates.push_back(C);
  }
  Work += Top.Entries.size();
  for (uint32_t Set : SetIds)
    Locals[Set] = ~0u;
  for (const LineProblem::Touch &T : Problem.setsOf(Root))
    Missing[T.Other] = Unwritten[T.Other] = 1;
}

/// What one item in part adds at most to the knapsack's bound, PerBit being the
/// knapsack's price of a bit. With share a: a * (price - bits * PerBit) - cost,
/// linear in a.
double LinePricing::partly(const Node &At, uint32_t C, double PerBit) const {
  const Candidate &Cand = At.Candidates[C];
  const LineItem &Item = Problem.item(Cand.Item);
  double Bits = Item.Bits, Price = Prices[Cand.Item];
  double Cost = Price - Bounds[C]; // at least
  double Share =
      std::min(At.Room, Item.Bits - std::gcd(At.Grain, Item.Bits)) / Bits;
  return std::max(0.0, Share * (Price - Bits * PerBit)) - Cost;
}

void LinePricing::grain(Node &At) const {
  At.Grain = At.Room;
  for (const Candidate &Cand : At.Candidates)
    if (!Cand.SplitOnly)
      At.Grain = std::gcd(At.Grain, Problem.item(Cand.Item).Bits);
}

/// What more use than the chosen items' costs at least, by use.
LineUse LinePricing::slopes(const Node &At) const {
  LineUse Most; // what candidates can add: once what each set has left
  for (uint32_t S = 0; S < At.Weight.size(); ++S)
    Most.add(Meetings[S], At.Untouched[S], At.Unwritten[S]);
  LineUse Each;
  for (const Candidate &Cand : At.Candidates)
    Each += brings(At, Cand, false);
  Most = {fewer(Most.Uses, Each.Uses), fewer(Most.Writes, Each.Writes)};
  return Problem.sharingSlopes(At.Use, Most);
}

/// Fills Bounds (what each candidate can add at most) and Ranked (by bound per
/// bit), and returns the knapsack's bound on the node.
double LinePricing::estimate(Node &At) {
  grain(At);
  if (!At.Slopes)
    At.Slopes = slopes(At);
  const size_t N = At.Candidates.size();
  Bounds.resize(N);
  Ranked.clear();
  for (uint32_t C = 0; C < N; ++C) {
    const Candidate &Cand = At.Candidates[C];
    Bounds[C] = Prices[Cand.Item];
    for (uint32_t E = Cand.Begin; E < Cand.End; ++E)
      Bounds[C] -= At.Weight[At.Entries[E].Set] * At.Entries[E].Share;
    Bounds[C] -= *At.Slopes * brings(At, Cand, true);
    if (Bounds[C] > 0 && !Cand.SplitOnly)
      Ranked.push_back(C);
  }
  Work += 2 * At.Entries.size() + 10 * N + 20;
  auto BitsOf = [&](uint32_t C) {
    return static_cast<double>(Problem.item(At.Candidates[C].Item).Bits);
  };
  std::ranges::sort(Ranked, [&](uint32_t A, uint32_t B) {
    double X = Bounds[A] * BitsOf(B), Y = Bounds[B] * BitsOf(A);
    return X != Y ? X > Y : A < B;
  });
  double Room = At.Room, Sum = At.Value, PerBit = 0;
  for (uint32_t C : Ranked) {
    double Bits = BitsOf(C);
    if (Bits > Room) {
      PerBit = Bounds[C] / Bits;
      Sum += PerBit * Room;
      Room = 0;
      break;
    }
    Sum += Bounds[C];
    Room -= Bits;
  }
  double Part = 0;
  for (uint32_t C = 0; C < N; ++C)
    if (At.Candidates[C].SplitOnly)
      Part = std::max(Part, partly(At, C, PerBit));
  At.Most = Sum + Part;
  return At.Most;
}

/// Frank-Wolfe steps on the shares; ends early at or below Goal.
void LinePricing::tighten(Node &At, int Rounds, double Goal, int Settled) {
  const size_t N = At.Candidates.size();
  std::vector<uint32_t> Order;
  std::vector<double> Left(At.Weight.size()), Unwritten(At.Weight.size());
  double Best = estimate(At);
  for (int Round = 0; Round < Rounds && At.Most > Goal; ++Round) {
    // Taken items first, then by bound per bit: Ranked; then the rest.
    Order = Ranked;
    std::vector<char> In(N);
    for (uint32_t C : Order)
      In[C] = true;
    for (uint32_t C = 0; C < N; ++C)
      if (!In[C] && At.Candidates[C].SplitOnly && Bounds[C] > 0)
        Order.insert(Order.begin(), C), In[C] = true;
    for (uint32_t C = 0; C < N; ++C)
      if (!In[C])
        Order.push_back(C);
    std::fill(Left.begin(), Left.end(), 1.0);
    std::fill(Unwritten.begin(), Unwritten.end(), 1.0);
    double Step = 2.0 / (Round + Settled);
    for (uint32_t C : Order) {
      const Candidate &Cand = At.Candidates[C];
      for (uint32_t E = Cand.Begin; E < Cand.End; ++E) {
        Entry &X = At.Entries[E];
        double Target = X.P * Left[X.Set];
        Left[X.Set] -= Target;
        X.Share += Step * (Target - X.Share);
        double Written = X.W * Unwritten[X.Set];
        Unwritten[X.Set] -= Written;
        X.WriteShare += Step * (Written - X.WriteShare);
      }
    }
    Work += At.Entries.size();
    Best = std::min(Best, estimate(At));
  }
  At.Most = std::min(At.Most, Best);
}

/// Drops candidates that no line above Goal has: the node's bound with the
/// candidate forced in is not above Goal.
void LinePricing::thin(Node &At, double Goal) {
  // Forcing C in costs the knapsack's price of its bits.
  double Room = At.Room, PerBit = 0;
  for (uint32_t C : Ranked) {
    double Bits = Problem.item(At.Candidates[C].Item).Bits;
    if (Bits > Room) {
      PerBit = Bounds[C] / Bits;
      break;
    }
    Room -= Bits;
  }
  // Linear relaxation by duality: value <= At.Value + PerBit * Room
  //   + sum over items max(0, bound - PerBit * bits).
  double Sum = At.Value + PerBit * At.Room;
  double PartMost = 0;
  for (uint32_t C = 0; C < At.Candidates.size(); ++C)
    if (At.Candidates[C].SplitOnly)
      PartMost = std::max(PartMost, partly(At, C, PerBit));
    else
      Sum += std::max(
          0.0, Bounds[C] - PerBit * Problem.item(At.Candidates[C].Item).Bits);
  size_t Kept = 0;
  uint32_t To = 0;
  for (uint32_t C = 0; C < At.Candidates.size(); ++C) {
    Candidate Cand = At.Candidates[C];
    const LineItem &Item = Problem.item(Cand.Item);
    if (!Cand.SplitOnly) {
      double Over = std::min(0.0, Bounds[C] - PerBit * Item.Bits);
      Cand.SplitOnly = Sum + PartMost + Over <= Goal;
    }
    if (Cand.SplitOnly && (!Item.Splits || Sum + partly(At, C, PerBit) <= Goal))
      continue;
    uint32_t Begin = To;
    for (uint32_t E = Cand.Begin; E < Cand.End; ++E)
      At.Entries[To++] = At.Entries[E];
    Cand.Begin = Begin;
    Cand.End = To;
    At.Candidates[Kept++] = Cand;
  }
  At.Candidates.resize(Kept);
  At.Entries.resize(To);
  At.Slopes.reset();
}

void LinePricing::include(const Node &At, uint32_t C, Node &Child) {
  const Candidate &In = At.Candidates[C];
  const LineItem &Mine = Problem.item(In.Item);
  Child.Value = At.Value + Prices[In.Item] - lostBy(At, In);
  Child.Use = At.Use + brings(At, In, false);
  Child.Room = At.Room - Mine.Bits;
  Child.Large = At.Large || Mine.Large;
  Child.StartsLine = At.StartsLine || Mine.StartsLine;
  Child.Weight = At.Weight;
  Child.Untouched = At.Untouched;
  Child.Unwritten = At.Unwritten;
  Child.Slopes.reset();
  for (uint32_t E = In.Begin; E < In.End; ++E) {
    const Entry &X = At.Entries[E];
    Child.Value -= At.Weight[X.Set] * X.P;
    Child.Weight[X.Set] *= 1 - X.P;
    Child.Untouched[X.Set] =
        Child.Weight[X.Set] / Problem.weight(SetIds[X.Set]);
    Child.Unwritten[X.Set] *= 1 - X.W;
  }
  Child.Candidates.clear();
  Child.Entries.clear();
  for (uint32_t D = 0; D < At.Candidates.size(); ++D) {
    Candidate Cand = At.Candidates[D];
    const LineItem &Item = Problem.item(Cand.Item);
    if (D == C || !Problem.mayMeet(Cand.Item, In.Item))
      continue;
    if (Item.Bits > Child.Room)
      Cand.SplitOnly = true;
    if (Cand.SplitOnly && !(Item.Splits && Child.Room))
      continue;
    uint32_t Begin = static_cast<uint32_t>(Child.Entries.size());
    for (uint32_t E = Cand.Begin; E < Cand.End; ++E)
      if (matters(Child, At.Entries[E].Set, At.Entries[E].W))
        Child.Entries.push_back(At.Entries[E]);
    Cand.Begin = Begin;
    Cand.End = static_cast<uint32_t>(Child.Entries.size());
    Child.Candidates.push_back(Cand);
  }
  Work += At.Entries.size() + At.Weight.size() + 10 * At.Candidates.size();
}

void LinePricing::exclude(Node &At, uint32_t C) {
  At.Slopes.reset();
  const LineItem &Item = Problem.item(At.Candidates[C].Item);
  if (Item.Splits && At.Room) {
    At.Candidates[C].SplitOnly = true;
    return;
  }
  auto From = At.Entries.begin();
  uint32_t Begin = At.Candidates[C].Begin, End = At.Candidates[C].End;
  At.Entries.erase(From + Begin, From + End);
  At.Candidates.erase(At.Candidates.begin() + C);
  for (uint32_t D = C; D < At.Candidates.size(); ++D) {
    At.Candidates[D].Begin -= End - Begin;
    At.Candidates[D].End -= End - Begin;
  }
  Work += At.Entries.size();
}

/// Offers the chosen items alone and with each item that fits in part.
void LinePricing::finish(const Node &At) {
  offer(At.Value);
  for (const Candidate &Cand : At.Candidates) {
    const LineItem &Item = Problem.item(Cand.Item);
    if (!At.Room || Item.Bits <= At.Room)
      continue;
    double Share = static_cast<double>(At.Room) / Item.Bits;
    double Value = At.Value + Share * Prices[Cand.Item] - lostBy(At, Cand);
    for (uint32_t E = Cand.Begin; E < Cand.End; ++E)
      Value -= At.Weight[At.Entries[E].Set] * At.Entries[E].P;
    if (Value <= Result.BestValue)
      continue;
    Result.BestValue = Value;
    Result.Best.Items = Chosen;
    Result.Best.Items.push_back(Cand.Item);
    Result.Best.LastShare = Share;
  }
  Work += At.Entries.size();
}

/// Bounds the node as well as is cheap; true if nothing below is above the
/// goal.
bool LinePricing::settled(Node &At, bool Top) {
  double Goal = std::max(Threshold, Result.BestValue);
  for (int Round = 0; Round < 4; ++Round) {
    if (std::ranges::all_of(At.Candidates,
                            [](const Candidate &C) { return C.SplitOnly; })) {
      At.Most = Goal; // finish() has looked at all of them
      return true;
    }
    tighten(At, Top ? 12 : 3, Goal, Top && !Round ? 2 : 6);
    if (At.Most <= Goal)
      return true;
    size_t Before = At.Candidates.size();
    double Most = At.Most;
    estimate(At);
    thin(At, Goal);
    At.Most = Most;
    if (At.Candidates.size() * 10 > Before * 9)
      break;
  }
  return false;
}

/// Upper bound on the values below Nodes[Depth], after looking as far as the
/// threshold and the budget ask for.
double LinePricing::explore(size_t Depth) {
  while (Nodes.size() < Depth + 2)
    Nodes.emplace_back();
  Node &At = Nodes[Depth];
  finish(At);
  double Most = -1e300; // of what has been looked at
  for (;;) {
    bool Done = settled(At, Depth == 0);
    double Goal = std::max(Threshold, Result.BestValue);
    if (Done || Work > Stop)
      return std::max(Most, Done ? Goal : At.Most);
    estimate(At);
    uint32_t Branch = ~0u;
    double Heaviest = 0;
    for (uint32_t C = 0; C < At.Candidates.size(); ++C) {
      const Candidate &Cand = At.Candidates[C];
      const double Gain = Prices[Cand.Item] - lostBy(At, Cand);
      if (!Cand.SplitOnly && (Branch == ~0u || Gain > Heaviest)) {
        Heaviest = Gain;
        Branch = C;
      }
    }
    if (Branch == ~0u)
      continue;
    Chosen.push_back(At.Candidates[Branch].Item);
    include(At, Branch, Nodes[Depth + 1]);
    Most = std::max(Most, explore(Depth + 1));
    Chosen.pop_back();
    exclude(At, Branch);
  }
}

LinePricing::Answer LinePricing::search(uint32_t Root,
                                        const std::vector<char> &Allowed,
                                        double Least, uint64_t Budget) {
  Result = Answer();
  Result.BestValue = -1e300;
  Threshold = Least;
  Stop = Work + Budget;
  Chosen.assign(1, Root);
  if (Nodes.empty())
    Nodes.emplace_back();
  root(Root, Allowed, Nodes[0]);
  Result.Most = explore(0);
  Result.Complete = Result.Most <= std::max(Least, Result.BestValue);
  double Sum = -Charge;
  for (uint32_t I : Result.Best.Items)
    Sum += Prices[I];
  if (!Result.Best.Items.empty())
    Sum -= (1 - Result.Best.LastShare) * Prices[Result.Best.Items.back()];
  Result.Best.Cost = Sum - Result.BestValue;
  return Result;
}

} // namespace kst
