// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `isolation map`, `impact`, `plan` and `verify` say, as JSON for
// programs.

#include "hybrid/isolation/IsolationReport.h"
#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

/// Of what is listed one by one; what is left out is counted beside it.
constexpr size_t MostRows = 1000;

Json linkJson(const LinkFacts &Of, const char *Kind) {
  Json Odd = Json::array();
  for (const Unexplained &U : Of.Odd)
    Odd.push_back({{"what", U.What},
                   {"expected", hexText(U.Expected)},
                   {"found", hexText(U.Found)}});
  return {{"schema", "kst-isolation/1"},
          {"tool", {{"version", Of.Tool.Version}, {"llvm", Of.Tool.Llvm}}},
          {"kind", Kind},
          {"image", Of.Image},
          {"objects", Of.Objects},
          {"links", Of.TwoSteps ? 2 : 1},
          {"explained", Of.Explained},
          {"unexplained", std::move(Odd)}};
}

Json mismatches(const std::vector<SymbolMismatch> &All) {
  Json Out = Json::array();
  for (size_t I = 0; I < std::min(All.size(), MostRows); ++I)
    Out.push_back({{"name", All[I].Name},
                   {"file", All[I].File},
                   {"was", hexText(All[I].Was)},
                   {"predicted", hexText(All[I].Predicted)},
                   {"found", hexText(All[I].Found)}});
  return Out;
}

Json sideJson(const PairSide &Of) {
  return {{"name", Of.Name},
          {"object", Of.Object},
          {"address", hexText(Of.Address)},
          {"size", Of.SizeBytes},
          {"writes", rounded(Of.Writes)},
          {"reads", rounded(Of.Reads)},
          {"addressTaken", rounded(Of.Taken)},
          {"writers", Of.Writers},
          {"readers", Of.Readers}};
}

std::string text(const Json &Of) { return jsonText(Of, 1) + "\n"; }

} // namespace

std::string toJson(const MapReport &R) {
  Json Out = linkJson(R.Link, "map");
  Json Rows = Json::array();
  for (const ChainRow &C : R.Chains)
    Rows.push_back({{"section", C.Name},
                    {"output", C.Output},
                    {"objects", C.Objects},
                    {"address", hexText(C.Address)},
                    {"size", C.SizeBytes},
                    {"padding", C.PaddingBytes},
                    {"align", C.MostAlignBytes},
                    {"heat", rounded(C.Heat)},
                    {"array", C.Array},
                    {"largest", C.Largest},
                    {"largestSize", C.LargestBytes}});
  Out["chains"] = std::move(Rows);
  return text(Out);
}

std::string toJson(const VerifyReport &R) {
  Json Out = linkJson(R.Link, "verify");
  Out["changed"] = R.Changed;
  Json Given = Json::array();
  for (size_t I = 0; I < R.Generated.size(); ++I)
    Given.push_back({{"section", R.GeneratedNames[I]},
                     {"was", R.Generated[I].Was},
                     {"is", R.Generated[I].Is},
                     {"merged", R.Generated[I].Merged}});
  Out["generated"] = std::move(Given);
  Out["symbols"] = R.Check.Symbols;
  Out["equal"] = R.Check.Equal;
  Out["moved"] = R.Check.Moved;
  Out["wrong"] = R.Check.Wrong.size();
  Out["onlyNew"] = R.Check.OnlyNew;
  Out["onlyPredicted"] = R.Check.OnlyPredicted;
  Out["unplaced"] = R.Check.Unplaced;
  Out["equalWithoutGenerated"] = R.WithoutGiven;
  Out["wrongSymbols"] = mismatches(R.Check.Wrong);
  Out["newSymbols"] = mismatches(R.Check.Unforeseen);
  Out["missingSymbols"] = mismatches(R.Check.Missing);
  return text(Out);
}

std::string toJson(const PlanReport &R) {
  const IsolationPlan &P = R.Plan;
  Json Out = linkJson(R.Link, "plan");
  Out["section"] = P.Asked.Section;
  Out["align"] = P.Asked.AlignBytes;
  Out["heat"] = R.HeatOf;
  Out["churn"] = R.Churn ? "history" : "uniform";
  Out["chainObjects"] = P.Objects;
  Out["size"] = P.SizeBytes;
  Out["padding"] = P.PaddingBytes;
  Out["paddingOfAll"] = P.AllPaddingBytes;
  Out["ownObjects"] = rounded(P.OwnObjects);
  Json Steps = Json::array(), Cuts = Json::array();
  for (const PlanStep &S : P.Steps)
    Steps.push_back({{"cuts", S.Cuts},
                     {"displaced", rounded(S.Exact)},
                     {"greedy", rounded(S.Greedy)},
                     {"even", rounded(S.Even)}});
  for (const CutRow &C : P.Cuts)
    Cuts.push_back({{"object", C.Object},
                    {"address", hexText(C.AddressWas)},
                    {"padding", C.PaddingBytes},
                    {"segmentObjects", C.SegmentObjects},
                    {"segmentHeat", rounded(C.SegmentHeat)},
                    {"segmentChurn", rounded(C.SegmentChurn)}});
  Out["steps"] = std::move(Steps);
  Out["cuts"] = std::move(Cuts);
  return text(Out);
}

std::string toJson(const ImpactReport &R) {
  const Impact &B = R.Found;
  Json Out = linkJson(R.Link, "impact");
  Out["changes"] = R.Changes;
  Out["heat"] = R.HeatOf;
  Out["functions"] = B.Functions;
  Out["movedFunctions"] = B.MovedFunctions;
  Out["data"] = B.Data;
  Out["movedData"] = B.MovedData;
  Out["gone"] = B.Gone;
  Out["new"] = B.New;
  Json Moduli = Json::array(), Hottest = Json::array(), Pairs = Json::array();
  for (const ModuloRow &M : B.Moduli)
    Moduli.push_back({{"modulo", M.ModuloBytes},
                      {"functions", M.Functions},
                      {"heat", rounded(M.Heat)},
                      {"heatOfOtherObjects", rounded(M.OtherHeat)},
                      {"data", M.Data}});
  for (const MovedFunction &F : B.Hottest)
    Hottest.push_back({{"name", F.Name},
                       {"object", F.Object},
                       {"was", hexText(F.Was)},
                       {"is", hexText(F.Is)},
                       {"heat", rounded(F.Heat)}});
  for (const GlobalPair &P : B.Pairs)
    Pairs.push_back({{"sharing", P.Starts ? "starts" : "stops"},
                     {"line", hexText(P.Line)},
                     {"cost", rounded(P.Cost)},
                     {"falseSharingBefore", P.FalseBefore},
                     {"falseSharingAfter", P.FalseAfter},
                     {"written", sideJson(P.Written)},
                     {"read", sideJson(P.Read)}});
  if (!B.Trace.empty())
    Out["replay"] = {{"trace", B.Trace},
                     {"falseSharingBefore", B.FalseBefore},
                     {"falseSharingAfter", B.FalseAfter}};
  Out["modulo"] = std::move(Moduli);
  Out["hottest"] = std::move(Hottest);
  Out["pairsStarting"] = B.PairsStarting;
  Out["pairsStopping"] = B.PairsEnding;
  Out["pairs"] = std::move(Pairs);
  Out["dataInstructions"] = B.Uses;
  Out["dataInstructionsUnplaced"] = B.UsesOutside;
  return text(Out);
}

} // namespace kst
