// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/bound/LineProblem.h"

#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/layout/bound/SpotLines.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

namespace kst {

LineProblem::LineProblem(const RecordInfo &Record, const LayoutCost &Model,
                         const Constraints &Rules, double Drop,
                         uint32_t MostItems, uint64_t FrozenBits)
    : LineBits(8 * Model.options().LineBytes), LostCycles(Model.lostCycles()),
      How(Model.turns()) {
  describe(Record, Model, Rules, FrozenBits);
  link(Model, Drop, MostItems);
  countLines(Record, Model, Rules, FrozenBits);
}

static LineItem describeField(const RecordInfo &Record, const LayoutCost &Model,
                              uint32_t F) {
  const FieldInfo &Field = Record.Fields[F];
  const uint64_t LineBits = 8ull * Model.options().LineBytes;
  LineItem Item;
  Item.Fields.push_back(F);
  uint64_t Step = 8 * addressStep(Field, Model);
  if (Field.FlexibleArray) {
    Item.Bits = 8;
    Item.Large = true; // stays last: nothing follows it
    Item.Flexible = true;
    return Item;
  }
  if (Field.BitField) {
    Item.Bits = static_cast<uint32_t>(Field.SizeBits);
    bool InUnit = !Record.Packed && !Field.Packed &&
                  Step >= std::max<uint64_t>(8, Field.StorageUnitBits);
    Item.Splits = !InUnit && Item.Bits > 1;
    return Item;
  }
  Item.StartsLine = Step >= LineBits;
  if (Field.SizeBits > LineBits) {
    Item.Bits = static_cast<uint32_t>(std::min(Step, LineBits));
    Item.Large = true;
    return Item;
  }
  Item.Bits = static_cast<uint32_t>(Field.SizeBits);
  Item.Splits = Field.SizeBits > Step;
  if (Item.Splits)
    Item.Grain = static_cast<uint32_t>(Step);
  return Item;
}

/// True if the unit, a run of bit-fields, lies within one storage unit in every
/// order: it fits, and whatever stands before it ends at a multiple of it.
static bool keepsTogether(const RecordInfo &Record, const LayoutCost &Model,
                          const Constraints &Rules, const MoveUnit &Run) {
  const uint64_t UnitBits = Record.Fields[Run.Fields.front()].StorageUnitBits;
  uint64_t Bits = 0;
  for (uint32_t F : Run.Fields) {
    const FieldInfo &Field = Record.Fields[F];
    if (!Field.BitField || !Field.SizeBits || Field.Packed || Record.Packed ||
        Field.ExplicitAlignBytes || Field.StorageUnitBits != UnitBits ||
        8ull * Field.AlignBytes != UnitBits ||
        8 * addressStep(Field, Model) < UnitBits)
      return false;
    Bits += Field.SizeBits;
  }
  if (Bits > UnitBits || UnitBits < 8)
    return false;
  for (const MoveUnit &Other : Rules.bricks()) {
    if (&Other == &Run)
      continue;
    for (uint32_t F : Other.Fields) {
      const FieldInfo &Field = Record.Fields[F];
      uint64_t Align = 8ull * std::max(1u, Field.AlignBytes);
      if (Field.BitField || std::gcd(Align, Field.SizeBits) % UnitBits)
        return false;
    }
  }
  return true;
}

void LineProblem::describe(const RecordInfo &Record, const LayoutCost &Model,
                           const Constraints &Rules, uint64_t FrozenBits) {
  for (const MoveUnit &U : Rules.bricks()) {
    if (Record.Fields[U.Fields.front()].OffsetBits < FrozenBits)
      continue;
    bool One = U.Fields.size() > 1 && keepsTogether(Record, Model, Rules, U);
    LineItem Run;
    for (uint32_t F : U.Fields) {
      if (One) {
        Run.Bits += static_cast<uint32_t>(Record.Fields[F].SizeBits);
        if (Model.active(F))
          Run.Fields.push_back(F);
      } else if (Model.active(F)) {
        Items.push_back(describeField(Record, Model, F));
      }
    }
    if (!Run.Fields.empty())
      Items.push_back(std::move(Run));
  }
  GroupBits.push_back(0);
  for (LineItem &Item : Items)
    Item.Group = Rules.bricks()[Rules.moveUnitOf(Item.Fields.front())].Zone;
  for (const MoveUnit &U : Rules.bricks()) {
    GroupBits.resize(std::max<size_t>(GroupBits.size(), U.Zone + 1));
    for (uint32_t F : U.Fields)
      GroupBits[U.Zone] += Record.Fields[F].SizeBits;
  }
}

bool LineProblem::mayMeet(uint32_t I, uint32_t J) const {
  const LineItem &A = Items[I], &B = Items[J];
  if ((A.Large && B.Large) || (A.StartsLine && B.StartsLine))
    return false;
  auto [First, Last] = std::minmax(A.Group, B.Group);
  uint64_t Between = 0;
  for (uint32_t G = First + 1; G < Last && Between < LineBits; ++G)
    Between += GroupBits[G];
  return Between < LineBits;
}

namespace {
struct Pair {
  uint32_t Set, Item;
  double P, W, Worth;
};
} // namespace

/// Chooses what stays, sorts the items by what they cost alone, and fills the
/// tables.
void LineProblem::link(const LayoutCost &Model, double Drop,
                       uint32_t MostItems) {
  std::vector<uint32_t> ItemOf(Model.fieldCount(), ~0u);
  for (uint32_t I = 0; I < Items.size(); ++I)
    for (uint32_t F : Items[I].Fields)
      ItemOf[F] = I;
  std::vector<Pair> Pairs;
  double Base = 0; // at least one line for each visit: below any cost
  for (uint32_t S = 0; S < Model.setCount(); ++S) {
    double Untouched = 1;
    for (auto [Field, P, W] : Model.fieldTouches(S)) {
      if (ItemOf[Field] == ~0u)
        continue; // frozen
      Pairs.push_back({S, ItemOf[Field], P, W, Model.weight(S) * P});
      Untouched *= 1 - P;
    }
    Base += Model.weight(S) * (1 - Untouched);
  }
  auto Weakest = [](const Pair &A, const Pair &B) {
    return std::tie(A.Worth, A.Set, A.Item) < std::tie(B.Worth, B.Set, B.Item);
  };
  std::ranges::sort(Pairs, Weakest);
  double Spent = 0;
  size_t First = 0;
  while (First < Pairs.size() && Spent + Pairs[First].Worth <= Drop * Base / 2)
    Spent += Pairs[First++].Worth;
  Pairs.erase(Pairs.begin(),
              Pairs.begin() + static_cast<std::ptrdiff_t>(First));

  std::vector<double> Worth(Items.size());
  for (const Pair &P : Pairs)
    Worth[P.Item] += P.Worth;
  std::vector<uint32_t> Rank(Items.size());
  std::iota(Rank.begin(), Rank.end(), 0u);
  std::ranges::stable_sort(
      Rank, [&](uint32_t A, uint32_t B) { return Worth[A] > Worth[B]; });
  Spent = 0;
  while (!Rank.empty() && (Rank.size() > MostItems ||
                           Spent + Worth[Rank.back()] <= Drop * Base / 2)) {
    Spent += Worth[Rank.back()];
    Rank.pop_back();
  }
  std::vector<uint32_t> NewOf(Items.size(), ~0u);
  std::vector<LineItem> Kept;
  for (uint32_t I : Rank) {
    NewOf[I] = static_cast<uint32_t>(Kept.size());
    Kept.push_back(Items[I]);
  }
  Items = std::move(Kept);

  const size_t N = Items.size();
  std::ranges::sort(Pairs, [](const Pair &A, const Pair &B) {
    return std::tie(A.Set, A.Item) < std::tie(B.Set, B.Item);
  });
  std::vector<std::vector<Touch>> Of(N);
  for (size_t At = 0; At < Pairs.size();) {
    uint32_t Set = Pairs[At].Set;
    size_t Before = SetTouches.size();
    while (At < Pairs.size() && Pairs[At].Set == Set) {
      uint32_t Item = Pairs[At].Item, I = NewOf[Item];
      // Several fields of one item: touched, written, if any is.
      double Untouched = 1, Unwritten = 1;
      for (;
           At < Pairs.size() && Pairs[At].Set == Set && Pairs[At].Item == Item;
           ++At) {
        Untouched *= 1 - Pairs[At].P;
        Unwritten *= 1 - Pairs[At].W;
      }
      if (I == ~0u)
        continue;
      SetTouches.push_back({I, 1 - Untouched, 1 - Unwritten});
      Of[I].push_back({static_cast<uint32_t>(Weights.size()), 1 - Untouched,
                       1 - Unwritten});
    }
    if (SetTouches.size() == Before)
      continue;
    Weights.push_back(Model.weight(Set));
    Meetings.push_back(Model.meeting(Set));
    SetBegin.push_back(SetTouches.size());
  }
  for (size_t I = 0; I < N; ++I) {
    const auto &List = Of[I];
    double Sum = 0;
    LineUse Use;
    for (auto [Set, P, W] : List) {
      Sum += Weights[Set] * P;
      Use.add(Meetings[Set], P, W);
    }
    Alone.push_back(Sum + sharing(Use));
    ItemTouches.insert(ItemTouches.end(), List.begin(), List.end());
    ItemBegin.push_back(ItemTouches.size());
  }
}

/// Bits that a move unit of several fields takes beyond their own at most,
/// wherever it starts: it is placed behind every number of bits up to an
/// alignment.
static uint64_t mostWithin(const RecordInfo &Record, const MoveUnit &U) {
  RecordInfo Sample;
  Sample.Packed = Record.Packed;
  Sample.Fields.emplace_back();
  uint64_t Period = 8, Bits = 0;
  for (uint32_t F : U.Fields) {
    const FieldInfo &Field = Record.Fields[F];
    Sample.Fields.push_back(Field);
    Sample.Fields.back().Group = NoGroup; // see mostPadding()
    Bits += Field.SizeBits;
    Period = std::max<uint64_t>(Period, 8ull * Field.AlignBytes);
    Period = std::max<uint64_t>(Period, Field.StorageUnitBits);
  }
  FieldInfo &Before = Sample.Fields.front();
  Before.BitField = Before.Packed = true;
  Before.StorageUnitBits = static_cast<uint32_t>(2 * Period);
  std::vector<uint32_t> Order = declarationOrder(Sample);
  std::vector<uint64_t> Offsets;
  uint64_t Most = 0;
  for (uint64_t Start = 0; Start < Period; ++Start) {
    Before.SizeBits = Start;
    FieldOffsets(Sample).place(Order, Offsets);
    uint64_t End = Offsets.back() + Sample.Fields.back().SizeBits;
    Most = std::max(Most, End - Start - Bits);
  }
  return Most;
}

/// Bytes that padding can take at most, in any order. Between move units it
/// stands between one and the next: if addresses after the first are multiples
/// of g and the second is aligned to a, it is at most a - g. Each move unit is
/// first in one such pair at most and second in one at most, so the sum is
/// largest when the smallest g meet the largest a. An anonymous struct adds
/// less than its alignment at either end, wherever it stands.
static uint64_t mostPadding(const RecordInfo &Record,
                            const Constraints &Rules) {
  std::vector<uint64_t> After, Wanted;
  uint64_t Sum = 0;
  for (const GroupInfo &Group : Record.Groups)
    Sum += 2 * (8ull * Group.AlignBytes - 1);
  for (const MoveUnit &U : Rules.bricks()) {
    if (U.Fields.size() > 1) {
      Sum += mostWithin(Record, U);
      After.push_back(0);
      continue;
    }
    const FieldInfo &Field = Record.Fields[U.Fields.front()];
    uint64_t Align = 8ull * std::max(1u, Field.AlignBytes);
    bool Loose = Field.BitField || Field.SizeBits % 8;
    After.push_back(Loose ? 0 : std::gcd(Align, Field.SizeBits));
    Wanted.push_back(std::max<uint64_t>(Align, Field.StorageUnitBits));
  }
  std::ranges::sort(After);
  std::ranges::sort(Wanted, std::greater<>());
  for (size_t I = 0; I < Wanted.size() && Wanted[I] > After[I]; ++I)
    Sum += Wanted[I] - After[I];
  return Sum / 8 + 1;
}

/// Bytes that the record takes at least, in any order: zones keep their
/// order, and each begins at a multiple of its least aligned first field. (To
/// put one later than it could be never makes what follows end earlier.)
static uint64_t leastBytes(const RecordInfo &Record, const Constraints &Rules) {
  uint64_t Cursor = 0; // bits
  const std::vector<MoveUnit> &MoveUnits = Rules.bricks();
  for (uint32_t At = 0; At < MoveUnits.size();) {
    uint32_t End = Rules.zoneEnd(At);
    uint64_t Align = ~uint64_t(0), Bits = 0;
    for (; At < End; ++At) {
      const FieldInfo &First = Record.Fields[MoveUnits[At].Fields.front()];
      uint64_t Wants =
          First.BitField ? 1 : 8ull * std::max(1u, First.AlignBytes);
      Align = std::min(Align, Wants);
      for (uint32_t F : MoveUnits[At].Fields)
        Bits += Record.Fields[F].SizeBits;
    }
    Cursor = (Cursor + Align - 1) / Align * Align + Bits;
  }
  uint64_t Align = std::max(1u, Record.AlignBytes);
  return ((Cursor + 7) / 8 + Align - 1) / Align * Align;
}

void LineProblem::countLines(const RecordInfo &Record, const LayoutCost &Model,
                             const Constraints &Rules, uint64_t FrozenBits) {
  const uint64_t Line = Model.options().LineBytes;
  // Lines that lie within a field larger than a line hold nothing else. An
  // active one has its touched byte on the line before those.
  uint64_t Covered = FrozenBits / LineBits; // and the frozen ones
  for (uint32_t F = 0; F < Model.fieldCount(); ++F) {
    const FieldInfo &Field = Record.Fields[F];
    if (Field.OffsetBits < FrozenBits)
      continue;
    uint64_t Bytes = Field.SizeBits / 8, Step = addressStep(Field, Model);
    if (Bytes > Line)
      Covered += (Model.active(F) ? Bytes - Line
                                  : Bytes - Line + std::min(Step, Line)) /
                 Line;
  }
  uint64_t All = Model.minimumLines() + (Model.starts().size() > 1);
  FreeLines = static_cast<double>(All > Covered ? All - Covered : 0);
  LinePrice = Model.options().LambdaPad * Model.visitCycles();
  uint64_t Bits = 0;
  for (const FieldInfo &Field : Record.Fields)
    Bits += Field.SizeBits;
  uint64_t Align = std::max(1u, Record.AlignBytes);
  uint64_t Bytes = (Bits + 7) / 8 + mostPadding(Record, Rules);
  uint64_t Most = ((Bytes + Align - 1) / Align * Align + Line - 1) / Line;
  uint64_t Least = std::max(Model.minimumLines(),
                            (leastBytes(Record, Rules) + Line - 1) / Line);
  ExtraLines = static_cast<double>(Most > Least ? Most - Least : 0);
  const auto Forced = static_cast<double>(Least - Model.minimumLines());
  ForcedCost = Forced * LinePrice;
  if (All + Least - Model.minimumLines() > Covered)
    FreeLines =
        static_cast<double>(All + Least - Model.minimumLines() - Covered);
}

double LineProblem::cost(std::span<const uint32_t> Members) const {
  std::vector<double> Untouched(setCount(), 1.0), Unwritten(setCount(), 1.0);
  double Sum = 0;
  LineUse Use;
  for (uint32_t Member : Members)
    for (auto [Set, P, W] : setsOf(Member)) {
      Sum += Weights[Set] * Untouched[Set] * P;
      Use.add(Meetings[Set], Untouched[Set] * P, Unwritten[Set] * W);
      Untouched[Set] *= 1 - P;
      Unwritten[Set] *= 1 - W;
    }
  return Sum + sharing(Use);
}

} // namespace kst
