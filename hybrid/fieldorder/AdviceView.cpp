// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/AdviceView.h"

#include "hybrid/layout/MissSaving.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kst {
namespace {

/// Moves that help in fewer draws than this are named.
constexpr double WeakBelow = 0.9;
constexpr size_t WeakNamed = 5;
/// Fields that a rule's row names.
constexpr size_t FieldsNamed = 4;

std::string wholePercent(double Share) { return fixed(Share * 100, 0); }

/// "2", "1.5".
std::string factorWord(double Factor) {
  return fixed(Factor, Factor == std::floor(Factor) ? 0 : 1);
}

} // namespace

std::vector<HeldRow> heldFields(const ReportView &View) {
  double Cost = View.R.Layouts.ObjectiveNow;
  std::vector<HeldRow> Rows;
  for (const ConstraintNote &Note : View.R.Layouts.Constraints) {
    auto Same = std::ranges::find_if(Rows, [&](const HeldRow &Row) {
      const ConstraintNote &Other = *Row.Note;
      return !Note.Id.empty() && Other.Id == Note.Id && Other.Why == Note.Why &&
             Other.Lifted == Note.Lifted &&
             Other.Where.File == Note.Where.File &&
             Other.Where.Line == Note.Where.Line;
    });
    if (Same == Rows.end())
      Same = Rows.insert(Same, HeldRow{&Note, {}, 0});
    if (!Note.Field.empty())
      Same->Fields.push_back(Note.Field);
    if (Cost > 0)
      Same->Share = std::max(Same->Share, Note.Blocks / Cost);
  }
  std::ranges::stable_sort(Rows, [](auto &L, auto &R) {
    return std::tuple(!L.Note->Lifted, -L.Share) <
           std::tuple(!R.Note->Lifted, -R.Share);
  });
  return Rows;
}

double blockedShare(const ReportView &View) {
  const Advice &A = View.R.Layouts;
  return A.ObjectiveNow > 0 ? A.BlockedTotal / A.ObjectiveNow : 0;
}

std::string strengthWord(const ConstraintNote &Note) {
  if (Note.Lifted)
    return "lifted";
  if (!Note.Unliftable.empty())
    return "fixed";
  return Note.Strength == RuleStrength::Hard ? "hard" : "soft";
}

std::string heldWords(const HeldRow &Row) {
  std::string Text;
  const size_t Many =
      Row.Fields.size() > FieldsNamed + 1 ? Row.Fields.size() - FieldsNamed : 0;
  for (size_t I = 0; I < Row.Fields.size() - Many; ++I)
    Text += (I ? ", " : "") + Row.Fields[I];
  if (Many)
    Text += " and " + counted(Many, "field") + " more";
  return (Text.empty() ? "" : Text + ": ") + Row.Note->Why;
}

/// " With one thing otherwise it gains 3 (with 2 CPUs) to 9% (...)."
static std::string assumedWords(const Stability &Weights) {
  if (Weights.Assumed.empty())
    return "";
  const auto [Low, High] =
      std::ranges::minmax(Weights.Assumed, {}, &Stability::Case::Gain);
  return " If one thing that prices rest on is otherwise, the gain is " +
         wholePercent(Low.Gain) + "% (" + Low.Name + ") to " +
         wholePercent(High.Gain) + "% (" + High.Name + ").";
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
      " to " + wholePercent(Weights.GainHigh) + "% in nine draws of ten";
  if (auto Misses = missSaving(View.R.Layouts, View.R.Evidence))
    Text += "; replayed, nine in ten such gains saved " +
            wholePercent(Misses->Low) + " to " + wholePercent(Misses->High) +
            "% of the misses";
  Text += "." + assumedWords(Weights);
  std::vector<const Stability::Move *> Weak;
  for (const Stability::Move &Move : Weights.Moves)
    if (Move.Survives < WeakBelow)
      Weak.push_back(&Move);
  std::ranges::stable_sort(
      Weak, [](auto *L, auto *R) { return L->Survives < R->Survives; });
  if (Weak.empty())
    return Weights.Moves.empty()
               ? Text
               : Text + " Every move helps in at least " +
                     wholePercent(WeakBelow) + "% of the draws.";
  Text += " Least sure, with the share of draws in which the move helps: ";
  for (size_t I = 0; I < std::min(Weak.size(), WeakNamed); ++I)
    Text += (I ? ", " : "") + Weak[I]->Field + " (" +
            wholePercent(Weak[I]->Survives) + "%)";
  if (Weak.size() > WeakNamed)
    Text += " and " + std::to_string(Weak.size() - WeakNamed) + " more";
  return Text + ".";
}

} // namespace kst
