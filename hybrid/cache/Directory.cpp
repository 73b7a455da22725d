// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/cache/Directory.h"

namespace kst {

CpuSet Directory::load(uint64_t Line, unsigned Cpu) {
  Entry &E = Lines[Line];
  if (E.Holders & bit(Cpu))
    return 0;
  CpuSet Writer = E.What == Modified ? E.Holders : 0;
  E.What = E.Holders ? Shared : Exclusive;
  E.Holders |= bit(Cpu);
  return Writer;
}

Directory::Store Directory::store(uint64_t Line, unsigned Cpu) {
  Entry &E = Lines[Line];
  Store Result{E.Holders & ~bit(Cpu),
               E.What == Shared && (E.Holders & bit(Cpu)) != 0};
  E = {bit(Cpu), Modified};
  return Result;
}

void Directory::drop(uint64_t Line, unsigned Cpu) {
  Entry *E = Lines.find(Line);
  if (!E)
    return;
  E->Holders &= ~bit(Cpu);
  if (!E->Holders)
    Lines.erase(Line);
}

} // namespace kst
