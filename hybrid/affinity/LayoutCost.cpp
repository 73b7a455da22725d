// SPDX-License-Identifier: GPL-2.0-or-later
//
// See LayoutCost.h for the formula and its assumptions.

#include "hybrid/affinity/LayoutCost.h"

#include "hybrid/affinity/CostState.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace kst {

uint64_t touchedBits(const FieldInfo &Field, uint32_t LineBytes) {
  if (Field.FlexibleArray)
    return 8;
  if (Field.SizeBits > 8ull * LineBytes)
    return 8;
  return Field.SizeBits;
}

static uint64_t ceilDiv(uint64_t A, uint64_t B) { return (A + B - 1) / B; }

/// Bytes from one object of the cache to the next.
static uint64_t slabDistance(const SlabInfo &Slab, uint64_t ObjectBytes,
                             uint32_t LineBytes) {
  const uint64_t Link = std::max(1u, Slab.PointerBytes);
  uint64_t Align = std::max<uint64_t>(Link, Slab.AlignBytes);
  if (Slab.OnLines) {
    uint64_t Part = LineBytes;
    while (Part > 1 && Part / 2 >= ObjectBytes)
      Part /= 2;
    Align = std::max(Align, Part);
  }
  uint64_t Bytes = ceilDiv(ObjectBytes, Link) * Link;
  return ceilDiv(Bytes + (Slab.LinkBehind ? Link : 0), Align) * Align;
}

/// Of records of that size.
static uint32_t slabAlignment(std::span<const SlabInfo> Slabs,
                              uint64_t SizeBytes, uint32_t LineBytes) {
  uint64_t Step = LineBytes;
  for (const SlabInfo &Slab : Slabs)
    Step = std::gcd(Step, slabDistance(Slab, SizeBytes, LineBytes));
  return static_cast<uint32_t>(Step);
}

uint32_t instanceAlignment(const RecordInfo &Record, uint32_t LineBytes) {
  if (!Record.Slabs.empty())
    return slabAlignment(Record.Slabs, Record.SizeBytes, LineBytes);
  bool Long = 2 * Record.SizeBytes > 3ull * LineBytes;
  return std::max(Long ? LineBytes : 1, Record.AlignBytes);
}

LayoutCost::LayoutCost(const RecordInfo &Record,
                       std::span<const CoAccessSet> Sets,
                       const CostOptions &Options,
                       const SharingOptions &Sharing)
    : Opts(Options), How(Sharing), Heat(Record.Fields.size()),
      LineCycles(kst::lineCycles(Options.On)),
      LostCycles(transferCycles(Options.On, Sharing.Cpus) - Options.On.L1) {
  uint64_t AllBits = 0;
  for (const FieldInfo &Field : Record.Fields) {
    Extents.push_back({static_cast<uint32_t>(Extents.size()), 0,
                       touchedBits(Field, Opts.LineBytes)});
    AllBits = Record.Union ? std::max(AllBits, Field.SizeBits)
                           : AllBits + Field.SizeBits;
  }
  uint64_t Align = std::max(1u, Record.AlignBytes);
  uint64_t MinimumBytes = ceilDiv(ceilDiv(AllBits, 8), Align) * Align;
  MinimumLines = ceilDiv(MinimumBytes, Opts.LineBytes);

  uint32_t Step = Opts.InstanceAlignBytes
                      ? Opts.InstanceAlignBytes
                      : instanceAlignment(Record, Opts.LineBytes);
  if (!Opts.InstanceAlignBytes)
    Slabs = Record.Slabs;
  setStarts(Step);
  addSets(Sets, Record, Sharing);
}

void LayoutCost::setStarts(uint32_t Step) {
  Starts.clear();
  for (uint32_t Start = 0; Start < Opts.LineBytes; Start += Step)
    Starts.push_back(Start);
}

uint32_t LayoutCost::stepOf(uint64_t SizeBytes) const {
  return slabAlignment(Slabs, SizeBytes, Opts.LineBytes);
}

bool LayoutCost::startsElsewhere(uint64_t SizeBytes) const {
  return !Slabs.empty() && stepOf(SizeBytes) * Starts.size() != Opts.LineBytes;
}

namespace {

/// The extents that sets touch.
class Reached {
public:
  Reached(std::vector<LayoutCost::Extent> &Extents, const RecordInfo &Record,
          uint32_t LineBytes)
      : Extents(Extents), Record(Record), LineBits(8ull * LineBytes) {}

