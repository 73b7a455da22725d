// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkCheck.h"

#include "hybrid/isolation/SameSymbols.h"

#include <algorithm>
#include <tuple>

namespace kst {
namespace {

using SymbolName = std::pair<std::string, std::string>; // name, file of locals

/// Predicted addresses of a name, and where the image had it.
using Addresses =
    std::map<SymbolName, std::vector<std::pair<uint64_t, uint64_t>>>;

/// As System.map has it: labels of the assembler (.LC1) are no names of their
/// own. Those of merged constants are where the merging puts them.
bool loaded(const ObjectFile &File, const ObjectSymbol &Symbol) {
  if (Symbol.Name.starts_with(".L"))
    return false;
  return Symbol.Section == ObjectSymbol::Absolute ||
         (Symbol.Section < File.Sections.size() &&
          File.Sections[Symbol.Section].Alloc);
}

/// Symbols that only the changed objects have.
void addNew(const LinkedImage &Image, const LinkChange &Change,
            const PredictedLink &Predicted, Addresses &To) {
  // Which file the image says locals of an object are of: the compiler's, or,
  // where that named none, the object as the linker calls it.
  const ObjectFile &Whole = Image.files().Image;
  std::map<std::string, std::string> FileOf;
  for (uint32_t S = 0; S < Whole.Symbols.size(); ++S)
    if (Whole.Symbols[S].File < Whole.Files.size() &&
        Image.places()[S].Is == SymbolPlace::Kind::InPiece)
      FileOf.emplace(Image.statement(Image.places()[S].In).Text,
                     Whole.Files[Whole.Symbols[S].File]);
  for (const auto &[Name, New] : Change.Objects) {
    const auto Old = Image.files().Objects.find(Name);
    if (Old == Image.files().Objects.end())
      continue;
    const std::vector<bool> Had = hadSymbols(Old->second, *New);
    for (uint32_t S = 0; S < Had.size(); ++S) {
      const ObjectSymbol &Of = New->Symbols[S];
      if (Of.Section >= New->Sections.size() || !loaded(*New, Of) || Had[S])
        continue;
      const std::vector<LinkPiece> In =
          Image.piecesOf(Name, New->Sections[Of.Section].Name);
      if (In.empty())
        continue;
      const std::string File = !Of.Local ? "" : FileOf[Name];
      uint64_t Is = Image.addressOf(In.front(), Predicted) + Of.Value;
      if (New->Sections[Of.Section].Tls)
        Is -= Image.tlsAddress(Predicted);
      To[{Of.Name, File}].push_back({Is, 0});
    }
  }
}

std::string lastName(const std::string &File) {
  return File.substr(File.find_last_of('/') + 1);
}

/// How the new map calls files that the old one calls otherwise: by the same
/// last name, or, of kallsyms tables of another step, as the only ones left.
std::map<std::string, std::string> renamedFiles(const LinkMap &Old,
                                                const LinkMap &New) {
  const std::set<std::string> Were = filesOf(Old), Are = filesOf(New);
  std::map<std::string, std::vector<std::string>> OnlyNew;
  std::vector<std::string> OnlyOld;
  for (const std::string &File : Are)
    if (!Were.count(File))
      OnlyNew[lastName(File)].push_back(File);
  for (const std::string &File : Were)
    if (!Are.count(File))
      OnlyOld.push_back(File);
  std::map<std::string, std::string> Out;
  std::vector<std::string> Left;
  for (const std::string &File : OnlyOld) {
    const auto At = OnlyNew.find(lastName(File));
    if (At == OnlyNew.end() || At->second.size() != 1) {
      Left.push_back(File);
      continue;
    }
    Out.emplace(File, At->second.front());
    OnlyNew.erase(At);
  }
  if (Left.size() == 1 && OnlyNew.size() == 1 &&
      OnlyNew.begin()->second.size() == 1)
    Out.emplace(Left.front(), OnlyNew.begin()->second.front());
  return Out;
}

} // namespace

std::vector<GeneratedSize> generatedSizes(const LinkedImage &Image,
                                          const LinkChange &Change,
                                          const LinkMap &New) {
  std::map<std::tuple<std::string, std::string, std::string>,
           std::vector<const MapStatement *>>
      Is;
  for (const MapPart &Part : New.Parts)
    for (const MapStatement &S : Part.Body)
      if (S.Is == MapStatement::Kind::Input)
        Is[{Part.Name, S.Name, S.Text}].push_back(&S);
  const std::set<std::string> Named = filesOf(New);
  const std::map<std::string, std::string> Renamed =
      renamedFiles(Image.files().Final, New);
  std::set<std::string> OfObjects;
  if (Image.files().Inner)
    for (const MapPart &Part : Image.files().Inner->Parts)
      OfObjects.insert(Part.Name);
  std::map<std::tuple<std::string, std::string, std::string>, size_t> Nth;
  std::vector<GeneratedSize> Out;
  for (const LinkPiece &P : Image.pieces()) {
    if (P.Link)
      continue;
    const MapStatement &S = Image.statement(P);
    const auto To = Renamed.find(S.Text);
    const std::string &File = To == Renamed.end() ? S.Text : To->second;
    const auto Name = std::tuple(Image.partName(P), S.Name, File);
    const size_t At = Nth[Name]++;
    const auto Found = Is.find(Name);
    const bool Inner = Image.files().Inner && S.Text == Image.files().InnerFile;
    const bool Merged = S.WholeBytes != 0;
    // Such as .got, which maps give to the first object.
    const bool Made = !Image.files().Objects.count(S.Text) ||
                      (!Image.section(P) && S.Name != "COMMON");
    const auto Changed = Change.Objects.find(S.Text);
    const bool OfChanged =
        Changed != Change.Objects.end() &&
        nthSection(*Changed->second, S.Name, 0) != ObjectSymbol::None;
    const bool Generated =
        Merged || Made ||
        (Inner ? !OfObjects.count(S.Name) : Image.files().Inner.has_value());
    // Of a file that the new map does not name, nothing is known.
    if (!Generated || (!Merged && OfChanged) || !Named.count(File))
      continue;
    const uint64_t Now = Found == Is.end() || At >= Found->second.size()
                             ? 0
                             : Found->second[At]->SizeBytes;
    if (Now != S.SizeBytes)
      Out.push_back({P, S.SizeBytes, Now, Merged});
  }
  return Out;
}

LinkCheck checkLink(const LinkedImage &Image, const LinkChange &Change,
                    const PredictedLink &Predicted, const ObjectFile &New) {
  LinkCheck Out;
  const ObjectFile &Old = Image.files().Image;
  Addresses Ours;
  std::set<uint32_t> Known;
  for (const PredictedSymbol &Of : Predicted.Symbols) {
    if (!loaded(Old, Old.Symbols[Of.Image]))
      continue;
    Known.insert(Of.Image);
    if (!Of.Gone)
      Ours[{Of.Name, Of.File}].push_back({Of.Is, Of.Was});
  }
  for (uint32_t S = 0; S < Old.Symbols.size(); ++S)
    Out.Unplaced += loaded(Old, Old.Symbols[S]) && !Known.count(S);
  addNew(Image, Change, Predicted, Ours);
  std::map<SymbolName, std::vector<uint64_t>> Theirs;
  for (const ObjectSymbol &Of : New.Symbols)
    if (loaded(New, Of)) {
      ++Out.Symbols;
      Theirs[{Of.Name, Of.File < New.Files.size() ? New.Files[Of.File] : ""}]
          .push_back(Of.Value);
    }
  for (auto &[Name, Is] : Theirs) {
    auto Found = Ours.find(Name);
    std::vector<std::pair<uint64_t, uint64_t>> Nobody;
    auto &Said = Found == Ours.end() ? Nobody : Found->second;
    std::sort(Is.begin(), Is.end());
    std::sort(Said.begin(), Said.end());
    // Equal ones go first; what is left over is wrong, in order.
    std::vector<uint64_t> Left;
    std::vector<std::pair<uint64_t, uint64_t>> Rest;
    size_t I = 0, J = 0;
    while (I < Is.size() || J < Said.size()) {
      if (J == Said.size() || (I < Is.size() && Is[I] < Said[J].first)) {
        Left.push_back(Is[I++]);
      } else if (I == Is.size() || Said[J].first < Is[I]) {
        Rest.push_back(Said[J++]);
      } else {
        ++Out.Equal;
        Out.Moved += Said[J].first != Said[J].second;
        ++I, ++J;
      }
    }
    for (size_t K = 0; K < std::max(Left.size(), Rest.size()); ++K) {
      SymbolMismatch Of{Name.first, Name.second};
      if (K < Rest.size()) {
        Of.Was = Rest[K].second;
        Of.Predicted = Rest[K].first;
      }
      if (K < Left.size())
        Of.Found = Left[K];
      if (K < Left.size() && K < Rest.size())
        Out.Wrong.push_back(std::move(Of));
      else if (K < Left.size())
        Out.Unforeseen.push_back(std::move(Of));
      else
        Out.Missing.push_back(std::move(Of));
    }
    if (Found != Ours.end())
      Ours.erase(Found);
  }
  for (const auto &[Name, Said] : Ours)
    for (const auto &[Is, Was] : Said)
      Out.Missing.push_back({Name.first, Name.second, Was, Is, 0});
  // Whose a new local symbol is, linkers say in ways of their own.
  std::erase_if(Out.Missing, [&Out](const SymbolMismatch &M) {
    const auto Same = std::find_if(Out.Unforeseen.begin(), Out.Unforeseen.end(),
                                   [&M](const SymbolMismatch &U) {
                                     return !M.Was && U.Name == M.Name &&
                                            U.Found == M.Predicted;
                                   });
    if (Same == Out.Unforeseen.end())
      return false;
    Out.Unforeseen.erase(Same);
    ++Out.Equal;
    return true;
  });
  Out.OnlyNew = Out.Unforeseen.size();
  Out.OnlyPredicted = Out.Missing.size();
  return Out;
}

} // namespace kst
