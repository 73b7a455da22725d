// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/LayoutView.h"

#include "hybrid/fieldorder/FieldView.h"

#include <algorithm>
#include <functional>
#include <map>

namespace kst {
namespace {

uint64_t lineBits(uint32_t LineBytes) {
  return 8 * uint64_t(LineBytes ? LineBytes : 64);
}

/// Every field exactly once, each with an offset.
bool isComplete(const Layout &Plan, size_t Fields) {
  if (Plan.Order.size() != Fields || Plan.OffsetBits.size() != Fields)
    return false;
  std::vector<bool> Seen(Fields, false);
  for (uint32_t F : Plan.Order) {
    if (F >= Fields || Seen[F])
      return false;
    Seen[F] = true;
  }
  return true;
}

Layout declared(const RecordInfo &R) {
  Layout Plan;
  for (uint32_t F = 0; F < R.Fields.size(); ++F) {
    Plan.Order.push_back(F);
    Plan.OffsetBits.push_back(R.Fields[F].OffsetBits);
  }
  Plan.SizeBytes = R.SizeBytes;
  Plan.AlignBytes = R.AlignBytes;
  return Plan;
}

void fillPlaces(const RecordInfo &R, const Layout &Plan, LayoutView &View) {
  uint64_t End = 0;
  for (uint32_t F : Plan.Order) {
    if (R.Fields[F].Absent)
      continue;
    FieldPlace P;
    P.Field = F;
    P.BeginBits = Plan.OffsetBits[F];
    P.EndBits = P.BeginBits + (R.Fields[F].ZeroSize ? 0 : R.Fields[F].SizeBits);
    P.HoleBits = P.BeginBits > End ? P.BeginBits - End : 0;
    View.HoleCount += P.HoleBits != 0;
    View.HoleBits += P.HoleBits;
    End = std::max(End, P.EndBits);
    View.Places.push_back(P);
  }
  uint64_t SizeBits = 8 * View.SizeBytes;
  View.PaddingBytes = SizeBits > End ? (SizeBits - End) / 8 : 0;
}

/// For each field, see FieldPlace::Spots.
std::vector<std::vector<std::pair<uint32_t, double>>>
spotShares(const AffinityEvidence &E, uint32_t LineBytes) {
  std::vector<std::map<uint32_t, double>> Sums(E.Record.Fields.size());
  for (const CoAccessSet &Set : E.Sets)
    for (const FieldTouch &T : Set.Touches)
      if (T.Field < Sums.size() &&
          E.Record.Fields[T.Field].SizeBits > lineBits(LineBytes)) {
        if (T.Spots.empty())
          Sums[T.Field][0] += Set.Weight * T.Probability;
        for (const Spot &At : T.Spots)
          Sums[T.Field][At.OffsetBytes] += Set.Weight * At.Probability;
      }
  std::vector<std::vector<std::pair<uint32_t, double>>> Shares(Sums.size());
  for (size_t F = 0; F != Sums.size(); ++F) {
    double All = 0;
    for (auto [Offset, Visits] : Sums[F])
      All += Visits;
    // All at the start: nothing tells.
    if (!(All > 0) || Sums[F].rbegin()->first == 0)
      continue;
    for (auto [Offset, Visits] : Sums[F])
      Shares[F].emplace_back(Offset, Visits / All);
    std::ranges::stable_sort(Shares[F], std::greater<>(),
                             &std::pair<uint32_t, double>::second);
  }
  return Shares;
}

void fillLines(const Report &R, LayoutView &View) {
  uint64_t Bits = lineBits(R.CacheLineBytes);
  uint64_t Count = (8 * View.SizeBytes + Bits - 1) / Bits;
  for (uint64_t I = 0; I < Count; ++I)
    View.Lines.push_back({uint32_t(I), {}, 0});
  if (View.Lines.empty())
    return;
  std::vector<double> Heat = hotness(R.Evidence);
  const auto Spots = spotShares(R.Evidence, R.CacheLineBytes);
  for (FieldPlace &P : View.Places) {
    P.Spots = Spots[P.Field];
    uint64_t Last =
        std::min<uint64_t>(lastLine(P, R.CacheLineBytes), Count - 1);
    uint64_t First = std::min<uint64_t>(firstLine(P, R.CacheLineBytes), Last);
    uint64_t Size = P.EndBits - P.BeginBits;
    for (uint64_t I = First; I <= Last; ++I) {
      View.Lines[I].Fields.push_back(P.Field);
      uint64_t Begin = std::max(P.BeginBits, I * Bits);
      uint64_t End = std::min(P.EndBits, (I + 1) * Bits);
      double Part = Size && End > Begin ? double(End - Begin) / double(Size)
                                        : (I == First && !Size ? 1 : 0);
      if (!P.Spots.empty())
        Part = shareWithin(P, I * Bits, (I + 1) * Bits);
      View.Lines[I].Share += Heat[P.Field] * Part;
    }
  }
}

} // namespace

double shareWithin(const FieldPlace &P, uint64_t BeginBits, uint64_t EndBits) {
  double Sum = 0;
  for (auto [Offset, Share] : P.Spots)
    if (const uint64_t At = P.BeginBits + 8ull * Offset;
        At >= BeginBits && At < EndBits)
      Sum += Share;
  return Sum;
}

uint32_t firstLine(const FieldPlace &P, uint32_t LineBytes) {
  return uint32_t(P.BeginBits / lineBits(LineBytes));
}

uint32_t lastLine(const FieldPlace &P, uint32_t LineBytes) {
  uint64_t Last = P.EndBits > P.BeginBits ? P.EndBits - 1 : P.BeginBits;
  return uint32_t(Last / lineBits(LineBytes));
}

LayoutView placesOf(const RecordInfo &Record, const Layout &Plan) {
  bool Complete = isComplete(Plan, Record.Fields.size());
  Layout Declared = Complete ? Layout() : declared(Record);
  const Layout &Used = Complete ? Plan : Declared;
  LayoutView View;
  View.SizeBytes = Used.SizeBytes;
  fillPlaces(Record, Used, View);
  return View;
}

LayoutView viewOf(const Report &R, const Layout &Plan) {
  LayoutView View = placesOf(R.Evidence.Record, Plan);
  fillLines(R, View);
  return View;
}

LayoutView currentView(const Report &R) {
  return viewOf(R, R.Layouts.Current.Plan);
}

LayoutView proposedView(const Report &R) {
  return viewOf(R, R.Layouts.Proposed.Plan);
}

uint32_t linesForShare(const LayoutView &View, double Wanted) {
  std::vector<double> Shares;
  for (const LineView &Line : View.Lines)
    Shares.push_back(Line.Share);
  std::sort(Shares.rbegin(), Shares.rend());
  double Sum = 0;
  uint32_t Count = 0;
  for (double Share : Shares) {
    if (Sum >= Wanted - 1e-9 || Share <= 0)
      break;
    Sum += Share;
    ++Count;
  }
  return Count;
}

std::vector<bool> movedFields(const LayoutView &Current,
                              const LayoutView &Proposed) {
  size_t N = Current.Places.size(), Fields = 0;
  for (const FieldPlace &P : Current.Places)
    Fields = std::max<size_t>(Fields, P.Field + 1);
  std::vector<uint32_t> Rank(Fields, 0);
  for (uint32_t I = 0; I < N; ++I)
    Rank[Current.Places[I].Field] = I;
  // Longest increasing subsequence of ranks in the proposed order; of equal
  // lengths the predecessor that comes first.
  std::vector<uint32_t> Length(N, 1), Before(N, ~0u);
  uint32_t Best = 0;
  for (uint32_t I = 0; I < N; ++I) {
    uint32_t RankI = Rank[Proposed.Places[I].Field];
    for (uint32_t J = 0; J < I; ++J) {
      if (Rank[Proposed.Places[J].Field] < RankI && Length[J] + 1 > Length[I]) {
        Length[I] = Length[J] + 1;
        Before[I] = J;
      }
    }
    if (Length[I] > Length[Best])
      Best = I;
  }
  std::vector<bool> Moved(Fields, false);
  for (const FieldPlace &P : Proposed.Places)
    Moved[P.Field] = true;
  for (uint32_t I = N ? Best : ~0u; I != ~0u; I = Before[I])
    Moved[Proposed.Places[I].Field] = false;
  return Moved;
}

} // namespace kst
