// SPDX-License-Identifier: GPL-2.0-or-later
//
// The data profile as JSON, for programs.

#include "hybrid/dprof/DescribeParts.h"
#include "hybrid/dprof/JsonParts.h"
#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

/// Of each type; what is left out is counted.
constexpr size_t MostPlaces = 30, MostJsonSteps = 100;
constexpr double LeastJsonShare = 0.01;

template <typename T> Json classesJson(const T &Of) {
  Json Out = Json::object();
  for (size_t Class = 1; Class < MissClasses; ++Class)
    Out[spelling(MissClass(Class))] = Of[Class];
  return Out;
}

} // namespace

Json countsJson(const DataProfile &P, const AccessCounts &Of) {
  Json Served = Json::object(), Misses = Json::object();
  for (size_t By = 0; By < Servers; ++By)
    Served[spelling(ServedBy(By))] = Of.Served[By];
  for (size_t L = 0; L < CacheLevels; ++L)
    if (P.Geometry.Shapes[L].exists())
      Misses[spelling(CacheLevel(L))] = classesJson(Of.Missed[L]);
  return {{"accesses", Of.accesses()},   {"loads", Of.Loads},
          {"stores", Of.Stores},         {"served", std::move(Served)},
          {"misses", std::move(Misses)}, {"upgrades", Of.Upgrades},
          {"cost", rounded(P.cost(Of))}};
}

