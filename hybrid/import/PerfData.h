// SPDX-License-Identifier: GPL-2.0-or-later
//
// perf.data, the recordings of `perf record`, as the kernel's
// tools/perf/Documentation/perf.data-file-format.txt has them: files and what
// perf writes into a pipe, of either byte order, compressed or not. Samples of
// tracepoints give what these say; others with a data address are accesses.

#pragma once

#include "hybrid/import/KernelRecord.h"

#include <memory>

namespace kst {

/// Whether the file begins as a perf.data of any version or byte order.
bool looksLikePerfData(std::string_view Bytes);

/// Bytes live as long as the recording. A Failure if the header cannot be read.
/// A walk holds the records between two ends of a round of perf.
Result<std::unique_ptr<KernelRecording>> openPerfData(std::string_view Bytes);

} // namespace kst
