// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/HtmlAdvice.h"

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

constexpr size_t MaxPaths = 12;

std::string fromTo(const std::string &Now, const std::string &Then) {
  return Now == Then ? Now : Now + " &rarr; " + Then;
}
std::string fromTo(uint64_t Now, uint64_t Then) {
  return fromTo(std::to_string(Now), std::to_string(Then));
}

std::string marked(bool On, const std::string &Html) {
  return On ? "<b>" + Html + "</b>" : Html;
}

/// A cost as a bar, against the largest in the table.
std::string costBar(double Cost, double Largest) {
  double Share = Largest > 0 ? std::clamp(Cost / Largest, 0.0, 1.0) : 0;
  return "<span class=\"bar cost\" style=\"width:" + fixed(Share * 60, 0) +
         "px\"></span>";
}

void paths(HtmlPage &To) {
  if (!To.View.Reorders)
    return;
  std::vector<PathView> Paths = pathsOf(To.View.R);
  std::vector<PathView> Shown = notablePaths(Paths, MaxPaths);
  if (Shown.empty())
    return;
  To.Out += "<div><h2>Cache lines touched per visit, by path</h2>\n";
  Rows Table;
  for (const PathView &Path : Shown)
    Table.push_back(
        {fixed(Path.Before, 2), fixed(Path.After, 2),
         escapedHtml(percent(Path.Share)),
         To.place(Path.Where) + " " + escapedHtml(pathWords(To.View.R, Path))});
  To.table("rrrl", {"current", "proposed", "visits", "path"}, Table);
  if (Shown.size() < Paths.size())
    To.Out += "<p class=\"soft\">" +
              std::to_string(Paths.size() - Shown.size()) +
              " more that change less, or not at all</p>\n";
  To.Out += "</div>\n";
}

void orders(HtmlPage &To) {
  std::vector<OrderRow> Orders = ordersOf(To.View);
  if (Orders.empty())
    return;
  double Largest = 0;
  for (const OrderRow &Row : Orders)
    Largest = std::max(Largest, Row.Cost);
  To.Out += "<div><h2>Orders compared</h2>\n";
  Rows Table;
  for (const OrderRow &Row : Orders)
    Table.push_back(
        {marked(Row.Ours, escapedHtml(Row.Name)),
         fixed(To.View.perVisit(Row.Cost), 2), costBar(Row.Cost, Largest),
         change(Orders.front().Cost, Row.Cost), std::to_string(Row.Moves),
         std::to_string(Row.SizeBytes), escapedHtml(Row.Note)});
  To.table("lrtrrrl",
           {"order", "cost per visit", "", "change", "moves", "bytes", ""},
           Table);
  To.Out += "</div>\n";
}

void frontier(HtmlPage &To) {
  std::vector<FrontierRow> Points = frontierOf(To.View, false);
  if (Points.size() < 2)
    return;
  double Start = To.View.R.Layouts.ObjectiveNow;
  To.Out += "<div><h2>Cost against number of moved fields</h2>\n";
  Rows Table;
  for (const FrontierRow &Row : Points)
    Table.push_back({marked(Row.Proposed, std::to_string(Row.Point.Moves)),
                     fixed(To.View.perVisit(Row.Point.TotalCost), 2),
                     costBar(Row.Point.TotalCost, Start),
                     change(Start, Row.Point.TotalCost),
                     (Row.Proposed ? "<b>proposed:</b> " : "") +
                         To.names(Row.Point.Moved, 12)});
  To.table("rrtrl", {"moves", "cost per visit", "", "change", "moved"}, Table);
  To.Out += "</div>\n";
}

void configs(HtmlPage &To) {
  std::vector<ConfigRow> Configs = configsOf(To.View.R);
  if (Configs.size() < 2)
    return;
  To.Out += "<div><h2>Configurations, current &rarr; proposed</h2>\n";
  Rows Table;
  for (const ConfigRow &Row : Configs)
    Table.push_back(
        {escapedHtml(Row.Name) +
             (Row.Optimised ? ""
                            : " <span class=\"soft\">(only scored)</span>"),
         std::to_string(Row.LineBytes), fromTo(Row.SizeNow, Row.SizeThen),
         fromTo(Row.HolesNow, Row.HolesThen),
         fromTo(Row.PaddingNow, Row.PaddingThen),
         fromTo(fixed(Row.CostNow, 2), fixed(Row.CostThen, 2)),
         change(Row.CostNow, Row.CostThen)});
  To.table("lrrrrrr",
           {"configuration", "line", "bytes", "in holes", "padding",
            "cost per visit", "change"},
           Table);
  To.Out += "</div>\n";
}

void held(HtmlPage &To) {
  std::vector<HeldRow> Held = heldFields(To.View);
  if (Held.empty())
    return;
  double Sum = blockedShare(To.View);
  To.Out += "<div><h2>Held in place</h2>\n";
  if (Sum > 0)
    To.Out += "<p>All rules together block a gain of " +
              escapedHtml(percent(Sum)) + " of the current cost.</p>\n";
  Rows Costly, Free;
  for (const HeldRow &Row : Held) {
    std::vector<std::string> Cells{
        Row.Share > 0 ? escapedHtml(percent(Row.Share)) : "-",
        "<code>" + escapedHtml(Row.Note->Id) + "</code>",
        strengthWord(*Row.Note),
        escapedHtml(heldWords(Row)) + " " + To.place(Row.Note->Where)};
    (Row.Share > 0 ? Costly : Free).push_back(std::move(Cells));
  }
  std::vector<std::string> Head{"blocks", "rule", "holds", "fields: why"};
  if (!Costly.empty())
    To.table("rtll", Head, Costly);
  if (!Free.empty()) {
    To.Out += "<details><summary>" + counted(Free.size(), "rule") +
              (Free.size() == 1 ? " blocks" : " block") +
              " nothing worth telling</summary>\n";
    To.table("rtll", Head, Free);
    To.Out += "</details>\n";
  }
  To.Out += "</div>\n";
}

} // namespace

void writeAdvice(HtmlPage &To) {
  To.Out += "<div class=\"top\">\n";
  paths(To);
  orders(To);
  frontier(To);
  configs(To);
  held(To);
  To.Out += "</div>\n";
}

} // namespace kst
