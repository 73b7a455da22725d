// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings about cacheline groups and tables as JSON, for programs.

#include "hybrid/findings/FindingForms.h"
#include "hybrid/groups/GroupReport.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

namespace kst {

using Json = nlohmann::ordered_json;

static Json groupJson(const GroupSummary &G) {
  Json Of = {{"name", G.Name},
             {"members", G.Members},
             {"bytes", G.Bytes},
             {"offset", G.BeginBytes},
             {"first_line", G.FirstLine},
             {"last_line", G.LastLine},
             {"accesses", rounded(G.Accesses)},
             {"writes", rounded(G.Writes)}};
  if (G.Use != GroupUse::Unknown)
    Of["named_as"] = G.Use == GroupUse::Read ? "read" : "written";
  if (G.AssertedBytes)
    Of["asserted_bytes"] = G.AssertedBytes;
  return Of;
}

static Json structJson(const GroupedStruct &S) {
  Json Groups = Json::array();
  for (const GroupSummary &G : S.Groups)
    Groups.push_back(groupJson(G));
  Json Of = {{"struct", S.Name},
             {"defined_at", S.File + ":" + std::to_string(S.Line)},
             {"config", S.Config},
             {"cache_line", S.LineBytes},
             {"size", S.SizeBytes},
             {"outside", rounded(S.Outside)},
             {"groups", std::move(Groups)}};
  if (!S.Table.empty())
    Of["table"] = {{"file", S.Table},
                   {"rows", S.Rows},
                   {"rows_elsewhere", S.RowsElsewhere}};
  return Of;
}

std::string toJson(const GroupReport &R) {
  Json Structs = Json::array();
  for (const GroupedStruct &S : R.Structs)
    Structs.push_back(structJson(S));
  return dumped({{"schema", "kst-groups/1"},
                 {"tool", {{"version", R.Tool.Version}, {"llvm", R.Tool.Llvm}}},
                 {"configs", R.Configs},
                 {"units", R.UnitsLooked},
                 {"findings", findingsJson(R)},
                 {"suppressed", R.Suppressed},
                 {"omitted", R.Omitted},
                 {"structs", std::move(Structs)},
                 {"notes", R.Notes}});
}

std::string toSarif(const GroupReport &R) {
  return toSarif(R.Tool, R, groupKinds());
}

} // namespace kst