namespace {

Json bytesJson(const BytesOverTime &Of) {
  return {{"mean", rounded(Of.Mean)}, {"most", Of.Most}};
}

Json placesJson(const DataProfile &In, const TypeRow &Of) {
  std::vector<const PlaceRow *> Rows;
  for (const PlaceRow &P : Of.Places)
    Rows.push_back(&P);
  std::stable_sort(Rows.begin(), Rows.end(), [](auto *A, auto *B) {
    return std::pair(~A->misses(), ~(A->Loads + A->Stores)) <
           std::pair(~B->misses(), ~(B->Loads + B->Stores));
  });
  Rows.resize(std::min(Rows.size(), MostPlaces));
  static constexpr const char *Contexts[ContextKinds] = {
      "task", "softirq", "hardirq", "nmi", "call"};
  Json Out = Json::array();
  for (const PlaceRow *P : Rows)
    Out.push_back({{"offset", P->OffsetBytes},
                   {"size", P->SizeBytes},
                   {"field", fieldName(In, Of, *P)},
                   {"function", In.Sites[P->Site].Function},
                   {"file", In.Sites[P->Site].File},
                   {"line", In.Sites[P->Site].Line},
                   {"context", Contexts[size_t(P->Context)]},
                   {"loads", P->Loads},
                   {"stores", P->Stores},
                   {"cpus", std::popcount(P->Cpus)},
                   {"misses", classesJson(P->Missed)}});
  return Out;
}

Json pathsJson(const TypeRow &Of, bool Seen) {
  const FlowSteps Steps =
      flowSteps(Of.Paths, Seen, LeastJsonShare, MostJsonSteps);
  Json Rows = Json::array();
  for (const FlowStep &Step : Steps.Rows) {
    Json Bytes = Json::array();
    for (const Sentence &Range :
         touchedBytes(Step.Touched, Of.Paths.GrainBytes))
      Bytes.push_back(Range.Parts.front().Text);
    Rows.push_back({{"parent", Step.Parent},
                    {"functions", Step.Functions},
                    {"other_cpu", Step.OtherCpu},
                    {"objects", Step.Objects},
                    {"ended", Step.Ended},
                    {"cut", Step.Cut},
                    {"loads", Step.Loads},
                    {"stores", Step.Stores},
                    {"bytes", std::move(Bytes)}});
  }
  return {{"steps", std::move(Rows)}, {"left_out", Steps.LeftOut}};
}

Json typeJson(const DataProfile &P, const TypeRow &Of) {
  Json Resident = Json::object();
  for (size_t L = 0; L < CacheLevels; ++L)
    if (P.Geometry.Shapes[L].exists())
      Resident[spelling(CacheLevel(L))] = bytesJson(Of.Resident[L]);
  return {{"name", Of.Name},
          {"kind", spelling(Of.Kind)},
          {"size", Of.SizeBytes},
          {"share", rounded(share(double(Of.Counts.misses(P.Level)),
                                  double(P.All.misses(P.Level))))},
          {"counts", countsJson(P, Of.Counts)},
          {"objects", Of.Objects},
          {"moved_objects", Of.MovedObjects},
          {"moves", Of.Moves},
          {"live", bytesJson(Of.Live)},
          {"active", bytesJson(Of.Active)},
          {"resident", std::move(Resident)},
          {"places", placesJson(P, Of)},
          {"places_left_out",
           Of.Places.size() - std::min(Of.Places.size(), MostPlaces)},
          {"accesses_of_other_places", Of.OtherPlaces},
          {"paths",
           {{"cut", Of.Paths.Cut},
            {"allocated", pathsJson(Of, true)},
            {"before", pathsJson(Of, false)}}}};
}

Json setsJson(const DataProfile &P) {
  Json Bins = Json::array(), Fullest = Json::array();
  for (unsigned Bin = 0; Bin < SetHistogram::Bins; ++Bin)
    Bins.push_back({{"lines_per_way", Bin / 4.0},
                    {"sets", P.Sets.Number[Bin]},
                    {"conflicts", P.Sets.Conflicts[Bin]}});
  for (const SetRow &Of : P.Sets.Fullest) {
    Json Types = Json::array();
    for (const auto &[Type, Misses] : Of.Types)
      Types.push_back({{"type", P.Types[Type].Name}, {"misses", Misses}});
    Fullest.push_back({{"cpu", Of.Cpu},
                       {"set", Of.Set},
                       {"lines", rounded(Of.Lines)},
                       {"conflicts", Of.Conflicts},
                       {"capacity", Of.Capacity},
                       {"types", std::move(Types)}});
  }
  return {{"sets", P.Sets.Sets},
          {"histogram", std::move(Bins)},
          {"fullest", std::move(Fullest)},
          {"types_cut", P.Sets.TypesCut}};
}

Json windowsJson(const DataProfile &P) {
  Json Out = Json::array();
  for (const WindowRow &Row : P.Windows)
    Out.push_back({{"time", Row.Time},
                   {"live", Row.Live},
                   {"active", Row.Active},
                   {"resident", Row.Resident}});
  return Out;
}

Json profileJson(const DataProfile &P) {
  Json Latency = Json::object(), Types = Json::array();
  for (size_t By = 0; By < Servers; ++By)
    Latency[spelling(ServedBy(By))] = rounded(P.Latency[By]);
  for (const TypeRow &Of : P.Types)
    Types.push_back(typeJson(P, Of));
  return {
      {"trace",
       {{"file", P.File},
        {"label", P.Label},
        {"events", P.Events},
        {"lost", P.Lost},
        {"complete", P.Complete},
        {"limits", P.Limits},
        {"cpus", P.Cpus},
        {"contexts", P.Contexts},
        {"no_accesses", P.NoAccesses},
        {"cut_accesses", P.CutAccesses},
        {"unknown_fields", P.UnknownFields},
        {"implicit_frees", P.ImplicitFrees},
        {"unknown_frees", P.UnknownFrees}}},
      {"model",
       {{"cache", spelling(P.Geometry)},
        {"level", spelling(P.Level)},
        {"sharing", P.Sharing == ClassRule::Lifetime ? "lifetime" : "at-miss"},
        {"latency", std::move(Latency)},
        {"assumes", "LRU, no prefetcher, no speculation, no hashed slices, "
                    "interleaving by timestamp"}}},
      {"all", countsJson(P, P.All)},
      {"types", std::move(Types)},
      {"window_events", P.WindowEvents},
      {"windows", windowsJson(P)},
      {"sets", setsJson(P)}};
}

} // namespace

std::string toJson(const DprofReport &R) {
  Json All = {{"schema", "kst-dprof/1"},
              {"tool", {{"version", R.Tool.Version}, {"llvm", R.Tool.Llvm}}},
              {"profile", profileJson(R.Data)}};
  if (R.Other)
    All["other"] = profileJson(*R.Other);
  for (const auto &[Type, Why] : R.NotAnalyzed)
    All["not_analyzed"].push_back({{"type", Type}, {"why", Why}});
  if (!R.Data.Orders.empty())
    All["what_if"] = ordersJson(R);
  return jsonText(All, 1) + "\n";
}

} // namespace kst
