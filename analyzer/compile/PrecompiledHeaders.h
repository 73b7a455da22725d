// SPDX-License-Identifier: GPL-2.0-or-later
//
// A command that begins with a precompiled header begins with the text of that
// header. Precompiled forms belong to one compiler of one version, so the text
// is what is parsed.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kst {

/// Args with `-include HEADER` in place of each precompiled header whose text
/// can be found: `-include-pch FILE` also behind -Xclang, and `-include NAME`
/// where only NAME.gch is there. The text is the name without .pch or .gch, or
/// what the file itself says that it was made from. One that another -include
/// names is not given twice. What cannot be found stays as it is. Relative
/// names start at Directory.
std::vector<std::string> withHeaderText(llvm::ArrayRef<std::string> Args,
                                        llvm::StringRef Directory);

} // namespace kst
