// SPDX-License-Identifier: GPL-2.0-or-later
//
// Records and sets in one line each, for the tests of layout and graph.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/layout/FieldOffsets.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace kst::test {

inline FieldInfo field(std::string Name, uint32_t SizeBytes,
                       uint32_t AlignBytes = 0) {
  FieldInfo F;
  F.Name = std::move(Name);
  F.SizeBits = 8ull * SizeBytes;
  F.AlignBytes = AlignBytes ? AlignBytes : SizeBytes;
  return F;
}

inline FieldInfo aligned(FieldInfo F, uint32_t AlignBytes) {
  F.ExplicitAlignBytes = AlignBytes;
  F.AlignBytes = std::max(F.AlignBytes, AlignBytes);
  return F;
}

inline FieldInfo bits(std::string Name, uint32_t Width,
                      uint32_t UnitBytes = 4) {
  FieldInfo F = field(std::move(Name), UnitBytes);
  F.BitField = true;
  F.SizeBits = Width;
  F.StorageUnitBits = 8 * UnitBytes;
  return F;
}

inline FieldInfo marker(std::string Name) {
  FieldInfo F = field(std::move(Name), 0, 1);
  F.ZeroSize = true;
  return F;
}

/// Fields Begin to End - 1 of a record, as one anonymous struct. Call it for
/// outer ones first.
struct Nested {
  uint32_t Begin, End;
  uint32_t ExplicitAlignBytes = 0;
};

inline void nest(RecordInfo &R, const Nested &In) {
  GroupInfo G;
  G.Name = R.Fields[In.Begin].Name;
  G.Parent = R.Fields[In.Begin].Group;
  G.ExplicitAlignBytes = In.ExplicitAlignBytes;
  G.AlignBytes = std::max(1u, In.ExplicitAlignBytes);
  for (uint32_t F = In.Begin; F < In.End; ++F) {
    G.AlignBytes = std::max(G.AlignBytes, R.Fields[F].AlignBytes);
    R.Fields[F].Group = static_cast<uint32_t>(R.Groups.size());
  }
  R.Groups.push_back(G);
  // What it is aligned to, so are those around it.
  for (uint32_t P = G.Parent; P != NoGroup; P = R.Groups[P].Parent)
    R.Groups[P].AlignBytes = std::max(R.Groups[P].AlignBytes, G.AlignBytes);
}

/// A record whose stated offsets are our own.
inline RecordInfo record(std::vector<FieldInfo> Fields, uint32_t AlignBytes = 0,
                         std::vector<Nested> Structs = {}) {
  RecordInfo R;
  R.Name = "sample";
  R.Fields = std::move(Fields);
  for (const Nested &In : Structs)
    nest(R, In);
  for (const FieldInfo &F : R.Fields)
    R.AlignBytes = std::max(R.AlignBytes, F.AlignBytes);
  for (const GroupInfo &G : R.Groups)
    R.AlignBytes = std::max(R.AlignBytes, G.AlignBytes);
  R.AlignBytes = std::max(R.AlignBytes, AlignBytes);
  Layout Plan = FieldOffsets(R).layout(declarationOrder(R));
  for (size_t F = 0; F < R.Fields.size(); ++F)
    R.Fields[F].OffsetBits = Plan.OffsetBits[F];
  R.SizeBytes = Plan.SizeBytes;
  return R;
}

inline FieldTouch touch(uint32_t Field, double P = 1, double Writes = 0) {
  FieldTouch T;
  T.Field = Field;
  T.Probability = P;
  T.Reads = P;
  T.Writes = Writes;
  return T;
}

inline CoAccessSet visit(double Weight, std::vector<FieldTouch> Touches,
                         CpuRelation Cpu = CpuRelation::Local) {
  CoAccessSet S;
  S.Weight = Weight;
  S.Touches = std::move(Touches);
  S.Cpu = Cpu;
  return S;
}

