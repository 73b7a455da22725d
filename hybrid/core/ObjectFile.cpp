// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/ObjectFile.h"

#include <algorithm>

namespace kst {

bool isKernel(const ObjectFile &File) {
  return File.Module ||
         std::ranges::any_of(File.Sections,
                             [](const ObjectSection &In) {
                               return In.Name == "__ksymtab" ||
                                      In.Name == ".data..percpu";
                             }) ||
         std::ranges::any_of(File.Symbols, [](const ObjectSymbol &Of) {
           return Of.Name == "linux_banner";
         });
}

} // namespace kst
