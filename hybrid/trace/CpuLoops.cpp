// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/CpuLoops.h"

namespace kst {

unsigned CpuLoops::visit(uint32_t Cpu, uint32_t Function, uint32_t Owner) {
  const uint64_t Now = Clock[Cpu];
  auto [At, New] = Last.try_emplace({Cpu, Function});
  Visit &Of = At->second;
  const bool Near = !New && Now - Of.At <= Reach;
  // The same object again is the same iteration, which began At; whoever spins
  // on it is in no loop over CPUs.
  const bool Again = Near && Of.Owner == Owner;
  const bool InLoop = Near && (!Again || Of.InLoop);
  unsigned Found = InLoop && Owner != Cpu;
  if (InLoop && !Of.InLoop)
    Found += Of.Owner != Cpu;
  Of = {Again ? Of.At : Now, Owner, InLoop};
  return Found;
}

} // namespace kst
