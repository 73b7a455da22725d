// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which tool wrote a report.

#pragma once

#include <string>

namespace kst {

struct ToolId {
  std::string Version;
  std::string Llvm; ///< of the library that the tool runs with
};

} // namespace kst
