// SPDX-License-Identifier: GPL-2.0-or-later
//
// The targets for clang's libFuzzer.

#include "FuzzTargets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const kst_fuzz::Target &Of = kst_fuzz::chosenTarget();
  Of.Run(std::string(reinterpret_cast<const char *>(Data), Size));
  return 0;
}
