// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/cache/CacheReplay.h"

#include <gtest/gtest.h>

#include <random>

using namespace kst;

namespace {

CacheGeometry geometry(const char *Text) {
  Result<CacheGeometry> G = parseCacheGeometry(Text);
  EXPECT_TRUE(bool(G)) << G.error();
  return *G;
}

/// Random accesses; a part of memory lies elsewhere in each model. Each model
/// of the replay has to say what it says when it is alone.
void expectSameAsAlone(const std::vector<CacheGeometry> &Geometries,
                       const CacheOptions &Options, unsigned Seed) {
  CacheReplay Replay(Geometries, Options);
  std::vector<CacheModel> Alone;
  for (const CacheGeometry &G : Geometries)
    Alone.emplace_back(G, Options);
  std::mt19937 Dice(Seed);
  MemoryReference R{0, 4, 0, AccessKind::Load};
  for (unsigned I = 0; I < 4000; ++I) {
    if (Dice() % 3) // else a few bytes further on the same line
      R = {Dice() % 40 * 16, 4, uint16_t(Dice() % Options.Cpus),
           AccessKind::Load};
    R.Address += Dice() % 8;
    R.Bytes = 1 + Dice() % 12;
    R.Kind = AccessKind(Dice() % 3);
    std::vector<uint64_t> Addresses(Geometries.size(), R.Address);
    const bool Moved = R.Address < 100;
    for (size_t Model = 0; Moved && Model < Addresses.size(); ++Model)
      Addresses[Model] += 24 * Model;
    std::span<const AccessOutcome> Outcomes =
        Moved ? Replay.access(R, Addresses) : Replay.access(R);
    for (size_t Model = 0; Model < Addresses.size(); ++Model)
      ASSERT_EQ(Outcomes[Model],
                Alone[Model].access({Addresses[Model], R.Bytes, R.Cpu, R.Kind}))
          << "access " << I << " in " << spelling(Geometries[Model]);
  }
  for (size_t Model = 0; Model < Geometries.size(); ++Model)
    ASSERT_EQ(Replay.total(Model), Alone[Model].total());
}

TEST(CacheReplay, EachModelIsAsIfAlone) {
  const std::vector<std::vector<CacheGeometry>> Several = {
      std::vector(5, geometry("l1=64/2,l2=256/4,llc=512/4,line=16")),
      {geometry("l1=64/1,line=16"), geometry("l1=96/1,llc=160/2,line=16"),
       geometry("l1=32/1,l2=128/2,line=16")}, // 4, 6 and 2 sets
      {geometry("l1=64/1,line=16"), geometry("l1=128/1,line=32")},
      {geometry("llc=128/2,line=16"), geometry("l2=128/2,line=16")},
      {geometry("l1=64/full,line=16"), geometry("l1=128/2,line=16")}};
  unsigned Seed = 0;
  for (const auto &Geometries : Several)
    for (unsigned Cpus : {1, 3})
      for (ClassRule Rule :
           {ClassRule::Off, ClassRule::AtMiss, ClassRule::Lifetime})
        ASSERT_NO_FATAL_FAILURE(expectSameAsAlone(
            Geometries, {Cpus, true, Crossing::PerLine, Rule}, ++Seed));
  for (unsigned Cpus : {1, 2})
    ASSERT_NO_FATAL_FAILURE(expectSameAsAlone(
        Several[1], {Cpus, false, Crossing::Together}, ++Seed));
}

// In model 1 the moved field lies on line 4, which CPU 0 owns until CPU 1 reads
// the field there.
TEST(CacheReplay, WhatStrayedMayHaveLostTheRightToWrite) {
  CacheReplay Replay(std::vector(2, geometry("l1=64/2,line=16")), {2});
  const MemoryReference Store{64, 8, 0, AccessKind::Store};
  const MemoryReference Load{64, 8, 0, AccessKind::Load};
  const MemoryReference Field{0, 8, 1, AccessKind::Load};
  const uint64_t Places[] = {0, 72};
  Replay.access(Store);
  Replay.access(Field, Places);
  Replay.access(Load);
  std::span<const AccessOutcome> Outcomes = Replay.access(Store);
  EXPECT_FALSE(Outcomes[0].Upgrade);
  EXPECT_TRUE(Outcomes[1].Upgrade);
}

} // namespace
