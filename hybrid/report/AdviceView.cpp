// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/AdviceView.h"

#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <cmath>

namespace kst {
namespace {

/// Moves that help in fewer draws than this are named.
constexpr double WeakBelow = 0.9;
constexpr size_t WeakNamed = 5;

std::string wholePercent(double Share) { return fixed(Share * 100, 0); }

/// "2", "1.5".
std::string factorWord(double Factor) {
  return fixed(Factor, Factor == std::floor(Factor) ? 0 : 1);
}

} // namespace

std::vector<HeldRow> heldFields(const ReportView &View) {
  double Cost = View.R.Layouts.ObjectiveNow;
  std::vector<HeldRow> Rows;
  for (const ConstraintNote &Note : View.R.Layouts.Constraints)
    Rows.push_back({&Note, Cost > 0 ? Note.Blocks / Cost : 0});
  std::stable_sort(Rows.begin(), Rows.end(), [](auto &L, auto &R) {
    return L.Note->Blocks > R.Note->Blocks;
  });
  return Rows;
}

double blockedShare(const ReportView &View) {
  const Advice &A = View.R.Layouts;
  return A.ObjectiveNow > 0 ? A.BlockedTotal / A.ObjectiveNow : 0;
}

std::string heldWords(const ConstraintNote &Note) {
  return (Note.Field.empty() ? "" : Note.Field + ": ") + Note.Why;
}

std::string stabilityWords(const ReportView &View) {
  const Stability &Weights = View.R.Layouts.Weights;
  if (!Weights.Draws)
    return "";
  double Draws = Weights.Draws;
  std::string Factor = factorWord(Weights.Factor);
  std::string Text =
      std::string(View.Reorders ? "The proposal" : "The best order found") +
      " costs less in " +
      std::to_string(std::lround(Weights.Survives * Draws)) + " of " +
      counted(Weights.Draws, "draw") + " of the weights (each times 1/" +
      Factor + " to " + Factor + "); gain " + wholePercent(Weights.GainLow) +
      " to " + wholePercent(Weights.GainHigh) + "% in nine draws of ten.";
  std::vector<const Stability::Move *> Weak;
  for (const Stability::Move &Move : Weights.Moves)
    if (Move.Survives < WeakBelow)
      Weak.push_back(&Move);
  std::stable_sort(Weak.begin(), Weak.end(),
                   [](auto *L, auto *R) { return L->Survives < R->Survives; });
  if (Weak.empty())
    return Weights.Moves.empty() ? Text
                                 : Text + " Every move helps in at least " +
                                       wholePercent(WeakBelow) + "% of them.";
  Text += " Least sure, with the share of draws in which the move helps: ";
  for (size_t I = 0; I < std::min(Weak.size(), WeakNamed); ++I)
    Text += (I ? ", " : "") + Weak[I]->Field + " (" +
            wholePercent(Weak[I]->Survives) + "%)";
  if (Weak.size() > WeakNamed)
    Text += " and " + std::to_string(Weak.size() - WeakNamed) + " more";
  return Text + ".";
}

} // namespace kst
