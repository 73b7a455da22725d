// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/DataSegment.h"

namespace kst {
namespace {

uint64_t pageUp(uint64_t Value) {
  return (Value + SegmentPage - 1) / SegmentPage * SegmentPage;
}

} // namespace

uint64_t firstDataStart(DataStart Way, uint64_t Dot) {
  // A page on, at the same place in it; for RELRO newer ones begin with a page.
  return pageUp(Dot) + (Way == DataStart::Relro ? 0 : Dot % SegmentPage);
}

uint64_t wholeDataStart(uint64_t Dot, const DataAhead &Ahead) {
  const uint64_t Start = firstDataStart(DataStart::Whole, Dot);
  const uint64_t First = pageUp(Start) - Start, Last = Ahead.End % SegmentPage;
  const bool OnePage = Start / SegmentPage == Ahead.End / SegmentPage;
  return First && Last && !OnePage && First + Last <= SegmentPage ? pageUp(Dot)
                                                                  : Start;
}

uint64_t relroDataStart(const DataAhead &Ahead) {
  // From the end backward: each section as late as its alignment allows.
  uint64_t End = pageUp(Ahead.RelroEnd + Ahead.OffsetBytes) - Ahead.OffsetBytes;
  for (auto S = Ahead.Relro.rbegin(); S != Ahead.Relro.rend(); ++S) {
    const uint64_t Start = End - (S->Advances ? S->SizeBytes : 0);
    End = Start / S->AlignBytes * S->AlignBytes;
  }
  return End;
}

uint64_t relroEnd(uint64_t Dot, uint64_t OffsetBytes) {
  return pageUp(Dot + OffsetBytes) - OffsetBytes;
}

} // namespace kst
