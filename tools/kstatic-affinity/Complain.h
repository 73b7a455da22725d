// SPDX-License-Identifier: GPL-2.0-or-later
//
// One form for everything that is said on stderr.

#ifndef KST_TOOLS_COMPLAIN_H
#define KST_TOOLS_COMPLAIN_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace kst {

inline void complain(const llvm::Twine &Message) {
  llvm::errs() << "kstatic-affinity: " << Message << "\n";
}

/// True, and said, if there is an error.
inline bool reportError(llvm::Error E) {
  if (!E)
    return false;
  complain(llvm::toString(std::move(E)));
  return true;
}

} // namespace kst

#endif
