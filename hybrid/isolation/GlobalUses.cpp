// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/GlobalUses.h"

#include <algorithm>
#include <tuple>

namespace kst {
namespace {

struct Spans {
  struct Span {
    uint64_t Begin, End;
    uint32_t Symbol;
  };
  std::vector<Span> All;
  void sort() {
    std::sort(All.begin(), All.end(), [](const Span &A, const Span &B) {
      return std::tuple(A.Begin, ~A.End, A.Symbol) <
             std::tuple(B.Begin, ~B.End, B.Symbol);
    });
  }
  const Span *at(uint64_t Address) const {
    auto After =
        std::upper_bound(All.begin(), All.end(), Address,
                         [](uint64_t A, const Span &S) { return A < S.Begin; });
    // Aliases begin at one address: the first of them.
    while (After != All.begin()) {
      const Span &Of = *--After;
      if (Address < Of.End) {
        while (After != All.begin() && std::prev(After)->Begin == Of.Begin &&
               Address < std::prev(After)->End)
          --After;
        return &*After;
      }
      if (Of.End > Of.Begin)
        return nullptr;
    }
    return nullptr;
  }
};

} // namespace

GlobalUses globalUses(const ObjectFile &File, const std::vector<double> &Heat,
                      const std::vector<DataUse> &Uses) {
  Spans Functions, Globals;
  for (uint32_t S = 0; S < File.Symbols.size(); ++S) {
    const ObjectSymbol &Of = File.Symbols[S];
    if (Of.Section >= File.Sections.size() || !Of.SizeBytes)
      continue;
    const ObjectSection &In = File.Sections[Of.Section];
    if (Of.Function)
      Functions.All.push_back({Of.Value, Of.Value + Of.SizeBytes, S});
    else if (In.Alloc && !In.Code && In.Address)
      Globals.All.push_back({Of.Value, Of.Value + Of.SizeBytes, S});
  }
  Functions.sort();
  Globals.sort();
  std::map<std::pair<uint32_t, uint32_t>, GlobalUser> Pairs;
  GlobalUses Out;
  for (const DataUse &Use : Uses) {
    ++Out.Instructions;
    const auto *Global = Globals.at(Use.Data);
    const auto *Function = Functions.at(Use.Code);
    if (!Global || !Function) {
      ++Out.Outside;
      continue;
    }
    GlobalUser &Of = Pairs[{Global->Symbol, Function->Symbol}];
    Of.Function = Function->Symbol;
    Of.Loads += Use.Load;
    Of.Stores += Use.Store;
    Of.Taken += Use.Taken;
    const std::string &In =
        File.Sections[File.Symbols[Function->Symbol].Section].Name;
    Of.Init = In.starts_with(".init") || In.starts_with(".exit");
  }
  for (const auto &[Which, User] : Pairs) {
    GlobalUse &Of = Out.Of[Which.first];
    Of.Users.push_back(User);
    if (User.Init)
      continue;
    const double Hot = Heat[User.Function];
    if (User.Stores)
      Of.Writes += Hot;
    else if (User.Loads)
      Of.Reads += Hot;
    else
      Of.Taken += Hot;
  }
  return Out;
}

} // namespace kst
