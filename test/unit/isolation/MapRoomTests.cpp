// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/MapRoom.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

ObjectFile withSections(std::vector<std::string> Names) {
  ObjectFile Out;
  Out.Sections.emplace_back();
  for (std::string &Name : Names) {
    ObjectSection &Of = Out.Sections.emplace_back();
    Of.Merged = Name.find(".str") != std::string::npos;
    Of.Alloc = true;
    Of.Name = std::move(Name);
  }
  return Out;
}

/// Files of the sections of a part, in order.
std::string filesIn(const LinkMap &Map, const std::string &Part) {
  std::string Out;
  for (const MapPart &P : Map.Parts)
    if (P.Name == Part)
      for (const MapStatement &S : P.Body)
        Out += S.Text + ":" + S.Name + " ";
  return Out;
}

const char *const Gnu = "Linker script and memory map\n"
                        ".note           0x0000000000000100       0x20\n"
                        " *(.note)\n"
                        " .note          0x0000000000000100       0x10 a.o\n"
                        " .note          0x0000000000000110       0x10 c.o\n"
                        ".text           0x0000000000001000       0x30\n"
                        " *(.text)\n"
                        " .text          0x0000000000001000       0x10 a.o\n"
                        " .text          0x0000000000001010       0x10 b.o\n"
                        " .text          0x0000000000001020       0x10 c.o\n"
                        ".rodata         0x0000000000002000       0x28\n"
                        " *(.rodata .rodata.*)\n"
                        " .rodata        0x0000000000002000       0x10 a.o\n"
                        " .rodata.str1.1\n"
                        "                0x0000000000002010        0x8 b.o\n"
                        " .rodata        0x0000000000002018       0x10 c.o\n"
                        " *(.rodata1)\n"
                        " .rodata1       0x0000000000002028        0x0 a.o\n";

/// c.o comes before b.o in .note only because b.o has none.
TEST(MapRoom, InTheOrderOfTheLinkAndOfTheFile) {
  const std::map<std::string, ObjectFile> None;
  auto Map = readLinkMap(Gnu);
  ASSERT_TRUE(Map);
  EXPECT_TRUE(makeRoom(*Map, None, "b.o", ".rodata",
                       withSections({".text", ".rodata", ".rodata.str1.1"})));
  EXPECT_EQ(filesIn(*Map, ".rodata"),
            "a.o:.rodata b.o:.rodata b.o:.rodata.str1.1 c.o:.rodata "
            "a.o:.rodata1 ");
  Map = readLinkMap(Gnu);
  EXPECT_TRUE(makeRoom(*Map, None, "b.o", ".rodata",
                       withSections({".text", ".rodata.str1.1", ".rodata"})));
  EXPECT_EQ(filesIn(*Map, ".rodata"),
            "a.o:.rodata b.o:.rodata.str1.1 b.o:.rodata c.o:.rodata "
            "a.o:.rodata1 ");
  EXPECT_EQ(Map->Parts[2].Body[2].Address, 0x2018u);
  EXPECT_FALSE(makeRoom(*Map, None, "b.o", ".data", withSections({".data"})));
}

/// lld names merged strings `<internal>`: a.o has the first of them.
TEST(MapRoom, BehindStringsOfFilesBefore) {
  auto Map = readLinkMap(
      "             VMA              LMA     Size Align Out     In      "
      "Symbol\n"
      "            1000             1000       30    16 .text\n"
      "            1000             1000       10    16         a.o:(.text)\n"
      "            1010             1010       10    16         b.o:(.text)\n"
      "            1020             1020       10    16         c.o:(.text)\n"
      "            2000             2000       20     8 .rodata\n"
      "            2000             2000        3     1         "
      "<internal>:(.rodata.str1.1)\n"
      "            2008             2008        8     8         "
      "<internal>:(.rodata.str1.8)\n"
      "            2010             2010       10     8         "
      "c.o:(.rodata)\n");
  ASSERT_TRUE(Map);
  const std::map<std::string, ObjectFile> Objects = {
      {"a.o", withSections({".text", ".rodata.str1.1"})},
      {"b.o", withSections({".text"})},
      {"c.o", withSections({".text", ".rodata.str1.8", ".rodata"})}};
  EXPECT_TRUE(makeRoom(*Map, Objects, "b.o", ".rodata",
                       withSections({".text", ".rodata"})));
  EXPECT_EQ(filesIn(*Map, ".rodata"),
            "<internal>:.rodata.str1.1 b.o:.rodata <internal>:.rodata.str1.8 "
            "c.o:.rodata ");
  EXPECT_EQ(Map->Parts[1].Body[1].Address, 0x2003u);
}

TEST(MapRoom, ReadOnlyAfterRelocationIsNoPlainData) {
  auto Map = readLinkMap("Linker script and memory map\n"
                         ".data           0x0000000000001000       0x10\n"
                         " .data.rel.local\n"
                         "                0x0000000000001000       0x10 a.o\n");
  ASSERT_TRUE(Map);
  EXPECT_FALSE(makeRoomBeside(*Map, "a.o", ".data.rel.ro.local",
                              withSections({".data.rel.ro.local"})));
  EXPECT_TRUE(makeRoomBeside(*Map, "a.o", ".data.more",
                             withSections({".data.rel.local", ".data.more"})));
}

} // namespace
