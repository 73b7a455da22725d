// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/FindingForms.h"

#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kst {

using Json = nlohmann::ordered_json;

std::string joined(const std::vector<std::string> &Words, size_t Most) {
  std::string Text;
  for (size_t I = 0; I != Words.size(); ++I) {
    if (I == Most)
      return Text + " and " + std::to_string(Words.size() - Most) + " more";
    Text += (I ? ", " : "") + Words[I];
  }
  return Text;
}

static std::string title(const Finding &F) {
  return std::string(toWord(F.How)) + "  " + toWord(F.Kind) + "  " + F.Struct;
}

/// FILE:LINE; of what has no line (a struct that is gone) the file.
static std::string placeOf(const Finding &F) {
  return F.Line ? F.File + ":" + std::to_string(F.Line) : F.File;
}

Section findingsSection(const FindingList &R) {
  Section Part;
  Part.Title = R.Findings.empty() ? Sentence("nothing to look at")
                                  : counted(R.Findings.size(), "finding");
  Part.Verdict = true;
  for (const Finding &F : R.Findings) {
    Entry One;
    One.Head = strong(title(F)) + "  " + soft(placeOf(F));
    One.Body.push_back(Paragraph{F.Said + "."});
    Bullets More;
    for (const std::string &Why : F.Why)
      More.Items.push_back({Why});
    if (R.Configs.size() > 1)
      More.Items.push_back({"in " + joined(F.Config)});
    More.Items.push_back({soft("to accept it: " + F.key()), Shown::Full});
    One.Body.push_back(std::move(More));
    Part.Body.push_back(std::move(One));
  }
  if (R.Suppressed)
    Part.Body.push_back(
        Paragraph{counted(R.Suppressed, "finding") + " suppressed"});
  if (R.Omitted)
    Part.Body.push_back(
        Paragraph{std::to_string(R.Omitted) + " more findings left out"});
  return Part;
}

static Json findingJson(const Finding &F) {
  return {{"kind", toWord(F.Kind)},
          {"grade", toWord(F.How)},
          {"struct", F.Struct},
          {"fields", F.Fields},
          {"said", F.Said},
          {"why", F.Why},
          {"configs", F.Config},
          {"location", placeOf(F)},
          {"share", rounded(F.Share)},
          {"key", F.key()},
          {"fingerprint", F.fingerprint()}};
}

Json findingsJson(const FindingList &List) {
  Json All = Json::array();
  for (const Finding &F : List.Findings)
    All.push_back(findingJson(F));
  return All;
}

std::string dumped(const Json &All) { return jsonText(All, 1) + "\n"; }

std::string toSarif(const ToolId &Tool, const FindingList &R,
                    std::span<const FindingKind> Kinds) {
  Json Rules = Json::array(), Results = Json::array();
  for (FindingKind Kind : Kinds)
    Rules.push_back(
        {{"id", toWord(Kind)}, {"shortDescription", {{"text", about(Kind)}}}});
  for (const Finding &F : R.Findings) {
    std::string Text =
        (F.Struct.empty() ? "" : "struct " + F.Struct + ": ") + F.Said + ".";
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
         {"ruleIndex", std::ranges::find(Kinds, F.Kind) - Kinds.begin()},
         {"level", F.How == Grade::High     ? "error"
                   : F.How == Grade::Medium ? "warning"
                                            : "note"},
         {"message", {{"text", Text}}},
         {"locations", Json::array({std::move(Location)})},
         {"partialFingerprints", {{"kstFinding/v1", F.fingerprint()}}}});
  }
  Json Driver = {{"name", "kstatic-affinity"},
                 {"version", Tool.Version},
                 {"rules", std::move(Rules)}};
  Json Run = {{"tool", {{"driver", std::move(Driver)}}},
              {"columnKind", "utf16CodeUnits"},
              {"results", std::move(Results)}};
  return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({std::move(Run)})}});
}

} // namespace kst