  /// (extent, chance of a touch, of a write), by extent.
  using Key = std::vector<std::tuple<uint32_t, double, double>>;

  Key of(const CoAccessSet &Set) {
    Key Found;
    for (const FieldTouch &T : Set.Touches) {
      if (T.Field >= Record.Fields.size() || !Extents[T.Field].Bits ||
          !(T.Probability > 0))
        continue;
      const double Most = std::min(1.0, T.Probability);
      if (T.Spots.empty() || Record.Fields[T.Field].SizeBits <= LineBits)
        Found.emplace_back(T.Field, Most, writeChance(T));
      else
        for (const Spot &At : T.Spots)
          if (double P = std::min(Most, At.Probability); P > 0)
            Found.emplace_back(extent(T.Field, At.OffsetBytes), P,
                               std::clamp(At.Writes, 0.0, P));
    }
    std::ranges::sort(Found);
    return Found;
  }

private:
  uint32_t extent(uint32_t Field, uint32_t OffsetBytes) {
    if (!OffsetBytes)
      return Field;
    auto [At, New] = Numbers.try_emplace({Field, OffsetBytes}, Extents.size());
    if (New)
      Extents.push_back({Field, 8ull * OffsetBytes, 8});
    return At->second;
  }

  std::vector<LayoutCost::Extent> &Extents;
  const RecordInfo &Record;
  const uint64_t LineBits;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Numbers;
};

} // namespace

void LayoutCost::addSets(std::span<const CoAccessSet> Sets,
                         const RecordInfo &Record,
                         const SharingOptions &Sharing) {
  // Sets that touch the same places with the same probabilities cost the same
  // in every layout: one entry with the sum of the weights is exact.
  Reached Places(Extents, Record, Opts.LineBytes);
  std::map<Reached::Key, size_t> Seen;
  for (const CoAccessSet &Set : Sets) {
    if (!(Set.Weight > 0))
      continue;
    Visits += Set.Weight;
    Reached::Key Key = Places.of(Set);
    if (Key.empty())
      continue;
    for (const FieldTouch &T : Set.Touches)
      if (T.Field < fieldCount() && Extents[T.Field].Bits && T.Probability > 0)
        Heat[T.Field] += Set.Weight * std::min(1.0, T.Probability);
    auto [At, New] = Seen.try_emplace(std::move(Key), Weights.size());
    if (New) {
      ExtentSets.resize(Extents.size());
      SetFields.push_back(0);
      for (auto [Extent, P, W] : At->first) {
        Touches.push_back({Extent, P, W});
        ExtentSets[Extent].push_back(static_cast<uint32_t>(Weights.size()));
        SetFields.back() += Extent < fieldCount();
      }
      Weights.push_back(0);
      Meetings.emplace_back();
      SetBegin.push_back(Touches.size());
    }
    Weights[At->second] += Set.Weight * LineCycles;
    Meetings[At->second] += meetingVisits(Set, Sharing);
  }
  ExtentSets.resize(Extents.size());
  addContention(contention(fieldCount(), Sets, Sharing));
}

/// As sets of one field each that are no visits: they touch no line that their
/// own visits do not.
void LayoutCost::addContention(std::span<const LineUse> ByField) {
  for (uint32_t F = 0; F < ByField.size(); ++F) {
    const GroupVisits Meeting{0, 0, ByField[F].Uses.Holder,
                              ByField[F].Writes.Waiters};
    if (Meeting == GroupVisits() || !Extents[F].Bits)
      continue;
    Touches.push_back({F, 1, 1});
    ExtentSets[F].push_back(static_cast<uint32_t>(Weights.size()));
    SetFields.push_back(1);
    SetBegin.push_back(Touches.size());
    Weights.push_back(0);
    Meetings.push_back(Meeting);
  }
}

Cost LayoutCost::price(const Layout &Plan) const {
  if (startsElsewhere(Plan.SizeBytes)) {
    LayoutCost Other = *this;
    Other.setStarts(stepOf(Plan.SizeBytes));
    return CostState(Other, Plan).price();
  }
  return CostState(*this, Plan).price();
}

double LayoutCost::padding(uint64_t SizeBytes) const {
  uint64_t Used = ceilDiv(SizeBytes, Opts.LineBytes);
  double Extra =
      Used > MinimumLines ? static_cast<double>(Used - MinimumLines) : 0;
  return visitCycles() * (Opts.LambdaPad * Extra + startsElsewhere(SizeBytes));
}

} // namespace kst
