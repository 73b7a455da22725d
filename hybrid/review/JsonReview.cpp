// SPDX-License-Identifier: GPL-2.0-or-later
//
// The review as JSON and SARIF, for programs.

#include "hybrid/findings/FindingForms.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/review/ReviewReport.h"

#include <nlohmann/json.hpp>

namespace kst {

namespace {

using Json = nlohmann::ordered_json;

Json usersJson(const std::vector<FieldUser> &Users) {
  Json All = Json::array();
  for (const FieldUser &User : Users)
    All.push_back(
        {{"function", User.Where.Function},
         {"location", User.Where.File + ":" + std::to_string(User.Where.Line)},
         {"share", rounded(User.Share)}});
  return All;
}

Json costOf(const Cost &Of) {
  return {{"total", rounded(Of.total())},
          {"lines", rounded(Of.Lines)},
          {"sharing", rounded(Of.Sharing)},
          {"padding", rounded(Of.Padding)}};
}

Json placeJson(std::optional<uint64_t> Bits, uint32_t LineBytes) {
  if (!Bits)
    return nullptr;
  return {{"offset", *Bits / 8},
          {"offset_bits", *Bits},
          {"line", *Bits / 8 / LineBytes}};
}

Json fieldJson(const FieldChange &F, uint32_t LineBytes) {
  Json Beside = Json::array();
  for (const Neighbour &One : F.Beside)
    Beside.push_back({{"field", One.Field}, {"share", rounded(One.Share)}});
  Json Of = {{"name", F.Name},
             {"type", F.Type},
             {"change", toWord(F.Fate)},
             {"base", placeJson(F.BaseBits, LineBytes)},
             {"head", placeJson(F.HeadBits, LineBytes)},
             {"reads", rounded(F.Reads)},
             {"writes", rounded(F.Writes)},
             {"readers", usersJson(F.Readers)},
             {"writers", usersJson(F.Writers)},
             {"new_neighbours", std::move(Beside)},
             {"lost_neighbours", F.Lost}};
  if (!F.Was.empty())
    Of["was"] = F.Was;
  return Of;
}

Json structJson(const StructChange &S) {
  Json Fields = Json::array();
  for (const FieldChange &F : S.Fields)
    Fields.push_back(fieldJson(F, S.LineBytes));
  Json Of = {{"struct", S.Name},
             {"defined_at", S.File + ":" + std::to_string(S.Line)},
             {"config", S.Config},
             {"triple", S.Triple},
             {"cache_line", S.LineBytes},
             {"base_size", S.BaseBytes},
             {"head_size", S.HeadBytes},
             {"base_cost", costOf(S.Base)},
             {"head_cost", costOf(S.Head)},
             {"visits", rounded(S.Visits)},
             {"calls", rounded(S.Calls)},
             {"through", S.Through},
             {"fields", std::move(Fields)}};
  if (!S.Was.empty())
    Of["was"] = S.Was;
  return Of;
}

} // namespace

std::string toJson(const ReviewReport &R) {
  Json Structs = Json::array();
  for (const StructChange &S : R.Structs)
    Structs.push_back(structJson(S));
  Json All = {
      {"schema", "kst-review/1"},
      {"tool", {{"version", R.Tool.Version}, {"llvm", R.Tool.Llvm}}},
      {"base", R.Base},
      {"head", R.Head},
      {"configs", R.Configs},
      {"files", R.ChangedFiles},
      {"units", {{"looked_at", R.UnitsLooked}, {"changed", R.UnitsChanged}}},
      {"findings", findingsJson(R)},
      {"suppressed", R.Suppressed},
      {"omitted", R.Omitted},
      {"structs", std::move(Structs)},
      {"notes", R.Notes}};
  if (!R.Baseline.empty())
    All["baseline"] = R.Baseline;
  return dumped(All);
}

std::string toSarif(const ReviewReport &R) {
  return toSarif(R.Tool, R,
                 R.Baseline.empty() ? reviewKinds() : baselineKinds());
}

} // namespace kst
