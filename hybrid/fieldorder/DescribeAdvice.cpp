// SPDX-License-Identifier: GPL-2.0-or-later
//
// Paths, orders, remedies, the frontier, configurations, and the rules that
// hold fields in place.

#include "hybrid/fieldorder/AdviceView.h"
#include "hybrid/fieldorder/DescribeParts.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/PathView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <cmath>

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
    bool Shows = std::ranges::any_of(
        Notable, [&](auto &Other) { return Other.Set == Path.Set; });
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
  const Advice &A = View.R.Layouts;
  if (A.Compared.empty() && A.Asked.empty() && !A.Best)
    return;
  Table T{{{"order"},
           {"cycles", true},
           {"change", true},
           {"moves", true},
           {"bytes", true},
           {""}}};
  T.Shape = Table::Picture::Bars;
  T.BarColumn = 1;
  auto Add = [&](const std::string &Name, double Cost, uint32_t Moves,
                 uint64_t SizeBytes, const std::string &Note) {
    T.Rows.push_back(
        {{Name, fixed(View.perVisit(Cost), 1), change(A.ObjectiveNow, Cost),
          std::to_string(Moves), std::to_string(SizeBytes), Note}});
    T.Rows.back().Y = Cost;
  };
  auto AddScored = [&](const OrderScore &Score) {
    std::string Broken;
    for (const std::string &Note : Score.Notes)
      Broken += (Broken.empty() ? "" : "; ") + Note;
    Add(Score.Name, Score.Objective, Score.Moves, Score.Plan.SizeBytes, Broken);
  };
  Add("current", A.ObjectiveNow, 0, View.Current.SizeBytes, "");
  if (View.Reorders)
    Add("proposed", A.ObjectiveNew, View.moves(), View.Proposed.SizeBytes, "");
  for (Table::Row &Ours : T.Rows)
    Ours.Strong = true;
  if (A.Best)
    AddScored(*A.Best);
  for (const std::vector<OrderScore> *Scores : {&A.Compared, &A.Asked})
    for (const OrderScore &Score : *Scores)
      AddScored(Score);
  Doc.Sections.push_back({"orders compared", {T}});
}

void remedies(const ReportView &View, Document &Doc) {
  const Advice &A = View.R.Layouts;
  if (A.Remedies.empty())
    return;
  Table T{{{"field"},
           {"bytes", true},
           {"cycles", true},
           {"if CPUs wait", true},
           {""}}};
  auto Names = [&](const Remedy &Of) {
    std::string Out = Of.Fields.empty() ? "(none)" : "";
    for (uint32_t F : Of.Fields)
      Out += (Out.empty() ? "" : ", ") + View.E.Record.Fields[F].Name;
    return Out;
  };
  for (const Remedy &Of : A.Remedies) {
    auto Change = [&](double Saves) {
      return (Saves > 0 ? "-" : "+") + fixed(View.perVisit(std::abs(Saves)), 1);
    };
    T.Rows.push_back(
        {{Names(Of), "+" + std::to_string(Of.Bytes), Change(Of.Saves),
          Of.Lock ? Change(Of.IfContended) : "",
          !Of.Lock || Of.Saves > 0
              ? (std::string(
                    Of.Fields.empty() ? "the struct itself with "
                                        "__attribute__((aligned("
                    : Of.Fields.size() == 1
                        ? "as the last field, with __attribute__((aligned("
                        : "as the last fields, the first one with "
                          "__attribute__((aligned(")) +
                    std::to_string(View.R.CacheLineBytes) + ")))"
              : "a lock beside what its holders use: right where nobody waits, "
                "wrong if one CPU does for each hold"}});
  }
  Doc.Sections.push_back(
      {"beside an order: one of these, on a line of its own", {T}});
}

/// About eight points: the first, the last and the proposed one, and the best
/// within 1, 3, 5, 10, 20, 50, ... moves.
std::vector<bool> leadingPoints(const ReportView &View) {
  const std::vector<FrontierPoint> &Points = View.R.Layouts.Frontier;
  std::vector<bool> Leads(Points.size());
  Leads.front() = Leads.back() = true;
  for (uint64_t Decade = 1; Decade < 1000; Decade *= 10)
    for (uint64_t Limit : {Decade, Decade == 1 ? 3 : 2 * Decade, 5 * Decade})
      for (size_t I = Points.size(); I-- > 0;)
        if (Points[I].Moves <= Limit) {
          Leads[I] = true;
          break;
        }
  for (size_t I = 0; I < Points.size(); ++I)
    if (&Points[I] == View.Chosen)
      Leads[I] = true;
  return Leads;
}

