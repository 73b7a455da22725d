// SPDX-License-Identifier: GPL-2.0-or-later
//
// The replay on two tiers as a document and as JSON.

#include "hybrid/contexts/TierReplay.h"

#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

/// A gain below this is none that one replay can show.
constexpr double LeastGain = 0.01;

/// Cost as a multiple of that with everything in the fast tier.
double relative(const TierReport &R, double Cost) {
  return R.Accesses ? Cost / double(R.Accesses) : 0;
}

/// The policies that a context policy has to beat: those that know only pages.
bool byPage(TierPolicy Policy) {
  return Policy == TierPolicy::Naive || Policy == TierPolicy::Scan ||
         Policy == TierPolicy::Lru;
}
bool byContext(TierPolicy Policy) {
  return Policy == TierPolicy::Pressure || Policy == TierPolicy::Eager;
}

struct Verdict {
  TierPolicy Page = TierPolicy::Naive, Context = TierPolicy::Pressure;
  double PageCost = 0, ContextCost = 0;
  double gain() const { return PageCost ? 1 - ContextCost / PageCost : 0; }
};

Verdict verdict(const TierReport &R, const TierSize &Size, size_t Ratio) {
  Verdict Out;
  for (const TierResult &Of : Size.Policies) {
    const double Cost = Of.Counts.cost(R.Ratios[Ratio], R.Copies[Ratio]);
    if (byPage(Of.Policy) && (!Out.PageCost || Cost < Out.PageCost)) {
      Out.Page = Of.Policy;
      Out.PageCost = Cost;
    }
    if (byContext(Of.Policy) && (!Out.ContextCost || Cost < Out.ContextCost)) {
      Out.Context = Of.Policy;
      Out.ContextCost = Cost;
    }
  }
  return Out;
}

std::string multiple(double Of) { return fixed(Of, 3); }

/// Sizes and ratios of one outcome, in one line: "10.0% (4, 8), 25.0% (4)".
struct Outcome {
  std::string Said;
  std::vector<std::pair<double, std::vector<std::string>>> Cases;

  void add(double Share, const std::string &Case) {
    if (Cases.empty() || Cases.back().first != Share)
      Cases.push_back({Share, {}});
    Cases.back().second.push_back(Case);
  }
  std::string inWords() const {
    std::string Text;
    for (const auto &[Share, Ratios] : Cases) {
      Text += (Text.empty() ? "" : ", ") + percent(Share) + " (";
      for (size_t I = 0; I < Ratios.size(); ++I)
        Text += (I ? ", " : "") + Ratios[I];
      Text += ")";
    }
    return Said + " at a fast tier of " + Text;
  }
};

/// What costs the same is one line; gains and losses are one for each pair of
/// policies.
std::vector<Outcome> outcomes(const TierReport &R) {
  Outcome Same{"no gain, the same within 1 %,", {}};
  std::vector<Outcome> Others;
  for (const TierSize &Size : R.Sizes)
    for (size_t I = 0; I < R.Ratios.size(); ++I) {
      const Verdict V = verdict(R, Size, I);
      const std::string Ratio = brief(R.Ratios[I]);
      if (V.gain() < LeastGain && V.gain() > -LeastGain) {
        Same.add(Size.Share, Ratio);
        continue;
      }
      const std::string Said = std::string(spelling(V.Context)) + " costs " +
                               (V.gain() > 0 ? "less" : "more") + " than " +
                               std::string(spelling(V.Page));
      auto Known = std::ranges::find(Others, Said, &Outcome::Said);
      if (Known == Others.end())
        Known = Others.insert(Others.end(), Outcome{Said, {}});
      Known->add(Size.Share, Ratio + ": " + percent(std::abs(V.gain())));
    }
  if (!Same.Cases.empty())
    Others.push_back(std::move(Same));
  return Others;
}

} // namespace

