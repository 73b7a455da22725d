// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/AdviceView.h"
#include "hybrid/fieldorder/DescribeParts.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/OrderView.h"
#include "hybrid/fieldorder/PathView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

/// Paths and rules that a short report names.
constexpr size_t PathRows = 8, HeldRows = 10;

/// "12 -> 8", or "12" when nothing changes.
std::string fromTo(const std::string &Now, const std::string &Then) {
  return Now == Then ? Now : Now + " -> " + Then;
}
std::string fromTo(uint64_t Now, uint64_t Then) {
  return fromTo(std::to_string(Now), std::to_string(Then));
}

void paths(const ReportView &View, Document &Doc) {
  if (!View.Reorders)
    return;
  std::vector<PathView> Paths = pathsOf(View.R);
  std::vector<PathView> Notable = notablePaths(Paths, PathRows);
  if (Notable.empty())
    return;
  Table T{{{"current", true}, {"proposed", true}, {"visits", true}, {"path"}}};
  for (const PathView &Path : Paths) {
    bool Shows = std::any_of(Notable.begin(), Notable.end(), [&](auto &Other) {
      return Other.Set == Path.Set;
    });
    T.Rows.push_back(
        {{fixed(Path.Before, 2), fixed(Path.After, 2), percent(Path.Share),
          placeOf(Path.Where) + " (" + pathWords(View.R, Path) + ")"},
         Shows ? Shown::Always : Shown::Full});
  }
  T.Rest = std::to_string(Paths.size() - Notable.size()) +
           " more that change less, or not at all";
  Doc.Sections.push_back({"cache lines touched per visit, by path", {T}});
}

void orders(const ReportView &View, Document &Doc) {
  std::vector<OrderRow> Orders = ordersOf(View);
  if (Orders.empty())
    return;
  Table T{{{"order"},
           {"cost", true},
           {"change", true},
           {"moves", true},
           {"bytes", true},
           {""}}};
  T.Shape = Table::Picture::Bars;
  T.BarColumn = 1;
  for (const OrderRow &Row : Orders)
    T.Rows.push_back(
        {{Row.Name, fixed(View.perVisit(Row.Cost), 2),
          change(Orders.front().Cost, Row.Cost), std::to_string(Row.Moves),
          std::to_string(Row.SizeBytes), Row.Note},
         Shown::Always,
         Row.Ours,
         0,
         Row.Cost});
  Doc.Sections.push_back({"orders compared", {T}});
}

void frontier(const ReportView &View, Document &Doc) {
  std::vector<FrontierRow> Few = frontierOf(View, false);
  if (Few.size() < 2)
    return;
  Table T{{{"moves", true}, {"cost", true}, {"change", true}, {"moved"}}};
  T.Shape = Table::Picture::Plot;
  T.BarColumn = 1;
  double Start = View.R.Layouts.ObjectiveNow;
  for (const FrontierRow &Row : frontierOf(View, true)) {
    const FrontierPoint &Point = Row.Point;
    std::vector<Sentence> Names;
    for (const std::string &Name : Point.Moved)
      Names.push_back(code(Name));
    bool Shows = std::any_of(Few.begin(), Few.end(), [&](auto &Other) {
      return Other.Point.Moves == Point.Moves;
    });
    T.Rows.push_back(
        {{std::to_string(Point.Moves), fixed(View.perVisit(Point.TotalCost), 2),
          change(Start, Point.TotalCost),
          (Row.Proposed ? strong("[proposed] ") : Sentence()) +
              listed(Names, 6)},
         Shows ? Shown::Always : Shown::Full,
         Row.Proposed,
         double(Point.Moves),
         Point.TotalCost});
  }
  if (T.Rows.size() > Few.size())
    T.Rest = std::to_string(T.Rows.size() - Few.size()) + " more";
  Doc.Sections.push_back({"cost against number of moved fields", {T}});
}

void configs(const ReportView &View, Document &Doc) {
  const std::vector<ConfigScore> &Configs = View.R.Layouts.Configs;
  if (Configs.size() < 2)
    return;
  Table T{{{"configuration"},
           {"line", true},
           {"bytes", true},
           {"in holes", true},
           {"padding", true},
           {"cost", true},
           {"change", true},
           {""}}};
  for (const ConfigScore &Config : Configs) {
    LayoutView Now = placesOf(Config.Record, Config.Current);
    LayoutView Then = placesOf(Config.Record, Config.Proposed);
    // Per visit of that configuration, or as it is when those are unknown.
    double Unit = Config.Visits > 0 ? Config.Visits : 1;
    T.Rows.push_back({{Config.Name.empty() ? Config.Triple : Config.Name,
                       std::to_string(Config.LineBytes),
                       fromTo(Now.SizeBytes, Then.SizeBytes),
                       fromTo((Now.HoleBits + 7) / 8, (Then.HoleBits + 7) / 8),
                       fromTo(Now.PaddingBytes, Then.PaddingBytes),
                       fromTo(fixed(Config.Now.total() / Unit, 2),
                              fixed(Config.New.total() / Unit, 2)),
                       change(Config.Now.total(), Config.New.total()),
                       Config.Optimised ? "" : "only scored"}});
  }
  Doc.Sections.push_back({"configurations, current -> proposed", {T}});
}

void held(const ReportView &View, Document &Doc) {
  std::vector<HeldRow> Held = heldFields(View);
  if (Held.empty())
    return;
  Section &Part = Doc.Sections.emplace_back(Section{"held in place"});
  if (double Sum = blockedShare(View); Sum > 0)
    Part.Body.push_back(Paragraph{"All rules together block a gain of " +
                                  percent(Sum) + " of the current cost."});
  Table T{{{"blocks", true}, {"rule"}, {"holds"}, {"fields: why, where"}}};
  size_t Few = 0, Soft = 0;
  bool Liftable = false;
  for (const HeldRow &Row : Held) {
    const ConstraintNote &Note = *Row.Note;
    std::string Strength = strengthWord(Note), File = location(Note.Where);
    bool Shows = Few == T.Rows.size() &&
                 (Note.Lifted || (Row.Share > 0 && Few < HeldRows));
    Few += Shows;
    Soft += !Shows && Strength == "soft";
    Liftable |= Strength == "soft" || Strength == "hard";
    T.Rows.push_back(
        {{Row.Share > 0 ? percent(Row.Share) : "-", code(Note.Id), Strength,
          heldWords(Row) + (File.empty() ? Sentence() : "  " + soft(File))},
         Shows ? Shown::Always : Shown::Full});
  }
  if (size_t Rest = Held.size() - Few)
    T.Rest = counted(Rest, Few ? "more rule" : "rule") +
             (Soft ? ", " + std::to_string(Soft) + " soft," : "") +
             (Held[Few].Share > 0 ? ""
              : Rest == 1         ? " blocks nothing worth telling"
                                  : " block nothing worth telling");
  Part.Body.push_back(std::move(T));
  if (Liftable)
    Part.Body.push_back(Paragraph{
        code("--lift-rule RULE") +
        " lifts one: soft ones have no proof, hard ones break code."});
}

} // namespace

void describeAdvice(const ReportView &View, Document &Doc) {
  paths(View, Doc);
  orders(View, Doc);
  frontier(View, Doc);
  configs(View, Doc);
  held(View, Doc);
}

} // namespace kst
