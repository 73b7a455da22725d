// SPDX-License-Identifier: GPL-2.0-or-later
//
// The readers of foreign input, each as a function of any bytes: it must
// neither crash, nor hang, nor give something that breaks the rules of what it
// reads. KST_FUZZ_TARGET names the one that a run is about.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace kst_fuzz {

struct Target {
  const char *Name; ///< also of its corpus
  void (*Run)(std::string Bytes);
};

/// All of them; ends with a null name.
extern const Target Targets[];

/// That of KST_FUZZ_TARGET; ends the process if there is none.
const Target &chosenTarget();

inline void demand(bool Holds) {
  if (!Holds)
    abort();
}

} // namespace kst_fuzz
