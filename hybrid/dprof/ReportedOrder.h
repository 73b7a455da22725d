// SPDX-License-Identifier: GPL-2.0-or-later
//
// A struct out of a report of the main command: another order of its fields,
// and what the source says of them.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/core/Layout.h"
#include "hybrid/core/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace kst {

struct ReportedOrder {
  RecordInfo Record; ///< name, size and fields with their places, no more
  Layout Current, Proposed;
  std::string Verdict;   ///< as the report has it; may be empty
  std::string DefinedAt; ///< "file:line"; may be empty
  /// As the report has them: no Shared, probabilities of six digits. None if it
  /// has none.
  std::vector<CoAccessSet> Sets;

  /// A report is of schema/kst-report-1.schema.json, or several structs' in
  /// one: what it says of `Struct`, or of each of its structs if that is empty.
  /// A failure says what the report lacks, or that the proposed order needs
  /// more bytes than the present one: objects would overlap.
  static Result<std::vector<ReportedOrder>> read(std::string_view Report,
                                                 const std::string &Struct);
  /// Of an object, that lie elsewhere.
  uint64_t movedBytes() const;
};

} // namespace kst
