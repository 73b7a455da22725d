// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/FunctionHeat.h"

#include <algorithm>

namespace kst {
namespace {

bool isHeader(const std::string &File) { return File.ends_with(".h"); }

bool sameFile(const std::string &Full, const std::string &Tail) {
  return Full == Tail || (Full.size() > Tail.size() && Full.ends_with(Tail) &&
                          Full[Full.size() - Tail.size() - 1] == '/');
}

/// The source's name of `f.isra.0`, `f.part.1.cold`.
std::string plainName(const std::string &Name) {
  return Name.substr(0, Name.find('.', 1));
}

} // namespace

std::string sourceOf(const std::string &ObjectName) {
  std::string Name = ObjectName;
  if (const size_t Open = Name.rfind(".a("); Open != std::string::npos) {
    const size_t Slash = Name.rfind('/', Open);
    Name = (Slash == std::string::npos ? "" : Name.substr(0, Slash + 1)) +
           Name.substr(Open + 3, Name.size() - Open - 4);
  }
  if (Name.ends_with(".o"))
    Name.back() = 'c';
  return Name;
}

FunctionHeat functionHeat(const LinkedImage &Image, const Profile &Counts) {
  std::vector<std::string> Sources;
  for (const SymbolPlace &At : Image.places())
    Sources.push_back(At.Is == SymbolPlace::Kind::InPiece
                          ? sourceOf(Image.statement(At.In).Text)
                          : "");
  return functionHeat(Image.files().Image, Sources, Counts);
}

FunctionHeat functionHeat(const ObjectFile &File,
                          const std::vector<std::string> &Sources,
                          const Profile &Counts) {
  struct Measured {
    double Lines = 0, Entries = 0;
    double heat() const { return Lines > 0 ? Lines : Entries; }
  };
  std::map<std::string, std::map<std::string, Measured>> ByName;
  for (const MeasuredSite &Site : Counts.Sites) {
    Measured &Of = ByName[Counts.text(Site.Function)][Counts.text(Site.File)];
    if (Site.Kind == SiteKind::Line)
      Of.Lines += double(Site.Count) * std::max(1u, Site.SizeBytes);
    else if (Site.Kind == SiteKind::Entry)
      Of.Entries += double(Site.Count);
  }
  for (const FunctionSamples &Of : Counts.Samples)
    ByName[Counts.text(Of.Function)][""].Entries += double(Of.Count);
  FunctionHeat Out;
  Out.OfSymbol.resize(File.Symbols.size());
  // Which symbols a measured function is: those of its name, of its file.
  std::map<std::string, std::vector<uint32_t>> Symbols;
  for (uint32_t S = 0; S < File.Symbols.size(); ++S) {
    const ObjectSymbol &Of = File.Symbols[S];
    if (Of.Function && Of.Name.find(".cold") == std::string::npos)
      Symbols[plainName(Of.Name)].push_back(S);
  }
  double Placed = 0, Lost = 0;
  for (const auto &[Name, Files] : ByName) {
    const auto Found = Symbols.find(Name);
    for (const auto &[In, Of] : Files) {
      const double Heat = Of.heat();
      if (!(Heat > 0))
        continue;
      std::vector<uint32_t> Fits;
      if (Found != Symbols.end())
        for (uint32_t S : Found->second) {
          if (In.empty() || isHeader(In) || Found->second.size() == 1 ||
              (!Sources[S].empty() && sameFile(In, Sources[S])))
            Fits.push_back(S);
        }
      // Of inline functions nobody knows which copy ran.
      for (uint32_t S : Fits)
        Out.OfSymbol[S] += Heat / double(Fits.size());
      (Fits.empty() ? Lost : Placed) += Heat;
    }
  }
  for (double &Heat : Out.OfSymbol) {
    Out.Named += Heat > 0;
    if (Placed > 0)
      Heat /= Placed;
  }
  Out.Unplaced = Placed + Lost > 0 ? Lost / (Placed + Lost) : 0;
  return Out;
}

std::map<LinkPiece, double> pieceHeat(const LinkedImage &Image,
                                      const FunctionHeat &Heat) {
  std::map<LinkPiece, double> Out;
  for (uint32_t S = 0; S < Heat.OfSymbol.size(); ++S)
    if (Heat.OfSymbol[S] > 0 &&
        Image.places()[S].Is == SymbolPlace::Kind::InPiece)
      Out[Image.places()[S].In] += Heat.OfSymbol[S];
  return Out;
}

} // namespace kst
