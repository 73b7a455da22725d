// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkExpression.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

std::optional<uint64_t> value(const char *Text, uint64_t Dot = 0x1004) {
  SymbolValues In;
  In.Dot = Dot;
  In.Symbol = [](const std::string &Name) -> std::optional<uint64_t> {
    if (Name == "start")
      return 0x1000;
    return std::nullopt;
  };
  In.SizeOf = [](const std::string &Name) -> std::optional<uint64_t> {
    return Name == ".data..percpu" ? 0x40 : 0;
  };
  return evaluate(Text, In);
}

TEST(LinkExpression, AsMapsWriteThem) {
  EXPECT_EQ(value("."), 0x1004u);
  EXPECT_EQ(value("ALIGN (0x10)"), 0x1010u);
  EXPECT_EQ(value("ALIGN ((start + 0x1), 0x1000)"), 0x2000u);
  EXPECT_EQ(value("(start + SIZEOF (.data..percpu))"), 0x1040u);
  EXPECT_EQ(value("((((start | 0x4) | 0x100) | 0x4000) | 0x100000)"),
            0x105104u);
  EXPECT_EQ(value("ABSOLUTE ((start - 0x1000))"), 0u);
}

TEST(LinkExpression, AsScriptsWriteThem) {
  EXPECT_EQ(value("1 << 12"), 4096u);
  EXPECT_EQ(value("2 + 3 * 4 - 8 / 2 % 3"), 13u);
  EXPECT_EQ(value("1 < 2 && 3 >= 3 ? 0x10 : 0x20"), 0x10u);
  EXPECT_EQ(value("~0xf & . | 1"), 0x1001u);
  EXPECT_EQ(value("64K"), 65536u);
  EXPECT_EQ(value("MAX(., 0x2000)"), 0x2000u);
  EXPECT_EQ(value("DEFINED(nothing) + DEFINED(start)"), 1u);
}

TEST(LinkExpression, UnknownHasNoValue) {
  for (const char *Text : {"", "nothing", "start +", "(1", "1)", "1 / 0",
                           "FUNCTION (1)", "0x", "ALIGN (1", "\"open"})
    EXPECT_EQ(value(Text), std::nullopt) << Text;
}

} // namespace
