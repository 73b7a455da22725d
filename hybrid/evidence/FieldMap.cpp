// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/FieldMap.h"

#include "hybrid/evidence/SiteKinds.h"
#include "hybrid/facts/Facts.h"

#include <algorithm>
#include <set>

namespace kst {
namespace {

uint64_t beginOf(const MeasuredSite &Site) {
  return Site.OffsetBytes * 8ull + Site.FirstBit;
}

void setPlace(MeasuredSite &Site, uint64_t BeginBits, uint64_t SizeBits,
              bool BitField) {
  Site.OffsetBytes = uint32_t(BeginBits / 8);
  Site.FirstBit = uint16_t(BitField ? BeginBits % 8 : 0);
  Site.Bits = uint16_t(BitField ? SizeBits : 0);
  Site.SizeBytes = uint32_t(BitField ? (BeginBits % 8 + SizeBits + 7) / 8
                                     : std::max<uint64_t>(1, SizeBits / 8));
}

} // namespace

FieldMap FieldMap::same(const RecordInfo &Record) {
  FieldMap Map;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    const FieldInfo &Of = Record.Fields[F];
    if (!Of.Absent && !Of.ZeroSize && Of.SizeBits)
      Map.add(Of.OffsetBits, {Of.OffsetBits + Of.SizeBits, F, FoundBy::Name});
  }
  return Map;
}

void FieldMap::add(uint64_t BeginBits, const Piece &What) {
  uint64_t Begin = BeginBits;
  Piece Whole = What;
  auto It = All.upper_bound(Begin);
  if (It != All.begin() && std::prev(It)->second.EndBits > Begin)
    --It;
  while (It != All.end() && It->first < Whole.EndBits) {
    Begin = std::min(Begin, It->first);
    Whole.EndBits = std::max(Whole.EndBits, It->second.EndBits);
    if (It->second.Field != Whole.Field)
      Whole.Field = None;
    It = All.erase(It);
  }
  All[Begin] = Whole;
}

const std::pair<const uint64_t, FieldMap::Piece> *
FieldMap::at(uint64_t Bit) const {
  auto It = All.upper_bound(Bit);
  if (It == All.begin())
    return nullptr;
  --It;
  return Bit < It->second.EndBits && It->second.Field != None ? &*It : nullptr;
}

std::vector<MeasuredSite> FieldMap::moved(const MeasuredSite &Site,
                                          const RecordInfo &Record,
                                          uint32_t WasBytes) const {
  const uint64_t Begin = beginOf(Site);
  const auto *Around = at(Begin);
  if (isBulk(Site.Kind) && Site.SizeBytes &&
      (!Around || Begin + Site.SizeBytes * 8ull > Around->second.EndBits))
    return movedBulk(Site, Record, WasBytes);
  if (!Around)
    return {};
  const FieldInfo &To = Record.Fields[Around->second.Field];
  const uint64_t Was = Around->second.EndBits - Around->first;
  const uint64_t Size =
      Site.Bits ? Site.Bits : std::max<uint64_t>(1, Site.SizeBytes) * 8;
  uint64_t Inside = Begin - Around->first;
  MeasuredSite Moved = Site;
  if (To.BitField || Size >= Was || Inside >= To.SizeBits) {
    setPlace(Moved, To.OffsetBits, To.SizeBits, To.BitField);
  } else {
    // Part of a member: as much of it as there is room for.
    setPlace(Moved, To.OffsetBits + Inside,
             std::min(Size, To.SizeBits - Inside), Site.Bits != 0);
  }
  return {Moved};
}

std::vector<MeasuredSite> FieldMap::movedBulk(const MeasuredSite &Site,
                                              const RecordInfo &Record,
                                              uint32_t WasBytes) const {
  const uint64_t Begin = beginOf(Site), End = Begin + Site.SizeBytes * 8ull;
  std::set<uint32_t> Fields;
  for (const auto &[First, Of] : All)
    if (First < End && Of.EndBits > Begin && Of.Field != None)
      Fields.insert(Of.Field);
  std::vector<MeasuredSite> Sites;
  if (Fields.empty())
    return Sites;
  if (Begin == 0 && Site.SizeBytes >= WasBytes) {
    setPlace(Sites.emplace_back(Site), 0, Record.SizeBytes * 8, false);
    return Sites;
  }
  // Runs of fields with nothing between them that was not meant.
  for (auto It = Fields.begin(); It != Fields.end();) {
    const FieldInfo &First = Record.Fields[*It];
    const FieldInfo *Last = &First;
    for (uint32_t Next = *It + 1; ++It != Fields.end() && *It == Next; ++Next)
      Last = &Record.Fields[*It];
    setPlace(Sites.emplace_back(Site), First.OffsetBits / 8 * 8,
             Last->OffsetBits + Last->SizeBits - First.OffsetBits / 8 * 8,
             false);
  }
  return Sites;
}

std::string FieldMap::nameIfResized(const MeasuredSite &Site,
                                    const RecordInfo &Record) const {
  const auto *Around = at(beginOf(Site));
  if (!Around || isBulk(Site.Kind))
    return {};
  const FieldInfo &To = Record.Fields[Around->second.Field];
  if (To.SizeBits == Around->second.EndBits - Around->first)
    return {};
  return To.Members.empty() ? To.Name : To.Members.front();
}

} // namespace kst
