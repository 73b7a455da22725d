// SPDX-License-Identifier: GPL-2.0-or-later
//
// Source text and names of files have bytes of any encoding; reports are UTF-8.

#ifndef KST_HYBRID_CORE_VALIDTEXT_H
#define KST_HYBRID_CORE_VALIDTEXT_H

#include <string>
#include <string_view>

namespace kst {

/// The text with each byte that is no part of a UTF-8 character written as
/// \xNN; the same bytes where there is none.
std::string validText(std::string_view Text);

} // namespace kst

#endif
