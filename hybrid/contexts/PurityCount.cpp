// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/PurityCount.h"

#include <algorithm>
#include <random>
#include <tuple>

namespace kst {
namespace {

/// Share of the context with most of the objects; objects of no known context
/// are of none, and share it with no other.
double largestShare(std::vector<uint32_t> Contexts) {
  std::sort(Contexts.begin(), Contexts.end());
  size_t Most = 1;
  for (size_t I = 0; I < Contexts.size();) {
    size_t J = I;
    while (J < Contexts.size() && Contexts[J] == Contexts[I])
      ++J;
    if (Contexts[I])
      Most = std::max(Most, J - I);
    I = J;
  }
  return double(Most) / double(Contexts.size());
}

} // namespace

void PurityCount::addTo(std::vector<Purity> &Types) {
  std::sort(Objects.begin(), Objects.end(), [](auto &A, auto &B) {
    return std::tie(A.Type, A.Slab, A.Address) <
           std::tie(B.Type, B.Slab, B.Address);
  });
  std::mt19937_64 Chance(1); // the same draws each time
  for (size_t Begin = 0; Begin < Objects.size();) {
    size_t End = Begin;
    std::vector<uint32_t> Shuffled;
    for (; End < Objects.size() && Objects[End].Type == Objects[Begin].Type;
         ++End)
      Shuffled.push_back(Objects[End].Context);
    for (size_t I = Shuffled.size(); I > 1; --I)
      std::swap(Shuffled[I - 1], Shuffled[Chance() % I]);
    Purity &Of = Types[Objects[Begin].Type];
    for (size_t I = Begin; I < End;) {
      size_t J = I;
      std::vector<uint32_t> Here, There;
      for (; J < End && Objects[J].Slab == Objects[I].Slab; ++J) {
        Here.push_back(Objects[J].Context);
        There.push_back(Shuffled[J - Begin]);
      }
      if (Here.size() >= 2) {
        ++Of.Slabs;
        Of.Objects += Here.size();
        Of.Known +=
            Here.size() - size_t(std::count(Here.begin(), Here.end(), 0u));
        Of.SlabBytes += Objects[I].SlabBytes;
        const double Share = largestShare(Here);
        Of.Pure += Share == 1;
        Of.Sum += Share;
        Of.ByChance += largestShare(There);
      }
      I = J;
    }
    Begin = End;
  }
  Objects.clear();
}

} // namespace kst
