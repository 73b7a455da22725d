// SPDX-License-Identifier: GPL-2.0-or-later

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

Json findingJson(const Finding &F) {
  return {{"kind", toWord(F.Kind)},
          {"grade", toWord(F.How)},
          {"struct", F.Struct},
          {"fields", F.Fields},
          {"said", F.Said},
          {"why", F.Why},
          {"configs", F.Config},
          {"location", F.File + ":" + std::to_string(F.Line)},
          {"share", rounded(F.Share)},
          {"key", F.key()},
          {"fingerprint", F.fingerprint()}};
}

std::string dumped(const Json &All) {
  return All.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// What a rule is about, for people who see only the list of findings.
const char *about(FindingKind Kind) {
  switch (Kind) {
  case FindingKind::FalseSharing:
    return "A field is written beside fields that other CPUs use";
  case FindingKind::WriteAdded:
    return "Code writes a field that lies beside fields that other CPUs read";
  case FindingKind::HotLineGrew:
    return "Visits touch more cache lines for the same fields";
  case FindingKind::BetterPlace:
    return "A new or moved field has a cheaper place";
  case FindingKind::LineMore:
    return "A struct takes more cache lines";
  case FindingKind::LeftGroup:
    return "A field left its cacheline group";
  case FindingKind::WrongGroup:
    return "A field joined a cacheline group that the code contradicts";
  case FindingKind::Assertion:
    return "A build-time assertion about a cacheline group fails";
  }
  return "";
}

} // namespace

std::string toJson(const ReviewReport &R) {
  Json Findings = Json::array(), Structs = Json::array();
  for (const Finding &F : R.Findings)
    Findings.push_back(findingJson(F));
  for (const StructChange &S : R.Structs)
    Structs.push_back(structJson(S));
  return dumped(
      {{"schema", "kst-review/1"},
       {"tool", {{"version", R.Tool.Version}, {"llvm", R.Tool.Llvm}}},
       {"base", R.Base},
       {"head", R.Head},
       {"configs", R.Configs},
       {"files", R.ChangedFiles},
       {"units", {{"looked_at", R.UnitsLooked}, {"changed", R.UnitsChanged}}},
       {"findings", std::move(Findings)},
       {"suppressed", R.Suppressed},
       {"omitted", R.Omitted},
       {"structs", std::move(Structs)},
       {"notes", R.Notes}});
}

std::string toSarif(const ReviewReport &R) {
  Json Rules = Json::array(), Results = Json::array();
  for (FindingKind Kind : AllFindingKinds)
    Rules.push_back(
        {{"id", toWord(Kind)}, {"shortDescription", {{"text", about(Kind)}}}});
  for (const Finding &F : R.Findings) {
    std::string Text = "struct " + F.Struct + ": " + F.Said + ".";
    for (const std::string &Why : F.Why)
      Text += " " + Why + ".";
    if (R.Configs.size() > 1) {
      Text += " In";
      for (const std::string &Name : F.Config)
        Text += " " + Name;
      Text += ".";
    }
    Json Location = {
        {"physicalLocation",
         {{"artifactLocation", {{"uri", F.File}, {"uriBaseId", "%SRCROOT%"}}},
          {"region", {{"startLine", std::max(1u, F.Line)}}}}}};
    Results.push_back(
        {{"ruleId", toWord(F.Kind)},
         {"ruleIndex", static_cast<int>(F.Kind)},
         {"level", F.How == Grade::High     ? "error"
                   : F.How == Grade::Medium ? "warning"
                                            : "note"},
         {"message", {{"text", Text}}},
         {"locations", Json::array({std::move(Location)})},
         {"partialFingerprints", {{"kstFinding/v1", F.fingerprint()}}}});
  }
  Json Driver = {{"name", "kstatic-affinity"},
                 {"version", R.Tool.Version},
                 {"rules", std::move(Rules)}};
  Json Run = {{"tool", {{"driver", std::move(Driver)}}},
              {"columnKind", "utf16CodeUnits"},
              {"results", std::move(Results)}};
  return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({std::move(Run)})}});
}

} // namespace kst
