// SPDX-License-Identifier: GPL-2.0-or-later
//
// See LineProblem.h.

#include "hybrid/layout/LineProblem.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

namespace kst {

LineProblem::LineProblem(const RecordInfo &Record, const LayoutCost &Model,
                         const Constraints &Rules, double Drop)
    : LineBits(8 * Model.options().LineBytes) {
  describe(Record, Model, Rules);
  link(Model, Drop);
  countLines(Record, Model);
}

/// Bytes that every possible address of the field is a multiple of.
static uint64_t addressStep(const FieldInfo &Field, const LayoutCost &Model) {
  const auto &Starts = Model.starts();
  uint64_t Step = Starts.size() > 1 ? Starts[1] : Model.options().LineBytes;
  return std::gcd<uint64_t>(Step, std::max(1u, Field.AlignBytes));
}

static LineItem describeField(const RecordInfo &Record, const LayoutCost &Model,
                              uint32_t F) {
  const FieldInfo &Field = Record.Fields[F];
  const uint64_t LineBits = 8ull * Model.options().LineBytes;
  LineItem Item;
  Item.Field = F;
  uint64_t Step = 8 * addressStep(Field, Model);
  if (Field.FlexibleArray) {
    Item.Bits = 8;
    Item.Large = true; // stays last: nothing follows it
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
  return Item;
}

void LineProblem::describe(const RecordInfo &Record, const LayoutCost &Model,
                           const Constraints &Rules) {
  for (uint32_t F = 0; F < Model.fieldCount(); ++F)
    if (Model.active(F))
      Items.push_back(describeField(Record, Model, F));
  GroupBits.push_back(0);
  for (LineItem &Item : Items)
    Item.Group = Rules.units()[Rules.unitOf(Item.Field)].Segment;
  for (const Unit &U : Rules.units()) {
    GroupBits.resize(std::max<size_t>(GroupBits.size(), U.Segment + 1));
    for (uint32_t F : U.Fields)
      GroupBits[U.Segment] += Record.Fields[F].SizeBits;
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
  double P, Worth;
};
} // namespace

/// Chooses what stays, sorts the items by what they cost alone, and fills the
/// tables.
void LineProblem::link(const LayoutCost &Model, double Drop) {
  std::vector<uint32_t> ItemOf(Model.fieldCount(), ~0u);
  for (uint32_t I = 0; I < Items.size(); ++I)
    ItemOf[Items[I].Field] = I;
  std::vector<Pair> Pairs;
  double Base = 0; // at least one line for each visit: below any cost
  for (uint32_t S = 0; S < Model.setCount(); ++S) {
    double Untouched = 1;
    for (auto [Field, P] : Model.touches(S)) {
      Pairs.push_back({S, ItemOf[Field], P, Model.weight(S) * P});
      Untouched *= 1 - P;
    }
    Base += Model.weight(S) * (1 - Untouched);
  }
  auto Weakest = [](const Pair &A, const Pair &B) {
    return std::tie(A.Worth, A.Set, A.Item) < std::tie(B.Worth, B.Set, B.Item);
  };
  std::sort(Pairs.begin(), Pairs.end(), Weakest);
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
  std::stable_sort(Rank.begin(), Rank.end(),
                   [&](uint32_t A, uint32_t B) { return Worth[A] > Worth[B]; });
  Spent = 0;
  while (!Rank.empty() && Spent + Worth[Rank.back()] <= Drop * Base / 2) {
    Spent += Worth[Rank.back()];
    Rank.pop_back();
  }
  std::vector<uint32_t> NewOf(Items.size(), ~0u);
  std::vector<LineItem> Kept;
  for (uint32_t I : Rank) {
    NewOf[I] = static_cast<uint32_t>(Kept.size());
    Kept.push_back(Items[I]);
    Alone.push_back(Worth[I]);
  }
  Items = std::move(Kept);

  const size_t N = Items.size();
  Clash.resize(N * N);
  for (size_t I = 0; I < N; ++I)
    for (size_t J = 0; J < N; ++J)
      Clash[I * N + J] =
          Model.options().LambdaShare *
          Model.conflicts().between(Items[I].Field, Items[J].Field);

  std::sort(Pairs.begin(), Pairs.end(), [](const Pair &A, const Pair &B) {
    return std::tie(A.Set, A.Item) < std::tie(B.Set, B.Item);
  });
  std::vector<std::vector<Touch>> Of(N);
  for (size_t At = 0; At < Pairs.size();) {
    uint32_t Set = Pairs[At].Set;
    size_t Before = SetTouches.size();
    for (; At < Pairs.size() && Pairs[At].Set == Set; ++At)
      if (uint32_t I = NewOf[Pairs[At].Item]; I != ~0u) {
        SetTouches.push_back({I, Pairs[At].P});
        Of[I].push_back({static_cast<uint32_t>(Weights.size()), Pairs[At].P});
      }
    if (SetTouches.size() == Before)
      continue;
    Weights.push_back(Model.weight(Set));
    SetBegin.push_back(SetTouches.size());
  }
  for (const auto &List : Of) {
    ItemTouches.insert(ItemTouches.end(), List.begin(), List.end());
    ItemBegin.push_back(ItemTouches.size());
  }
}

/// Bytes that padding between fields can take at most, in any order. Padding
/// stands between a field and the next one: if addresses after the first are
/// multiples of g and the second is aligned to a, it is at most a - g. Each
/// field is first in one such pair at most and second in one at most, so the
/// sum is largest when the smallest g meet the largest a.
static uint64_t mostPadding(const RecordInfo &Record) {
  std::vector<uint64_t> After, Wanted;
  for (const FieldInfo &Field : Record.Fields) {
    uint64_t Align = 8ull * std::max(1u, Field.AlignBytes);
    bool Loose = Field.BitField || Field.SizeBits % 8;
    After.push_back(Loose ? 0 : std::gcd(Align, Field.SizeBits));
    Wanted.push_back(std::max<uint64_t>(Align, Field.StorageUnitBits));
  }
  std::sort(After.begin(), After.end());
  std::sort(Wanted.begin(), Wanted.end(), std::greater<>());
  uint64_t Sum = 0;
  for (size_t I = 0; I < After.size() && Wanted[I] > After[I]; ++I)
    Sum += Wanted[I] - After[I];
  return Sum / 8 + Record.AlignBytes + 1;
}

void LineProblem::countLines(const RecordInfo &Record,
                             const LayoutCost &Model) {
  const uint64_t Line = Model.options().LineBytes;
  // Lines that lie within a field larger than a line hold nothing else. An
  // active one has its touched byte on the line before those.
  uint64_t Covered = 0;
  bool Flexible = false;
  for (uint32_t F = 0; F < Model.fieldCount(); ++F) {
    const FieldInfo &Field = Record.Fields[F];
    Flexible |= Field.FlexibleArray;
    uint64_t Bytes = Field.SizeBits / 8, Step = addressStep(Field, Model);
    if (Bytes > Line)
      Covered += (Model.active(F) ? Bytes - Line
                                  : Bytes - Line + std::min(Step, Line)) /
                 Line;
  }
  uint64_t All = Model.minimumLines() + (Model.starts().size() > 1) + Flexible;
  FreeLines = static_cast<double>(All > Covered ? All - Covered : 0);
  LinePrice = Model.options().LambdaPad * Model.visits();
  uint64_t Bits = 0;
  for (const FieldInfo &Field : Record.Fields)
    Bits += Field.SizeBits;
  uint64_t Most = (Bits / 8 + 1 + mostPadding(Record) + Line - 1) / Line;
  ExtraLines = static_cast<double>(
      Most > Model.minimumLines() ? Most - Model.minimumLines() : 0);
}

double LineProblem::cost(std::span<const uint32_t> Members) const {
  std::vector<double> Miss(setCount(), 1.0);
  double Sum = 0;
  for (size_t A = 0; A < Members.size(); ++A) {
    for (auto [Set, P] : setsOf(Members[A])) {
      Sum += Weights[Set] * Miss[Set] * P;
      Miss[Set] *= 1 - P;
    }
    for (size_t B = 0; B < A; ++B)
      Sum += conflict(Members[A], Members[B]);
  }
  return Sum;
}

} // namespace kst
