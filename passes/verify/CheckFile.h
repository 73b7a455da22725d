// SPDX-License-Identifier: GPL-2.0-or-later
//
// One file on disk, whatever it is: object, archive, linked image.

#pragma once

#include "passes/verify/CheckObject.h"
#include "passes/verify/Inputs.h"

namespace kst {

/// Checks `File`; the members of an archive one by one, thin archives too.
/// An error names the file and says why it could not be checked: then nothing
/// is known about it.
llvm::Expected<ObjectResult> checkFile(const Input &File);

} // namespace kst
