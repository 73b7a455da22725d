// SPDX-License-Identifier: GPL-2.0-or-later
//
// Times the cache model on the data accesses that lackey printed, for
// cache_speed.py: rounds TRACE ROUNDS. One line for each round: CPU seconds of
// the naive loop, of the model, of 16 layouts in one pass, and of the model
// with classes. First a line with the number of accesses, the share of them
// that layouts move, how many miss L1, and the share of them that each layout's
// model has to be asked for.

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

using Trace = std::vector<MemoryReference>;

Trace read(const char *File) {
  Trace Found;
  std::ifstream Stream(File);
  for (std::string Line; std::getline(Stream, Line);) {
    if (Line.size() < 6 || Line[0] != ' ')
      continue;
    char *End;
    const uint64_t Address = std::strtoull(Line.c_str() + 3, &End, 16);
    const AccessKind Kind = Line[1] == 'L'   ? AccessKind::Load
                            : Line[1] == 'S' ? AccessKind::Store
                                             : AccessKind::Modify;
    Found.push_back(
        {Address, uint32_t(std::strtoul(End + 1, nullptr, 10)), 0, Kind});
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

std::pair<uint64_t, uint64_t> naive(const Trace &Accesses) {
  NaiveLevel L1(64, 8), L2(1024, 16);
  for (const MemoryReference &R : Accesses)
    for (uint64_t Line = R.Address / 64; Line <= (R.Address + R.Bytes - 1) / 64;
         ++Line)
      if (!L1.touch(Line))
        L2.touch(Line);
  return {L1.Misses, L2.Misses};
}

std::pair<uint64_t, uint64_t> misses(const CacheCounts &Counts) {
  return {Counts.misses(CacheLevel::L1), Counts.misses(CacheLevel::L2)};
}

std::pair<uint64_t, uint64_t> modelled(const Trace &Accesses,
                                       ClassRule Classes) {
  CacheModel Model(*parseCacheGeometry(Shape),
                   {1, true, Crossing::PerLine, Classes});
  Model.accessAll(Accesses);
  return misses(Model.total());
}

/// Layout N exchanges the lines of one page: line L is at L ^ N.
CacheReplay replayed(const Trace &Accesses, uint64_t Page) {
  CacheReplay Replay(std::vector(Layouts, *parseCacheGeometry(Shape)), {});
  uint64_t Addresses[Layouts];
  for (const MemoryReference &R : Accesses)
    if (R.Address >> 12 != Page) {
      Replay.access(R);
    } else {
      for (unsigned Layout = 0; Layout < Layouts; ++Layout)
        Addresses[Layout] = R.Address ^ Layout * 64;
      Replay.access(R, Addresses);
    }
  return Replay;
}

/// The page whose share of the accesses is nearest to 5 %.
uint64_t movedPage(const Trace &Accesses) {
  std::map<uint64_t, uint64_t> Pages;
  for (const MemoryReference &R : Accesses)
    ++Pages[R.Address >> 12];
  double Best = 1;
  uint64_t Page = 0, Count = 0;
  for (auto [Number, Uses] : Pages) {
    const double Share = double(Uses) / double(Accesses.size());
    if (std::abs(Share - 0.05) < Best) {
      Best = std::abs(Share - 0.05);
      Page = Number;
      Count = Uses;
    }
  }
  const CacheReplay Replay = replayed(Accesses, Page);
  uint64_t Asked = 0;
  for (unsigned Layout = 0; Layout < Layouts; ++Layout)
    Asked += Replay.asked(Layout);
  std::printf("%zu %f %llu %f\n", Accesses.size(),
              double(Count) / double(Accesses.size()),
              (unsigned long long)naive(Accesses).first,
              double(Asked) / double(Accesses.size()) / Layouts);
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
  const Trace Accesses = read(Argv[1]);
  const uint64_t Page = movedPage(Accesses);
  for (int Round = 0; Round < std::atoi(Argv[2]); ++Round) {
    std::pair<uint64_t, uint64_t> Naive, Model, Replay, Classes;
    const double Times[] = {
        seconds([&] { Naive = naive(Accesses); }),
        seconds([&] { Model = modelled(Accesses, ClassRule::Off); }),
        seconds([&] { Replay = misses(replayed(Accesses, Page).total(0)); }),
        seconds([&] { Classes = modelled(Accesses, ClassRule::AtMiss); })};
    if (Naive != Model || Naive != Replay || Naive != Classes) {
      std::fprintf(stderr, "the misses differ\n");
      return 1;
    }
    for (double Time : Times)
      std::printf("%f ", Time);
    std::puts("");
  }
}
