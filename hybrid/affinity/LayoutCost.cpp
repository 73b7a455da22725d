// SPDX-License-Identifier: GPL-2.0-or-later
//
// See LayoutCost.h for the formula and its assumptions.

#include "hybrid/affinity/LayoutCost.h"

#include <algorithm>
#include <bit>
#include <map>

namespace kst {

uint64_t touchedBits(const FieldInfo &Field, uint32_t LineBytes) {
  if (Field.FlexibleArray)
    return 8;
  if (Field.SizeBits > 8ull * LineBytes)
    return 8;
  return Field.SizeBits;
}

uint32_t instanceAlignment(const RecordInfo &Record, uint32_t LineBytes) {
  bool Long = 2 * Record.SizeBytes > 3ull * LineBytes;
  return std::max(Long ? LineBytes : 1, Record.AlignBytes);
}

static uint64_t ceilDiv(uint64_t A, uint64_t B) { return (A + B - 1) / B; }

LayoutCost::LayoutCost(const RecordInfo &Record,
                       std::span<const CoAccessSet> Sets,
                       const Conflicts &Clashes, const CostOptions &Options)
    : Opts(Options), Clashes(Clashes), FieldSets(Record.Fields.size()),
      Heat(Record.Fields.size()) {
  uint64_t AllBits = 0;
  for (const FieldInfo &Field : Record.Fields) {
    Bits.push_back(touchedBits(Field, Opts.LineBytes));
    AllBits = Record.Union ? std::max(AllBits, Field.SizeBits)
                           : AllBits + Field.SizeBits;
  }
  uint64_t Align = std::max(1u, Record.AlignBytes);
  uint64_t MinimumBytes = ceilDiv(ceilDiv(AllBits, 8), Align) * Align;
  MinimumLines = ceilDiv(MinimumBytes, Opts.LineBytes);

  uint32_t Step = Opts.InstanceAlignBytes
                      ? Opts.InstanceAlignBytes
                      : instanceAlignment(Record, Opts.LineBytes);
  for (uint32_t Start = 0; Start < Opts.LineBytes; Start += Step)
    Starts.push_back(Start);
  addSets(Sets);
}

void LayoutCost::addSets(std::span<const CoAccessSet> Sets) {
  // Sets that touch the same fields with the same probabilities cost the same
  // in every layout: one entry with the sum of the weights is exact.
  std::map<std::vector<std::pair<uint32_t, double>>, size_t> Seen;
  for (const CoAccessSet &Set : Sets) {
    if (!(Set.Weight > 0))
      continue;
    Visits += Set.Weight;
    std::vector<std::pair<uint32_t, double>> Key;
    for (const FieldTouch &T : Set.Touches)
      if (T.Field < Bits.size() && Bits[T.Field] && T.Probability > 0)
        Key.emplace_back(T.Field, std::min(1.0, T.Probability));
    if (Key.empty())
      continue;
    std::ranges::sort(Key);
    for (auto [Field, P] : Key)
      Heat[Field] += Set.Weight * P;
    double Counted =
        Set.Weight * (Set.Cpu == CpuRelation::Remote ? Opts.LambdaRemote : 1);
    auto [At, New] = Seen.try_emplace(Key, Weights.size());
    if (!New) {
      Weights[At->second] += Counted;
      continue;
    }
    for (auto [Field, P] : Key) {
      Touches.push_back({Field, P});
      FieldSets[Field].push_back(static_cast<uint32_t>(Weights.size()));
    }
    Weights.push_back(Counted);
    SetBegin.push_back(Touches.size());
  }
}

Cost LayoutCost::price(const Layout &Plan) const {
  return CostState(*this, Plan).price();
}

CostState::CostState(const LayoutCost &Model, const Layout &Plan)
    : Model(Model), N(Model.fieldCount()), K(Model.Starts.size()), Next(N * K),
      SetLines(K * Model.setCount()), SizeBytes(Plan.SizeBytes),
      NextSize(Plan.SizeBytes), SetMark(Model.setCount()), FieldMark(N) {
  findLines(Plan.OffsetBits);
  Now = Next;
  for (size_t Start = 0; Start < K; ++Start)
    for (size_t S = 0; S < Model.setCount(); ++S)
      SetLines[Start * Model.setCount() + S] = expected(S, &Now[Start * N]);
  sum();
}

void CostState::findLines(std::span<const uint64_t> OffsetBits) {
  const int ToLine = std::countr_zero(8ull * Model.Opts.LineBytes);
  uint32_t Highest = 0;
  for (size_t Start = 0; Start < K; ++Start) {
    uint64_t Shift = 8ull * Model.Starts[Start];
    Lines *At = &Next[Start * N];
    for (size_t F = 0; F < N; ++F) {
      if (!Model.Bits[F])
        continue;
      uint64_t First = OffsetBits[F] + Shift;
      At[F].First = static_cast<uint32_t>(First >> ToLine);
      At[F].Last = static_cast<uint32_t>((First + Model.Bits[F] - 1) >> ToLine);
      Highest = std::max(Highest, At[F].Last);
    }
  }
  Work += 2 * N * K; // here and where trial() looks for what changed
  if (LineMark.size() <= Highest) {
    LineMark.resize(Highest + 1);
    LineMiss.resize(Highest + 1);
  }
}

/// Expected lines that a visit of set S touches, fields being on lines At[].
double CostState::expected(size_t S, const Lines *At) {
  ++LineEpoch;
  double Sum = 0;
  auto Touches = Model.touches(S);
  Work += Touches.size();
  for (auto [Field, P] : Touches)
    for (uint32_t L = At[Field].First; L <= At[Field].Last; ++L) {
      if (LineMark[L] != LineEpoch) {
        LineMark[L] = LineEpoch;
        LineMiss[L] = 1;
      }
      // 1 - m*(1-P) exceeds 1 - m by m*P.
      Sum += LineMiss[L] * P;
      LineMiss[L] *= 1 - P;
    }
  return Sum;
}

double CostState::padding(uint64_t Size) const {
  uint64_t Used = ceilDiv(Size, Model.Opts.LineBytes);
  double Extra = Used > Model.MinimumLines
                     ? static_cast<double>(Used - Model.MinimumLines)
                     : 0;
  return Model.Opts.LambdaPad * Model.Visits * Extra;
}

void CostState::sum() {
  double LineSum = 0, ShareSum = 0;
  for (size_t Start = 0; Start < K; ++Start) {
    const Lines *At = &Now[Start * N];
    for (size_t S = 0; S < Model.setCount(); ++S)
      LineSum += Model.Weights[S] * SetLines[Start * Model.setCount() + S];
    for (uint32_t F = 0; F < N; ++F)
      for (const Conflicts::Neighbour &H : Model.Clashes.of(F))
        if (H.Field > F && At[F].meets(At[H.Field]))
          ShareSum += H.Weight;
  }
  Current.Lines = LineSum / static_cast<double>(K);
  Current.Sharing = Model.Opts.LambdaShare * ShareSum / static_cast<double>(K);
  Current.Padding = padding(SizeBytes);
}

double CostState::trial(std::span<const uint64_t> OffsetBits, uint64_t Size) {
  findLines(OffsetBits);
  NextSize = Size;
  Pending.clear();
  const size_t SetCount = Model.setCount();
  double LineDelta = 0, ShareDelta = 0;
  for (size_t Start = 0; Start < K; ++Start) {
    const Lines *Old = &Now[Start * N], *New = &Next[Start * N];
    Changed.clear();
    ++FieldEpoch;
    ++SetEpoch;
    for (uint32_t F = 0; F < N; ++F)
      if (!(Old[F] == New[F])) {
        Changed.push_back(F);
        FieldMark[F] = FieldEpoch;
      }
    for (uint32_t F : Changed) {
      for (uint32_t S : Model.FieldSets[F]) {
        if (SetMark[S] == SetEpoch)
          continue;
        SetMark[S] = SetEpoch;
        size_t Index = Start * SetCount + S;
        double Value = expected(S, New);
        LineDelta += Model.Weights[S] * (Value - SetLines[Index]);
        Pending.push_back({Index, Value});
      }
      Work += Model.Clashes.of(F).size();
      for (const Conflicts::Neighbour &H : Model.Clashes.of(F)) {
        if (FieldMark[H.Field] == FieldEpoch && H.Field < F)
          continue; // both changed: counted from the other side
        ShareDelta += H.Weight * (double(New[F].meets(New[H.Field])) -
                                  double(Old[F].meets(Old[H.Field])));
      }
    }
  }
  double Scale = static_cast<double>(K);
  return Current.Lines + LineDelta / Scale + Current.Sharing +
         Model.Opts.LambdaShare * ShareDelta / Scale + padding(Size);
}

void CostState::commit() {
  for (const NewValue &P : Pending)
    SetLines[P.Index] = P.Value;
  Pending.clear();
  Now = Next;
  SizeBytes = NextSize;
  sum();
}

} // namespace kst
