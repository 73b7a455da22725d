// SPDX-License-Identifier: GPL-2.0-or-later
//
// See LayoutCost.h for the formula and its assumptions.

#include "hybrid/affinity/LayoutCost.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

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
                       const CostOptions &Options,
                       const SharingOptions &Sharing)
    : Opts(Options), How(Sharing), FieldSets(Record.Fields.size()),
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
  addSets(Sets, Sharing);
}

void LayoutCost::addSets(std::span<const CoAccessSet> Sets,
                         const SharingOptions &Sharing) {
  // Sets that touch the same fields with the same probabilities cost the same
  // in every layout: one entry with the sum of the weights is exact.
  std::map<std::vector<std::tuple<uint32_t, double, double>>, size_t> Seen;
  for (const CoAccessSet &Set : Sets) {
    if (!(Set.Weight > 0))
      continue;
    Visits += Set.Weight;
    std::vector<std::tuple<uint32_t, double, double>> Key;
    for (const FieldTouch &T : Set.Touches)
      if (T.Field < Bits.size() && Bits[T.Field] && T.Probability > 0)
        Key.emplace_back(T.Field, std::min(1.0, T.Probability), writeChance(T));
    if (Key.empty())
      continue;
    std::ranges::sort(Key);
    for (auto [Field, P, W] : Key)
      Heat[Field] += Set.Weight * P;
    auto [At, New] = Seen.try_emplace(Key, Weights.size());
    if (New) {
      for (auto [Field, P, W] : Key) {
        Touches.push_back({Field, P, W});
        FieldSets[Field].push_back(static_cast<uint32_t>(Weights.size()));
      }
      Weights.push_back(0);
      Meetings.emplace_back();
      SetBegin.push_back(Touches.size());
    }
    const GroupVisits Meeting = meetingVisits(Set, Sharing);
    Weights[At->second] += Set.Weight;
    Meetings[At->second].Owner += Meeting.Owner;
    Meetings[At->second].Others += Meeting.Others;
  }
}

Cost LayoutCost::price(const Layout &Plan) const {
  return CostState(*this, Plan).price();
}

CostState::CostState(const LayoutCost &Model, const Layout &Plan)
    : Model(Model), N(Model.fieldCount()), K(Model.Starts.size()), Next(N * K),
      SetLines(K * Model.setCount()), Uses(K), Shared(K),
      SizeBytes(Plan.SizeBytes), NextSize(Plan.SizeBytes),
      SetMark(Model.setCount()) {
  findLines(Plan.OffsetBits);
  Now = Next;
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
  if (Chances.size() <= Highest)
    Chances.resize(Highest + 1);
}

/// Expected lines that a visit of set S touches, fields being on lines At[].
/// Adds Sign times what its visits do to the lines.
double CostState::visit(size_t S, const Lines *At, std::vector<LineUse> &Of,
                        double Sign) {
  ++LineEpoch;
  double Sum = 0;
  const GroupVisits Meeting{Sign * Model.Meetings[S].Owner,
                            Sign * Model.Meetings[S].Others};
  auto Touches = Model.touches(S);
  Work += Touches.size();
  for (auto [Field, P, W] : Touches)
    for (uint32_t L = At[Field].First; L <= At[Field].Last; ++L) {
      LineChance &Line = Chances[L];
      if (Line.Mark != LineEpoch)
        Line = {LineEpoch, 1, 1};
      // 1 - m*(1-P) exceeds 1 - m by m*P.
      const double More = Line.Untouched * P;
      Sum += More;
      Of[L].add(Meeting, More, Line.Unwritten * W);
      Line.Untouched *= 1 - P;
      Line.Unwritten *= 1 - W;
    }
  return Sum;
}

double CostState::shared(const std::vector<LineUse> &Of) const {
  double Sum = 0;
  for (const LineUse &Line : Of)
    Sum += Model.sharing(Line);
  return Sum;
}

double CostState::padding(uint64_t Size) const {
  uint64_t Used = ceilDiv(Size, Model.Opts.LineBytes);
  double Extra = Used > Model.MinimumLines
                     ? static_cast<double>(Used - Model.MinimumLines)
                     : 0;
  return Model.Opts.LambdaPad * Model.Visits * Extra;
}

/// All from scratch: no rounding is carried from one layout to the next.
void CostState::sum() {
  double LineSum = 0, ShareSum = 0;
  for (size_t Start = 0; Start < K; ++Start) {
    Uses[Start].assign(Chances.size(), {});
    for (size_t S = 0; S < Model.setCount(); ++S) {
      double &Value = SetLines[Start * Model.setCount() + S];
      Value = visit(S, &Now[Start * N], Uses[Start], 1);
      LineSum += Model.Weights[S] * Value;
    }
    ShareSum += Shared[Start] = shared(Uses[Start]);
  }
  Current.Lines = LineSum / static_cast<double>(K);
  Current.Sharing = ShareSum / static_cast<double>(K);
  Current.Padding = padding(SizeBytes);
}

double CostState::trial(std::span<const uint64_t> OffsetBits, uint64_t Size) {
  findLines(OffsetBits);
  NextSize = Size;
  double LineDelta = 0, ShareDelta = 0;
  for (size_t Start = 0; Start < K; ++Start) {
    const Lines *Old = &Now[Start * N], *New = &Next[Start * N];
    ++SetEpoch;
    Trial = Uses[Start];
    Trial.resize(Chances.size());
    for (uint32_t F = 0; F < N; ++F) {
      if (Old[F] == New[F])
        continue;
      for (uint32_t S : Model.FieldSets[F]) {
        if (SetMark[S] == SetEpoch)
          continue;
        SetMark[S] = SetEpoch;
        visit(S, Old, Trial, -1);
        LineDelta +=
            Model.Weights[S] *
            (visit(S, New, Trial, 1) - SetLines[Start * Model.setCount() + S]);
      }
    }
    ShareDelta += shared(Trial) - Shared[Start];
    Work += Trial.size();
  }
  const double Scale = static_cast<double>(K);
  return Current.Lines + LineDelta / Scale + Current.Sharing +
         ShareDelta / Scale + padding(Size);
}

void CostState::commit() {
  Now = Next;
  SizeBytes = NextSize;
  sum();
}

} // namespace kst
