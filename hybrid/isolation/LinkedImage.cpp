// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkedImage.h"

#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

using Kind = MapStatement::Kind;

/// Common symbols of a file as one section, as linkers place them.
Extent commonExtent(const ObjectFile &File, uint64_t SizeBytes) {
  Extent Out{SizeBytes, 1};
  for (const ObjectSymbol &Of : File.Symbols)
    if (Of.Section == ObjectSymbol::Common)
      Out.AlignBytes = std::max(Out.AlignBytes, Of.Value);
  return Out;
}

} // namespace

const ObjectSection *LinkedImage::section(const LinkPiece &P) const {
  const auto File = F.Objects.find(statement(P).Text);
  const uint32_t Number = sectionNumber(P);
  return File == F.Objects.end() || Number == ObjectSymbol::None
             ? nullptr
             : &File->second.Sections[Number];
}

uint32_t LinkedImage::sectionNumber(const LinkPiece &P) const {
  return Numbers[P.Link][P.Part][P.Statement];
}

std::vector<LinkPiece> LinkedImage::piecesOf(const std::string &File,
                                             const std::string &Section) const {
  const auto At = ByName.find({File, Section});
  return At == ByName.end() ? std::vector<LinkPiece>() : At->second;
}

std::optional<uint64_t>
LinkedImage::linkedValue(const std::string &Name) const {
  if (Name == "SIZEOF_HEADERS")
    return F.Image.HeadersBytes;
  const auto At = Globals.find(Name);
  if (At == Globals.end())
    return std::nullopt;
  return F.Image.Symbols[At->second].Value;
}

Result<bool> LinkedImage::readLink(uint32_t Link) {
  const LinkMap &Map = map(Link);
  const bool Relocatable = Link || F.Image.Relocatable;
  std::map<std::pair<std::string, std::string>, uint32_t> Seen;
  std::vector<uint64_t> PartAlign;
  for (uint32_t P = 0; P < Map.Parts.size(); ++P) {
    const MapPart &Part = Map.Parts[P];
    auto &Size = Were[Link].emplace_back();
    auto &Number = Numbers[Link].emplace_back();
    auto &Ordinal = Ordinals[Link].emplace_back();
    uint64_t Align = Part.AlignBytes;
    if (!Link && !Part.Name.empty())
      for (const ObjectSection &S : F.Image.Sections)
        if (S.Name == Part.Name && S.Alloc && S.Address == Part.Address)
          Align = S.AlignBytes;
    PartAlign.push_back(Align);
    for (uint32_t I = 0; I < Part.Body.size(); ++I) {
      const MapStatement &S = Part.Body[I];
      Extent Of{S.SizeBytes, std::max<uint64_t>(1, S.AlignBytes)};
      uint32_t At = ObjectSymbol::None, Nth = 0;
      if (S.Is == Kind::Input) {
        const auto File = F.Objects.find(S.Text);
        Nth = Seen[{S.Text, S.Name}]++;
        if (File != F.Objects.end()) {
          At = nthSection(File->second, S.Name, Nth);
          if (At != ObjectSymbol::None) {
            const ObjectSection &In = File->second.Sections[At];
            if (In.SizeBytes != S.SizeBytes && !S.WholeBytes && !In.Merged &&
                In.Alloc && !(!Link && F.Inner && S.Text == F.InnerFile))
              return Failure{"the map is of another link: " + S.Name + " of " +
                             S.Text + " has " + hexText(S.SizeBytes) +
                             " bytes there, and " + hexText(In.SizeBytes) +
                             " in the file"};
            // Of merged sections all but the first vanish; lld places what
            // is left of them entry by entry.
            if (!(S.WholeBytes && (!S.SizeBytes || Map.Lld)))
              Of.AlignBytes = In.AlignBytes;
          } else if (S.Name == "COMMON") {
            Of = commonExtent(File->second, S.SizeBytes);
          }
        }
        All.push_back({Link, P, I});
        ByName[{S.Text, S.Name}].push_back({Link, P, I});
        if (!Link && F.Inner && S.Text == F.InnerFile)
          OfInner.emplace(S.Name, LinkPiece{Link, P, I});
      }
      Size.push_back(Of);
      Number.push_back(At);
      Ordinal.push_back(Nth);
    }
  }
  const SymbolValue Value = [this](const std::string &Name) {
    return linkedValue(Name);
  };
  Rules[Link] =
      learnRules(Map, Relocatable, Map.Lld && !Link ? F.Image.HeadersEnd : 0,
                 Were[Link], PartAlign, Value);
  return true;
}

void LinkedImage::findTls() {
  const ObjectSection *First = nullptr;
  for (const ObjectSection &S : F.Image.Sections)
    if (S.Tls && S.Alloc && (!First || S.Address < First->Address))
      First = &S;
  if (!First || F.Image.Relocatable)
    return;
  for (uint32_t P = 0; P < F.Final.Parts.size(); ++P)
    if (F.Final.Parts[P].Name == First->Name &&
        F.Final.Parts[P].Address == First->Address) {
      TlsAddress = First->Address;
      TlsPart = P;
    }
}

Result<LinkedImage> LinkedImage::of(LinkFiles Files) {
  LinkedImage Out;
  Out.F = std::move(Files);
  if (const std::string Other = unlikeImage(Out.F); !Other.empty())
    return Failure{"the map is of another link: " + Other};
  for (uint32_t S = 0; S < Out.F.Image.Symbols.size(); ++S)
    if (!Out.F.Image.Symbols[S].Local)
      Out.Globals.emplace(Out.F.Image.Symbols[S].Name, S);
  for (uint32_t Link = 0; Link < (Out.F.Inner ? 2 : 1); ++Link)
    if (auto Read = Out.readLink(Link); !Read)
      return Failure{Read.error()};
  Out.findTls();
  Out.nameObjectSymbols();
  Out.Base.Final = placedByMap(Out.F.Final);
  if (Out.F.Final.Lld) {
    // lld's maps have no values of symbols.
    const SymbolValue Value = [&Out](const std::string &Name) {
      return Out.linkedValue(Name);
    };
    Out.Base.Final =
        place(Out.F.Final, Out.Rules[0], Out.Were[0], Value, &Out.Base.Final);
  }
  if (Out.F.Inner)
    Out.Base.Inner = placedByMap(*Out.F.Inner);
  for (const ObjectSymbol &Symbol : Out.F.Image.Symbols)
    Out.Places.push_back(Out.placeOf(Symbol));
  return Out;
}

} // namespace kst
