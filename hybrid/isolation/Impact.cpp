// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/Impact.h"

#include "hybrid/isolation/SameSymbols.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace kst {
namespace {

constexpr size_t MostFunctions = 200, MostPairs = 500;

/// Name without a number of the compiler, file of locals, which of those.
using SymbolKey = std::tuple<std::string, std::string, uint32_t>;

std::vector<SymbolKey> keysOf(const ObjectFile &File) {
  std::map<std::pair<std::string, std::string>, uint32_t> Count;
  std::vector<SymbolKey> Out;
  for (const ObjectSymbol &Of : File.Symbols) {
    const std::string In =
        Of.File < File.Files.size() ? File.Files[Of.File] : "";
    const std::string Name = unnumbered(Of.Name);
    Out.emplace_back(Name, In, Count[{Name, In}]++);
  }
  return Out;
}

enum class SymbolKind { Neither, Function, Data };

SymbolKind kindOf(const ObjectFile &File, uint32_t Symbol) {
  const ObjectSymbol &Of = File.Symbols[Symbol];
  if (Of.Section >= File.Sections.size() || !Of.SizeBytes)
    return SymbolKind::Neither;
  const ObjectSection &In = File.Sections[Of.Section];
  // Values of thread-local ones are no addresses.
  if (!In.Alloc || In.Tls)
    return SymbolKind::Neither;
  if (In.Code)
    return Of.Function ? SymbolKind::Function : SymbolKind::Neither;
  return In.Address && (In.Written || Of.Object) ? SymbolKind::Data
                                                 : SymbolKind::Neither;
}

using SymbolPair = std::pair<uint32_t, uint32_t>;

/// Pairs of data symbols that share a line.
std::vector<SymbolPair> pairsOf(const ImpactSide &In, uint64_t LineBytes) {
  std::vector<uint32_t> Order;
  for (uint32_t S = 0; S < In.File.Symbols.size(); ++S)
    if (kindOf(In.File, S) == SymbolKind::Data && In.Address[S])
      Order.push_back(S);
  std::sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
    return std::pair(In.Address[A], A) < std::pair(In.Address[B], B);
  });
  std::vector<SymbolPair> Out;
  for (size_t I = 0; I < Order.size(); ++I) {
    const uint64_t Begin = In.Address[Order[I]],
                   End = Begin + In.File.Symbols[Order[I]].SizeBytes;
    for (size_t J = I + 1; J < Order.size(); ++J) {
      const uint64_t Other = In.Address[Order[J]];
      if (Other / LineBytes > (End - 1) / LineBytes)
        break;
      if (Other >= End) // names of one object are no pair
        Out.emplace_back(Order[I], Order[J]);
    }
  }
  return Out;
}

/// Of the bytes that lie on that line.
GlobalUse usesOnLine(const ImpactSide &In, uint32_t Symbol, uint64_t Line,
                     uint64_t LineBytes) {
  const uint64_t At = In.Address[Symbol];
  return In.Uses.on(Symbol, Line > At ? Line - At : 0, Line + LineBytes - At,
                    In.Heat);
}

void addPair(Impact &Out, const ImpactSide &In, SymbolPair Pair, bool Starts,
             uint64_t LineBytes) {
  (Starts ? Out.PairsStarting : Out.PairsEnding) += 1;
  const uint64_t Line =
      std::max(In.Address[Pair.first], In.Address[Pair.second]) / LineBytes *
      LineBytes;
  for (auto [W, R] : {Pair, SymbolPair(Pair.second, Pair.first)}) {
    const GlobalUse Written = usesOnLine(In, W, Line, LineBytes),
                    Read = usesOnLine(In, R, Line, LineBytes);
    if (!(Written.Writes > 0))
      continue;
    const double Apart = readApart(Read, Written, In.Heat);
    // What is written as much itself is not read-mostly.
    if (!(Apart > 0) || Read.Writes > Apart)
      continue;
    GlobalPair Found;
    Found.Written = pairSide(In, W, Written);
    Found.Read = pairSide(In, R, Read);
    Found.Starts = Starts;
    Found.Line = Line;
    Found.Cost = std::min(Written.Writes, Apart);
    Out.Pairs.push_back(std::move(Found));
  }
}

} // namespace

PairSide pairSide(const ImpactSide &In, uint32_t Symbol, const GlobalUse &Of) {
  PairSide Out;
  Out.Name = In.File.Symbols[Symbol].Name;
  Out.Object = In.Object[Symbol];
  Out.Address = In.Address[Symbol];
  Out.SizeBytes = In.File.Symbols[Symbol].SizeBytes;
  Out.Writes = Of.Writes;
  Out.Reads = Of.Reads;
  Out.Taken = Of.Taken;
  Out.Writers = userNames(In.File, Of, true, In.Heat, MostUserNames);
  Out.Readers = userNames(In.File, Of, false, In.Heat, MostUserNames);
  return Out;
}

ImpactSide sideBefore(const LinkedImage &Image, const FunctionHeat &Heat,
                      const GlobalUses &Uses) {
  const ObjectFile &File = Image.files().Image;
  ImpactSide Out{File, {}, {}, Heat.OfSymbol, Uses};
  for (uint32_t S = 0; S < File.Symbols.size(); ++S) {
    Out.Address.push_back(File.Symbols[S].Value);
    const SymbolPlace &At = Image.places()[S];
    Out.Object.push_back(
        At.Is == SymbolPlace::Kind::InPiece ? Image.statement(At.In).Text : "");
  }
  return Out;
}

ImpactSide sideAfter(const LinkedImage &Image, const PredictedLink &After,
                     const FunctionHeat &Heat, const GlobalUses &Uses) {
  ImpactSide Out = sideBefore(Image, Heat, Uses);
  for (const PredictedSymbol &Of : After.Symbols)
    Out.Address[Of.Image] = Of.Gone ? 0 : Of.Is;
  return Out;
}

