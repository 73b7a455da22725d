// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a trace.dat has of one CPU: pages of the kernel's ring buffer, as they
// are or in chunks that are compressed.

#pragma once

#include "hybrid/import/RingBuffer.h"
#include "hybrid/import/TracingData.h"

#include <string>

namespace kst {

/// Whether zstd unpacks these bytes to at most `Size`; `Out` has what came.
bool unpackChunk(std::string_view Packed, uint64_t Size, std::string &Out);

struct CpuBuffer {
  uint32_t Cpu = 0, PageBytes = 4096;
  bool Compressed = false;
  std::string_view Bytes;
};

/// Walks the events of one CPU, in the order of the buffer. Both arguments
/// outlive it.
class CpuWalk {
public:
  CpuWalk(const CpuBuffer &Of, const TracingHead &Head);

  uint32_t cpu() const { return Of.Cpu; }
  /// Something of it could not be read.
  bool damaged() const { return Damaged; }
  bool next(RingEvent &Event);

private:
  bool nextChunk();

  const CpuBuffer &Of;
  const TracingHead &Head;
  ForeignBytes Rest;
  std::string Unpacked;
  std::string_view Chunk; ///< pages to come
  RingPage Page;
  bool Damaged = false;
};

} // namespace kst
