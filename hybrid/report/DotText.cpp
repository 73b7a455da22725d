// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/DotText.h"

namespace kst {

std::string quotedDot(const std::string &Text) {
  std::string Out = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Out += '\\';
    Out += C;
  }
  return Out + "\"";
}

} // namespace kst
