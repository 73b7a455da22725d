// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `isolation globals` says, as JSON for programs.

#include "hybrid/isolation/GlobalsReport.h"
#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

Json cpuList(uint64_t Mask) {
  Json Out = Json::array();
  for (unsigned C = 0; C < 64; ++C)
    if (Mask >> C & 1)
      Out.push_back(C);
  return Out;
}

const char *roleWord(LineRole Role) {
  return Role == LineRole::Written ? "written"
         : Role == LineRole::Read  ? "read"
                                   : "quiet";
}

Json memberJson(const GlobalsReport &R, const LineMember &M) {
  const Global &G = R.Globals[M.Global];
  Json Out = {{"name", G.Is.Name},         {"address", hexText(G.Is.Address)},
              {"size", G.Is.SizeBytes},    {"section", G.Section},
              {"file", G.Is.File},         {"line", G.Is.Line},
              {"role", roleWord(M.Role)},  {"writes", rounded(M.Writes)},
              {"reads", rounded(M.Reads)}, {"addressTaken", rounded(M.Taken)},
              {"writers", M.Writers},      {"readers", M.Readers}};
  if (R.Replay) {
    const GlobalCounts &Of = R.Replay->Counts[M.Global];
    Out["trace"] = {
        {"loads", Of.Loads},
        {"stores", Of.Stores},
        {"cpusReading", cpuList(Of.Readers)},
        {"cpusWriting", cpuList(Of.Writers)},
        {"falseSharing", Of.False},
        {"falseSharingAdvised", R.Replay->CountsAdvised[M.Global].False}};
  }
  return Out;
}

Json lineJson(const GlobalsReport &R, const GlobalsLine &Line) {
  Json Members = Json::array(), Advice = Json::array(), Order = Json::array();
  for (const LineMember &M : Line.Members)
    Members.push_back(memberJson(R, M));
  for (const AdvisedGlobal &A : Line.Advice)
    Advice.push_back({{"global", R.Globals[A.Global].Is.Name},
                      {"declare", spelling(A.What, R.Kernel, R.LineBytes)}});
  for (uint32_t G : Line.Order)
    Order.push_back(R.Globals[G].Is.Name);
  return {{"address", hexText(Line.Address)}, {"cost", rounded(Line.Cost)},
          {"falseSharing", Line.False},       {"globals", std::move(Members)},
          {"advice", std::move(Advice)},      {"order", std::move(Order)}};
}

Json arrayJson(const GlobalsReport &R, const SharedArray &A) {
  const GlobalVariable &Is = R.Globals[A.Global].Is;
  return {{"name", Is.Name},
          {"address", hexText(Is.Address)},
          {"file", Is.File},
          {"line", Is.Line},
          {"element", Is.Type},
          {"elements", Is.Number},
          {"stride", Is.StrideBytes},
          {"sharing", A.Sharing},
          {"perCpu", A.PerCpu},
          {"writes", rounded(A.Writes)},
          {"reads", rounded(A.Reads)},
          {"writers", A.Writers},
          {"readers", A.Readers},
          {"ownElements", A.OwnElements},
          {"commonElements", A.CommonElements},
          {"linesOfSeveral", A.OwnersBesides},
          {"falseSharing", A.False},
          {"paddedStride", A.PaddedStride},
          {"paddingBytes", A.PaddingBytes},
          {"lines", A.LinesNow},
          {"linesPadded", A.LinesPadded}};
}

} // namespace

std::string toJson(const GlobalsReport &R) {
  Json Lines = Json::array(), Arrays = Json::array();
  for (const GlobalsLine &Line : R.Lines)
    Lines.push_back(lineJson(R, Line));
  for (const SharedArray &A : R.Arrays)
    Arrays.push_back(arrayJson(R, A));
  Json Out = {{"schema", "kst-isolation/1"},
              {"tool", {{"version", R.Tool.Version}, {"llvm", R.Tool.Llvm}}},
              {"kind", "globals"},
              {"image", R.Image},
              {"module", R.Module},
              {"debug", R.Debug},
              {"inputSections", R.InputSections},
              {"heat", R.HeatOf},
              {"within", R.Within},
              {"cacheLine", R.LineBytes},
              {"globals", R.Globals.size()},
              {"dataInstructions", R.Uses},
              {"dataInstructionsUnplaced", R.UsesOutside},
              {"sharedLines", std::move(Lines)},
              {"arrays", std::move(Arrays)}};
  if (R.Replay)
    Out["replay"] = {{"trace", R.Replay->Trace},
                     {"cpus", R.Replay->Cpus},
                     {"accesses", R.Replay->Accesses},
                     {"falseSharing", R.Replay->False},
                     {"falseSharingWithin", R.Replay->FalseWithin},
                     {"falseSharingAdvised", R.Replay->FalseAdvised},
                     {"trueSharing", R.Replay->True},
                     {"trueSharingAdvised", R.Replay->TrueAdvised}};
  return jsonText(Out, 1) + "\n";
}

} // namespace kst
