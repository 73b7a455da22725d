// SPDX-License-Identifier: GPL-2.0-or-later
//
// writeInstance(): see InstanceFile.h.

#include "test/kst-dev/InstanceFile.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace kst {

using nlohmann::ordered_json;

namespace {

ordered_json fieldJson(const FieldInfo &F) {
  ordered_json Out{{"name", F.Name},
                   {"offset_bits", F.OffsetBits},
                   {"size_bits", F.SizeBits},
                   {"align_bytes", F.AlignBytes}};
  if (F.ExplicitAlignBytes)
    Out["explicit_align_bytes"] = F.ExplicitAlignBytes;
  if (F.BitField) {
    Out["bit_field"] = true;
    Out["storage_unit_bits"] = F.StorageUnitBits;
  }
  for (auto [Name, Set] : {std::pair{"packed", F.Packed},
                           {"zero_size", F.ZeroSize},
                           {"flexible_array", F.FlexibleArray}})
    if (Set)
      Out[Name] = true;
  return Out;
}

ordered_json recordJson(const RecordInfo &R) {
  ordered_json Out{{"name", R.Name},
                   {"size_bytes", R.SizeBytes},
                   {"align_bytes", R.AlignBytes}};
  for (auto [Name, Set] : {std::pair{"union", R.Union},
                           {"packed", R.Packed},
                           {"randomize_layout", R.RandomizeLayout}})
    if (Set)
      Out[Name] = true;
  ordered_json Fields = ordered_json::array();
  for (const FieldInfo &F : R.Fields)
    Fields.push_back(fieldJson(F));
  Out["fields"] = std::move(Fields);
  for (uint32_t G = 0; G < R.Groups.size(); ++G) {
    const GroupInfo &Group = R.Groups[G];
    auto [Begin, End] = groupFields(R, G);
    ordered_json One{{"begin", Begin}, {"end", End}};
    if (Group.Parent != NoGroup)
      One["parent"] = Group.Parent;
    One["align_bytes"] = Group.AlignBytes;
    if (Group.ExplicitAlignBytes)
      One["explicit_align_bytes"] = Group.ExplicitAlignBytes;
    Out["groups"].push_back(std::move(One));
  }
  return Out;
}

ordered_json setJson(const CoAccessSet &Set) {
  ordered_json Touches = ordered_json::array();
  for (const FieldTouch &T : Set.Touches) {
    ordered_json One = ordered_json::array({T.Field, T.Probability});
    if (T.Writes > 0)
      One.push_back(T.Writes);
    Touches.push_back(std::move(One));
  }
  ordered_json Of{{"weight", Set.Weight},
                  {"cpu", InstanceCpuNames[static_cast<size_t>(Set.Cpu)]}};
  if (Set.Others)
    Of["others"] = *Set.Others;
  if (Set.Shared < 1)
    Of["shared"] = Set.Shared;
  Of["touches"] = std::move(Touches);
  return Of;
}

} // namespace

std::string writeInstance(const Instance &P) {
  ordered_json Origin = ordered_json::object();
  for (const auto &[Name, Value] : P.Origin)
    Origin[Name] = Value;
  ordered_json Rules = ordered_json::array();
  for (const SourceRule &Rule : P.Rules) {
    ordered_json One{
        {"kind", InstanceRuleNames[static_cast<size_t>(Rule.Kind)]},
        {"fields", Rule.Fields}};
    if (!Rule.Why.empty())
      One["why"] = Rule.Why;
    Rules.push_back(std::move(One));
  }
  ordered_json Sets = ordered_json::array();
  for (const CoAccessSet &Set : P.Sets)
    Sets.push_back(setJson(Set));
  ordered_json Sharing{{"unknown_remote_share", P.UnknownRemoteShare},
                       {"chosen_remote_share", P.ChosenRemoteShare},
                       {"other_cpus", P.OtherCpus}};
  if (std::isfinite(P.Stays))
    Sharing["stays"] = P.Stays;
  ordered_json Out{{"schema", InstanceSchema},
                   {"name", P.Name},
                   {"origin", std::move(Origin)},
                   {"line_bytes", P.LineBytes},
                   {"instance_align_bytes", P.InstanceAlignBytes},
                   {"anchor_align_bytes", P.AnchorAlignBytes},
                   {"lambda", {{"share", P.LambdaShare}, {"pad", P.LambdaPad}}},
                   {"sharing", std::move(Sharing)},
                   {"record", recordJson(P.Record)},
                   {"rules", std::move(Rules)},
                   {"sets", std::move(Sets)}};
  return Out.dump(-1, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

} // namespace kst
