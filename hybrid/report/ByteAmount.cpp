// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/ByteAmount.h"

#include "hybrid/report/Numbers.h"

#include <iterator>

namespace kst {

std::string byteAmount(double Bytes) {
  if (Bytes < 1023.5)
    return fixed(Bytes, 0) + " B";
  const char *const Units[] = {" KiB", " MiB", " GiB", " TiB", " PiB"};
  size_t Unit = 0;
  for (Bytes /= 1024; Bytes >= 999.5 && Unit + 1 != std::size(Units); ++Unit)
    Bytes /= 1024;
  return fixed(Bytes, Bytes < 9.995 ? 2 : Bytes < 99.95 ? 1 : 0) + Units[Unit];
}

} // namespace kst
