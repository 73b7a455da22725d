// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/Attribution.h"

namespace kst {

const char *spelling(OwnerRule Rule) {
  switch (Rule) {
  case OwnerRule::Pointer:
    return "pointers";
  case OwnerRule::Call:
    return "descriptor";
  case OwnerRule::Task:
    return "last file";
  case OwnerRule::None:
    break;
  }
  return "none";
}

Attributed &Attributed::operator+=(const Attributed &O) {
  for (size_t R = 0; R < OwnerRules; ++R) {
    Objects[R] += O.Objects[R];
    Bytes[R] += O.Bytes[R];
    Alone[R] += O.Alone[R];
  }
  PointerCall += O.PointerCall;
  PointerTask += O.PointerTask;
  CallTask += O.CallTask;
  SoftirqBytes += O.SoftirqBytes;
  SoftirqNone += O.SoftirqNone;
  Changed += O.Changed;
  return *this;
}

} // namespace kst
