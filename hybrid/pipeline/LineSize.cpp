// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/LineSize.h"

#include "analyzer/compile/KernelConfig.h"
#include "analyzer/files/InputFile.h"

namespace kst {

uint32_t lineBytesOf(const Config &In) {
  const std::string Root = In.Build.empty() ? In.Session.SourceRoot : In.Build;
  for (const char *Name : {"/include/config/auto.conf", "/.config"})
    if (std::optional<std::string> Text = textIfThere(Root + Name))
      for (const auto &Entry : parseKernelConfig(*Text).Values) {
        unsigned Shift = 0;
        if (Entry.getKey().ends_with("_L1_CACHE_SHIFT") &&
            !llvm::StringRef(Entry.getValue()).getAsInteger(10, Shift) &&
            Shift >= 4 && Shift <= 12)
          return 1u << Shift;
      }
  const llvm::StringRef Triple = In.Triple;
  if (Triple.starts_with("powerpc64") || Triple.starts_with("ppc64"))
    return 128;
  return Triple.starts_with("s390") ? 256 : 64;
}

} // namespace kst
