// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/JsonMeasured.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {

using Json = nlohmann::ordered_json;

static Json traceOf(const ProfileCoverage &P) {
  if (!P.Trace)
    return nullptr;
  return {{"events", P.Events},
          {"by_chance", rounded(P.ByChance)},
          {"bits", rounded(P.OrderBits)},
          {"structured", P.Structured}};
}

static Json transferOf(const ProfileTransfer &Of) {
  Json Members = Json::array();
  for (const TransferredMember &M : Of.Members)
    Members.push_back({{"offset", M.OffsetBytes},
                       {"size", M.SizeBytes},
                       {"name", M.Name},
                       {"field", M.Field},
                       {"by", M.By},
                       {"counts", M.Counts}});
  return {
      {"size", Of.SizeBytes},         {"counts", Of.Counts},
      {"matched", Of.Matched},        {"share", rounded(Of.share())},
      {"functions", Of.Functions},    {"functions_moved", Of.FunctionsMoved},
      {"members", std::move(Members)}};
}

static std::string wordOf(Origin From) {
  std::string Word = toWord(From);
  std::ranges::replace(Word, ' ', '-');
  return Word;
}

void addOrigin(Json &Field, const FieldOrigin &Of) {
  Field["origin"] = {{"from", wordOf(Of.From)},
                     {"counted_reads", Of.Reads},
                     {"counted_writes", Of.Writes},
                     {"by_address", Of.ByAddress},
                     {"measured_share", rounded(Of.MeasuredShare)},
                     {"low", rounded(Of.Uses.Low)},
                     {"high", rounded(Of.Uses.High)}};
}

void addOrigin(Json &Set, const SetOrigin &Of) {
  Set["origin"] = {{"from", wordOf(Of.From)},
                   {"measured_share", rounded(Of.MeasuredShare)},
                   {"counted", rounded(Of.Counted)},
                   {"static_weight", rounded(Of.StaticWeight)},
                   {"low", rounded(Of.Weight.Low)},
                   {"high", rounded(Of.Weight.High)}};
}

Json usersJson(const Ownership &Of) {
  Json Made = {{"exclusive", Of.Exclusive},
               {"others_share",
                Of.OthersShare ? Json(rounded(*Of.OthersShare)) : Json()},
               {"source", Of.Source},
               {"starts_no_thread", Of.StartsNoThread}};
  if (!Of.Cpus.Wanted)
    return Made;
  const SharingOptions Used = sharingOptions(SharingOptions(), Of, {});
  Made["cpus"] = {{"wanted", Of.Cpus.Wanted},
                  {"recorded", rounded(Of.Cpus.Recorded)},
                  {"recorded_assumed", Of.Cpus.RecordedAssumed},
                  {"unknown_remote_share", rounded(Used.UnknownRemoteShare)},
                  {"chosen_remote_share", rounded(Used.ChosenRemoteShare)},
                  {"loops_before", rounded(Of.Cpus.LoopsBefore)},
                  {"loops", rounded(Of.Cpus.Loops)}};
  return Made;
}

Json profilesJson(const Coverage &C) {
  Json All = Json::array();
  for (const ProfileCoverage &P : C.Profiles) {
    All.push_back({{"name", P.Name},
                   {"about", Json(P.Text)},
                   {"share", rounded(P.Share)},
                   {"seconds", rounded(P.Seconds)},
                   {"runs", P.Runs},
                   {"lost", P.Lost},
                   {"accesses", P.Accesses},
                   {"placed", P.Placed},
                   {"by_field", P.ByField},
                   {"not_placed", Json(P.NotPlaced)},
                   {"samples", P.Samples},
                   {"samples_used", P.SamplesUsed},
                   {"trace", traceOf(P)},
                   {"functions",
                    {{"entered", P.FunctionsEntered},
                     {"never_entered", P.FunctionsNeverEntered},
                     {"not_instrumented", P.FunctionsNotInstrumented}}}});
    if (P.Transfer.Made)
      All.back()["transferred"] = transferOf(P.Transfer);
  }
  return All;
}

Json underProfilesJson(const Report &R) {
  Json All = Json::array();
  for (const ProfileAdvice &P : R.UnderProfiles) {
    Json Lines = Json::array();
    for (const ProfileAdvice::Group &G : P.Groups)
      Lines.push_back({{"line", G.Line}, {"together", rounded(G.Together)}});
    All.push_back({{"name", P.Name},
                   {"current", rounded(P.Now)},
                   {"proposed", rounded(P.New)},
                   {"gain", rounded(P.gain())},
                   {"holds", P.Holds},
                   {"lines", std::move(Lines)}});
  }
  return All;
}

} // namespace kst
