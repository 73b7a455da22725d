// SPDX-License-Identifier: GPL-2.0-or-later
//
// Times the cache model on the data accesses that lackey printed, for
// cache_speed.py: rounds TRACE ROUNDS. One line for each round: CPU seconds of
// the naive loop, of the model, of 16 layouts in one pass, and of the model with
// classes. First a line with the number of accesses and the share of them that
// layouts move.

#include "hybrid/cache/CacheReplay.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <string>

using namespace kst;

namespace {

constexpr unsigned Layouts = 16;
const char *const Shape = "l1=32K/8,l2=1M/16,line=64";

std::vector<MemoryReference> read(const char *File) {
  std::vector<MemoryReference> Found;
  std::ifstream Stream(File);
  for (std::string Line; std::getline(Stream, Line);) {
    if (Line.size() < 6 || Line[0] != ' ')
      continue;
    char *End;
    const uint64_t Address = std::strtoull(Line.c_str() + 3, &End, 16);
    Found.push_back({Address, uint32_t(std::strtoul(End + 1, nullptr, 10)), 0,
                     Line[1] == 'L'   ? AccessKind::Load
                     : Line[1] == 'S' ? AccessKind::Store
                                      : AccessKind::Modify});
  }
  return Found;
}

/// What one writes first: two arrays of tags, the last used in front.
struct NaiveLevel {
  NaiveLevel(unsigned Sets, unsigned Ways)
      : Sets(Sets), Ways(Ways), Tags(Sets * Ways, ~uint64_t(0)) {}
  unsigned Sets, Ways;
  std::vector<uint64_t> Tags;
  uint64_t Misses = 0;

  bool touch(uint64_t Line) {
    uint64_t *Set = &Tags[Line % Sets * Ways];
    unsigned Way = 0;
    while (Way < Ways && Set[Way] != Line)
      ++Way;
    const bool Hit = Way < Ways;
    for (unsigned I = Hit ? Way : Ways - 1; I > 0; --I)
      Set[I] = Set[I - 1];
    Set[0] = Line;
    Misses += !Hit;
    return Hit;
  }
};

std::pair<uint64_t, uint64_t> naive(const std::vector<MemoryReference> &Trace) {
  NaiveLevel L1(64, 8), L2(1024, 16);
  for (const MemoryReference &R : Trace)
    for (uint64_t Line = R.Address / 64;
         Line <= (R.Address + R.Bytes - 1) / 64; ++Line)
      if (!L1.touch(Line))
        L2.touch(Line);
  return {L1.Misses, L2.Misses};
}

std::pair<uint64_t, uint64_t> misses(const CacheCounts &Counts) {
  return {Counts.misses(CacheLevel::L1), Counts.misses(CacheLevel::L2)};
}

std::pair<uint64_t, uint64_t> modelled(const std::vector<MemoryReference> &Trace,
                                       ClassRule Classes) {
  CacheModel Model(*parseCacheGeometry(Shape),
                   {1, true, Crossing::PerLine, Classes});
  for (const MemoryReference &R : Trace)
    Model.access(R);
  return misses(Model.total());
}

/// Layout N exchanges the lines of one page: line L is at L ^ N.
std::pair<uint64_t, uint64_t> replayed(const std::vector<MemoryReference> &Trace,
                                       uint64_t Page) {
  CacheReplay Replay(std::vector(Layouts, *parseCacheGeometry(Shape)), {});
  uint64_t Addresses[Layouts];
  for (const MemoryReference &R : Trace)
    if (R.Address >> 12 != Page) {
      Replay.access(R);
    } else {
      for (unsigned Layout = 0; Layout < Layouts; ++Layout)
        Addresses[Layout] = R.Address ^ Layout * 64;
      Replay.access(R, Addresses);
    }
  return misses(Replay.total(0));
}

/// The page whose share of the accesses is nearest to 5 %.
uint64_t movedPage(const std::vector<MemoryReference> &Trace) {
  std::map<uint64_t, uint64_t> Pages;
  for (const MemoryReference &R : Trace)
    ++Pages[R.Address >> 12];
  double Best = 1;
  uint64_t Page = 0, Count = 0;
  for (auto [Number, Accesses] : Pages) {
    const double Share = double(Accesses) / double(Trace.size());
    if (std::abs(Share - 0.05) < Best) {
      Best = std::abs(Share - 0.05);
      Page = Number;
      Count = Accesses;
    }
  }
  std::printf("%zu %f\n", Trace.size(), double(Count) / double(Trace.size()));
  return Page;
}

template <typename F> double seconds(F Work) {
  const clock_t Begin = std::clock();
  Work();
  return double(std::clock() - Begin) / CLOCKS_PER_SEC;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  const std::vector<MemoryReference> Trace = read(Argv[1]);
  const uint64_t Page = movedPage(Trace);
  for (int Round = 0; Round < std::atoi(Argv[2]); ++Round) {
    std::pair<uint64_t, uint64_t> Naive, Model, Replay, Classes;
    const double Times[] = {
        seconds([&] { Naive = naive(Trace); }),
        seconds([&] { Model = modelled(Trace, ClassRule::Off); }),
        seconds([&] { Replay = replayed(Trace, Page); }),
        seconds([&] { Classes = modelled(Trace, ClassRule::AtMiss); })};
    if (Naive != Model || Naive != Replay || Naive != Classes) {
      std::fprintf(stderr, "the misses differ\n");
      return 1;
    }
    for (double Time : Times)
      std::printf("%f ", Time);
    std::puts("");
  }
}
