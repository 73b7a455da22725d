// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the sections of a kernel module come to lie when it is loaded.

#pragma once

#include "hybrid/core/ObjectFile.h"

#include <vector>

namespace kst {

/// Addresses by section, 0 for what is not loaded or is per CPU. As
/// layout_sections() of kernel/module/main.c places them: code, constants, data
/// that are constant after init, data; then the same of init; each kind from a
/// page on, sections in the order of the file. Only addresses modulo a page are
/// those of a loaded module.
std::vector<uint64_t> moduleAddresses(const ObjectFile &Module);

/// Gives sections these addresses, and symbols those in them.
void layOut(ObjectFile &Module, const std::vector<uint64_t> &Addresses);

} // namespace kst
