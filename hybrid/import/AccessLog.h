// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces in words, one access a line:
//   comm pid [cpu] time: event: Accessed rq[111]->field in func (access|modify)
// The part from "Accessed" on is what is understood; before it stand, if the
// recorder gives them, the CPU in brackets and the time in seconds.

#ifndef KST_HYBRID_IMPORT_ACCESSLOG_H
#define KST_HYBRID_IMPORT_ACCESSLOG_H

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"
#include "hybrid/trace/TraceWriter.h"

#include <optional>
#include <string_view>

namespace kst {

/// One line, understood.
struct LoggedAccess {
  std::string_view Struct, Instance, Field, Function;
  bool Modify = false;
  uint32_t Cpu = 0;
  uint64_t TimeNs = 0; ///< 0: none
};

/// Nothing if the line is none of that form.
std::optional<LoggedAccess> accessOf(std::string_view Line);

/// Whether the text, or its beginning, has such a line among its first ones.
bool looksLikeAccessLog(std::string_view Text);

struct AccessLogNotes {
  uint64_t Accesses = 0;
  uint64_t OtherLines = 0; ///< neither empty, nor a comment, nor an access
};

struct ImportedLog {
  Profile What;
  AccessLogNotes Notes;
};

/// The log as a profile: sites with the names of fields, structs of unknown
/// size. A Failure if no line is an access. Memory grows with the number of
/// different accesses, not of lines.
Result<ImportedLog> readAccessLog(std::string_view Text);

/// The log as a trace: a stream for each CPU, in the order of the lines.
/// Instances get made-up addresses, far apart: equal names, equal addresses.
Result<AccessLogNotes> traceOfAccessLog(std::string_view Text,
                                        const std::string &Label,
                                        TraceWriter::Sink To);

} // namespace kst

#endif
