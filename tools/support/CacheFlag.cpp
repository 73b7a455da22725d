// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/support/CacheFlag.h"

namespace kst {

llvm::Expected<CacheGeometry> CacheFlag::geometry(unsigned LineBytes) const {
  std::string Text = given() ? getValue() : "l1=32K/8,l2=1M/16,llc=16M/16";
  if (Text == "machine")
    return orMistake(machineCacheGeometry(), "--cache machine: ");
  if (Text.find("line=") == std::string::npos)
    Text += ",line=" + std::to_string(LineBytes);
  return orMistake(parseCacheGeometry(Text), "--cache: ");
}

} // namespace kst