Document describe(const TierReport &R) {
  Document Doc;
  Doc.Name = "contexts";
  Doc.Title = "two tiers, replayed: " + R.File +
              (R.Label.empty() ? "" : " (" + R.Label + ")") + ": " +
              counted(R.Events, "event") + ", " +
              counted(R.Accesses, "access") + " to " +
              counted(R.MostPages, "page") + " at most at one time";
  auto Note = [&](const std::string &Text) {
    Doc.Head.push_back(Paragraph{strong("note: ") + Text});
  };
  Doc.Head.push_back(Paragraph{
      "model: each access costs 1 in the fast tier and the ratio in the slow "
      "one, a migration the copy of a page; no caches in between, no cost of "
      "policies themselves. Costs are the model's, not time. Objects are " +
      std::string(R.Grouped ? "on pages of their context and type"
                            : "where the kernel had them") +
      "."});
  for (const std::string &Limit : R.Limits)
    Note(Limit);
  if (R.Lost)
    Note(counted(R.Lost, "event") + " lost by the recorder");
  if (!R.Complete)
    Note("the trace is incomplete");
  if (R.Outside)
    Note(counted(R.Outside, "access") +
         " to memory that is neither slab nor page: static data, stacks in "
         "vmalloc, user memory: not in any tier");
  Section Result;
  Result.Title = "is there anything to gain by contexts?";
  for (const Outcome &Of : outcomes(R))
    Result.Body.push_back(Paragraph{Of.inWords()});
  Result.Body.push_back(
      Paragraph{soft("The best policy that knows contexts against the best of "
                     "those that know only pages, in total cost. In brackets: "
                     "what a slow access costs, and the difference.")});
  Result.Body.push_back(Paragraph{
      counted(R.Closes, "close") + " and " + counted(R.Reopens, "reopening") +
      " of contexts; " +
      percent(R.Accesses ? double(R.OwnedAccesses) / double(R.Accesses) : 0) +
      " of accesses are to pages of one context"});
  Doc.Sections.push_back(std::move(Result));
  for (const TierSize &Size : R.Sizes) {
    Section Part;
    Part.Title = "fast tier of " + percent(Size.Share) + ": " +
                 counted(Size.FastPages, "page");
    Table T{{{"policy", false, true},
             {"fast accesses", true},
             {"up", true},
             {"down", true}}};
    for (double Ratio : R.Ratios)
      T.Columns.push_back({"cost at " + brief(Ratio), true});
    for (const TierResult &Of : Size.Policies) {
      Table::Row Row{{code(spelling(Of.Policy)), percent(Of.Counts.fastShare()),
                      std::to_string(Of.Counts.Up),
                      std::to_string(Of.Counts.Down)}};
      for (size_t I = 0; I < R.Ratios.size(); ++I)
        Row.Cells.push_back(
            multiple(relative(R, Of.Counts.cost(R.Ratios[I], R.Copies[I]))));
      T.Rows.push_back(std::move(Row));
    }
    Table::Row Bound{{"no policy below", "-", "-", "-"}};
    for (double Cost : Size.Bounds)
      Bound.Cells.push_back(multiple(relative(R, Cost)));
    T.Rows.push_back(std::move(Bound));
    Part.Body.push_back(std::move(T));
    Doc.Sections.push_back(std::move(Part));
  }
  for (size_t I = 0; I < R.Ratios.size() && R.Sizes.size() > 1; ++I) {
    Section Part;
    Part.Title = "cost by size of the fast tier, slow accesses cost " +
                 brief(R.Ratios[I]);
    Table T{{{"fast pages", true}}};
    T.Shape = Table::Picture::Lines;
    for (size_t P = size_t(TierPolicy::Naive); P < TierPolicies; ++P)
      T.Columns.push_back({spelling(TierPolicy(P)), true});
    T.Columns.push_back({"bound", true});
    for (const TierSize &Size : R.Sizes) {
      Table::Row Row;
      Row.X = double(Size.FastPages);
      Row.Cells = {std::to_string(Size.FastPages)};
      for (size_t P = size_t(TierPolicy::Naive); P < TierPolicies; ++P)
        Row.Ys.push_back(relative(
            R, Size.Policies[P].Counts.cost(R.Ratios[I], R.Copies[I])));
      Row.Ys.push_back(relative(R, Size.Bounds[I]));
      for (double Y : Row.Ys)
        Row.Cells.push_back(multiple(Y));
      Row.When = Shown::Full;
      T.Rows.push_back(std::move(Row));
    }
    T.Rest = "numbers with --full";
    Part.Body.push_back(std::move(T));
    Doc.Sections.push_back(std::move(Part));
  }
  for (Section &Part : Doc.Sections)
    Part.Wide = true;
  return Doc;
}

std::string toJson(const TierReport &R, const ToolId &Tool) {
  Json Sizes = Json::array();
  for (const TierSize &Size : R.Sizes) {
    Json Policies = Json::array(), Verdicts = Json::array();
    for (const TierResult &Of : Size.Policies) {
      Json Costs = Json::array();
      for (size_t I = 0; I < R.Ratios.size(); ++I)
        Costs.push_back(rounded(Of.Counts.cost(R.Ratios[I], R.Copies[I])));
      Policies.push_back({{"policy", spelling(Of.Policy)},
                          {"fast", Of.Counts.Fast},
                          {"slow", Of.Counts.Slow},
                          {"up", Of.Counts.Up},
                          {"down", Of.Counts.Down},
                          {"costs", std::move(Costs)}});
    }
    for (size_t I = 0; I < R.Ratios.size(); ++I) {
      const Verdict V = verdict(R, Size, I);
      Verdicts.push_back({{"pages", spelling(V.Page)},
                          {"contexts", spelling(V.Context)},
                          {"gain", rounded(V.gain())}});
    }
    Json Bounds = Json::array();
    for (double Of : Size.Bounds)
      Bounds.push_back(rounded(Of));
    Sizes.push_back({{"share", Size.Share},
                     {"fast_pages", Size.FastPages},
                     {"policies", std::move(Policies)},
                     {"bounds", std::move(Bounds)},
                     {"verdicts", std::move(Verdicts)}});
  }
  Json All = {{"schema", "kst-contexts-replay/1"},
              {"tool", {{"version", Tool.Version}, {"llvm", Tool.Llvm}}},
              {"trace",
               {{"file", R.File},
                {"label", R.Label},
                {"events", R.Events},
                {"lost", R.Lost},
                {"complete", R.Complete},
                {"limits", R.Limits}}},
              {"grouped", R.Grouped},
              {"accesses", R.Accesses},
              {"accesses_outside", R.Outside},
              {"accesses_of_contexts", R.OwnedAccesses},
              {"most_pages", R.MostPages},
              {"page_lives", R.Lives},
              {"closes", R.Closes},
              {"reopens", R.Reopens},
              {"scan_every", R.ScanEvery},
              {"ratios", R.Ratios},
              {"copies", R.Copies},
              {"sizes", std::move(Sizes)}};
  return jsonText(All, 1) + "\n";
}

} // namespace kst
