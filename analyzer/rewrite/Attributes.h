// SPDX-License-Identifier: GPL-2.0-or-later
//
// An attribute behind the declarators of single members, on their lines.

#pragma once

#include "analyzer/rewrite/Definition.h"

namespace kst {

/// The text of the whole file with `Attribute` behind the declarator of each of
/// the fields; no line begins elsewhere than before, but a list of declarators
/// becomes as many declarations on its line. Fails for a member that
/// shares a declaration which cannot be taken apart.
llvm::Expected<std::string> withAttribute(const Definition &Source,
                                          llvm::ArrayRef<uint32_t> Fields,
                                          llvm::StringRef Attribute);

} // namespace kst
