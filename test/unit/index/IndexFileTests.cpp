// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallUnits.h"

#include "hybrid/index/IndexFile.h"

#include "gtest/gtest.h"

using namespace kst;
using kst_test::smallUnits;

namespace {

Index start() {
  Index Of;
  Of.Tool = "a test";
  Of.FactsId = "1";
  Of.SourceRoot = "/src";
  Of.Builds = {"obj"};
  return Of;
}

void addUnit(IndexBuilder &To, uint32_t Number, const TuFacts &Facts) {
  const uint32_t Header = To.answer({"/src/s.h", 3, 10, {1, 2}});
  const uint32_t Own =
      To.answer({"/src/" + Facts.Strings[Facts.MainFile], 3, 5, {Number, 0}});
  To.add({Facts.Strings[Facts.MainFile], {Number, 7}, {Own, Header}}, Facts);
}

Index smallIndex(std::vector<uint32_t> Order) {
  const std::vector<TuFacts> Units = smallUnits();
  IndexBuilder To(start());
  for (uint32_t I : Order)
    addUnit(To, I, Units[I]);
  To.addFailed({"broken.c", "no such header"});
  return To.finish();
}

TEST(IndexFile, RoundTrip) {
  const std::string Bytes = writeIndex(smallIndex({0, 1, 2}));
  auto Read = readIndex(Bytes);
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(Read->Builds, std::vector<std::string>{"obj"});
  ASSERT_EQ(Read->Units.size(), 3u);
  EXPECT_EQ(Read->Units[1].Relative, "b.c");
  EXPECT_EQ(Read->Answers.size(), 4u);
  EXPECT_EQ(Read->Failed.at(0).Reason, "no such header");
  EXPECT_EQ(writeIndex(*Read), Bytes);
}

TEST(IndexFile, OrderAndPartsDoNotMatter) {
  const std::string Bytes = writeIndex(smallIndex({0, 1, 2}));
  EXPECT_EQ(writeIndex(smallIndex({2, 0, 1})), Bytes);
  IndexBuilder To(start());
  const std::vector<TuFacts> Units = smallUnits();
  for (uint32_t I : {1, 2, 0}) {
    IndexBuilder Part(start());
    addUnit(Part, I, Units[I]);
    auto Sent = readIndex(writeIndex(Part.finish(), 1));
    ASSERT_TRUE(Sent) << Sent.error();
    To.add(*Sent);
  }
  To.addFailed({"broken.c", "no such header"});
  EXPECT_EQ(writeIndex(To.finish()), Bytes);
}

std::string whyNot(const std::string &Bytes) {
  auto Read = readIndex(Bytes);
  return Read ? "read" : Read.error();
}

TEST(IndexFile, SaysWhatIsWrong) {
  const std::string Bytes = writeIndex(smallIndex({0, 1, 2}));
  EXPECT_EQ(whyNot("{}"), "not an index of kstatic-affinity");
  for (size_t Size = 8; Size < Bytes.size(); Size += 97)
    EXPECT_NE(whyNot(Bytes.substr(0, Size)).find("cut short"),
              std::string::npos)
        << Size;
  EXPECT_NE(whyNot(Bytes + "x").find("cut short"), std::string::npos);
  std::string Older = Bytes;
  Older[8] = 0;
  EXPECT_EQ(whyNot(Older).find("an index of version 0; this program reads"),
            0u);
  for (size_t At = 24; At < Bytes.size(); At += 31) {
    std::string Bad = Bytes;
    Bad[At] ^= 0x40;
    EXPECT_NE(whyNot(Bad).find("the index is damaged"), std::string::npos)
        << At;
  }
}

} // namespace