/// Up to three anonymous structs among N fields, some in one another.
inline std::vector<Nested> randomStructs(std::mt19937 &Rng, uint32_t N) {
  std::vector<Nested> All;
  uint32_t Begin = 0, End = N;
  for (uint32_t Left = 1 + Rng() % 3; Left; --Left) {
    if (!All.empty() && Rng() % 2) { // behind all
      for (const Nested &Other : All)
        Begin = std::max(Begin, Other.End);
      End = N;
    }
    if (Begin >= End)
      break;
    Nested In{Begin + static_cast<uint32_t>(Rng() % (End - Begin)), End};
    In.End = In.Begin + 1 + static_cast<uint32_t>(Rng() % (End - In.Begin));
    const uint32_t Aligns[] = {0, 0, 0, 16, 64};
    In.ExplicitAlignBytes = Aligns[Rng() % 5];
    All.push_back(In);
    Begin = In.Begin;
    End = In.End;
  }
  return All;
}

/// A random record of mixed fields, some bit-fields, markers and anchors.
inline RecordInfo randomRecord(std::mt19937 &Rng, uint32_t Count) {
  std::vector<FieldInfo> Fields;
  for (uint32_t I = 0; I < Count; ++I) {
    std::string Name = "f"; // in two steps: GCC bug 105651 warns of one
    Name += std::to_string(I);
    switch (Rng() % 16) {
    case 0:
      Fields.push_back(bits(Name, 1 + Rng() % 20));
      break;
    case 1:
      Fields.push_back(field(Name, 1));
      break;
    case 2:
      Fields.push_back(field(Name, 16, 8));
      break;
    case 3:
      Fields.push_back(field(Name, 8 * (1 + Rng() % 30), 8));
      break;
    case 4:
      Fields.push_back(Rng() % 4 ? field(Name, 2)
                                 : aligned(field(Name, 8), 64));
      break;
    case 5:
      Fields.push_back(Rng() % 4 ? field(Name, 4) : marker(Name));
      break;
    default:
      Fields.push_back(field(Name, Rng() % 2 ? 8 : 4));
    }
  }
  return record(std::move(Fields), Rng() % 2 ? 64 : 0);
}

inline std::vector<CoAccessSet> randomSets(std::mt19937 &Rng, uint32_t Fields,
                                           uint32_t Count) {
  auto MoveUnit = [&] { return double(Rng() % 1000 + 1) / 1000; };
  std::vector<CoAccessSet> Sets;
  for (uint32_t I = 0; I < Count; ++I) {
    std::vector<FieldTouch> Touches;
    uint32_t Size = 1 + Rng() % 8, Around = Rng() % Fields;
    for (uint32_t J = 0; J < Size; ++J) {
      uint32_t F = Rng() % 3 ? (Around + 7 * J) % Fields : Rng() % Fields;
      bool Seen = false;
      for (const FieldTouch &T : Touches)
        Seen |= T.Field == F;
      if (!Seen)
        Touches.push_back(
            touch(F, Rng() % 2 ? 1 : MoveUnit(), Rng() % 3 ? 0 : 1));
    }
    std::sort(Touches.begin(), Touches.end(),
              [](auto &A, auto &B) { return A.Field < B.Field; });
    Sets.push_back(
        visit(10 * MoveUnit(), Touches, static_cast<CpuRelation>(Rng() % 3)));
  }
  return Sets;
}

/// Gives touches of fields larger than 64 bytes up to four spots, half of the
/// time.
inline void addRandomSpots(uint32_t Seed, const RecordInfo &R,
                           std::vector<CoAccessSet> &Sets) {
  std::mt19937 Rng(Seed);
  for (CoAccessSet &Set : Sets)
    for (FieldTouch &T : Set.Touches) {
      const auto Bytes = static_cast<uint32_t>(R.Fields[T.Field].SizeBits / 8);
      if (Bytes <= LeastSpottedBytes || Rng() % 2)
        continue;
      std::vector<Spot> Some;
      for (uint32_t Count = 1 + Rng() % 4; Count; --Count)
        Some.push_back({static_cast<uint32_t>(Rng() % Bytes) / 8 * 8,
                        T.Probability * double(1 + Rng() % 4) / 4, T.Writes});
      for (const Spot &One : Some)
        addSpots(T.Spots, {One}, 1, 1);
    }
}

} // namespace kst::test
