// SPDX-License-Identifier: GPL-2.0-or-later
//
// CACHELINE_ASSERT_GROUP_MEMBER() and CACHELINE_ASSERT_GROUP_SIZE() of the
// kernel (include/linux/cache.h), held against a layout. They are build-time
// assertions in functions, so that a front end alone sees none fail.

#ifndef KST_HYBRID_PIPELINE_GROUPASSERTS_H
#define KST_HYBRID_PIPELINE_GROUPASSERTS_H

#include "hybrid/core/MarkedGroups.h"
#include "hybrid/pipeline/Configs.h"
#include "hybrid/review/Review.h"

#include <functional>
#include <string>
#include <vector>

namespace kst {

/// The text with comments as blanks, lines kept.
std::string withoutComments(llvm::StringRef Text);

/// Those in a text, outside of comments; what is no plain number is left out.
std::vector<GroupAssert> groupAssertsIn(llvm::StringRef Text,
                                        const std::string &File);

/// Assertions in the configuration's units about this record that fail in the
/// head and did not in the base.
std::vector<Finding>
failedAsserts(const Config &In, const RecordInfo &Base, const RecordInfo &Head,
              const std::function<std::string(const std::string &)> &HeadText);

} // namespace kst

#endif
