// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/recorder/ExecutionCounts.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

using namespace kst;

namespace {

std::string written(const ExecutionCounts &Counts) {
  const std::string Path =
      testing::TempDir() + "kst-executed." + std::to_string(getpid());
  EXPECT_TRUE(Counts.write(Path));
  std::stringstream Text;
  Text << std::ifstream(Path).rdbuf();
  std::filesystem::remove(Path);
  return Text.str();
}

TEST(ExecutionCounts, AreByAddress) {
  ExecutionCounts Counts;
  ASSERT_TRUE(Counts.map({0x1000, 0x3000}));
  *Counts.at(0x2fff) += 3;
  *Counts.at(0x1000) += 1;
  *Counts.at(0x3000) += 2;
  *Counts.at(0xfff) += 5;
  EXPECT_EQ(written(Counts), "1000 1\n2fff 3\noutside 7\nend\n");
  Counts.clear();
  EXPECT_EQ(written(Counts), "outside 0\nend\n");
}

TEST(ExecutionCounts, OfARepeatedInstructionAreThoseOfItsBegin) {
  ExecutionCounts Counts;
  ASSERT_TRUE(Counts.map({0x1000, 0x3000}));
  // Begun twice in the flow of a block, with 64 more rounds.
  *Counts.at(0x1000) += 2;
  *Counts.rounds(0x1000, 3) += 64;
  *Counts.at(0x1003) += 4;
  // A jump led to it: the next one says how often.
  *Counts.rounds(0x2000, 3) += 64;
  *Counts.at(0x2003) += 5;
  // It never ended.
  *Counts.rounds(0x2ffe, 2) += 7;
  EXPECT_EQ(written(Counts),
            "1000 2\n1003 4\n2000 5\n2003 5\noutside 0\nend\n");
}

TEST(ExecutionCounts, KnowRepeatedInstructions) {
  auto Is = [](std::vector<uint8_t> Code) {
    return repeats(Code.data(), Code.size());
  };
  EXPECT_TRUE(Is({0xf3, 0x48, 0xab}));        // rep stosq
  EXPECT_TRUE(Is({0xf3, 0xa4}));              // rep movsb
  EXPECT_TRUE(Is({0xf2, 0xae}));              // repne scasb
  EXPECT_FALSE(Is({0x48, 0xab}));             // stosq
  EXPECT_FALSE(Is({0xf3, 0x90}));             // pause
  EXPECT_FALSE(Is({0xf3, 0xc3}));             // rep ret
  EXPECT_FALSE(Is({0xf3, 0x0f, 0x1e, 0xfa})); // endbr64
  EXPECT_FALSE(Is({0xf3}));
}

} // namespace
