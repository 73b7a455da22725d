// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/CpuBuffer.h"

#include <algorithm>

#include <zstd.h>

namespace kst {

/// What takes so many times the space of its compressed form is no chunk.
static constexpr uint64_t MostExpansion = 1000, SmallChunk = 1 << 20;

bool unpackChunk(std::string_view Packed, uint64_t Size, std::string &Out) {
  if (Size > SmallChunk + MostExpansion * Packed.size())
    return false;
  Out.resize(Size);
  size_t Got = ZSTD_decompress(Out.data(), Size, Packed.data(), Packed.size());
  if (ZSTD_isError(Got))
    return false;
  Out.resize(Got);
  return true;
}

CpuWalk::CpuWalk(const CpuBuffer &Of, const TracingHead &Head)
    : Of(Of), Head(Head), Rest(Of.Bytes, Head.Big) {
  if (Of.Compressed)
    Rest.take<uint32_t>(); // the number of chunks; their sizes say it, too
  else
    Chunk = Rest.take(Rest.left());
}

bool CpuWalk::next(RingEvent &Event) {
  for (;;) {
    if (Page.next(Event))
      return true;
    Damaged |= Page.damaged();
    if (Chunk.empty() && !nextChunk())
      return false;
    // Of a page that is not whole what is there counts.
    Page = RingPage(Chunk.substr(0, Of.PageBytes), Head.LongBytes, Head.Big);
    Chunk.remove_prefix(std::min<size_t>(Of.PageBytes, Chunk.size()));
  }
}

bool CpuWalk::nextChunk() {
  if (!Of.Compressed || Rest.left() < 8)
    return false;
  uint32_t Packed = Rest.take<uint32_t>(), Size = Rest.take<uint32_t>();
  if (!unpackChunk(Rest.take(Packed), Size, Unpacked)) {
    Damaged = true;
    return false;
  }
  Chunk = Unpacked;
  return !Chunk.empty();
}

} // namespace kst
