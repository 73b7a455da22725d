// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/kst-dev/InstanceFile.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>

using namespace kst;
using nlohmann::json;

namespace {

/// One of everything that the format knows.
Instance sample() {
  Instance P;
  P.Name = "sample";
  P.Origin = {{"kind", "test"}, {"seed", "7"}};
  P.LineBytes = 128;
  P.InstanceAlignBytes = 64;
  P.LambdaShare = 4;
  P.LambdaPad = 0.01;
  P.UnknownRemoteShare = 0.1;
  P.OtherCpus = 2;
  P.AnchorAlignBytes = 16;
  P.Record.Name = "sample";
  P.Record.SizeBytes = 192;
  P.Record.AlignBytes = 64;
  P.Record.Packed = true;
  auto Add = [&](std::string Name, uint64_t Offset, uint64_t Bits,
                 uint32_t Align) -> FieldInfo & {
    FieldInfo F;
    F.Name = std::move(Name);
    F.OffsetBits = Offset;
    F.SizeBits = Bits;
    F.AlignBytes = Align;
    P.Record.Fields.push_back(F);
    return P.Record.Fields.back();
  };
  Add("lock", 0, 32, 4);
  FieldInfo &Flag = Add("", 32, 3, 4);
  Flag.BitField = true;
  Flag.StorageUnitBits = 32;
  Flag.Packed = true;
  Add("group_begin", 64, 0, 1).ZeroSize = true;
  Add("hot", 512, 64, 64).ExplicitAlignBytes = 64;
  Add("tail", 576, 0, 8).FlexibleArray = true;
  // { lock { unnamed } } and the rest
  P.Record.Groups.resize(2);
  P.Record.Groups[0].AlignBytes = 4;
  P.Record.Groups[1].Parent = 0;
  P.Record.Groups[1].AlignBytes = P.Record.Groups[1].ExplicitAlignBytes = 4;
  P.Record.Fields[0].Group = 0;
  P.Record.Fields[1].Group = 1;
  P.Rules = {{RuleKind::ImmovableField, {0}, "first", {}},
             {RuleKind::Barrier, {5}, "", {}},
             {RuleKind::Join, {0, 1}, "cleared together", {}},
             {RuleKind::AllFixed, {}, "", {}}};
  auto Touch = [](uint32_t Field, double P, double Writes) {
    FieldTouch T;
    T.Field = Field;
    T.Probability = P;
    T.Writes = Writes;
    return T;
  };
  CoAccessSet S;
  S.Weight = 1.0 / 3;
  S.Cpu = CpuRelation::Remote;
  S.Touches = {Touch(0, 1, 2.5), Touch(3, 0.1, 0)};
  S.Shared = 0.25;
  S.Others = 0.125;
  P.Sets = {S};
  return P;
}

json sampleJson() { return json::parse(writeInstance(sample())); }

/// What the reader says about the sample after `Change`.
std::string errorAfter(const std::function<void(json &)> &Change) {
  json Document = sampleJson();
  Change(Document);
  return readInstance(Document.dump()).error();
}

TEST(InstanceFile, KeepsEverything) {
  Instance Was = sample();
  auto Is = readInstance(writeInstance(Was));
  ASSERT_TRUE(Is) << Is.error();
  EXPECT_EQ(Is->Name, "sample");
  EXPECT_EQ(Is->Origin, Was.Origin);
  EXPECT_EQ(Is->LineBytes, 128u);
  EXPECT_EQ(Is->InstanceAlignBytes, 64u);
  EXPECT_EQ(Is->AnchorAlignBytes, 16u);
  EXPECT_EQ(Is->LambdaShare, 4);
  EXPECT_EQ(Is->LambdaPad, 0.01);
  EXPECT_EQ(Is->UnknownRemoteShare, 0.1);
  EXPECT_EQ(Is->OtherCpus, 2);
  EXPECT_EQ(Is->Record, Was.Record);
  ASSERT_EQ(Is->Rules.size(), 4u);
  for (size_t I = 0; I < 4; ++I) {
    EXPECT_EQ(Is->Rules[I].Kind, Was.Rules[I].Kind);
    EXPECT_EQ(Is->Rules[I].Fields, Was.Rules[I].Fields);
    EXPECT_EQ(Is->Rules[I].Why, Was.Rules[I].Why);
  }
  ASSERT_EQ(Is->Sets.size(), 1u);
  EXPECT_EQ(Is->Sets[0].Weight, 1.0 / 3); // to the last bit
  EXPECT_EQ(Is->Sets[0].Cpu, CpuRelation::Remote);
  EXPECT_EQ(Is->Sets[0].Shared, 0.25);
  EXPECT_EQ(Is->Sets[0].Others, 0.125);
  ASSERT_EQ(Is->Sets[0].Touches.size(), 2u);
  EXPECT_EQ(Is->Sets[0].Touches[1].Field, 3u);
  EXPECT_EQ(Is->Sets[0].Touches[1].Probability, 0.1);
  EXPECT_EQ(Is->Sets[0].Touches[0].Writes, 2.5);
  EXPECT_EQ(writeInstance(*Is), writeInstance(Was));
}

TEST(InstanceFile, IsOneLine) {
  std::string Text = writeInstance(sample());
  EXPECT_EQ(Text.find('\n'), Text.size() - 1);
}

TEST(InstanceFile, NotADocument) {
  EXPECT_EQ(readInstance("").error(), "not a JSON document");
  EXPECT_EQ(readInstance("{\"schema\": ").error(), "not a JSON document");
  EXPECT_EQ(readInstance("{} {}").error(), "not a JSON document");
  EXPECT_EQ(readInstance("{\"name\": \"\xff\"}").error(),
            "not a JSON document");
  EXPECT_EQ(readInstance("1e999").error(), "not a JSON document");
  EXPECT_EQ(readInstance("[]").error(), "instance: expected an object");
  EXPECT_EQ(readInstance("{}").error(), "instance: has no member 'schema'");
}

TEST(InstanceFile, DepthIsBounded) {
  std::string Deep(1'000'000, '[');
  EXPECT_EQ(readInstance(Deep).error(), "nested more than 8 levels deep");
  std::string Closed = Deep + std::string(1'000'000, ']');
  EXPECT_EQ(readInstance("{\"sets\":" + Closed + "}").error(),
            "nested more than 8 levels deep");
}

TEST(InstanceFile, EveryMemberIsNeeded) {
  json Whole = sampleJson();
  for (auto At = Whole.begin(); At != Whole.end(); ++At)
    EXPECT_EQ(errorAfter([&](json &D) { D.erase(At.key()); }),
              "instance: has no member '" + At.key() + "'");
}

TEST(InstanceFile, BadMembersAreNamed) {
  using Change = std::function<void(json &)>;
  const std::pair<Change, std::string> Cases[] = {
      {[](json &D) { D["schema"] = "kst-instance/2"; },
       "schema: expected \"kst-instance/1\""},
      {[](json &D) { D["extra"] = 1; }, "instance: unknown member 'extra'"},
      {[](json &D) { D["name"] = 3; }, "name: expected a string"},
      {[](json &D) { D["origin"]["seed"] = 7; },
       "origin.seed: expected a string"},
      {[](json &D) { D["line_bytes"] = 96; },
       "line_bytes: expected a power of two"},
      {[](json &D) { D["line_bytes"] = -64; },
       "line_bytes: expected an integer from 16 to 4096"},
      {[](json &D) { D["line_bytes"] = 64.0; },
       "line_bytes: expected an integer from 16 to 4096"},
      {[](json &D) { D["instance_align_bytes"] = 24; },
       "instance_align_bytes: expected a power of two"},
      {[](json &D) { D["anchor_align_bytes"] = 0; },
       "anchor_align_bytes: expected an integer from 1 to 268435456"},
      {[](json &D) { D["lambda"]["share"] = -1; },
       "lambda.share: expected a number from 0.0 to 1000000000.0"},
      {[](json &D) { D["lambda"].erase("pad"); },
       "lambda: has no member 'pad'"},
      {[](json &D) { D["sharing"]["other_cpus"] = 0; },
       "sharing.other_cpus: expected a number from 1.0 to 1000000000.0"},
      {[](json &D) { D["sharing"]["unknown_remote_share"] = "half"; },
       "sharing.unknown_remote_share: expected a number from 0.0 to 1.0"},
      {[](json &D) { D["record"]["fields"] = json::array(); },
       "record.fields: expected at least one field"},
      {[](json &D) { D["record"]["fields"] = json::object(); },
       "record.fields: expected an array"},
      {[](json &D) { D["record"]["union"] = 1; },
       "record.union: expected true or false"},
      {[](json &D) { D["record"]["fields"][0]["align_bytes"] = 3; },
       "record.fields[0].align_bytes: expected a power of two"},
      {[](json &D) { D["record"]["fields"][0]["size_bits"] = 12; },
       "record.fields[0].size_bits: expected whole bytes: it is not a "
       "bit-field"},
      {[](json &D) { D["record"]["fields"][0]["storage_unit_bits"] = 32; },
       "record.fields[0]: expected no storage_unit_bits without bit_field"},
      {[](json &D) { D["record"]["fields"][1]["size_bits"] = 33; },
       "record.fields[1].size_bits: expected at most storage_unit_bits"},
      {[](json &D) { D["record"]["fields"][1].erase("storage_unit_bits"); },
       "record.fields[1]: has no member 'storage_unit_bits'"},
      {[](json &D) { D["record"]["fields"][2]["zerosize"] = true; },
       "record.fields[2]: unknown member 'zerosize'"},
      {[](json &D) { D["rules"][0]["kind"] = "wall"; },
       "rules[0].kind: expected one of 'fence', 'barrier', 'join', "
       "'all_fixed'"},
      {[](json &D) { D["rules"][0]["fields"] = {5}; },
       "rules[0].fields[0]: expected an integer from 0 to 4"},
      {[](json &D) { D["rules"][1]["fields"] = {6}; },
       "rules[1].fields[0]: expected an integer from 0 to 5"},
      {[](json &D) { D["rules"][2]["fields"] = {0, 2}; },
       "rules[2].fields: expected adjacent fields, ascending"},
      {[](json &D) { D["rules"][2]["fields"] = {0}; },
       "rules[2].fields: expected one field (join: two or more, all_fixed: "
       "none)"},
      {[](json &D) { D["sets"][0]["cpu"] = "here"; },
       "sets[0].cpu: expected one of 'local', 'remote', 'chosen', 'unknown'"},
      {[](json &D) { D["sets"][0]["weight"] = nullptr; },
       "sets[0].weight: expected a number from 0.0 to 1e+300"},
      {[](json &D) { D["sets"][0]["touches"][0] = {0}; },
       "sets[0].touches[0]: expected [field, probability] or [field, "
       "probability, writes]"},
      {[](json &D) { D["sets"][0]["touches"][0][0] = 5; },
       "sets[0].touches[0][0]: expected an integer from 0 to 4"},
      {[](json &D) { D["sets"][0]["touches"][0][1] = 1.5; },
       "sets[0].touches[0][1]: expected a number from 0.0 to 1.0"},
      {[](json &D) { D["sets"][0]["touches"][1][0] = 0; },
       "sets[0].touches[1]: expected a field after that of the touch before "
       "it"},
  };
  for (const auto &[Apply, Expected] : Cases)
    EXPECT_EQ(errorAfter(Apply), Expected);
}

TEST(InstanceFile, CutShort) {
  std::string Text = writeInstance(sample());
  for (size_t Length = 0; Length + 2 < Text.size(); ++Length)
    EXPECT_FALSE(readInstance(std::string_view(Text).substr(0, Length)));
}

} // namespace
