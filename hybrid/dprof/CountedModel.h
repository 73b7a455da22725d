// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cache model with its answers counted by group: types, or what else the
// caller numbers.

#pragma once

#include "hybrid/dprof/DataProfile.h"

namespace kst {

class CountedModel {
public:
  CountedModel(const CacheGeometry &Geometry, const CacheOptions &Options,
               size_t Groups)
      : Model(Geometry, Options), Counts(Groups),
        LineShift(unsigned(std::countr_zero(Geometry.LineBytes))) {}

  /// `Tag`: the caller's, comes back if the miss turns out to be true sharing.
  struct Access {
    uint64_t Address;
    uint32_t Bytes; ///< at least 1
    unsigned Cpu;
    AccessKind Kind;
    uint32_t Group, Tag;
  };
  /// One access for each line. Calls Line(line, outcome) for each, and
  /// Turned(levels, tag, line) when an earlier miss of the CPU on that line,
  /// counted as false sharing at these levels (bit N: CacheLevel N), was true
  /// sharing: counts here are mended.
  template <typename OnLine, typename OnTurned>
  void access(const Access &Of, OnLine &&Line, OnTurned &&Turned) {
    const uint64_t LineBytes = Model.Geometry.LineBytes;
    // Memory does not wrap.
    const uint64_t Last = std::max(Of.Address, Of.Address + (Of.Bytes - 1));
    for (uint64_t At = Of.Address;;) {
      const uint64_t End = std::min(Last, At | (LineBytes - 1));
      const AccessOutcome Out =
          Model.access({At, uint32_t(End - At + 1), uint16_t(Of.Cpu), Of.Kind});
      if (Model.Options.Classes == ClassRule::Lifetime)
        remember(Of, At >> LineShift, Out, Turned);
      count(Of, Out);
      Line(At >> LineShift, Out);
      if (End == Last)
        return;
      At = End + 1;
    }
  }

  const CacheModel &model() const { return Model; }
  const std::vector<AccessCounts> &counts() const { return Counts; }

private:
  struct OpenMiss {
    uint32_t Group = 0, Tag = 0;
  };

  void count(const Access &Of, const AccessOutcome &Out) {
    AccessCounts &To = Counts[Of.Group];
    ++(Of.Kind == AccessKind::Load ? To.Loads : To.Stores);
    ++To.Served[size_t(Out.From)];
    To.Upgrades += Out.Upgrade;
    for (size_t L = 0; L < CacheLevels; ++L)
      if (Out.Class[L] != MissClass::None)
        ++To.Missed[L][size_t(Out.Class[L])];
  }

  template <typename OnTurned>
  void remember(const Access &Of, uint64_t Line, const AccessOutcome &Out,
                OnTurned &&Turned) {
    const uint64_t Key = Line * Model.Options.Cpus + Of.Cpu;
    if (const OpenMiss *Was = Open.find(Key); Was && Out.TurnedTrue) {
      for (size_t L = 0; L < CacheLevels; ++L)
        if (Out.TurnedTrue >> L & 1) {
          auto &Missed = Counts[Was->Group].Missed[L];
          --Missed[size_t(MissClass::FalseSharing)];
          ++Missed[size_t(MissClass::TrueSharing)];
        }
      Turned(Out.TurnedTrue, Was->Tag, Line);
    }
    for (MissClass Class : Out.Class)
      if (Class == MissClass::FalseSharing)
        Open[Key] = {Of.Group, Of.Tag};
  }

  CacheModel Model;
  std::vector<AccessCounts> Counts; ///< by group
  LineTable<OpenMiss> Open;         ///< [line * CPUs + CPU]
  const unsigned LineShift;
};

} // namespace kst
