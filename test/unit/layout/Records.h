// SPDX-License-Identifier: GPL-2.0-or-later
//
// Records and sets in one line each, for the tests of layout and graph.

#ifndef KST_TEST_UNIT_LAYOUT_RECORDS_H
#define KST_TEST_UNIT_LAYOUT_RECORDS_H

#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/model/Evidence.h"

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

/// A record whose stated offsets are our own.
inline RecordInfo record(std::vector<FieldInfo> Fields,
                         uint32_t AlignBytes = 0) {
  RecordInfo R;
  R.Name = "sample";
  R.Fields = std::move(Fields);
  for (const FieldInfo &F : R.Fields)
    R.AlignBytes = std::max(R.AlignBytes, F.AlignBytes);
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
  auto Unit = [&] { return double(Rng() % 1000 + 1) / 1000; };
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
        Touches.push_back(touch(F, Rng() % 2 ? 1 : Unit(), Rng() % 3 ? 0 : 1));
    }
    std::sort(Touches.begin(), Touches.end(),
              [](auto &A, auto &B) { return A.Field < B.Field; });
    Sets.push_back(
        visit(10 * Unit(), Touches, static_cast<CpuRelation>(Rng() % 3)));
  }
  return Sets;
}

} // namespace kst::test

#endif
