// SPDX-License-Identifier: GPL-2.0-or-later
//
// Edits that align variables, members and blocks, and pad records.

#pragma once

#include "analyzer/rewrite/EditText.h"

namespace kst {

/// Places or refuses each of them, as the unit has it. Lines are only added in
/// front of the end of a record.
void alignLines(EditText &To);

} // namespace kst
