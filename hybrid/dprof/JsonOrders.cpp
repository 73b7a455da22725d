// SPDX-License-Identifier: GPL-2.0-or-later
//
// The part of that JSON about other orders and about sharing.

#include "hybrid/dprof/JsonParts.h"
#include "hybrid/dprof/SharingView.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

Json siteJson(const Site &Of) {
  return {{"function", Of.Function}, {"file", Of.File}, {"line", Of.Line}};
}

Json usersJson(const std::vector<SourceUse::User> &Users) {
  Json Out = Json::array();
  for (const SourceUse::User &By : Users) {
    Out.push_back(siteJson(By.Where));
    Out.back()["share"] = rounded(By.Share);
    Out.back()["other_cpu"] = By.OtherCpu;
  }
  return Out;
}

Json pairJson(const SharingView &View, const SharedPair &Of) {
  Json Out = {{"field", View.name(Of.Written)},
              {"misses", Of.Misses},
              {"apart_then", Of.ApartThen},
              {"advice", spelling(Of.Advice)},
              {"together", rounded(Of.Visits.Together)},
              {"apart", rounded(Of.Visits.Apart)},
              {"unknown", rounded(Of.Visits.Unknown)},
              {"source", usersJson(Of.WrittenBy)}};
  if (!Of.Visits.Where.Function.empty())
    Out["visit"] = siteJson(Of.Visits.Where);
  if (Of.Writers)
    Out["writers_together"] = rounded(Of.Writers->Share);
  return Out;
}

Json fieldJson(const WhatIf &W, const SharingView &View,
               const SharedField &Of) {
  Json Pairs = Json::array();
  for (const SharedPair &Pair : Of.Pairs)
    Pairs.push_back(pairJson(View, Pair));
  return {{"field", View.name(Of.Field)},
          {"misses", Of.False},
          {"all_before", W.Before.Missed[Of.Field]},
          {"all_after", W.After.Missed[Of.Field]},
          {"source", usersJson(Of.Users)},
          {"written", std::move(Pairs)}};
}

Json linesJson(const WhatIf &W, const SharingView &View) {
  Json Out = Json::array();
  for (const SharedLine &Of : View.Lines) {
    Json False = Json::array(), True = Json::array();
    for (const SharedField &Field : Of.FalseOf)
      False.push_back(fieldJson(W, View, Field));
    for (const auto &[Field, Misses] : Of.TrueOf)
      True.push_back({{"field", View.name(Field)}, {"misses", Misses}});
    Out.push_back({{"line", Of.Line},
                   {"true", Of.True},
                   {"false", Of.False},
                   {"false_of", std::move(False)},
                   {"true_of", std::move(True)}});
  }
  return Out;
}

Json sidesJson(const DataProfile &P, const OrderCounts &Of) {
  return {{"type", countsJson(P, Of.Counts[0])},
          {"others", countsJson(P, Of.Counts[1])}};
}

} // namespace

Json ordersJson(const DprofReport &R) {
  Json Out = Json::array();
  for (size_t Which = 0; Which < R.Data.Orders.size(); ++Which) {
    const WhatIf &W = R.Data.Orders[Which];
    Out.push_back(
        {{"type", W.Type},
         {"order", W.Order},
         {"moved_bytes", W.MovedBytes},
         {"in_holes", W.InHoles},
         {"unaligned", W.Unaligned},
         {"before", sidesJson(R.Data, W.Before)},
         {"after", sidesJson(R.Data, W.After)},
         {"lines", linesJson(W, sharingOf(R.Data, W, R.Orders[Which]))}});
  }
  return Out;
}

} // namespace kst
