// SPDX-License-Identifier: GPL-2.0-or-later
//
// Records whose bytes somebody outside of the program sees: user space, a
// device, a file, the other end of a wire.

#pragma once

#include "hybrid/core/SourceRule.h"
#include "hybrid/program/PointerGraph.h"

#include <optional>

namespace kst {

/// The strongest reason to keep the whole record as it is (RuleKind::AllFixed),
/// if there is one. Hard: a header for user space, packed, all numbers of more
/// than a byte of a fixed byte order, a kernel function that hands bytes to
/// user space, network or devices. Soft: most numbers of a fixed byte order,
/// numbers in one union with the record, a system call or library function that
/// hands bytes to a file or socket.
std::optional<SourceRule> formatRule(const Program &Whole,
                                     const PointerGraph &Pointers, RecordId Id);

} // namespace kst
