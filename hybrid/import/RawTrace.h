// SPDX-License-Identifier: GPL-2.0-or-later
//
// Raw traces as the runtimes write them (docs/profile-formats.md), record by
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
  uint64_t Time;    ///< 56 bits
  uint32_t Site;    ///< 24 bits
};

struct RawTraceRecord {
  enum Kind : uint32_t {
    Unit = KST_EVENT_UNIT,
    Events = KST_EVENT_EVENTS,
    Object = KST_EVENT_OBJECT
  } What = Unit;
  uint32_t Stream = 0;
  // Unit.
  uint64_t Hash = 0;
  uint32_t TraceBase = 0, Sites = 0;
  // Events.
  uint64_t Lost = 0, Count = 0;
  // Object.
  uint64_t Address = 0;
  uint32_t SizeBytes = 0, Number = 0, Cpu = 0;
  std::string_view Struct;

  /// Event I of Count.
  RawTraceEvent event(uint64_t I) const;
  const char *EventBytes = nullptr;
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
