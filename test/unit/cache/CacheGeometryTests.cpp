// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/cache/CacheGeometry.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace kst;

namespace {

TEST(CacheGeometry, ReadsWhatItWrites) {
  Result<CacheGeometry> G =
      parseCacheGeometry("l1=48K/12,l2=2M/16,llc=480M/16,line=64");
  ASSERT_TRUE(bool(G)) << G.error();
  EXPECT_EQ((*G)[CacheLevel::L1], (CacheShape{64, 12}));
  EXPECT_EQ((*G)[CacheLevel::L2], (CacheShape{2048, 16}));
  EXPECT_EQ((*G)[CacheLevel::Llc], (CacheShape{491520, 16})); // not 2^n sets
  EXPECT_EQ(spelling(*G), "l1=48K/12,l2=2M/16,llc=480M/16,line=64");
}

TEST(CacheGeometry, LevelsMayBeMissingAndFull) {
  Result<CacheGeometry> G = parseCacheGeometry("line=4096,llc=64M/1");
  ASSERT_TRUE(bool(G)) << G.error();
  EXPECT_FALSE((*G)[CacheLevel::L1].exists());
  EXPECT_EQ((*G)[CacheLevel::Llc], (CacheShape{16384, 1}));
  G = parseCacheGeometry("l1=1000/full,line=8");
  EXPECT_FALSE(bool(G));
  G = parseCacheGeometry("l1=4000/full,line=16");
  ASSERT_TRUE(bool(G)) << G.error();
  EXPECT_EQ((*G)[CacheLevel::L1], (CacheShape{1, 250}));
}

TEST(CacheGeometry, SaysWhatIsWrong) {
  const std::pair<const char *, const char *> Wrong[] = {
      {"", "no cache: give l1, l2 or llc"},
      {"line=64", "no cache"},
      {"l3=1M/16", "'l3=1M/16': expected l1=SIZE/WAYS"},
      {"l1=32K/8,,l2=1M/16", "'': expected"},
      {"l1=32K/8,l1=32K/8", "l1 is given twice"},
      {"line=64,line=64,l1=32K/8", "line is given twice"},
      {"l1=", "'l1=': no size"},
      {"l1=32K", "behind the size stand / and the number of ways"},
      {"l1=32K/0", "number of ways"},
      {"l1=32K/-8", "number of ways"},
      {"l1=32K/99999999999999999999", "number of ways"},
      {"l1=0/8", "the size is a number of bytes"},
      {"l1=32k/8", "the size is a number of bytes"},
      {"l1=K/8", "the size is a number of bytes"},
      {"l1=99999999G/8", "the size is a number of bytes"},
      {"l1=18446744073709551615/1", "the size is a number of bytes"},
      {"l1=32K/7", "'l1=32K/7': 32K are not a whole number of sets of 7 lines "
                   "of 64 bytes"},
      {"l1=1000/1", "1000 are not a whole number of sets"},
      {"l1=32K/8,line=48", "'line=48': a line has 16 to 65536 bytes"},
      {"l1=32K/8,line=8", "a line has 16"},
      {"l1=1M/1,line=131072", "a line has 16"}};
  for (auto [Text, Message] : Wrong) {
    Result<CacheGeometry> G = parseCacheGeometry(Text);
    ASSERT_FALSE(bool(G)) << Text;
    EXPECT_NE(G.error().find(Message), std::string::npos) << G.error();
  }
}

/// A directory as sysfs has it, of this process, gone with the test.
struct FakeMachine {
  std::filesystem::path Root = std::filesystem::path(testing::TempDir()) /
                               ("kst-machine." + std::to_string(getpid()));
  unsigned Number = 0;

  FakeMachine() { std::filesystem::remove_all(Root); }
  ~FakeMachine() { std::filesystem::remove_all(Root); }
  void add(const char *Level, const char *Type, const char *Size,
           const char *Ways, const char *Line, const char *Cpus) {
    auto Directory =
        Root / "cpu0" / "cache" / ("index" + std::to_string(Number++));
    std::filesystem::create_directories(Directory);
    auto Put = [&](const char *Name, const char *Value) {
      std::ofstream(Directory / Name) << Value << '\n';
    };
    Put("level", Level);
    Put("type", Type);
    Put("size", Size);
    Put("ways_of_associativity", Ways);
    Put("coherency_line_size", Line);
    Put("shared_cpu_list", Cpus);
  }
  std::string answer() {
    Result<CacheGeometry> G = machineCacheGeometry(Root.string());
    return G ? spelling(*G) : G.error();
  }
};

TEST(MachineGeometry, ThreeLevels) {
  FakeMachine Machine;
  Machine.add("3", "Unified", "36864K", "12", "64", "0-15");
  Machine.add("1", "Data", "48K", "12", "64", "0");
  Machine.add("1", "Instruction", "32K", "8", "64", "0");
  Machine.add("2", "Unified", "1280K", "10", "64", "0-1");
  EXPECT_EQ(Machine.answer(), "l1=48K/12,l2=1280K/10,llc=36M/12,line=64");
}

TEST(MachineGeometry, SharedSecondLevelIsTheLast) {
  FakeMachine Machine;
  Machine.add("1", "Data", "32K", "4", "64", "0");
  Machine.add("2", "Unified", "1024K", "16", "64", "0-3");
  EXPECT_EQ(Machine.answer(), "l1=32K/4,llc=1M/16,line=64");
}

TEST(MachineGeometry, SaysWhatItCannotUse) {
  FakeMachine Machine;
  EXPECT_NE(Machine.answer().find("does not say which caches it has"),
            std::string::npos);
  Machine.add("1", "Data", "32K", "4", "64", "0");
  Machine.add("2", "Unified", "1024K", "16", "128", "0");
  EXPECT_NE(Machine.answer().find("lines of different sizes"),
            std::string::npos);
  FakeMachine Empty;
  Empty.add("1", "Data", "", "", "64", "0");
  EXPECT_NE(Empty.answer().find("'l1=/'"), std::string::npos) << Empty.answer();
}

} // namespace
