// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/ReplayView.h"

#include "hybrid/fieldorder/JsonLayouts.h"
#include "hybrid/report/Numbers.h"

#include "nlohmann/json.hpp"

namespace kst {

using Json = nlohmann::ordered_json;

std::string replayWords(const Report &R) {
  const ReplayedOrder &Now = R.Replay->Orders[0], &Then = R.Replay->Orders[1];
  auto Say = [](const std::string &What, double Before, double After) {
    const std::string Change = change(Before, After);
    return What + " " + (Change.empty() ? "0 before" : Change);
  };
  return "The proposed order: " +
         Say("cost in the model of visits", R.Layouts.ObjectiveNow,
             R.Layouts.ObjectiveNew) +
         "; in the replay " +
         Say("misses", double(Now.misses()), double(Then.misses())) + ", " +
         Say("sharing misses", double(Now.sharing()), double(Then.sharing())) +
         ", " +
         Say("lines per window", Now.LinesPerWindow, Then.LinesPerWindow) + ".";
}

static Json orderJson(const RecordInfo &Record, const ReplayedOrder &Order) {
  Json Classes = Json::object(), Fields = Json::array();
  for (size_t Class = 1; Class != MissClasses; ++Class)
    Classes[spelling(MissClass(Class))] = Order.missed(MissClass(Class));
  Json Served = Json::object();
  for (size_t From = 0; From != Servers; ++From)
    Served[spelling(ServedBy(From))] = Order.Served[From];
  for (uint32_t F = 0; F != Order.Fields.size(); ++F)
    if (Order.Fields[F].Misses)
      Fields.push_back({{"name", jsonName(Record, F)},
                        {"misses", Order.Fields[F].Misses},
                        {"sharing", Order.Fields[F].Sharing}});
  return {{"name", Order.Name},
          {"misses", Order.misses()},
          {"classes", std::move(Classes)},
          {"served", std::move(Served)},
          {"upgrades", Order.Upgrades},
          {"lines_per_window", rounded(Order.LinesPerWindow)},
          {"fields", std::move(Fields)}};
}

Json replayJson(const Report &R) {
  const ReplayedOrders &Of = *R.Replay;
  Json Orders = Json::array();
  for (const ReplayedOrder &Order : Of.Orders)
    Orders.push_back(orderJson(R.Evidence.Record, Order));
  return {
      {"cache", Of.Geometry},        {"cpus", Of.Cpus},
      {"accesses", Of.Accesses},     {"subject_accesses", Of.SubjectAccesses},
      {"in_holes", Of.InHoles},      {"other_layouts", Of.OtherLayouts},
      {"objects", Of.Objects},       {"lost", Of.Lost},
      {"complete", Of.Complete},     {"limits", Of.Limits},
      {"window", Of.WindowAccesses}, {"left_out", Json(Of.LeftOut)},
      {"orders", std::move(Orders)}};
}

} // namespace kst
