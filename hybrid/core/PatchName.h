// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of files in the heads of patches. git and diff(1) put a name in quotes,
// as a C string, when a byte of it could be misread.

#ifndef KST_HYBRID_CORE_PATCHNAME_H
#define KST_HYBRID_CORE_PATCHNAME_H

#include <optional>
#include <string>
#include <string_view>

namespace kst {

/// The name as git writes it: quoted if it has control characters, quotes,
/// backslashes or bytes that are not ASCII.
std::string quotedName(std::string_view Name);

/// The same behind `---` and `+++`, where a tab follows a name with a blank:
/// patch(1) would cut it there otherwise.
std::string headingName(std::string_view Name);

/// The string in quotes that Text begins with; Text is then what follows.
/// Nothing, and Text as it was, if it begins with none that ends.
std::optional<std::string> takeQuotedName(std::string_view &Text);

} // namespace kst

#endif
