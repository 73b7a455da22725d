// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/ModuleLayout.h"

namespace kst {
namespace {

/// Anywhere below 2 GiB, where all relocations reach.
constexpr uint64_t FirstAddress = 0x10000000, PageBytes = 4096;

enum Region { Code, Constants, ConstantLater, Data, Regions };

uint64_t alignedTo(uint64_t Value, uint64_t To) {
  return (Value + To - 1) / To * To;
}

bool isLoaded(const ObjectSection &S) {
  return S.Alloc && S.SizeBytes && !S.Name.starts_with(".data..percpu") &&
         S.Name != ".modinfo" && S.Name != "__versions";
}

Region regionOf(const ObjectSection &S) {
  if (S.Code)
    return Code;
  if (S.Name == ".data..ro_after_init" || S.Name == "__jump_table")
    return ConstantLater;
  return S.Written ? Data : Constants;
}

} // namespace

std::vector<uint64_t> moduleAddresses(const ObjectFile &Module) {
  std::vector<uint64_t> Out(Module.Sections.size());
  uint64_t Next = FirstAddress;
  for (bool Init : {false, true})
    for (int In = Code; In < Regions; ++In) {
      Next = alignedTo(Next, PageBytes);
      for (size_t I = 0; I < Out.size(); ++I) {
        const ObjectSection &S = Module.Sections[I];
        if (!isLoaded(S) || regionOf(S) != In ||
            S.Name.starts_with(".init") != Init)
          continue;
        Out[I] = Next = alignedTo(Next, S.AlignBytes);
        Next += S.SizeBytes;
      }
    }
  return Out;
}

void layOut(ObjectFile &Module, const std::vector<uint64_t> &Addresses) {
  for (size_t I = 0; I < Addresses.size(); ++I)
    Module.Sections[I].Address = Addresses[I];
  for (ObjectSymbol &S : Module.Symbols)
    if (S.Section < Addresses.size())
      S.Value += Addresses[S.Section];
}

} // namespace kst
