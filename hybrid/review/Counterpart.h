// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which struct of a program before a change is which after it.

#pragma once

#include "hybrid/program/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

/// The record of the base that became this one of the head: of the same name,
/// in the same file if there are several, or else in the same file, with fields
/// of the same names, and gone from the head. None: it is new.
std::optional<RecordInfo>
counterpart(const Program &Base, const RecordInfo &Record, const Program &Head);

/// The fields by which alone the records differ, if these only hold what
/// changed; none: the definition itself did.
std::vector<std::string> changedWithin(const RecordInfo &Base,
                                       const RecordInfo &Head);

} // namespace kst
