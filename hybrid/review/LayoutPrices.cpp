// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/LayoutPrices.h"

#include "hybrid/affinity/Ownership.h"

#include <algorithm>
#include <map>

namespace kst {

std::vector<CoAccessSet> withoutFields(std::vector<CoAccessSet> Sets,
                                       const std::set<uint32_t> &Fields) {
  for (CoAccessSet &Set : Sets)
    std::erase_if(Set.Touches, [&](const FieldTouch &Touch) {
      return Fields.contains(Touch.Field);
    });
  std::erase_if(Sets,
                [](const CoAccessSet &Set) { return Set.Touches.empty(); });
  return Sets;
}

static std::set<uint32_t> newFields(const FieldPairs &Pairs) {
  std::set<uint32_t> Fields;
  for (uint32_t F = 0; F != Pairs.BaseOf.size(); ++F)
    if (Pairs.BaseOf[F] == NoField)
      Fields.insert(F);
  return Fields;
}

LayoutPrices::LayoutPrices(const RecordInfo &Base, const FieldPairs &Pairs,
                           const AffinityEvidence &Head,
                           const LayoutOptions &Options)
    : LineBytes(Options.LineBytes), After(statedLayout(Head.Record)),
      Before(After), New(newFields(Pairs)),
      All(Head.Record, Head.Sets, Options,
          sharingOptions(Options, Head.Users, Head.Sets)),
      // The same turns of the CPUs, though some touches are left out.
      Old(Head.Record, withoutFields(Head.Sets, New), Options,
          sharingOptions(Options, Head.Users, Head.Sets)) {
  for (const FieldInfo &Field : Head.Record.Fields)
    Bits.push_back(std::max(touchedBits(Field, LineBytes), Field.SizeBits));
  for (uint32_t F = 0; F != Pairs.BaseOf.size(); ++F)
    if (Pairs.BaseOf[F] != NoField)
      Before.OffsetBits[F] = Base.Fields[Pairs.BaseOf[F]].OffsetBits;
  Before.SizeBytes = Base.SizeBytes;
  Before = apart(std::move(Before), New);
}

Layout LayoutPrices::apart(Layout Plan, const Fields &Which) const {
  const uint64_t LineBits = 8ull * LineBytes;
  uint64_t End = 0;
  for (uint32_t F = 0; F != Bits.size(); ++F)
    End = std::max(End, Plan.OffsetBits[F] + Bits[F]);
  // A line between, for instances that do not start on one.
  End = (End / LineBits + 2) * LineBits;
  for (uint32_t F : Which) {
    Plan.OffsetBits[F] = End;
    End += ((Bits[F] + LineBits - 1) / LineBits + 2) * LineBits;
  }
  return Plan;
}

double LayoutPrices::harm(const LayoutCost &Model, const Layout &Plan,
                          uint32_t Field, const Fields &Apart) const {
  if (Apart.contains(Field))
    return 0;
  const Layout Without = apart(Plan, Apart);
  Fields More = Apart;
  More.insert(Field);
  return Model.price(Without).Sharing - Model.price(apart(Plan, More)).Sharing;
}

LayoutPrices::Fields LayoutPrices::beside(const Layout &Plan,
                                          uint32_t Field) const {
  const uint64_t LineBits = 8ull * LineBytes;
  std::map<uint64_t, Fields> Lines;
  std::set<uint64_t> Mine;
  const auto &Extents = All.extents();
  for (uint32_t E = 0; E != Extents.size(); ++E) {
    const LayoutCost::Extent &Of = Extents[E];
    // Of a field that is larger than a line, what visits touch.
    if (!Of.Bits || (Bits[Of.Field] > LineBits && All.setsOf(E).empty()))
      continue;
    const uint64_t At = Plan.OffsetBits[Of.Field] + Of.OffsetBits;
    for (uint64_t L = At / LineBits; L <= (At + Of.Bits - 1) / LineBits; ++L) {
      Lines[L].insert(Of.Field);
      if (Of.Field == Field)
        Mine.insert(L);
    }
  }
  Fields Found;
  for (uint64_t Line : Mine)
    Found.insert(Lines[Line].begin(), Lines[Line].end());
  Found.erase(Field);
  return Found;
}

} // namespace kst
