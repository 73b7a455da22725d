// SPDX-License-Identifier: GPL-2.0-or-later
//
// Layout problems as JSON text, "kst-instance/1": docs/guide/formats.md says
// what each member means, schema/kst-instance-1.schema.json which there are.

#pragma once

#include "hybrid/core/Result.h"
#include "test/kst-dev/Instance.h"

#include <string>
#include <string_view>

namespace kst {

inline constexpr const char *InstanceSchema = "kst-instance/1";
/// Words for CpuRelation and RuleKind.
inline constexpr const char *InstanceCpuNames[] = {"local", "remote", "chosen",
                                                   "unknown"};
inline constexpr const char *InstanceRuleNames[] = {"fence", "barrier", "join",
                                                    "all_fixed"};

/// One line of JSON with a line end. Numbers have as many digits as it takes
/// to read the same double again. Equal instances give equal bytes.
std::string writeInstance(const Instance &Problem);

/// The instance in `Text`, one JSON object. Anything that the format does not
/// allow (unknown member, wrong type, value out of range, index of a field
/// that does not exist, nesting, bad UTF-8) is a Failure that names the member;
/// never undefined behaviour. Does not check the stated offsets: whoever places
/// fields does (offsetMismatch()).
Result<Instance> readInstance(std::string_view Text);

} // namespace kst
