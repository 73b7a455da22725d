// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/Globals.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kst {
namespace {

bool isGlobal(const ObjectFile &File, const ObjectSymbol &Of) {
  if (Of.Section >= File.Sections.size() || !Of.SizeBytes || Of.Function)
    return false;
  const ObjectSection &In = File.Sections[Of.Section];
  return In.Alloc && In.Written && !In.Code && !In.Tls && In.Address &&
         !In.Name.starts_with(".init") && !In.Name.starts_with(".exit") &&
         !In.Name.starts_with(".data..percpu");
}

/// Symbols by name, file of locals, and which of those.
using Key = std::tuple<std::string, std::string, uint32_t>;
class Keys {
public:
  explicit Keys(const ObjectFile &File) : File(File) {}
  /// In the order of the file.
  Key next(const ObjectSymbol &Of) {
    const std::string In =
        Of.File < File.Files.size() ? File.Files[Of.File] : "";
    return {Of.Name, In, Count[{Of.Name, In}]++};
  }

private:
  const ObjectFile &File;
  std::map<std::pair<std::string, std::string>, uint32_t> Count;
};

std::map<Key, std::string> inputSections(const ObjectFile *Inputs) {
  std::map<Key, std::string> Out;
  if (!Inputs)
    return Out;
  Keys Names(*Inputs);
  for (const ObjectSymbol &Of : Inputs->Symbols) {
    Key Name = Names.next(Of);
    if (Of.Section < Inputs->Sections.size())
      Out.emplace(std::move(Name), Inputs->Sections[Of.Section].Name);
  }
  return Out;
}

} // namespace

std::vector<Global> globalsOf(const ObjectFile &File,
                              const std::vector<GlobalVariable> &Debug,
                              const ObjectFile *Inputs) {
  std::vector<Global> All;
  const std::map<Key, std::string> Sections = inputSections(Inputs);
  Keys Names(File);
  for (uint32_t S = 0; S < File.Symbols.size(); ++S) {
    const ObjectSymbol &Of = File.Symbols[S];
    const Key Name = Names.next(Of);
    if (!isGlobal(File, Of))
      continue;
    Global G;
    G.Symbol = S;
    const auto Was = Sections.find(Name);
    G.Section =
        Was == Sections.end() ? File.Sections[Of.Section].Name : Was->second;
    const auto Known = std::lower_bound(
        Debug.begin(), Debug.end(), Of.Value,
        [](const GlobalVariable &V, uint64_t At) { return V.Address < At; });
    // One of another size has another symbol.
    if (Known != Debug.end() && Known->Address == Of.Value &&
        (Known->SizeBytes == Of.SizeBytes || Known->Name == Of.Name))
      G.Is = *Known;
    else if (Of.File < File.Files.size())
      G.Is.File = File.Files[Of.File];
    if (G.Is.Number * G.Is.StrideBytes > Of.SizeBytes)
      G.Is.Number = G.Is.StrideBytes = 0;
    G.Is.Name = Of.Name;
    G.Is.Address = Of.Value;
    G.Is.SizeBytes = Of.SizeBytes;
    All.push_back(std::move(G));
  }
  std::stable_sort(All.begin(), All.end(),
                   [](const Global &A, const Global &B) {
                     return std::tuple(A.Is.Address, ~A.Is.SizeBytes) <
                            std::tuple(B.Is.Address, ~B.Is.SizeBytes);
                   });
  std::vector<Global> Out;
  for (Global &G : All) // names of one thing, or of a part of it
    if (Out.empty() || G.Is.Address >= Out.back().end())
      Out.push_back(std::move(G));
  return Out;
}

const Global *globalAt(const std::vector<Global> &All, uint64_t Address) {
  const auto After = std::upper_bound(
      All.begin(), All.end(), Address,
      [](uint64_t A, const Global &G) { return A < G.Is.Address; });
  if (After == All.begin() || Address >= std::prev(After)->end())
    return nullptr;
  return &*std::prev(After);
}

} // namespace kst
