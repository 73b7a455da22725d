// SPDX-License-Identifier: GPL-2.0-or-later

#include "ReferenceMachine.h"

#include <gtest/gtest.h>

#include <random>

using namespace kst;
using namespace kst::test;

namespace {

CacheGeometry geometry(const char *Text) {
  Result<CacheGeometry> G = parseCacheGeometry(Text);
  EXPECT_TRUE(bool(G)) << G.error();
  return *G;
}

std::string words(const AccessOutcome &Out) {
  std::string Text = spelling(Out.From);
  for (MissClass Class : Out.Class)
    Text += std::string(" ") + spelling(Class);
  return Text + (Out.Upgrade ? " upgrade" : "") + " turned " +
         std::to_string(Out.TurnedTrue) + " anti " +
         std::to_string(Out.AntiConflict);
}

std::string words(const MemoryReference &R) {
  return std::to_string(R.Cpu) + ":" + "LSM"[size_t(R.Kind)] +
         std::to_string(R.Address) + "+" + std::to_string(R.Bytes);
}

/// Classes of each level add up to its misses.
void expectPartition(const CacheModel &Model) {
  CacheCounts Sum = Model.total();
  for (CacheLevel Level : {CacheLevel::L1, CacheLevel::L2, CacheLevel::Llc}) {
    if (!Model.Geometry[Level].exists())
      continue;
    uint64_t Classes = 0;
    for (uint64_t Count : Sum.Missed[size_t(Level)])
      Classes += Count;
    EXPECT_EQ(Classes, Sum.misses(Level)) << spelling(Level);
    EXPECT_EQ(Sum.Missed[size_t(Level)][size_t(MissClass::None)], 0u);
  }
}

/// Model and reference give the same answer to each access and the same counts.
void expectSame(const CacheGeometry &G, const CacheOptions &Options,
                const std::vector<MemoryReference> &Stream) {
  CacheModel Model(G, Options);
  ReferenceMachine Reference(G, Options);
  std::string Before;
  for (const MemoryReference &R : Stream) {
    AccessOutcome Out = Model.access(R);
    std::vector<AccessOutcome> Expected = Reference.access(R);
    Before += words(R) + " ";
    if (Expected.size() != 1)
      continue;
    ASSERT_EQ(words(Out), words(Expected[0]))
        << spelling(G) << " after " << Before;
  }
  ASSERT_EQ(Model.total(), Reference.Total) << spelling(G);
  if (Options.Classes != ClassRule::Off)
    expectPartition(Model);
}

std::vector<CacheOptions> allOptions(unsigned Cpus) {
  std::vector<CacheOptions> All;
  for (ClassRule Rule :
       {ClassRule::Off, ClassRule::AtMiss, ClassRule::Lifetime})
    All.push_back({Cpus, true, Crossing::PerLine, Rule});
  return All;
}

class RandomAccesses {
public:
  explicit RandomAccesses(unsigned Seed) : Dice(Seed) {}
  MemoryReference next(unsigned Cpus, unsigned Lines, bool Crossing) {
    uint64_t Line = Dice() % Lines;
    uint32_t Offset = Crossing ? Dice() % 16 : Dice() % 4 * 4;
    return {Line * 16 + Offset, Crossing ? uint32_t(1 + Dice() % 40) : 4,
            uint16_t(Dice() % Cpus), AccessKind(Dice() % 3)};
  }
  std::mt19937 Dice;
};

// 300 pairs of programs of six accesses to three lines, and of each pair all
// 924 ways to interleave them.
TEST(CacheModel, AllInterleavingsOfTwoCpus) {
  RandomAccesses Random(1);
  const CacheGeometry Tiny[] = {geometry("l1=16/1,line=16"),
                                geometry("l1=32/1,llc=48/3,line=16"),
                                geometry("l1=16/1,l2=32/2,llc=64/2,line=16")};
  for (unsigned Pair = 0; Pair < 300; ++Pair) {
    std::vector<MemoryReference> Programs[2];
    for (unsigned Cpu = 0; Cpu < 2; ++Cpu)
      for (unsigned I = 0; I < 6; ++I) {
        Programs[Cpu].push_back(Random.next(1, 3, false));
        Programs[Cpu].back().Cpu = uint16_t(Cpu);
      }
    unsigned Ways = 0;
    for (unsigned Turns = 0; Turns < 1 << 12; ++Turns) {
      if (std::popcount(Turns) != 6)
        continue;
      ++Ways;
      std::vector<MemoryReference> Stream;
      size_t Done[2] = {0, 0};
      for (unsigned I = 0; I < 12; ++I) {
        unsigned Cpu = Turns >> I & 1;
        Stream.push_back(Programs[Cpu][Done[Cpu]++]);
      }
      ASSERT_NO_FATAL_FAILURE(
          expectSame(Tiny[Pair % 3], allOptions(2)[Pair / 3 % 3], Stream));
    }
    ASSERT_EQ(Ways, 924u);
  }
}

TEST(CacheModel, RandomStreamsOfSeveralCpus) {
  const char *Geometries[] = {
      "l1=64/2,line=16",
      "l1=64/2,l2=192/3,llc=320/2,line=16", // 2, 4 and 10 sets
      "l1=48/1,l2=192/4,line=16",           // 3 sets
      "l2=128/2,llc=256/4,line=16",
      "l1=128/full,llc=256/1,line=16",
      "l1=320/full,l2=400/25,llc=480/10,line=16", // more ways than 16
      "llc=160/2,line=16",
      "l1=512/2,l2=2K/2,line=128"};
  unsigned Seed = 0;
  for (const char *Text : Geometries)
    for (unsigned Cpus : {1, 2, 4})
      for (const CacheOptions &Options : allOptions(Cpus))
        for (bool Crossing : {false, true}) {
          RandomAccesses Random(++Seed);
          std::vector<MemoryReference> Stream;
          for (unsigned I = 0; I < 1500; ++I)
            Stream.push_back(Random.next(Cpus, 6 + Seed % 30, Crossing));
          ASSERT_NO_FATAL_FAILURE(expectSame(geometry(Text), Options, Stream));
        }
}

TEST(CacheModel, AllAtOnceCountsTheSame) {
  const char *Geometries[] = {"l1=512/8,l2=1K/16,llc=2K/2,line=16",
                              "l1=768/12,llc=1536/12,line=16",
                              "l1=512/8,l2=960/4,line=16",
                              "l2=64/2,line=16",
                              "l1=96/2,l2=192/2,line=16", // 3 sets
                              "llc=128/2,line=16"};
  unsigned Seed = 0;
  for (const char *Text : Geometries)
    for (CacheOptions Options :
         {CacheOptions{1}, CacheOptions{3, false}, CacheOptions{3, true},
          CacheOptions{2, false, Crossing::Together},
          CacheOptions{2, true, Crossing::PerLine, ClassRule::AtMiss}}) {
      CacheModel One(geometry(Text), Options), All(geometry(Text), Options);
      RandomAccesses Random(++Seed);
      std::vector<MemoryReference> Stream;
      for (unsigned I = 0; I < 3000; ++I)
        Stream.push_back(Random.next(Options.Cpus, 80, I % 4 == 0));
      for (const MemoryReference &R : Stream)
        One.access(R);
      All.accessAll(std::span(Stream).first(1000));
      All.accessAll(std::span(Stream).subspan(1000));
      for (unsigned Cpu = 0; Cpu < Options.Cpus; ++Cpu)
        for (unsigned Kind = 0; Kind < AccessKinds; ++Kind)
          ASSERT_EQ(One.counts(Cpu, AccessKind(Kind)),
                    All.counts(Cpu, AccessKind(Kind)))
              << Text;
    }
}

// The streams above have something to say about each class.
TEST(CacheModel, RandomStreamsHaveAllClasses) {
  RandomAccesses Random(1);
  for (ClassRule Rule : {ClassRule::AtMiss, ClassRule::Lifetime}) {
    CacheModel Model(geometry("l1=64/2,l2=192/3,llc=320/2,line=16"),
                     {2, true, Crossing::PerLine, Rule});
    unsigned Turned = 0;
    for (unsigned I = 0; I < 10000; ++I)
      Turned += Model.access(Random.next(2, 16, false)).TurnedTrue != 0;
    const CacheCounts Sum = Model.total();
    for (size_t Class = 1; Class < MissClasses; ++Class)
      EXPECT_NE(Sum.Missed[0][Class], 0u) << spelling(MissClass(Class));
    for (uint64_t Served : Sum.Served)
      EXPECT_NE(Served, 0u);
    EXPECT_NE(Sum.AntiConflicts[0], 0u);
    EXPECT_NE(Sum.Upgrades, 0u);
    EXPECT_EQ(Turned != 0, Rule == ClassRule::Lifetime);
  }
}

TEST(CacheModel, LinesAreWhereTheyWereBroughtTo) {
  CacheOptions Options;
  Options.Cpus = 2;
  CacheModel Model(geometry("l1=128/2,llc=1K/2"), Options);
  for (uint64_t Line = 1; Line <= 3; ++Line)
    Model.access({Line * 64, 8, 0, AccessKind::Load});
  auto Lines = [&](CacheLevel Level, unsigned Cpu) {
    std::vector<uint64_t> Out;
    Model.forEachLine(Level, Cpu, [&](uint64_t Line) { Out.push_back(Line); });
    std::sort(Out.begin(), Out.end());
    return Out;
  };
  EXPECT_EQ(Lines(CacheLevel::L1, 0), (std::vector<uint64_t>{2, 3}));
  EXPECT_TRUE(Lines(CacheLevel::L1, 1).empty());
  EXPECT_TRUE(Lines(CacheLevel::L2, 0).empty());
  EXPECT_EQ(Lines(CacheLevel::Llc, 0), (std::vector<uint64_t>{1, 2, 3}));
}

} // namespace
