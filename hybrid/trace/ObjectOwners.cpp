// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/ObjectOwners.h"

#include "hybrid/trace/Trace.h"

#include <algorithm>

namespace kst {

ObjectOwners::Use ObjectOwners::use(uint64_t Object, uint64_t Number,
                                    uint32_t Cpu, uint32_t Function,
                                    uint32_t PerCpu) {
  Votes &V = Of[Object];
  if (V.Number != Number)
    V = {Number};
  Use Found;
  Found.Arrives = V.Last != Cpu;
  Found.Begins = V.Function != Function || Found.Arrives;
  V.Function = Function;
  V.Last = uint16_t(Cpu);
  if (PerCpu != NoCpu) {
    Found.ByOther = Cpu != PerCpu;
  } else if (!Found.Begins) {
    Found.ByOther = V.Owner != Cpu;
  } else if (V.Owner == Cpu) {
    V.For = std::min<uint8_t>(V.For + 1, Memory);
  } else if (V.For) {
    --V.For;
    Found.ByOther = true;
  } else {
    V.Owner = uint16_t(Cpu);
    V.For = 1;
    V.LastOther = NoOne;
  }
  if (Found.ByOther && Found.Arrives) {
    Found.Changes = V.LastOther != NoOne && V.LastOther != Cpu;
    V.LastOther = uint16_t(Cpu);
  }
  return Found;
}

} // namespace kst
