// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables and events with one of everything.

#ifndef KST_TEST_SMALLTRACE_H
#define KST_TEST_SMALLTRACE_H

#include "../profile/SmallProfile.h"

#include "hybrid/trace/TraceWriter.h"

#include <string>

namespace kst_test {

/// smallProfile(): structs "queue" and "ring", three sites.
inline kst::TraceTables smallTables() {
  kst::TraceTables T;
  T.About = smallProfile();
  T.Sources = {kst::TypeSource::CallSite, kst::TypeSource::CacheName};
  T.Allocates = {kst::NoStruct, 0};
  T.Objects = {{1000, 64, 2, 1, 3}};
  T.Allocators = {{"ring", 1, 64}, {"kmalloc-96", kst::NoStruct, 96}};
  return T;
}

inline std::string traceBytes(const kst::TraceTables &Tables,
                              const std::vector<kst::TraceEvent> &Events) {
  std::string Out;
  kst::TraceWriter To(Tables, [&](std::string_view Part) {
    Out += Part;
    return true;
  });
  for (const kst::TraceEvent &E : Events)
    To.event(E);
  return To.finish() ? Out : "";
}

/// Of a kind that is no access: by name what an event of that kind has.
struct EventOf {
  kst::EventKind Kind;
  uint64_t Address = 0;
  uint32_t SizeBytes = 0, Info = 0;
  uint64_t Value = 0, Index = 0;
  uint32_t Site = kst::NoTraceSite, Stream = 0;
  uint64_t Time = 0;

  operator kst::TraceEvent() const {
    return {Time, Address,   0,    Site,  Stream, Kind,
            0,    SizeBytes, Info, Value, Index};
  }
};

} // namespace kst_test

#endif