size_t addedSymbols(const LinkedImage &Image, const LinkChange &Change) {
  size_t Out = 0;
  for (const auto &[Name, New] : Change.Objects) {
    const auto Old = Image.files().Objects.find(Name);
    if (Old == Image.files().Objects.end())
      continue;
    const std::vector<bool> Had = hadSymbols(Old->second, *New);
    for (uint32_t S = 0; S < Had.size(); ++S) {
      const ObjectSymbol &Of = New->Symbols[S];
      Out += !Had[S] && Of.SizeBytes && (Of.Function || Of.Object) &&
             Of.Section < New->Sections.size() &&
             New->Sections[Of.Section].Alloc;
    }
  }
  return Out;
}

std::vector<double> heatByName(const ObjectFile &From,
                               const std::vector<double> &Heat,
                               const ObjectFile &To) {
  std::map<SymbolKey, double> Known;
  const std::vector<SymbolKey> Keys = keysOf(From);
  for (size_t S = 0; S < Keys.size(); ++S)
    Known.emplace(Keys[S], Heat[S]);
  std::vector<double> Out;
  for (const SymbolKey &Key : keysOf(To)) {
    const auto At = Known.find(Key);
    Out.push_back(At == Known.end() ? 0 : At->second);
  }
  return Out;
}

std::vector<uint64_t> addressesAfter(const ImpactSide &Before,
                                     const ImpactSide &After) {
  std::map<SymbolKey, uint32_t> Numbers;
  const std::vector<SymbolKey> New = keysOf(After.File);
  for (uint32_t S = 0; S < New.size(); ++S)
    Numbers.emplace(New[S], S);
  std::vector<uint64_t> Out;
  for (const SymbolKey &Key : keysOf(Before.File)) {
    const auto To = Numbers.find(Key);
    Out.push_back(To == Numbers.end() ? 0 : After.Address[To->second]);
  }
  return Out;
}

Impact impactOf(const ImpactSide &Before, const ImpactSide &After,
                uint64_t LineBytes, const std::set<std::string> &Changed) {
  Impact Out;
  for (size_t M = 0; M < ImpactModuli.size(); ++M)
    Out.Moduli[M].ModuloBytes = ImpactModuli[M];
  const std::vector<SymbolKey> Old = keysOf(Before.File),
                               New = keysOf(After.File);
  std::map<SymbolKey, uint32_t> Numbers;
  for (uint32_t S = 0; S < New.size(); ++S)
    if (kindOf(After.File, S) != SymbolKind::Neither)
      Numbers.emplace(New[S], S);
  const size_t InNew = Numbers.size();
  size_t Both = 0;
  for (uint32_t S = 0; S < Old.size(); ++S) {
    const SymbolKind Kind = kindOf(Before.File, S);
    if (Kind == SymbolKind::Neither)
      continue;
    const auto To = Numbers.find(Old[S]);
    if (To == Numbers.end() || !After.Address[To->second]) {
      ++Out.Gone;
      continue;
    }
    ++Both;
    const bool Code = Kind == SymbolKind::Function;
    const uint64_t Was = Before.Address[S], Is = After.Address[To->second];
    const double Hot = Code ? Before.Heat[S] : 0;
    (Code ? Out.Functions : Out.Data) += 1;
    (Code ? Out.MovedFunctions : Out.MovedData) += Was != Is;
    Out.AllHeat += Hot;
    for (ModuloRow &Row : Out.Moduli)
      if ((Is - Was) % Row.ModuloBytes) {
        (Code ? Row.Functions : Row.Data) += 1;
        Row.Heat += Hot;
        if (!Changed.count(Before.Object[S]))
          Row.OtherHeat += Hot;
      }
    if (Code && (Is - Was) % LineBytes)
      Out.Hottest.push_back(
          {Before.File.Symbols[S].Name, Before.Object[S], Was, Is, Hot});
  }
  Out.New = InNew - Both;
  std::stable_sort(Out.Hottest.begin(), Out.Hottest.end(),
                   [](const MovedFunction &A, const MovedFunction &B) {
                     return A.Heat > B.Heat;
                   });
  Out.Hottest.resize(std::min(Out.Hottest.size(), MostFunctions));
  Out.Uses = Before.Uses.Instructions;
  Out.UsesOutside = Before.Uses.Outside;
  using KeyPair = std::pair<SymbolKey, SymbolKey>;
  const std::vector<SymbolPair> Were = pairsOf(Before, LineBytes),
                                Are = pairsOf(After, LineBytes);
  const auto Named = [](const std::vector<SymbolKey> &Keys, SymbolPair Of) {
    return KeyPair(std::minmax(Keys[Of.first], Keys[Of.second]));
  };
  std::set<KeyPair> OldPairs, NewPairs;
  for (SymbolPair Of : Were)
    OldPairs.insert(Named(Old, Of));
  for (SymbolPair Of : Are)
    NewPairs.insert(Named(New, Of));
  for (SymbolPair Of : Are)
    if (!OldPairs.count(Named(New, Of)))
      addPair(Out, After, Of, true, LineBytes);
  for (SymbolPair Of : Were)
    if (!NewPairs.count(Named(Old, Of)))
      addPair(Out, Before, Of, false, LineBytes);
  std::stable_sort(
      Out.Pairs.begin(), Out.Pairs.end(),
      [](const GlobalPair &A, const GlobalPair &B) { return A.Cost > B.Cost; });
  Out.Pairs.resize(std::min(Out.Pairs.size(), MostPairs));
  return Out;
}

} // namespace kst
