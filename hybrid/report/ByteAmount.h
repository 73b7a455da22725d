// SPDX-License-Identifier: GPL-2.0-or-later
//
// Amounts of memory as text.

#pragma once

#include <string>

namespace kst {

/// "640 B", "654 KiB", "9.54 MiB": three significant digits.
std::string byteAmount(double Bytes);

} // namespace kst
