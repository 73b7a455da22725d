// SPDX-License-Identifier: GPL-2.0-or-later
//
// The survey as JSON, for programs.

#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/survey/SurveyReport.h"

#include <nlohmann/json.hpp>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

const char *word(SearchEffort Effort) {
  switch (Effort) {
  case SearchEffort::None:
    return "none";
  case SearchEffort::Short:
    return "short";
  case SearchEffort::Whole:
    return "whole";
  }
  return "none";
}

const char *word(Verdict What) {
  switch (What) {
  case Verdict::Reorder:
    return "reorder";
  case Verdict::Keep:
    return "keep";
  case Verdict::InsufficientEvidence:
    return "insufficient-evidence";
  }
  return "keep";
}

Json orderJson(const SurveyRow &Row,
               const std::optional<SurveyRow::Found> &Order) {
  if (!Order)
    return nullptr;
  Json Made = {{"cost", rounded(Order->Cost)},
               {"saves", rounded(Row.Objective - Order->Cost)},
               {"moves", Order->Moves}};
  if (!Order->Moved.empty())
    Made["moved"] = Order->Moved;
  return Made;
}

Json rulesJson(const SurveyRow &Row) {
  Json Rules = Json::array();
  for (const ConstraintNote &Note : Row.Rules) {
    Json Rule = {
        {"id", Note.Id},
        {"field", Note.Field},
        {"why", Note.Why},
        {"strength", Note.Strength == RuleStrength::Hard ? "hard" : "soft"}};
    if (!Note.Where.File.empty())
      Rule["location"] =
          Note.Where.File + ":" + std::to_string(Note.Where.Line);
    if (Note.Blocks > 0)
      Rule["blocks"] = rounded(Note.Blocks);
    Rules.push_back(std::move(Rule));
  }
  return Rules;
}

Json memoryJson(const MemoryPrice &M) {
  Json Made = {{"objects", *M.Objects},
               {"source", M.Source},
               {"bytes", *M.bytes()},
               {"object_bytes", M.ObjectBytes},
               {"own_cache", M.OwnCache}};
  if (M.PerSlab) {
    Made["slab_bytes"] = M.SlabBytes;
    Made["per_slab"] = M.PerSlab;
  }
  if (M.Shrink)
    Made["smaller"] = {{"by", M.Shrink},
                       {"within_unused", M.InReach},
                       {"object_bytes", M.SmallerObjectBytes},
                       {"per_slab", M.SmallerPerSlab}};
  return Made;
}

Json rowJson(const SurveyRow &Row) {
  Json Made = {{"struct", Row.Name},
               {"defined_at", Row.File + ":" + std::to_string(Row.Line)},
               {"configs", Row.Configs},
               {"size", Row.SizeBytes},
               {"lines", Row.Lines},
               {"holes", {{"count", Row.HoleCount}, {"bits", Row.HoleBits}}},
               {"padding", Row.PaddingBytes},
               {"fields", {{"all", Row.Fields}, {"touched", Row.Touched}}},
               {"visits", rounded(Row.Visits)},
               {"reads", rounded(Row.Reads)},
               {"writes", rounded(Row.Writes)},
               {"confidence",
                {{"recorded_share", rounded(Row.ReferenceShare)},
                 {"resolved_share", rounded(Row.ResolvedShare)},
                 {"survives", rounded(Row.Survives)}}},
               {"cost",
                {{"total", rounded(Row.Objective)},
                 {"lines", rounded(Row.Now.Lines)},
                 {"sharing", rounded(Row.Now.Sharing)},
                 {"padding", rounded(Row.Now.Padding)}}},
               {"search", word(Row.Searched)},
               {"verdict", word(Row.What)},
               {"saves", rounded(Row.saving())},
               {"few_moves", orderJson(Row, Row.Few)},
               {"proposed", orderJson(Row, Row.Proposed)},
               {"best", orderJson(Row, Row.Best)}};
  if (Row.Searched != SearchEffort::None)
    Made["lower_bound"] = rounded(Row.Bound);
  if (Row.Proposed)
    Made["proposed_size"] = Row.ProposedBytes;
  if (Row.MissesMiddle)
    Made["misses_saved"] = {{"low", rounded(*Row.MissesLow)},
                            {"middle", rounded(*Row.MissesMiddle)},
                            {"high", rounded(*Row.MissesHigh)}};
  Json Risks = {{"pairs", Row.RiskCount}};
  if (Row.Worst)
    Risks["worst"] = {{"written", Row.Worst->Written},
                      {"used", Row.Worst->Used},
                      {"line", Row.Worst->Line},
                      {"share", rounded(Row.Worst->Share)},
                      {"still_together", Row.Worst->StillTogether}};
  Made["false_sharing"] = std::move(Risks);
  Made["held_in"] = {{"count", Row.Holders}, {"some", Row.HeldIn}};
  if (!Row.Reason.empty())
    Made["reason"] = Row.Reason;
  Made["rules"] = rulesJson(Row);
  if (Row.Memory.Objects)
    Made["memory"] = memoryJson(Row.Memory);
  if (!Row.Report.empty())
    Made["report"] = Row.Report;
  return Made;
}

} // namespace

std::string toJson(const Survey &All) {
  Json Rows = Json::array();
  for (const SurveyRow &Row : All.Rows)
    Rows.push_back(rowJson(Row));
  Json Scalars = Json::array();
  for (const ScalarStore &Of : All.Scalars)
    Scalars.push_back(
        {{"through", Of.Pointer},
         {"first_at", Of.Where.File + ":" + std::to_string(Of.Where.Line)},
         {"places", Of.Places}});
  const Json Made = {
      {"schema", "kst-survey/1"},
      {"tool", {{"version", All.Tool.Version}, {"llvm", All.Tool.Llvm}}},
      {"target",
       {{"configs", All.Configs},
        {"cache_line", All.LineBytes},
        {"machine", All.Machine}}},
      {"paths", All.Paths},
      {"translation_units",
       {{"selected", All.UnitsSelected}, {"parsed", All.UnitsParsed}}},
      {"reference", All.Reference},
      {"structs",
       {{"defined", All.Defined},
        {"not_visited", All.Unused},
        {"seen_by_user_space", All.Visible},
        {"left_out", All.Filtered},
        {"failed", All.Failed}}},
      {"total",
       {{"cost", rounded(All.TotalCost)},
        {"visits", rounded(All.TotalVisits)}}},
      {"scalar_stores", std::move(Scalars)},
      {"rows", std::move(Rows)}};
  return jsonText(Made, 1) + "\n";
}

} // namespace kst
