// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/affinity/CostState.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace kst {

CostState::CostState(const LayoutCost &Model, const Layout &Plan)
    : Model(Model), N(Model.extents().size()), K(Model.starts().size()),
      Next(N * K), Starts(K), SizeBytes(Plan.SizeBytes),
      NextSize(Plan.SizeBytes), SetMark(Model.setCount()) {
  findLines(Plan.OffsetBits);
  Now = Next;
  sum();
}

void CostState::findLines(std::span<const uint64_t> OffsetBits) {
  const int ToLine = std::countr_zero(8ull * Model.options().LineBytes);
  uint32_t Highest = 0;
  for (size_t I = 0; I < K; ++I) {
    uint64_t Shift = 8ull * Model.starts()[I];
    Lines *At = &Next[I * N];
    for (const LayoutCost::Extent &Of : Model.extents()) {
      Lines &Here = *At++;
      if (!Of.Bits)
        continue;
      uint64_t First = OffsetBits[Of.Field] + Of.OffsetBits + Shift;
      Here.First = static_cast<uint32_t>(First >> ToLine);
      Here.Last = static_cast<uint32_t>((First + Of.Bits - 1) >> ToLine);
      Highest = std::max(Highest, Here.Last);
    }
  }
  Work += 2 * N * K; // here and where trial() looks for what changed
  if (Chances.size() <= Highest)
    Chances.resize(Highest + 1);
}

/// Expected lines that a visit of set S touches, fields being on lines At[].
/// Tells Use of each of these lines.
template <typename Tell>
double CostState::visit(size_t S, const Lines *At, Tell Use) {
  Touched.clear();
  for (auto [Field, P, W] : Model.touches(S))
    for (uint32_t L = At[Field].First; L <= At[Field].Last; ++L) {
      LineChance &Line = Chances[L];
      if (!Line.Seen) {
        Line.Seen = true;
        Touched.push_back(L);
      }
      Line.Untouched *= 1 - P;
      Line.Unwritten *= 1 - W;
    }
  double Sum = 0;
  for (uint32_t L : Touched) {
    const Part Here{L, 1 - Chances[L].Untouched, 1 - Chances[L].Unwritten};
    Sum += Here.Use;
    Use(Here);
    Chances[L] = {};
  }
  return Sum;
}

void CostState::sum(Start &Here, const Lines *At) {
  const size_t Sets = Model.setCount();
  Here.Parts.clear();
  Here.PartBegin.assign(1, 0);
  Here.SetLines.clear();
  Here.Uses.assign(Chances.size(), {});
  for (size_t S = 0; S < Sets; ++S) {
    Here.SetLines.push_back(visit(S, At, [&](const Part &P) {
      Here.Uses[P.Line].add(Model.meeting(S), P.Use, P.Write);
      Here.Parts.push_back(P);
    }));
    Here.PartBegin.push_back(Here.Parts.size());
    Work += Model.touches(S).size();
  }
  Here.Lost.clear();
  Here.Shared = 0;
  for (const LineUse &Line : Here.Uses) {
    Here.Lost.push_back(Model.sharing(Line));
    Here.Shared += Here.Lost.back();
  }
}

/// All from scratch: no rounding is carried from one layout to the next.
void CostState::sum() {
  double LineSum = 0, ShareSum = 0;
  for (size_t I = 0; I < K; ++I) {
    sum(Starts[I], &Now[I * N]);
    for (size_t S = 0; S < Model.setCount(); ++S)
      LineSum += Model.weight(S) * Starts[I].SetLines[S];
    ShareSum += Starts[I].Shared;
  }
  Current.Lines = LineSum / static_cast<double>(K);
  Current.Sharing = ShareSum / static_cast<double>(K);
  Current.Padding = Model.padding(SizeBytes);
  Current.Touched = Current.Lines / Model.lineCycles();
  Current.Lost =
      Model.lostCycles() > 0 ? Current.Sharing / Model.lostCycles() : 0;
  Known.clear();
}

/// Adds what changes for one start.
void CostState::compare(const Start &Here, const Lines *Old, const Lines *New,
                        Change &Sum) {
  ++SetEpoch;
  Trial = Here.Uses;
  Trial.resize(Chances.size());
  for (uint32_t F = 0; F < N; ++F) {
    if (Old[F] == New[F])
      continue;
    for (uint32_t S : Model.setsOf(F)) {
      if (SetMark[S] == SetEpoch)
        continue;
      SetMark[S] = SetEpoch;
      const GroupVisits &Meeting = Model.meeting(S);
      for (size_t P = Here.PartBegin[S]; P < Here.PartBegin[S + 1]; ++P) {
        const Part &Was = Here.Parts[P];
        Trial[Was.Line].remove(Meeting, Was.Use, Was.Write);
      }
      const double Expected = visit(S, New, [&](const Part &Is) {
        Trial[Is.Line].add(Meeting, Is.Use, Is.Write);
      });
      Sum.Lines += Model.weight(S) * (Expected - Here.SetLines[S]);
      Sum.Touches += 2 * Model.touches(S).size();
    }
  }
  double Shared = 0;
  for (size_t L = 0; L < Trial.size(); ++L)
    Shared += L < Here.Uses.size() && Trial[L] == Here.Uses[L]
                  ? Here.Lost[L]
                  : Model.sharing(Trial[L]);
  Sum.Shared += Shared - Here.Shared;
}

/// Next against Now.
CostState::Change CostState::compare() {
  Change Sum;
  for (size_t I = 0; I < K; ++I)
    compare(Starts[I], &Now[I * N], &Next[I * N], Sum);
  return Sum;
}

double CostState::trial(std::span<const uint64_t> OffsetBits, uint64_t Size) {
  findLines(OffsetBits);
  NextSize = Size;
  auto [At, New] =
      Known.try_emplace(hash128({reinterpret_cast<const char *>(Next.data()),
                                 Next.size() * sizeof(Lines)}));
  if (New)
    At->second = compare();
  const Change &Change = At->second;
  Work += Change.Touches + K * Chances.size();
  const double Scale = static_cast<double>(K);
  return Current.Lines + Change.Lines / Scale + Current.Sharing +
         Change.Shared / Scale + Model.padding(Size);
}

void CostState::commit() {
  Now = Next;
  SizeBytes = NextSize;
  sum();
}

} // namespace kst
