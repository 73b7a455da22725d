// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkPrediction.h"

#include "hybrid/isolation/LinkedImage.h"
#include "hybrid/isolation/SameSymbols.h"

#include <algorithm>

namespace kst {
namespace {

using Kind = MapStatement::Kind;

} // namespace

uint64_t LinkedImage::addressOf(const LinkPiece &P,
                                const PredictedLink &In) const {
  if (!P.Link)
    return In.Final.Address[P.Part][P.Statement];
  const uint64_t Offset = In.Inner.Address[P.Part][P.Statement];
  const auto Outer = OfInner.find(F.Inner->Parts[P.Part].Name);
  return Outer == OfInner.end() ? Offset
                                : addressOf(Outer->second, In) + Offset;
}

const ObjectSection *LinkedImage::sectionAfter(const LinkPiece &P,
                                               const LinkChange &Change) const {
  const MapStatement &S = statement(P);
  const auto New = Change.Objects.find(S.Text);
  if (New == Change.Objects.end())
    return section(P);
  const uint32_t Number =
      nthSection(*New->second, S.Name, Ordinals[P.Link][P.Part][P.Statement]);
  return Number == ObjectSymbol::None ? nullptr
                                      : &New->second->Sections[Number];
}

Extents LinkedImage::extents(uint32_t Link, const LinkChange &Change,
                             const LinkPlacement *Inner) const {
  Extents Out = Were[Link];
  std::map<LinkPiece, int64_t> Growths;
  for (const Growth &G : Change.Growths)
    Growths[G.At] += G.Bytes;
  const LinkMap &Map = map(Link);
  for (uint32_t P = 0; P < Map.Parts.size(); ++P)
    for (uint32_t I = 0; I < Map.Parts[P].Body.size(); ++I) {
      const MapStatement &S = Map.Parts[P].Body[I];
      if (S.Is != Kind::Input)
        continue;
      const LinkPiece At{Link, P, I};
      Extent &Of = Out[P][I];
      if (Change.Objects.count(S.Text) && !S.WholeBytes) {
        // What the linker made in the name of a file stays: .got, .dynsym.
        const ObjectSection *New = sectionAfter(At, Change);
        if (New || section(At))
          Of = New ? Extent{New->SizeBytes, New->AlignBytes} : Extent{0, 1};
      } else if (Inner && S.Text == F.InnerFile) {
        // What objtool added to the section behind the link stays.
        for (size_t Q = 0; Q < F.Inner->Parts.size(); ++Q)
          if (F.Inner->Parts[Q].Name == S.Name && !S.WholeBytes)
            Of.SizeBytes += Inner->PartSize[Q] - F.Inner->Parts[Q].SizeBytes;
      }
      if (const auto Grown = Growths.find(At); Grown != Growths.end())
        Of.SizeBytes += uint64_t(Grown->second);
      if (const auto Align = Change.Aligns.find(At);
          Align != Change.Aligns.end())
        Of.AlignBytes = std::max(Of.AlignBytes, Align->second);
      if (const auto Given = Change.Given.find(At); Given != Change.Given.end())
        Of.SizeBytes = Given->second;
    }
  return Out;
}

LinkedImage::SymbolsByFile
LinkedImage::sameSymbolsOf(const LinkChange &Change) const {
  SymbolsByFile Out;
  for (const auto &[Name, New] : Change.Objects)
    if (const auto Old = F.Objects.find(Name); Old != F.Objects.end())
      Out.emplace(Name, sameSymbols(Old->second, *New));
  return Out;
}

LinkedImage::Moved LinkedImage::moved(const SymbolPlace &At,
                                      const LinkChange &Change,
                                      const SymbolsByFile &Same) const {
  Moved Out{At.In, At.OffsetBytes};
  const std::string &Name = statement(At.In).Text;
  const auto New = Change.Objects.find(Name);
  if (New == Change.Objects.end() || At.Is != SymbolPlace::Kind::InPiece) {
    for (const Growth &G : Change.Growths)
      if (G.At == At.In && At.OffsetBytes >= G.OffsetBytes)
        Out.OffsetBytes += uint64_t(G.Bytes);
    return Out;
  }
  uint32_t Number = At.Symbol;
  uint64_t Distance = 0;
  if (Number == ObjectSymbol::None) {
    // The link made it: it stays with the next symbol of the object.
    const auto In = ObjectSymbols.find({Name, sectionNumber(At.In)});
    if (In == ObjectSymbols.end())
      return Out;
    const auto Next = In->second.lower_bound(At.OffsetBytes);
    if (Next == In->second.end())
      return Out;
    Number = Next->second;
    Distance = Next->first - At.OffsetBytes;
  }
  const uint32_t To = Same.at(Name)[Number];
  Out.Gone = To == ObjectSymbol::None;
  if (Out.Gone)
    return Out;
  const ObjectSymbol &Is = New->second->Symbols[To];
  if (At.Symbol != ObjectSymbol::None)
    Out.Symbol = &Is;
  const std::string &Section = New->second->Sections[Is.Section].Name;
  if (Section != statement(At.In).Name) {
    const auto Pieces = ByName.find({Name, Section});
    Out.Gone = Pieces == ByName.end();
    if (Out.Gone)
      return Out;
    Out.In = Pieces->second.front();
  }
  Out.OffsetBytes = Is.Value - Distance;
  return Out;
}

PredictedLink LinkedImage::predict(const LinkChange &Change) const {
  PredictedLink Out;
  const SymbolsByFile Same = sameSymbolsOf(Change);
  const Extents Inner = F.Inner ? extents(1, Change, nullptr) : Extents();
  if (F.Inner)
    Out.Inner = place(*F.Inner, Rules[1], Inner, nullptr, nullptr);
  Extents Are = extents(0, Change, F.Inner ? &Out.Inner : nullptr);
  if (F.Inner)
    for (const auto &[Name, At] : OfInner) {
      // An output section is aligned as the most aligned of its inputs.
      uint64_t Most = 0, Most0 = 0;
      for (size_t Q = 0; Q < F.Inner->Parts.size(); ++Q)
        if (F.Inner->Parts[Q].Name == Name) {
          for (size_t I = 0; I < Inner[Q].size(); ++I) {
            Most = std::max(Most, Inner[Q][I].AlignBytes);
            Most0 = std::max(Most0, Were[1][Q][I].AlignBytes);
          }
        }
      Extent &Of = Are[At.Part][At.Statement];
      if (Most0 == Of.AlignBytes || Most > Of.AlignBytes)
        Of.AlignBytes = std::max<uint64_t>(1, Most);
    }
  const LinkPlacement *Before = &Base.Final;
  const SymbolValue Value =
      [&](const std::string &Name) -> std::optional<uint64_t> {
    const auto Found = Globals.find(Name);
    if (Found == Globals.end() ||
        Places[Found->second].Is != SymbolPlace::Kind::InPiece)
      return linkedValue(Name);
    const SymbolPlace &At = Places[Found->second];
    const Moved To = moved(At, Change, Same);
    uint64_t Offset = To.OffsetBytes;
    LinkPiece In = To.In;
    if (In.Link) {
      Offset += Out.Inner.Address[In.Part][In.Statement];
      const auto Outer = OfInner.find(F.Inner->Parts[In.Part].Name);
      if (Outer == OfInner.end())
        return std::nullopt;
      In = Outer->second;
    }
    return Before->Address[In.Part][In.Statement] + Offset;
  };
  // Expressions may ask for what lies behind them: until nothing changes.
  LinkPlacement Last = Base.Final;
  for (int Round = 0; Round < 8; ++Round) {
    Before = &Last;
    LinkPlacement Next = place(F.Final, Rules[0], Are, Value, Before);
    const bool Same =
        Next.Address == Last.Address && Next.PartAddress == Last.PartAddress;
    Last = std::move(Next);
    if (Same)
      break;
  }
  Out.Final = std::move(Last);
  for (uint32_t S = 0; S < F.Image.Symbols.size(); ++S) {
    const ObjectSymbol &Of = F.Image.Symbols[S];
    const SymbolPlace &At = Places[S];
    PredictedSymbol To;
    To.Name = Of.Name;
    To.File = Of.File < F.Image.Files.size() ? F.Image.Files[Of.File] : "";
    To.Was = To.Is = Of.Value;
    To.Local = Of.Local;
    To.Image = S;
    switch (At.Is) {
    case SymbolPlace::Kind::Unknown:
      continue;
    case SymbolPlace::Kind::Absolute:
      break;
    case SymbolPlace::Kind::Assigned:
      To.Is = Out.Final.Assigned.at(Of.Name);
      break;
    case SymbolPlace::Kind::InPart:
      To.Is = (At.In.Link ? Out.Inner : Out.Final).PartAddress[At.In.Part] +
              At.OffsetBytes;
      break;
    case SymbolPlace::Kind::InPiece: {
      const Moved Now = moved(At, Change, Same);
      To.Gone = Now.Gone;
      if (Now.Symbol)
        To.Name = Now.Symbol->Name;
      To.Is = addressOf(Now.In, Out) + Now.OffsetBytes;
      break;
    }
    }
    if (At.Is != SymbolPlace::Kind::Assigned &&
        Of.Section < F.Image.Sections.size() &&
        F.Image.Sections[Of.Section].Tls)
      To.Is -= tlsAddress(Out);
    Out.Symbols.push_back(std::move(To));
  }
  return Out;
}

} // namespace kst
