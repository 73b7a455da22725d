// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkReplay.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

const char *const Gnu =
    "Memory Configuration\n"
    "\n"
    "Linker script and memory map\n"
    "\n"
    "                0x0000000000001000                . = 0x1000\n"
    "\n"
    ".text           0x0000000000001000       0x48 load address 0x00001000\n"
    "                0x0000000000001000                _text = .\n"
    " *(.text)\n"
    " .text          0x0000000000001000       0x11 a.o\n"
    "                0x0000000000001000                main\n"
    " *fill*         0x0000000000001011        0xf \n"
    " .text          0x0000000000001020       0x20 b.o\n"
    " .text.unlikely_long\n"
    "                0x0000000000001040        0x8 c.o\n"
    "                0x0000000000002000                . = ALIGN (0x1000)\n"
    "                0x0000000000002000                _end = .\n"
    "\n"
    ".never\n"
    " *(.never)\n"
    "OUTPUT(x elf64-x86-64)\n";

TEST(LinkMap, GnuStatements) {
  const auto Map = readLinkMap(Gnu);
  ASSERT_TRUE(Map);
  ASSERT_EQ(Map->Parts.size(), 3u);
  const MapPart &Text = Map->Parts[1];
  EXPECT_EQ(Text.Name, ".text");
  ASSERT_EQ(Text.Body.size(), 4u);
  EXPECT_EQ(Text.Body[1].Text, "a.o");
  EXPECT_EQ(Text.Body[1].SizeBytes, 0x11u);
  EXPECT_EQ(Text.Body[3].Name, ".text.unlikely_long");
  // What leaves the section is behind it.
  ASSERT_EQ(Map->Parts[2].Body.size(), 2u);
  EXPECT_EQ(Map->Parts[2].Body[0].Text, "ALIGN (0x1000)");
}

TEST(LinkMap, WhatLiesInFrontOfAnEmptySectionIsBehindIt) {
  const auto Map = readLinkMap(
      "Linker script and memory map\n"
      ".data           0x0000000000001000       0x48\n"
      " .data          0x0000000000001000       0x48 a.o\n"
      ".ldata          0x0000000000003048        0x0\n"
      "                0x0000000000003048                . = ALIGN (0x8)\n"
      "                0x0000000000001048                _end = .\n");
  ASSERT_TRUE(Map);
  ASSERT_EQ(Map->Parts.size(), 3u);
  EXPECT_EQ(Map->Parts[1].Body.size(), 1u);
  EXPECT_EQ(Map->Parts[2].Name, "");
  ASSERT_EQ(Map->Parts[2].Body.size(), 1u);
  EXPECT_EQ(Map->Parts[2].Body[0].Name, "_end");
}

TEST(LinkMap, OthersAreRefused) {
  EXPECT_FALSE(readLinkMap(""));
  EXPECT_FALSE(readLinkMap("0000000000001000 T main\n"));
  EXPECT_FALSE(readLinkMap("Linker script and memory map\n"));
}

Extents extents(uint64_t FirstBytes) {
  return {{{}}, {{}, {FirstBytes, 16}, {0x20, 16}, {8, 8}}, {{}, {}}};
}

TEST(LinkReplay, WhatChangesAndWhatDoesNot) {
  const auto Map = readLinkMap(Gnu);
  ASSERT_TRUE(Map);
  const LinkRules Rules =
      learnRules(*Map, false, 0, extents(0x11), {0, 16, 0}, nullptr);
  EXPECT_TRUE(Rules.Odd.empty());
  const LinkPlacement Before = placedByMap(*Map);
  const auto Second = [&](uint64_t FirstBytes) {
    return place(*Map, Rules, extents(FirstBytes), nullptr, &Before)
        .Address[1][2];
  };
  EXPECT_EQ(Second(0x11), 0x1020u);
  EXPECT_EQ(Second(0x20), 0x1020u); // padding absorbs it
  EXPECT_EQ(Second(0x21), 0x1030u);
  EXPECT_EQ(Second(0x51), 0x1060u); // by exactly 64
  EXPECT_EQ(Second(0), 0x1000u);
  const LinkPlacement Far =
      place(*Map, Rules, extents(0x1000), nullptr, &Before);
  EXPECT_EQ(Far.Assigned.at("_end"), 0x3000u);
}

/// The alignment stands behind .got in the script, and inside it in the map.
TEST(LinkReplay, AssignmentsBehindAnEmptySection) {
  const auto Map = readLinkMap(
      "Linker script and memory map\n"
      ".data           0x0000000000001000       0x46\n"
      " .data          0x0000000000001000       0x46 a.o\n"
      ".got            0x0000000000001048        0x0\n"
      " .got           0x0000000000001048        0x0 a.o\n"
      "                0x0000000000001048                . = ALIGN (0x8)\n"
      ".bss            0x0000000000001048       0x10\n"
      " .bss           0x0000000000001048       0x10 a.o\n");
  ASSERT_TRUE(Map);
  ASSERT_EQ(Map->Parts.size(), 3u);
  const auto Extents = [](uint64_t DataBytes) {
    return kst::Extents{{{DataBytes, 16}}, {{0, 8}, {}}, {{0x10, 1}}};
  };
  const LinkRules Rules =
      learnRules(*Map, false, 0x1000, Extents(0x46), {16, 0, 1}, nullptr);
  EXPECT_TRUE(Rules.Odd.empty());
  const LinkPlacement Before = placedByMap(*Map);
  const auto Bss = [&](uint64_t DataBytes) {
    return place(*Map, Rules, Extents(DataBytes), nullptr, &Before)
        .PartAddress[2];
  };
  EXPECT_EQ(Bss(0x46), 0x1048u);
  EXPECT_EQ(Bss(0x61), 0x1068u);
}

} // namespace
