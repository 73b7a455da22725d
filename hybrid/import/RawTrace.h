// SPDX-License-Identifier: GPL-2.0-or-later
//
// Raw traces as the runtimes write them (docs/guide/formats.md), record by
// record. Nothing is kept: files have gigabytes.

#ifndef KST_HYBRID_IMPORT_RAWTRACE_H
#define KST_HYBRID_IMPORT_RAWTRACE_H

#include "hybrid/core/Result.h"
#include "passes/abi/kst_abi.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kst {

bool looksLikeRawTrace(std::string_view Bytes);

struct RawTraceEvent {
  uint64_t Address; ///< sign-extended from 48 bits
  uint64_t Time;    ///< 56 bits; of a kernel 54
  uint32_t Site;    ///< 24 bits
  uint8_t Context;  ///< of a kernel: KST_CONTEXT_*
};

/// What the allocator did with the object at the address of the event before.
struct RawLife {
  uint64_t Caller; ///< returns to there; in vmlinux as it was linked
  uint32_t Asked;  ///< bytes; 0 of a free
  uint32_t Cache;  ///< number of a Cache record, or of none
};

struct RawTraceRecord {
  enum Kind : uint32_t {
    Unit = KST_EVENT_UNIT,
    Events = KST_EVENT_EVENTS,
    Object = KST_EVENT_OBJECT,
    KernelEvents = KST_EVENT_KERNEL,
    Cache = KST_EVENT_CACHE,
    Image = KST_EVENT_IMAGE
  } What = Unit;
  uint32_t Stream = 0;
  // Unit.
  uint64_t Hash = 0;
  uint32_t TraceBase = 0, Sites = 0;
  // Events and KernelEvents.
  uint64_t Lost = 0, Count = 0;
  // Object; Cache: SizeBytes of a slot, Number.
  uint64_t Address = 0; ///< Image: the first that the file was loaded to
  uint32_t SizeBytes = 0, Number = 0, Cpu = 0;
  std::string_view Struct;
  // Cache.
  uint32_t ObjectBytes = 0;
  // Image: a program or library, by its path.
  uint64_t End = 0;
  uint64_t Bias = 0; ///< modulo 2^64, of its addresses less those of the file
  std::string_view Name; ///< Cache too

  bool hasEvents() const { return What == Events || What == KernelEvents; }
  /// Event I of Count.
  RawTraceEvent event(uint64_t I) const;
  /// Calls Access(const RawTraceEvent &) and, for lives of a kernel's objects,
  /// Life(const RawTraceEvent &, const RawLife &), in the record's order.
  template <typename A, typename L> void forEach(A &&Access, L &&Life) const {
    for (uint64_t I = 0; I < Count;)
      step(I, Access, Life);
  }
  /// The same of event I alone, which is the next one then.
  template <typename A, typename L>
  void step(uint64_t &I, A &&Access, L &&Life) const {
    const RawTraceEvent E = event(I++);
    if (What == Events || E.Site < KST_LIFE_NONE)
      Access(E);
    else if (E.Site != KST_LIFE_NONE && I < Count)
      Life(E, life(I++));
  }
  const char *EventBytes = nullptr;

private:
  RawLife life(uint64_t I) const;
};

/// Walks the records of one file. Copies start again at the same record.
class RawTrace {
public:
  /// Reads the header. Bytes live as long as the walk.
  static Result<RawTrace> open(std::string_view Bytes);

  const std::map<std::string, std::string> &text() const { return Text; }
  /// False at the end, and at damage, such as a file that stops without its end
  /// record: then failure() says where.
  bool next(RawTraceRecord &Record);
  const std::optional<Failure> &failure() const { return Damage; }

private:
  bool broken(const std::string &What);
  bool take(RawTraceRecord &Record, std::string_view Body);
  bool end(std::string_view Body);

  std::string_view Bytes;
  size_t At = 0;      ///< of the next record
  bool Ended = false; ///< the end record was read
  std::map<std::string, std::string> Text;
  std::optional<Failure> Damage;
};

} // namespace kst

#endif
