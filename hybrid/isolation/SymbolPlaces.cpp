// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which section of which object each symbol of an image comes from.

#include "hybrid/isolation/LinkedImage.h"

#include <algorithm>

namespace kst {
namespace {

using Kind = MapStatement::Kind;

} // namespace

void LinkedImage::nameObjectSymbols() {
  for (const auto &[Name, File] : F.Objects) {
    if (F.Inner && Name == F.InnerFile)
      continue;
    for (uint32_t S = 0; S < File.Symbols.size(); ++S)
      if (File.Symbols[S].Section < File.Sections.size())
        ObjectSymbols[{Name, File.Symbols[S].Section}].emplace(
            File.Symbols[S].Value, S);
  }
}

bool LinkedImage::hasSymbol(const LinkPiece &P, const std::string &Name,
                            uint64_t OffsetBytes, uint32_t *Number) const {
  const std::string &File = statement(P).Text;
  const auto In = ObjectSymbols.find({File, sectionNumber(P)});
  if (In == ObjectSymbols.end())
    return false;
  const ObjectFile &Object = F.Objects.at(File);
  const auto [Begin, End] = In->second.equal_range(OffsetBytes);
  for (auto At = Begin; At != End; ++At)
    if (Object.Symbols[At->second].Name == Name) {
      if (Number)
        *Number = At->second;
      return true;
    }
  return false;
}

/// Among the pieces around an address, that whose file has the symbol there;
/// else the one that has bytes there; else the last that begins before it.
SymbolPlace LinkedImage::placeInChain(uint32_t Link, uint32_t Part,
                                      uint64_t Address,
                                      const ObjectSymbol &Symbol) const {
  const MapPart &Of = map(Link).Parts[Part];
  const auto &Body = Of.Body;
  SymbolPlace Out;
  Out.Is = SymbolPlace::Kind::InPart;
  Out.In = {Link, Part, 0};
  Out.OffsetBytes = Address - Of.Address;
  // Addresses of statements never fall within a part.
  auto After = std::upper_bound(
      Body.begin(), Body.end(), Address,
      [](uint64_t A, const MapStatement &S) { return A < S.Address; });
  std::optional<uint32_t> Holds, Before;
  for (auto At = After; At != Body.begin();) {
    --At;
    if (At->Is == Kind::Assign)
      continue;
    const uint32_t I = uint32_t(At - Body.begin());
    const LinkPiece P{Link, Part, I};
    const uint64_t Offset = Address - At->Address;
    uint32_t Number = ObjectSymbol::None;
    if (At->Is == Kind::Input && hasSymbol(P, Symbol.Name, Offset, &Number)) {
      Out.Is = SymbolPlace::Kind::InPiece;
      Out.In = P;
      Out.OffsetBytes = Offset;
      Out.Symbol = Number;
      return Out;
    }
    if (!Holds && Offset < At->SizeBytes)
      Holds = I;
    if (!Before)
      Before = I;
    if (At->SizeBytes && At->Address + At->SizeBytes < Address)
      break;
  }
  if (const auto Found = Holds ? Holds : Before) {
    Out.Is = SymbolPlace::Kind::InPiece;
    Out.In = {Link, Part, *Found};
    Out.OffsetBytes = Address - Body[*Found].Address;
  }
  return Out;
}

/// Symbols of an output section without bytes have another one in the image.
std::optional<SymbolPlace>
LinkedImage::placeInEmpty(const ObjectSymbol &Symbol) const {
  for (uint32_t P = 0; P < F.Final.Parts.size(); ++P) {
    const MapPart &Part = F.Final.Parts[P];
    if (Part.Name.empty() || Part.SizeBytes || Part.Address != Symbol.Value)
      continue;
    const SymbolPlace Out = placeInChain(0, P, Symbol.Value, Symbol);
    if (Out.Symbol != ObjectSymbol::None)
      return Out;
  }
  return std::nullopt;
}

SymbolPlace LinkedImage::placeOf(const ObjectSymbol &Symbol) const {
  SymbolPlace Out;
  // Hidden ones are local in the image.
  const auto Set = Base.Final.Assigned.find(Symbol.Name);
  if (Set != Base.Final.Assigned.end() && Set->second == Symbol.Value) {
    Out.Is = SymbolPlace::Kind::Assigned;
    return Out;
  }
  if (Symbol.Section == ObjectSymbol::Absolute) {
    Out.Is = SymbolPlace::Kind::Absolute;
    return Out;
  }
  if (Symbol.Section >= F.Image.Sections.size())
    return Out;
  const ObjectSection &In = F.Image.Sections[Symbol.Section];
  const LinkMap &Map = F.Image.Relocatable && F.Inner ? *F.Inner : F.Final;
  const uint32_t Link = &Map != &F.Final;
  for (uint32_t P = 0; P < Map.Parts.size(); ++P) {
    if (Map.Parts[P].Name != In.Name || Map.Parts[P].Address != In.Address)
      continue;
    Out =
        placeInChain(Link, P, Symbol.Value + (In.Tls ? TlsAddress : 0), Symbol);
    if (Out.Symbol == ObjectSymbol::None && !Link)
      if (const auto Empty = placeInEmpty(Symbol))
        return *Empty;
    if (Out.Is != SymbolPlace::Kind::InPiece || Link || !F.Inner ||
        statement(Out.In).Text != F.InnerFile)
      return Out;
    // A symbol in vmlinux.o: in which object?
    const MapStatement &Whole = statement(Out.In);
    for (uint32_t Q = 0; Q < F.Inner->Parts.size(); ++Q)
      if (F.Inner->Parts[Q].Name == Whole.Name) {
        const SymbolPlace Deep = placeInChain(1, Q, Out.OffsetBytes, Symbol);
        if (Deep.Is == SymbolPlace::Kind::InPiece)
          return Deep;
      }
    return Out;
  }
  return Out;
}

} // namespace kst
