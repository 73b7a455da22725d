// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/ColourSweep.h"

#include "hybrid/cache/TagArray.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kst {

Result<MemoryCache> parseMemoryCache(std::string_view Words,
                                     uint32_t WayBytes) {
  const Failure Wrong{"'" + std::string(Words) +
                      "' is no size and ways of a cache, as 16G or 64M/4"};
  constexpr uint64_t Most = uint64_t(1) << 40;
  MemoryCache Out;
  const auto Slash = Words.find('/');
  std::string_view Size = Words.substr(0, Slash);
  auto [End, Error] =
      std::from_chars(Size.data(), Size.data() + Size.size(), Out.Bytes);
  std::string_view Unit(End, size_t(Size.data() + Size.size() - End));
  if (Error != std::errc() || Unit.size() > 1)
    return Wrong;
  const std::string_view Units = "KMGT";
  if (!Unit.empty()) {
    const auto At = Units.find(Unit[0]);
    if (At == Units.npos)
      return Wrong;
    const unsigned Bits = 10 * unsigned(At + 1);
    Out.Bytes = Out.Bytes > Most >> Bits ? Most + 1 : Out.Bytes << Bits;
  }
  if (Slash != Words.npos) {
    std::string_view Ways = Words.substr(Slash + 1);
    auto [Behind, Bad] =
        std::from_chars(Ways.data(), Ways.data() + Ways.size(), Out.Ways);
    if (Bad != std::errc() || Behind != Ways.data() + Ways.size() ||
        !Out.Ways || Out.Ways > 64)
      return Wrong;
  }
  if (!Out.Bytes || Out.Bytes > Most ||
      Out.Bytes % (uint64_t(WayBytes) * Out.Ways))
    return Failure{"a cache of " + std::string(Words) +
                   ": at most 1T, and each way a whole number of " +
                   std::to_string(WayBytes) + " bytes"};
  return Out;
}

std::string spelling(const MemoryCache &Of) {
  const char *Units[] = {"", "K", "M", "G", "T"};
  uint64_t Size = Of.Bytes;
  unsigned Unit = 0;
  while (Unit < 4 && Size % 1024 == 0) {
    Size /= 1024;
    ++Unit;
  }
  return std::to_string(Size) + Units[Unit] + "/" + std::to_string(Of.Ways);
}

double contiguousHits(double W) {
  return W <= 1 ? 1 : W >= 2 ? 0 : (2 - W) / W;
}

double randomHits(double W) { return std::exp(-W); }

double hitCrossing() {
  double Low = 1.1, High = 1.99;
  for (int Step = 0; Step < 60; ++Step) {
    const double Middle = (Low + High) / 2;
    (contiguousHits(Middle) > randomHits(Middle) ? Low : High) = Middle;
  }
  return Low;
}

double mixedRate(double HitShare, double HitRate, double MissRate) {
  return 1 / (HitShare / HitRate + (1 - HitShare) / MissRate);
}

double sweepHits(const std::vector<uint32_t> &Frames, size_t Number,
                 const MemoryCache &Cache) {
  TagArray Tags({Cache.colours(), Cache.Ways});
  uint64_t Hits = 0;
  for (unsigned Sweep = 0; Sweep < 2; ++Sweep) {
    Hits = 0;
    for (size_t I = 0; I < Number; ++I)
      Hits += Tags.touch(Frames[I]).Hit;
  }
  return Number ? double(Hits) / double(Number) : 1;
}

std::vector<SweepPoint> sweep(PageAllocator &From, const MemoryCache &Cache,
                              const std::vector<double> &Sizes) {
  std::vector<unsigned> Zones;
  for (unsigned Z = 0; Z < From.zones().size(); ++Z)
    Zones.push_back(Z);
  std::stable_sort(Zones.begin(), Zones.end(), [&](unsigned A, unsigned B) {
    return From.zones()[A].shape().Frames > From.zones()[B].shape().Frames;
  });
  std::vector<uint32_t> Frames, OfColour(Cache.colours());
  std::vector<SweepPoint> Out;
  size_t Zone = 0;
  for (double Size : Sizes) {
    const auto Wanted = uint64_t(std::llround(Size * Cache.pages()));
    while (Frames.size() < Wanted && Zone < Zones.size()) {
      const uint32_t Frame = From.alloc({0, 0, Movable, Zones[Zone]});
      if (Frame == NoFrame) {
        ++Zone;
        continue;
      }
      Frames.push_back(Frame);
      ++OfColour[Frame % Cache.colours()];
    }
    if (Frames.size() < Wanted || !Wanted)
      break;
    auto [Least, Most] = std::minmax_element(OfColour.begin(), OfColour.end());
    Out.push_back(
        {Size, Wanted, sweepHits(Frames, Frames.size(), Cache), *Most, *Least});
  }
  return Out;
}

} // namespace kst
