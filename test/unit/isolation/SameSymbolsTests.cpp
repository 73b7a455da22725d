// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/SameSymbols.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

ObjectFile objectOf(std::vector<std::string> Names) {
  ObjectFile Out;
  Out.Sections.resize(2);
  for (const std::string &Name : Names) {
    ObjectSymbol Of;
    Of.Name = Name;
    Of.Section = Name == "elsewhere" ? ObjectSymbol::None : 1;
    Out.Symbols.push_back(Of);
  }
  return Out;
}

using Numbers = std::vector<uint32_t>;
constexpr uint32_t None = ObjectSymbol::None;

TEST(SameSymbols, NamesWithoutNumbers) {
  EXPECT_EQ(unnumbered("counter.12"), "counter");
  EXPECT_EQ(unnumbered("counter"), "counter");
  EXPECT_EQ(unnumbered("f.part.0"), "f.part");
  EXPECT_EQ(unnumbered("v1"), "v1");
  EXPECT_EQ(unnumbered("a.b2"), "a.b2");
  EXPECT_EQ(unnumbered(".5"), ".5");
  EXPECT_EQ(unnumbered("12"), "12");
  EXPECT_EQ(unnumbered(""), "");
}

TEST(SameSymbols, ByNameAndThenWithoutNumbers) {
  EXPECT_EQ(sameSymbols(objectOf({"a", "b", "a"}), objectOf({"b", "a", "a"})),
            (Numbers{1, 0, 2}));
  EXPECT_EQ(sameSymbols(objectOf({"n.2", "a"}), objectOf({"a", "new", "n.7"})),
            (Numbers{2, 0}));
  // One more: which of them is the old one is not known.
  EXPECT_EQ(sameSymbols(objectOf({"n.2"}), objectOf({"n.7", "n.8"})),
            (Numbers{None}));
  // The name itself comes first.
  EXPECT_EQ(sameSymbols(objectOf({"n.2", "n.3"}), objectOf({"n.3", "n.4"})),
            (Numbers{1, 0}));
  EXPECT_EQ(sameSymbols(objectOf({"a", "elsewhere"}), objectOf({"elsewhere"})),
            (Numbers{None, None}));
}

} // namespace
