// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/KernelConfig.h"

using namespace llvm;

namespace kst {

StringRef KernelConfig::get(StringRef Name) const {
  auto Found = Values.find(Name);
  return Found == Values.end() ? StringRef() : StringRef(Found->second);
}

bool KernelConfig::holds(StringRef Condition) const {
  if (Condition.empty())
    return true;
  if (Condition.consume_front("!"))
    return !holds(Condition);
  StringRef Value = get(Condition);
  return Value == "y" || Value == "m";
}

KernelConfig parseKernelConfig(StringRef Text) {
  KernelConfig Config;
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    auto [Name, Value] = Line.trim().split('=');
    if (Name.starts_with("CONFIG_") && Value != "n")
      Config.Values[Name] = Value.str();
  }
  return Config;
}

} // namespace kst
