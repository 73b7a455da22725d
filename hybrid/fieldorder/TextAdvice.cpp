// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/TextAdvice.h"

#include "hybrid/fieldorder/AdviceView.h"
#include "hybrid/fieldorder/ConfigView.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/OrderView.h"
#include "hybrid/fieldorder/PathView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Rules shown without --full, and columns for their ids.
constexpr size_t HeldRows = 10, MostIdWidth = 28;

/// "12 -> 8", or "12" when nothing changes.
std::string fromTo(const std::string &Now, const std::string &Then) {
  return Now == Then ? Now : Now + " -> " + Then;
}
std::string fromTo(uint64_t Now, uint64_t Then) {
  return fromTo(std::to_string(Now), std::to_string(Then));
}

void paths(TextPage &To) {
  if (!To.View.Reorders)
    return;
  std::vector<PathView> Paths = pathsOf(To.View.R);
  std::vector<PathView> Shown =
      To.Options.Full ? Paths : notablePaths(Paths, 8);
  if (Shown.empty())
    return;
  To.heading("cache lines touched per visit, by path");
  Rows Table{{"current", "proposed", "visits", "path"}};
  for (const PathView &Path : Shown)
    Table.push_back(
        {fixed(Path.Before, 2), fixed(Path.After, 2), percent(Path.Share),
         To.place(Path.Where) + " (" + pathWords(To.View.R, Path) + ")"});
  To.table("rrrl", Table);
  if (Shown.size() < Paths.size())
    To.line("  ... " + std::to_string(Paths.size() - Shown.size()) +
            " more that change less, or not at all");
}

void orders(TextPage &To) {
  std::vector<OrderRow> Orders = ordersOf(To.View);
  if (Orders.empty())
    return;
  To.heading("orders compared");
  Rows Table{{"order", "cost", "change", "moves", "bytes", ""}};
  for (const OrderRow &Row : Orders)
    Table.push_back(
        {shortened(Row.Name, 40), fixed(To.View.perVisit(Row.Cost), 2),
         change(Orders.front().Cost, Row.Cost), std::to_string(Row.Moves),
         std::to_string(Row.SizeBytes), Row.Note});
  To.table("lrrrrl", Table);
}

void frontier(TextPage &To) {
  std::vector<FrontierRow> Points = frontierOf(To.View, To.Options.Full);
  if (Points.size() < 2)
    return;
  To.heading("cost against number of moved fields");
  double Start = To.View.R.Layouts.ObjectiveNow;
  Rows Table{{"moves", "cost", "change", ""}};
  for (const FrontierRow &Row : Points)
    Table.push_back(
        {std::to_string(Row.Point.Moves),
         fixed(To.View.perVisit(Row.Point.TotalCost), 2),
         change(Start, Row.Point.TotalCost),
         (Row.Proposed ? "[proposed] " : "") + To.names(Row.Point.Moved, 6)});
  To.table("rrrl", Table);
}

void configs(TextPage &To) {
  std::vector<ConfigRow> Configs = configsOf(To.View.R);
  if (Configs.size() < 2)
    return;
  To.heading("configurations, current -> proposed");
  Rows Table{
      {"configuration", "line", "bytes", "in holes", "cost", "change", ""}};
  for (const ConfigRow &Row : Configs)
    Table.push_back({shortened(Row.Name, 24), std::to_string(Row.LineBytes),
                     fromTo(Row.SizeNow, Row.SizeThen),
                     fromTo(Row.HolesNow, Row.HolesThen),
                     fromTo(fixed(Row.CostNow, 2), fixed(Row.CostThen, 2)),
                     change(Row.CostNow, Row.CostThen),
                     Row.Optimised ? "" : "only scored"});
  To.table("lrrrrrl", Table);
}

void held(TextPage &To) {
  std::vector<HeldRow> Held = heldFields(To.View);
  if (Held.empty())
    return;
  double Sum = blockedShare(To.View);
  To.heading("held in place" + (Sum > 0
                                    ? "; all rules together block a gain of " +
                                          percent(Sum) + " of the current cost"
                                    : std::string()));
  size_t Shown = 0, IdWidth = 4;
  for (const HeldRow &Row : Held) {
    if (!To.Options.Full && !Row.Note->Lifted &&
        (Row.Share <= 0 || Shown >= HeldRows))
      break;
    IdWidth = std::max(IdWidth, std::min(Row.Note->Id.size(), MostIdWidth));
    ++Shown;
  }
  if (Shown)
    To.line("  blocks  " + padRight("rule", IdWidth) +
            "  holds   fields: why  where");
  for (size_t I = 0; I < Shown; ++I) {
    const HeldRow &Row = Held[I];
    std::string File = location(Row.Note->Where);
    To.flow("  " + padLeft(Row.Share > 0 ? percent(Row.Share) : "-", 6) + "  " +
                padRight(Row.Note->Id, IdWidth) + "  " +
                padRight(strengthWord(*Row.Note), 6) + "  ",
            heldWords(Row) + (File.empty() ? "" : "  " + File));
  }
  if (Shown < Held.size()) {
    size_t Rest = Held.size() - Shown, Soft = 0;
    for (size_t I = Shown; I < Held.size(); ++I)
      Soft += strengthWord(*Held[I].Note) == "soft";
    To.line("  " + counted(Rest, Shown ? "more rule" : "rule") +
            (Soft ? ", " + std::to_string(Soft) + " soft," : "") +
            (Held[Shown].Share > 0 ? ""
             : Rest == 1           ? " blocks nothing worth telling"
                                   : " block nothing worth telling") +
            " (--full lists them)");
  }
  if (std::any_of(Held.begin(), Held.end(), [](const HeldRow &Row) {
        return Row.Note->Unliftable.empty() && !Row.Note->Lifted;
      }))
    To.line("  --lift-rule RULE lifts one: soft ones have no proof, hard ones "
            "break code.");
}

} // namespace

void writeAdvice(TextPage &To) {
  paths(To);
  orders(To);
  frontier(To);
  configs(To);
  held(To);
}

} // namespace kst
