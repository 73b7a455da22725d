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

/// What functions store to bytes of globals, as far as it is constants.
class Constants {
public:
  void add(uint32_t Symbol, uint64_t Offset, uint32_t Function,
           const DataUse &Use) {
    if (Use.Indexed)
      Anywhere.insert(Symbol);
    else if (Use.Constant)
      Of[{Symbol, Offset}][Function].insert(*Use.Constant);
    else
      Other.insert({Symbol, Offset});
  }
  /// Who tests the byte before it stores brings it into one state: a flag that
  /// is set once, or limits (`if (x < 3) x = 3; if (x > 300) x = 300;`). All
  /// store the same; with 0 among several it goes to and fro.
  bool areOneState(uint32_t Symbol, uint64_t Offset) const {
    const auto At = Of.find({Symbol, Offset});
    if (At == Of.end() || Anywhere.count(Symbol) ||
        Other.count({Symbol, Offset}))
      return false;
    const std::set<int64_t> &First = At->second.begin()->second;
    if (First.size() > 1 && First.count(0))
      return false;
    return std::all_of(At->second.begin(), At->second.end(),
                       [&](const auto &By) { return By.second == First; });
  }

private:
  using Byte = std::pair<uint32_t, uint64_t>;
  std::map<Byte, std::map<uint32_t, std::set<int64_t>>> Of;
  std::set<Byte> Other;        ///< stores of anything else
  std::set<uint32_t> Anywhere; ///< stores by an index
};

} // namespace

GlobalUse GlobalUses::on(uint32_t Symbol, uint64_t Begin, uint64_t End,
                         const std::vector<double> &Heat) const {
  GlobalUse Out;
  const auto At = Of.find(Symbol);
  if (At == Of.end())
    return Out;
  for (const GlobalAccess &A : At->second) {
    if (A.OffsetBytes >= End || (A.OffsetBytes < Begin && !A.Indexed))
      continue;
    if (Out.Users.empty() || Out.Users.back().Function != A.Function ||
        Out.Users.back().Init != A.Init)
      Out.Users.push_back({A.Function, 0, 0, 0, A.Init, true, A.OfMain});
    GlobalUser &To = Out.Users.back();
    To.Once &= A.Once || !A.Stores;
    To.Loads += A.Loads;
    To.Stores += A.Stores;
    To.Taken += A.Taken;
  }
  for (const GlobalUser &User : Out.Users) {
    if (User.Init)
      continue;
    const double Hot = Heat[User.Function];
    if (User.writes())
      Out.Writes += Hot;
    else if (User.Loads)
      Out.Reads += Hot;
    else
      Out.Taken += Hot;
  }
  return Out;
}

GlobalUses globalUses(const ObjectFile &File, const std::vector<DataUse> &Uses,
                      const ThreadPhases &Phases) {
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
  std::map<std::tuple<uint32_t, uint32_t, uint64_t, bool, bool>, GlobalAccess>
      Found;
  Constants Stored;
  GlobalUses Out;
  for (const DataUse &Use : Uses) {
    const auto *Global = Globals.at(Use.Data);
    if (Use.InData) {
      if (Global)
        Out.Pointed.insert(Global->Symbol);
      continue;
    }
    ++Out.Instructions;
    const auto *Function = Functions.at(Use.Code);
    if (!Global || !Function) {
      ++Out.Outside;
      continue;
    }
    const uint64_t Offset = Use.Data - Global->Begin;
    const std::string &In =
        File.Sections[File.Symbols[Function->Symbol].Section].Name;
    const bool Init = In.starts_with(".init") || In.starts_with(".exit") ||
                      Phases.isAlone(Use.Code);
    GlobalAccess &Of =
        Found[{Global->Symbol, Function->Symbol, Offset, Use.Indexed, Init}];
    Of.Function = Function->Symbol;
    Of.OffsetBytes = Offset;
    Of.Indexed = Use.Indexed;
    Of.Loads += Use.Load;
    Of.Stores += Use.Store;
    Of.Taken += Use.Taken;
    Of.Init = Init;
    Of.OfMain = Phases.isOfMain(Function->Symbol);
    if (Use.Store && !Of.Init)
      Stored.add(Global->Symbol, Offset, Function->Symbol, Use);
  }
  for (auto &[Which, Access] : Found)
    Access.Once = Access.Loads && Access.Stores && !Access.Indexed &&
                  Stored.areOneState(std::get<0>(Which), Access.OffsetBytes);
  for (const auto &[Which, Access] : Found)
    Out.Of[std::get<0>(Which)].push_back(Access);
  return Out;
}

double readApart(const GlobalUse &Of, const GlobalUse &Written,
                 const std::vector<double> &Heat) {
  double Sum = 0;
  for (const GlobalUser &User : Of.Users) {
    if (User.Init || !User.Loads || User.writes())
      continue;
    bool Both = false, Elsewhere = false;
    for (const GlobalUser &Writer : Written.Users)
      if (!Writer.Init && Writer.writes()) {
        Both |= Writer.Function == User.Function;
        Elsewhere |= !(Writer.OfMain && User.OfMain);
      }
    if (!Both && Elsewhere)
      Sum += Heat[User.Function];
  }
  return Sum;
}

std::vector<std::string> userNames(const ObjectFile &File, const GlobalUse &Of,
                                   bool Write, const std::vector<double> &Heat,
                                   size_t Most) {
  std::vector<std::pair<double, std::string>> All;
  for (const GlobalUser &User : Of.Users)
    if (!User.Init &&
        (Write ? User.Stores != 0 : User.Loads != 0 && !User.writes()))
      All.push_back({-Heat[User.Function], File.Symbols[User.Function].Name});
  std::sort(All.begin(), All.end());
  std::vector<std::string> Out;
  for (size_t I = 0; I < std::min(All.size(), Most); ++I)
    Out.push_back(All[I].second);
  return Out;
}

} // namespace kst
