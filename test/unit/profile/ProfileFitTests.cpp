// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/profile/ProfileFit.h"

#include <gtest/gtest.h>

#include <functional>

using namespace kst;

namespace {

/// struct ring { u64 head; u32 a:3, b:4; u8 c; union { u32 d; u16 e; };
///               struct list_head link; u8 data[]; }
RecordInfo ringRecord() {
  RecordInfo R;
  R.Name = "ring";
  R.SizeBytes = 32;
  auto Add = [&](const char *Name, uint64_t Bits,
                 uint64_t Size) -> FieldInfo & {
    FieldInfo F;
    F.Name = Name;
    F.OffsetBits = Bits;
    F.SizeBits = Size;
    R.Fields.push_back(F);
    return R.Fields.back();
  };
  Add("head", 0, 64);
  Add("a", 64, 3).BitField = true;
  Add("b", 67, 4).BitField = true;
  Add("c", 72, 8);
  Add("d|e", 96, 32).Anonymous = true;
  Add("group", 128, 0).ZeroSize = true;
  Add("link", 128, 128);
  Add("data", 256, 0).FlexibleArray = true;
  return R;
}

using Members = std::vector<MeasuredElement>;
/// As clang lays it out: the bit-fields as one i8, padding as [2 x i8].
const Members RingMembers = {{0, 8},  {8, 1},   {9, 1}, {10, 2},
                             {12, 4}, {16, 16}, {32, 0}};

Profile withStructs(std::vector<std::pair<uint32_t, Members>> Of) {
  ProfileBuilder Make;
  for (const auto &[Size, Elements] : Of)
    Make.structure("ring", Size, Elements);
  return *Make.finish();
}

std::string why(uint32_t Size, const Members &Elements) {
  Profile P = withStructs({{Size, Elements}});
  auto Found = misfit(P, P.Structs[0], ringRecord());
  return Found ? Found->Message : "";
}

TEST(ProfileFit, TheSameStructFits) {
  EXPECT_EQ(why(32, RingMembers), "");
  EXPECT_EQ(why(32, {}), "");
  EXPECT_EQ(why(0, {}), "");
}

TEST(ProfileFit, DifferencesAreNamed) {
  EXPECT_EQ(why(40, RingMembers), "struct ring: the measured one has 40 bytes, "
                                  "the analysed one 32 bytes");
  Members Other = RingMembers;
  Other[2] = {8, 1}; // c is gone
  EXPECT_EQ(why(32, Other),
            "struct ring: field c begins at offset 9, where no member of the "
            "measured one does; the next begins at 10");
  Other = RingMembers;
  Other[5] = {24, 8};
  Other.pop_back();
  EXPECT_EQ(why(32, Other),
            "struct ring: field link begins at offset 16, where no member of "
            "the measured one does; the next begins at 24");
}

TEST(ProfileFit, NamesTellWhatOffsetsDoNot) {
  auto Why = [](std::vector<std::pair<const char *, uint32_t>> Names) {
    ProfileBuilder Make;
    const uint32_t Ring = Make.structure("ring", 32, RingMembers);
    for (auto [Name, Bits] : Names)
      Make.member(Ring, Bits, Bits == 256 ? 0 : 8, Name);
    Profile P = *Make.finish();
    auto Found = misfit(P, P.Structs[0], ringRecord());
    return Found ? Found->Message : "";
  };
  using Names = std::vector<std::pair<const char *, uint32_t>>;
  const Names Right = {{"head", 0}, {"a", 64}, {"b", 67},     {"c", 72},
                       {"d", 96},   {"e", 96}, {"link", 128}, {"data", 256}};
  EXPECT_EQ(Why(Right), "");
  Names Swapped = Right;
  std::swap(Swapped[0].second, Swapped[6].second);
  EXPECT_EQ(Why(Swapped), "struct ring: field head was at offset 16, now it is "
                          "at 0");
  Names Renamed = Right;
  Renamed[3].first = "old_c";
  EXPECT_EQ(Why(Renamed), "struct ring: field c is not in the measured one");
  // Mostly other names: another struct, which has the same bytes.
  EXPECT_EQ(Why({{"head", 8}, {"x", 64}, {"y", 72}}), "");
}

TEST(ProfileFit, UnionsBeginAtZero) {
  RecordInfo R;
  R.Name = "ring";
  R.Union = true;
  R.SizeBytes = 16;
  R.Fields.resize(2);
  R.Fields[0].SizeBits = 64;
  R.Fields[1].SizeBits = 128;
  Profile P = withStructs({{16, {{0, 8}, {8, 8}}}});
  EXPECT_FALSE(misfit(P, P.Structs[0], R));
}

TEST(ProfileFit, PicksTheStructOfItsName) {
  RecordInfo R = ringRecord();
  Profile P = withStructs({{0, {}}, {32, RingMembers}, {64, {}}});
  auto Found = measuredStructs(P, R);
  ASSERT_TRUE(Found) << Found.error();
  EXPECT_EQ(*Found, (std::vector<uint32_t>{0, 1}));
  R.Name = "queue";
  EXPECT_EQ(measuredStructs(P, R).error(), "no struct queue was measured");
  R = ringRecord();
  R.SizeBytes = 48;
  EXPECT_EQ(measuredStructs(P, R).error(),
            "struct ring: the measured one has 32 bytes, the analysed one 48 "
            "bytes");
}

} // namespace
