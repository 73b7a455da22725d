// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/ConfigView.h"

namespace kst {

std::vector<ConfigRow> configsOf(const Report &R) {
  std::vector<ConfigRow> Rows;
  for (const ConfigScore &Target : R.Layouts.Configs) {
    LayoutView Now = placesOf(Target.Record, Target.Current);
    LayoutView Then = placesOf(Target.Record, Target.Proposed);
    double Unit = Target.Visits > 0 ? Target.Visits : 1;
    ConfigRow Row;
    Row.Name = Target.Name.empty() ? Target.Triple : Target.Name;
    Row.LineBytes = Target.LineBytes;
    Row.SizeNow = Now.SizeBytes;
    Row.SizeThen = Then.SizeBytes;
    Row.HolesNow = (Now.HoleBits + 7) / 8;
    Row.HolesThen = (Then.HoleBits + 7) / 8;
    Row.PaddingNow = Now.PaddingBytes;
    Row.PaddingThen = Then.PaddingBytes;
    Row.CostNow = Target.Now.total() / Unit;
    Row.CostThen = Target.New.total() / Unit;
    Row.Optimised = Target.Optimised;
    Rows.push_back(std::move(Row));
  }
  return Rows;
}

} // namespace kst
