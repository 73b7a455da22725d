// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tracefiles of lcov: how often functions and lines ran, as gcov (through lcov
// or geninfo) and `llvm-cov export -format=lcov` say.

#ifndef KST_HYBRID_IMPORT_LINECOVERAGE_H
#define KST_HYBRID_IMPORT_LINECOVERAGE_H

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kst {

/// Whether the text, or its beginning, is a tracefile.
bool looksLikeLineCoverage(std::string_view Text);

/// Where the name of a function stands.
struct NamedLine {
  std::string File;
  uint32_t Line = 0; ///< from 1
};
/// Of a function that coverage has in a file, by whatever path; nothing if the
/// program has no such function there.
using FunctionPlaces = std::function<std::optional<NamedLine>(
    std::string_view File, std::string_view Function)>;

struct LineCoverageNotes {
  uint64_t Functions = 0, Lines = 0;
  uint64_t LinesOutside = 0; ///< of no function, or of several: left out
  uint64_t OtherLines = 0;   ///< not understood
  uint64_t NotInProgram = 0; ///< functions, kept as the file has them
  /// LLVM's tracefiles say where a function's brace is and not its name:
  /// without the program only the entries of functions were taken.
  bool EntriesOnly = false;
};

struct ImportedCoverage {
  Profile What;
  LineCoverageNotes Notes;
};

/// Entries and lines of functions as `profile record` writes them, of files as
/// the text names them or, of functions that Places knows, as it does. Records
/// of one file add up. Places: empty if there is no program. A Failure if
/// nothing was counted, or a count does not fit 64 bits.
Result<ImportedCoverage> readLineCoverage(std::string_view Text,
                                          const FunctionPlaces &Places);

} // namespace kst

#endif
