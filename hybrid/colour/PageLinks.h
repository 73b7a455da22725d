// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lists of blocks of pages: the frames that begin them are linked.

#pragma once

#include <cstdint>
#include <vector>

namespace kst {

inline constexpr uint32_t NoFrame = ~0u;

/// Of blocks of one zone; each is on one list at most.
struct PageList {
  uint32_t First = NoFrame, Last = NoFrame, Number = 0;
};

/// Memory: 8 bytes a frame.
class PageLinks {
public:
  PageLinks(uint32_t Start, uint32_t Frames)
      : Start(Start), Next(Frames, NoFrame), Previous(Frames, NoFrame) {}

  void pushFront(PageList &To, uint32_t Frame) {
    previous(Frame) = NoFrame;
    next(Frame) = To.First;
    (To.First == NoFrame ? To.Last : previous(To.First)) = Frame;
    To.First = Frame;
    ++To.Number;
  }
  void pushBack(PageList &To, uint32_t Frame) {
    next(Frame) = NoFrame;
    previous(Frame) = To.Last;
    (To.Last == NoFrame ? To.First : next(To.Last)) = Frame;
    To.Last = Frame;
    ++To.Number;
  }
  void unlink(PageList &From, uint32_t Frame) {
    const uint32_t After = next(Frame), Before = previous(Frame);
    (Before == NoFrame ? From.First : next(Before)) = After;
    (After == NoFrame ? From.Last : previous(After)) = Before;
    --From.Number;
  }
  /// A block of the list becomes its first; those before it go behind the last
  /// one, in their order.
  void rotate(PageList &Of, uint32_t First) {
    if (First == Of.First)
      return;
    next(Of.Last) = Of.First;
    previous(Of.First) = Of.Last;
    Of.First = First;
    Of.Last = previous(First);
    previous(Of.First) = NoFrame;
    next(Of.Last) = NoFrame;
  }

private:
  uint32_t &next(uint32_t Frame) { return Next[Frame - Start]; }
  uint32_t &previous(uint32_t Frame) { return Previous[Frame - Start]; }

  uint32_t Start;
  std::vector<uint32_t> Next, Previous;
};

} // namespace kst
