// SPDX-License-Identifier: GPL-2.0-or-later
//
// A struct and another order of its fields, out of a report of the main
// command.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/core/Result.h"

#include <string>
#include <string_view>

namespace kst {

struct ReportedOrder {
  RecordInfo Record; ///< name, size and fields with their places, no more
  Layout Current, Proposed;

  /// A report is of schema/kst-report-1.schema.json, or several structs' in
  /// one: its proposed order of `Struct`, or of its only struct if that is
  /// empty. A failure says what the report lacks, or that the proposed order
  /// needs more bytes than the present one: objects would overlap.
  static Result<ReportedOrder> read(std::string_view Report,
                                    const std::string &Struct);
  /// Of an object, that lie elsewhere.
  uint64_t movedBytes() const;
};

} // namespace kst
