// SPDX-License-Identifier: GPL-2.0-or-later
//
// Comparison with files under test/Inputs. Run the tests once with
// KST_UPDATE_GOLDENS=1 in the environment to write what they now produce, and
// read the diff before committing it.

#pragma once

#include <string>

namespace kst::test {

/// Fails the running test when Text differs from test/Inputs/report/Name;
/// writes the file instead when KST_UPDATE_GOLDENS is set and not empty.
void expectGolden(const std::string &Name, const std::string &Text);

} // namespace kst::test
