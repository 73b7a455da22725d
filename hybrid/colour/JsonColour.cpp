// SPDX-License-Identifier: GPL-2.0-or-later
//
// Page placements and the heat of sets as JSON, for programs.

#include "hybrid/colour/ColourReport.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *Schema = "kst-colour/1";

Json head(const ToolId &Tool) {
  return {{"schema", Schema},
          {"tool", {{"version", Tool.Version}, {"llvm", Tool.Llvm}}}};
}

Json cacheJson(const MemoryCache &Of) {
  return {{"bytes", Of.Bytes}, {"ways", Of.Ways}, {"line", Of.LineBytes}};
}

Json distanceJson(const std::vector<uint32_t> &A,
                  const std::vector<uint32_t> &B) {
  const ColourDistance Of = colourDistance(A, B);
  return {{"chi_square", rounded(Of.ChiSquare)},
          {"degrees", Of.Degrees},
          {"probability", rounded(Of.Probability)},
          {"overlap", rounded(Of.Overlap)}};
}

Json agreementJson(const PageAgreement &A) {
  Json Orders = Json::array();
  for (unsigned Order = 0; Order < PageOrders; ++Order) {
    const PageAgreement::Row &Of = A.Orders[Order];
    if (!Of.Allocations)
      continue;
    Json Row = {{"order", Order}, {"allocations", Of.Allocations}};
    for (unsigned Was = 0; Was < PageWases; ++Was)
      Row[spelling(PageWas(Was))] = Of.Was[Was];
    Orders.push_back(std::move(Row));
  }
  return {{"allocations", A.allocations()},
          {"equal", A.equal()},
          {"orders", std::move(Orders)},
          {"frees", A.Frees},
          {"frees_of_order", A.FreesOfOrder},
          {"frees_of_part", A.FreesOfPart},
          {"frees_of_unknown", A.FreesOfUnknown},
          {"drains", A.Drains},
          {"drains_foretold", A.DrainsForetold},
          {"drains_followed", A.DrainsFollowed},
          {"drains_model", A.DrainsModel}};
}

Json policyJson(const PolicyResult &Of, const ReplayReport &R) {
  Json Sweep = Json::array();
  for (const SweepPoint &P : Of.Sweep)
    Sweep.push_back({{"working_set", rounded(P.WorkingSet)},
                     {"pages", P.Pages},
                     {"hits", rounded(P.HitShare)},
                     {"most_of_colour", P.MostOfColour},
                     {"least_of_colour", P.LeastOfColour}});
  Json Out = {{"policy", spelling(Of.Policy)},
              {"failed", Of.Failed},
              {"sweep", std::move(Sweep)}};
  if (!R.File.empty()) {
    Out["requests"] = Of.Requests;
    Out["equal"] = Of.Equal;
    Out["pages"] = Of.Pages;
    Out["against_recorded"] = distanceJson(Of.Pages, R.Data.RecordedPages);
  }
  if (!R.OtherPages.empty())
    Out["against_other"] = distanceJson(Of.Pages, R.OtherPages);
  return Out;
}

} // namespace

std::string toJson(const ReplayReport &R) {
  Json Policies = Json::array();
  for (const PolicyResult &Of : R.Data.Policies)
    Policies.push_back(policyJson(Of, R));
  Json Replay = {{"file", R.File},
                 {"cache", cacheJson(R.Options.Cache)},
                 {"state_recorded", R.Data.Start.Recorded},
                 {"page_events", R.Data.Start.PageEvents},
                 {"lost", R.Lost},
                 {"complete", R.Complete},
                 {"limits", R.Limits},
                 {"churn", R.Options.Churn},
                 {"seed", R.Options.Seed},
                 {"policies", std::move(Policies)}};
  if (!R.File.empty()) {
    Replay["recorded_pages"] = R.Data.RecordedPages;
    Replay["agreement"] = agreementJson(R.Data.Agreement);
  }
  if (!R.OtherPages.empty()) {
    Replay["other_file"] = R.OtherFile;
    Replay["other_pages"] = R.OtherPages;
  }
  Json Out = head(R.Tool);
  Out["replay"] = std::move(Replay);
  return Out.dump(2) + "\n";
}

std::string toJson(const HeatReport &R) {
  const ColourHeat &H = R.Data;
  Json Types = Json::array(), Sets = Json::array(), Pairs = Json::array();
  for (const HeatType &Of : H.Types)
    Types.push_back({{"type", Of.Name},
                     {"accesses", Of.Accesses},
                     {"crowded", Of.Crowded},
                     {"misses", Of.Misses},
                     {"conflicts", Of.Conflicts},
                     {"by_set", Of.Strip}});
  for (const HeatSet &Of : H.Fullest) {
    Json There = Json::array();
    for (auto [Type, Number] : Of.Types)
      There.push_back({{"type", H.Types[Type].Name}, {"accesses", Number}});
    Sets.push_back({{"set", Of.Set},
                    {"excess", Of.Excess},
                    {"heat", Of.Heat},
                    {"conflicts", Of.Conflicts},
                    {"types", std::move(There)}});
  }
  for (const HeatPair &Of : H.Pairs)
    Pairs.push_back({{"types", {H.Types[Of.A].Name, H.Types[Of.B].Name}},
                     {"meetings", Of.Meetings}});
  Json Out = head(R.Tool);
  Out["heat"] = {{"file", R.File},
                 {"cache", cacheJson(H.Cache)},
                 {"sets", H.Sets},
                 {"accesses", H.Accesses},
                 {"no_physical_address", H.NoPhysical},
                 {"windows", H.Windows},
                 {"misses", H.Misses},
                 {"conflicts", H.Conflicts},
                 {"crowded_sets", H.CrowdedSets},
                 {"fullest_sets", H.SetsInFullest},
                 {"conflicts_in_fullest", H.ConflictsInFullest},
                 {"rank_correlation", rounded(H.Rank)},
                 {"lost", R.Lost},
                 {"complete", R.Complete},
                 {"limits", R.Limits},
                 {"types", std::move(Types)},
                 {"fullest", std::move(Sets)},
                 {"pairs", std::move(Pairs)}};
  return Out.dump(2) + "\n";
}

std::string toJson(const GeometryReport &R) {
  Json Caches = Json::array();
  for (const NodeCache &Of : R.Caches)
    Caches.push_back({{"node", Of.Node},
                      {"level", Of.Level},
                      {"bytes", Of.Shape.Bytes},
                      {"line", Of.Shape.LineBytes},
                      {"indexing", Of.Indexing},
                      {"writes", Of.WritePolicy}});
  Json Out = head(R.Tool);
  Out["geometry"] = {{"from", R.From}, {"caches", std::move(Caches)}};
  return Out.dump(2) + "\n";
}

} // namespace kst
