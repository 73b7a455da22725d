// SPDX-License-Identifier: GPL-2.0-or-later
//
// What threads share as JSON, for programs.

#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/sharing/SharingDocument.h"

#include <nlohmann/json.hpp>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

Json usersJson(const std::vector<SharingUser> &Users) {
  Json Made = Json::array();
  for (const SharingUser &U : Users) {
    Json One = {{"function", U.Where.Function},
                {"file", U.Where.File},
                {"line", U.Where.Line},
                {"access", U.Writes ? "write" : "read"},
                {"share", rounded(U.Times)}};
    if (!U.Role.empty())
      One["thread"] = U.Role;
    Made.push_back(std::move(One));
  }
  return Made;
}

Json findingsJson(const std::vector<SharingFinding> &All) {
  Json Made = Json::array();
  for (const SharingFinding &F : All) {
    Json One = {{"object", F.Object},
                {"type", F.Type},
                {"between", spelling(F.Between)},
                {"fields", F.Fields},
                {"size", F.SizeBytes},
                {"stride", F.StrideBytes},
                {"objects", F.Objects},
                {"cycles", rounded(F.Cycles)},
                {"misses", F.Misses},
                {"writers", usersJson(F.Writers)},
                {"users", usersJson(F.Users)}};
    Json Remedies = Json::array();
    for (const SharingRemedy &R : F.Remedies) {
      Remedies.push_back({{"text", R.Text}, {"bytes", R.Bytes}});
      if (R.Patched >= 0)
        Remedies.back()["patched"] = rounded(R.Patched);
    }
    One["remedies"] = std::move(Remedies);
    Made.push_back(std::move(One));
  }
  return Made;
}

} // namespace

std::string toJson(const SharingReport &R) {
  Json Made = {{"schema", "kst-sharing/1"},
               {"tool", {{"version", R.Tool.Version}, {"llvm", R.Tool.Llvm}}},
               {"evidence", R.Evidence},
               {"machine", R.Machine},
               {"line_bytes", R.LineBytes},
               {"threads", R.Threads},
               {"false", findingsJson(R.False)},
               {"true", findingsJson(R.True)},
               {"limits", R.Limits}};
  return jsonText(Made, 1) + "\n";
}

} // namespace kst
