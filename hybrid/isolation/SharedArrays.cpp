// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/SharedArrays.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace kst {
namespace {

/// Elements with other elements on one of their lines.
uint64_t elementsSharing(const GlobalVariable &Is, uint64_t LineBytes) {
  uint64_t Out = 0;
  for (uint64_t E = 0; E < Is.Number; ++E) {
    const uint64_t Begin = Is.Address + E * Is.StrideBytes,
                   End = Begin + Is.StrideBytes;
    Out += (E && Begin % LineBytes) || (E + 1 < Is.Number && End % LineBytes);
  }
  return Out;
}

uint64_t linesOf(uint64_t Address, uint64_t Bytes, uint64_t LineBytes) {
  return (Address + Bytes - 1) / LineBytes - Address / LineBytes + 1;
}

void countOwners(const GlobalVariable &Is, const GlobalCounts &Seen,
                 uint64_t LineBytes, SharedArray &To) {
  uint64_t Line = ~uint64_t(0), OnLine = 0;
  bool Different = false;
  for (uint64_t E = 0; E < Seen.Elements.size(); ++E) {
    const uint64_t By = Seen.Elements[E].Writers;
    (std::popcount(By) == 1 ? To.OwnElements : To.CommonElements) += By != 0;
    const uint64_t At = (Is.Address + E * Is.StrideBytes) / LineBytes;
    if (At != Line) {
      To.OwnersBesides += Different;
      Line = At;
      OnLine = 0;
      Different = false;
    }
    Different |= OnLine && By && By != OnLine;
    if (By)
      OnLine = By;
  }
  To.OwnersBesides += Different;
}

} // namespace

std::vector<SharedArray>
sharedArrays(const std::vector<Global> &Globals, const ObjectFile &File,
             const GlobalUses &Uses, const std::vector<double> &Heat,
             uint64_t MostCpus, const SharedLinesAsked &Asked) {
  std::vector<SharedArray> Out;
  for (uint32_t G = 0; G < Globals.size(); ++G) {
    const GlobalVariable &Is = Globals[G].Is;
    if (Is.Number < 2 || Is.StrideBytes % Asked.LineBytes == 0)
      continue;
    // Bytes are text or flags, not elements of somebody.
    if (Is.StrideBytes == 1 && Is.Number != MostCpus)
      continue;
    SharedArray Found;
    Found.Global = G;
    const GlobalUse Use = Uses.on(Globals[G].Symbol, 0, Is.SizeBytes, Heat);
    bool ByIndex = false;
    if (const auto At = Uses.Of.find(Globals[G].Symbol); At != Uses.Of.end())
      for (const GlobalAccess &A : At->second)
        ByIndex |= A.Indexed && A.Stores && !A.Init;
    if (Asked.Trace && !Asked.Kernel)
      if (const GlobalCounts &Seen = Asked.Trace->counts()[G];
          Seen.Loads || Seen.Stores)
        ByIndex = false; // the trace says by which
    if (Asked.Trace) {
      countOwners(Is, Asked.Trace->counts()[G], Asked.LineBytes, Found);
      if (const auto At = Asked.Trace->pairs().find({G, G});
          At != Asked.Trace->pairs().end())
        Found.False = At->second;
    }
    Found.PerCpu = MostCpus > 1 && Is.Number == MostCpus;
    // Also code without heat: a reference knows little of a module.
    if (!Found.OwnersBesides && !Found.False && !ByIndex)
      continue;
    Found.Sharing = elementsSharing(Is, Asked.LineBytes);
    if (!Found.Sharing)
      continue;
    Found.Writes = Use.Writes;
    Found.Reads = Use.Reads;
    Found.Writers = userNames(File, Use, true, Heat, MostUserNames);
    Found.Readers = userNames(File, Use, false, Heat, MostUserNames);
    Found.PaddedStride = (Is.StrideBytes + Asked.LineBytes - 1) /
                         Asked.LineBytes * Asked.LineBytes;
    Found.PaddingBytes = (Found.PaddedStride - Is.StrideBytes) * Is.Number;
    Found.LinesNow = linesOf(Is.Address, Is.SizeBytes, Asked.LineBytes);
    Found.LinesPadded = Found.PaddedStride / Asked.LineBytes * Is.Number;
    Out.push_back(std::move(Found));
  }
  std::stable_sort(Out.begin(), Out.end(),
                   [](const SharedArray &A, const SharedArray &B) {
                     return std::tuple(A.False, A.PerCpu, A.Writes) >
                            std::tuple(B.False, B.PerCpu, B.Writes);
                   });
  return Out;
}

} // namespace kst
