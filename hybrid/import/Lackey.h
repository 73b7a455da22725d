// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `valgrind --tool=lackey --trace-mem=yes` prints, as a trace: of any
// program, without rebuilding it. Lines are
//   I  04000a70,3
//    L 1ffefff968,8
// : an instruction, its address and size; then what it loads (L), stores (S)
// or modifies (M). Others are what valgrind tells about itself.

#ifndef KST_HYBRID_IMPORT_LACKEY_H
#define KST_HYBRID_IMPORT_LACKEY_H

#include "hybrid/core/Result.h"
#include "hybrid/trace/TraceWriter.h"

#include <string_view>

namespace kst {

struct LackeyLine {
  char What = 0; ///< I, L, S or M; 0: another line
  uint64_t Address = 0;
  uint32_t SizeBytes = 0;
};
LackeyLine lackeyLine(std::string_view Line);

/// Whether the text, or its beginning, has an instruction and an access among
/// its first lines.
bool looksLikeLackey(std::string_view Text);

struct LackeyNotes {
  uint64_t Accesses = 0, Instructions = 0;
  uint64_t OtherLines = 0;
};

/// One stream; time counts instructions; a site for each instruction that
/// accesses memory, whose function is its address in hexadecimal digits. Walks
/// the text twice. A Failure if no line is an access. Memory grows with the
/// number of different instructions.
Result<LackeyNotes> traceOfLackey(std::string_view Text,
                                  const std::string &Label,
                                  TraceWriter::Sink To);

} // namespace kst

#endif