void frontier(const ReportView &View, Document &Doc) {
  const std::vector<FrontierPoint> &Points = View.R.Layouts.Frontier;
  if (Points.size() < 2)
    return;
  Table T{{{"moves", true}, {"cycles", true}, {"change", true}, {"moved"}}};
  T.Shape = Table::Picture::Plot;
  T.BarColumn = 1;
  std::vector<bool> Leads = leadingPoints(View);
  for (size_t I = 0; I < Points.size(); ++I) {
    const FrontierPoint &Point = Points[I];
    const bool Proposed = &Point == View.Chosen;
    std::vector<Sentence> Names;
    for (const std::string &Name : Point.Moved)
      Names.push_back(code(Name));
    T.Rows.push_back(
        {{std::to_string(Point.Moves), fixed(View.perVisit(Point.TotalCost), 1),
          change(View.R.Layouts.ObjectiveNow, Point.TotalCost),
          (Proposed ? strong("[proposed] ") : Sentence()) + listed(Names, 6)},
         Leads[I] ? Shown::Always : Shown::Full,
         Proposed,
         double(Point.Moves),
         Point.TotalCost});
  }
  T.Rest = std::to_string(std::ranges::count(Leads, false)) + " more";
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
           {"cycles", true},
           {"change", true},
           {""}}};
  for (const ConfigScore &Config : Configs) {
    LayoutView Now = placesOf(Config.Record, Config.Current);
    LayoutView Then = placesOf(Config.Record, Config.Proposed);
    // Per visit of that configuration, or as it is when those are unknown.
    double Unit = Config.Visits > 0 ? Config.Visits : 1;
    T.Rows.push_back({{nameOf(Config), std::to_string(Config.LineBytes),
                       fromTo(Now.SizeBytes, Then.SizeBytes),
                       fromTo((Now.HoleBits + 7) / 8, (Then.HoleBits + 7) / 8),
                       fromTo(Now.PaddingBytes, Then.PaddingBytes),
                       fromTo(fixed(Config.Now.total() / Unit, 1),
                              fixed(Config.New.total() / Unit, 1)),
                       change(Config.Now.total(), Config.New.total()),
                       Config.Optimised ? "" : "only scored"}});
  }
  Doc.Sections.push_back({"configurations, current -> proposed", {T}});
}

void assumed(const ReportView &View, Document &Doc) {
  const std::vector<Stability::Case> &Cases = View.R.Layouts.Weights.Assumed;
  if (Cases.empty() || !View.Reorders)
    return;
  Table T{{{"one thing otherwise"}, {"change", true}}};
  for (const Stability::Case &Of : Cases)
    T.Rows.push_back({{Of.Name, change(1, 1 - Of.Gain)}});
  Doc.Sections.push_back({"cost where prices rest on something else", {T}});
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

/// How many are named where not everything is shown.
constexpr size_t OpaqueRows = 4;

void opaque(const ReportView &View, Document &Doc) {
  const std::vector<OpaqueUse> &Uses = View.R.OpaqueUses;
  if (Uses.empty())
    return;
  Section &Part = Doc.Sections.emplace_back(Section{"opaque uses"});
  Part.Body.push_back(Paragraph{
      counted(Uses.size(), "place") +
      (Uses.size() == 1 ? " reaches" : " reach") +
      " its memory other than by members, and no rule says which orders are "
      "legal there. Look at them before you take a new order; " +
      code("--order random:SEED") + " makes orders for your tests."});
  Table T{{{"where"}, {"what the code does"}}};
  for (const OpaqueUse &Use : Uses)
    T.Rows.push_back(
        {{placeOf(Use.Where), Use.What},
         T.Rows.size() < OpaqueRows ? Shown::Always : Shown::Full});
  if (Uses.size() > OpaqueRows)
    T.Rest = counted(Uses.size() - OpaqueRows, "more place");
  Part.Body.push_back(std::move(T));
}

} // namespace

void describeAdvice(const ReportView &View, Document &Doc) {
  paths(View, Doc);
  orders(View, Doc);
  remedies(View, Doc);
  frontier(View, Doc);
  configs(View, Doc);
  assumed(View, Doc);
  held(View, Doc);
  opaque(View, Doc);
}

} // namespace kst
