// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/GlobalReplay.h"

#include <algorithm>

namespace kst {
namespace {

/// Large enough for all globals of a kernel that run in a trace.
CacheGeometry sharingCaches(uint32_t LineBytes) {
  CacheGeometry Out;
  Out[CacheLevel::L2] = {4096, 16};
  Out.LineBytes = LineBytes;
  return Out;
}

CacheOptions sharingOptions(unsigned Cpus) {
  CacheOptions Out;
  Out.Cpus = Cpus;
  Out.Classes = ClassRule::AtMiss;
  return Out;
}

} // namespace

GlobalReplay::GlobalReplay(const std::vector<Global> &Globals,
                           const std::vector<GlobalPlace> &Places,
                           unsigned Cpus, uint32_t LineBytes)
    : Globals(Globals), Places(Places),
      Model(sharingCaches(LineBytes), sharingOptions(Cpus)),
      Counts(Globals.size()) {
  for (uint32_t G = 0; G < Globals.size(); ++G) {
    const GlobalVariable &Is = Globals[G].Is;
    uint64_t Begin = Is.Address, Size = Is.SizeBytes;
    if (!Places.empty()) {
      Begin = Places[G].Address;
      if (Places[G].StrideBytes)
        Size = Places[G].StrideBytes * Is.Number;
    }
    Spans.push_back({Begin, Begin + Size, G});
    if (Is.Number > 1)
      Counts[G].Elements.resize(std::min<uint64_t>(Is.Number, 1 << 16));
  }
  std::sort(Spans.begin(), Spans.end(), [](const Span &A, const Span &B) {
    return std::pair(A.Begin, A.Global) < std::pair(B.Begin, B.Global);
  });
}

uint64_t GlobalReplay::placeOf(uint32_t Global, uint64_t Address) const {
  if (Places.empty())
    return Address;
  const GlobalVariable &Is = Globals[Global].Is;
  const uint64_t Offset = Address - Is.Address,
                 New = Places[Global].StrideBytes;
  if (!New)
    return Places[Global].Address + Offset;
  return Places[Global].Address + Offset / Is.StrideBytes * New +
         Offset % Is.StrideBytes;
}

void GlobalReplay::blame(uint64_t Line, unsigned Cpu, uint32_t Victim) {
  const uint64_t LineBytes = Model.Geometry.LineBytes;
  const auto Written = Model.writtenByOthers(Cpu, Line / LineBytes);
  for (auto At = std::lower_bound(
           Spans.begin(), Spans.end(), Line,
           [](const Span &S, uint64_t A) { return S.End <= A; });
       At != Spans.end() && At->Begin < Line + LineBytes; ++At) {
    const uint64_t Begin = std::max(At->Begin, Line) - Line,
                   End = std::min(At->End, Line + LineBytes) - Line;
    for (uint64_t Byte = Begin; Byte < End; ++Byte)
      if (Written[Byte / 64] >> (Byte % 64) & 1) {
        ++Pairs[{At->Global, Victim}];
        break;
      }
  }
}

void GlobalReplay::access(uint64_t Address, uint32_t Bytes, unsigned Cpu,
                          AccessKind Kind) {
  if (Latest >= Globals.size())
    return;
  if (Address < Globals[Latest].Is.Address ||
      Address >= Globals[Latest].end()) {
    const Global *In = globalAt(Globals, Address);
    if (!In)
      return;
    Latest = uint32_t(In - Globals.data());
  }
  const GlobalVariable &Is = Globals[Latest].Is;
  const bool Store = Kind != AccessKind::Load;
  GlobalCounts &To = Counts[Latest];
  ++(Store ? To.Stores : To.Loads);
  const uint64_t Bit = uint64_t(1) << std::min(Cpu, 63u);
  (Store ? To.Writers : To.Readers) |= Bit;
  if (!To.Elements.empty())
    if (const uint64_t E = (Address - Is.Address) / Is.StrideBytes;
        E < To.Elements.size()) {
      ++(Store ? To.Elements[E].Stores : To.Elements[E].Loads);
      (Store ? To.Elements[E].Writers : To.Elements[E].Readers) |= Bit;
    }
  const uint64_t LineBytes = Model.Geometry.LineBytes;
  const uint64_t Begin = placeOf(Latest, Address);
  uint64_t End = Begin + std::max(1u, Bytes);
  for (uint64_t At = Begin; At < End;) {
    const uint64_t Line = At / LineBytes * LineBytes,
                   Next = std::min(End, Line + LineBytes);
    const AccessOutcome &Found =
        Model.access({At, uint32_t(Next - At), uint16_t(Cpu), Kind});
    const MissClass Class = Found.Class[size_t(CacheLevel::L2)];
    if (Class == MissClass::FalseSharing) {
      ++To.False;
      ++AllFalse;
      ++Lines[Line];
      blame(Line, Cpu, Latest);
    } else if (Class == MissClass::TrueSharing) {
      ++To.True;
      ++AllTrue;
    }
    At = Next;
  }
}

} // namespace kst
