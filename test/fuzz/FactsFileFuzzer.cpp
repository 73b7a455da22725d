// SPDX-License-Identifier: GPL-2.0-or-later
//
// libFuzzer target: any bytes must be refused or give facts that obey
// checkFacts(). The checksum is mended first, or nothing would get past it.
// Build with clang and -DKST_FUZZERS=ON; run: FactsFileFuzzer CORPUS_DIR

#include "hybrid/core/Hash.h"
#include "hybrid/facts/FactsFile.h"

#include <cstdlib>
#include <cstring>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Bytes(reinterpret_cast<const char *>(Data), Size);
  (void)kst::readFacts(Bytes);
  if (Size < 40)
    return 0;
  uint64_t FileBytes = Size;
  memcpy(&Bytes[16], &FileBytes, 8);
  uint64_t Sum = kst::hash64(std::string_view(Bytes).substr(32));
  memcpy(&Bytes[24], &Sum, 8);
  auto Facts = kst::readFacts(Bytes);
  if (Facts && !kst::readFacts(kst::writeFacts(*Facts)))
    abort();
  return 0;
}
