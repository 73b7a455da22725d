// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkedImage.h"

#include "hybrid/isolation/SameSymbols.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

using Kind = MapStatement::Kind;

/// The nth section of that name, ObjectSymbol::None if there is none.
uint32_t nthSection(const ObjectFile &File, const std::string &Name,
                    uint32_t Ordinal) {
  for (uint32_t S = 1; S < File.Sections.size(); ++S)
    if (File.Sections[S].Name == Name && !Ordinal--)
      return S;
  return ObjectSymbol::None;
}

/// Common symbols of a file as one section, as linkers place them.
Extent commonExtent(const ObjectFile &File, uint64_t SizeBytes) {
  Extent Out{SizeBytes, 1};
  for (const ObjectSymbol &Of : File.Symbols)
    if (Of.Section == ObjectSymbol::Common)
      Out.AlignBytes = std::max(Out.AlignBytes, Of.Value);
  return Out;
}

/// What of the image the map of its link does not have so; "": nothing.
std::string unlikeImage(const LinkFiles &Of) {
  for (const ObjectSection &S : Of.Image.Sections) {
    if (!S.Alloc || !S.SizeBytes)
      continue;
    const MapPart *Named = nullptr, *Same = nullptr;
    for (const MapPart &Part : Of.Final.Parts)
      if (Part.Name == S.Name) {
        Named = &Part;
        if (Part.Address == S.Address && Part.SizeBytes == S.SizeBytes)
          Same = &Part;
      }
    if (!Named)
      return "it has no " + S.Name + ", or was cut off before";
    if (!Same)
      return S.Name + " has " + hexText(Named->SizeBytes) + " bytes at " +
             hexText(Named->Address) + " there, and " + hexText(S.SizeBytes) +
             " at " + hexText(S.Address) + " in the image";
  }
  return "";
}

} // namespace

bool makeRoom(LinkMap &Map, const std::string &File,
              const std::string &Section) {
  // The order of files is that in which the map first names them.
  std::map<std::string, size_t> Order;
  for (const MapPart &Part : Map.Parts)
    for (const MapStatement &S : Part.Body)
      if (S.Is == Kind::Input)
        Order.emplace(S.Text, Order.size());
  const auto Own = Order.find(File);
  if (Own == Order.end())
    return false;
  MapPart *To = nullptr;
  size_t At = 0;
  uint64_t Address = 0;
  for (MapPart &Part : Map.Parts)
    for (size_t I = 0; I < Part.Body.size(); ++I) {
      const MapStatement &S = Part.Body[I];
      if (S.Is != Kind::Input || S.Name != Section)
        continue;
      if (S.Text == File)
        return true;
      if (To && Order[S.Text] > Own->second)
        continue;
      const bool Behind = Order[S.Text] < Own->second;
      To = &Part;
      At = I + Behind;
      Address = S.Address + (Behind ? S.SizeBytes : 0);
    }
  if (!To)
    return false;
  MapStatement Room;
  Room.Name = Section;
  Room.Text = File;
  Room.Address = Address;
  To->Body.insert(To->Body.begin() + long(At), std::move(Room));
  return true;
}

bool makeRoomBeside(LinkMap &Map, const std::string &File,
                    const std::string &Section, const ObjectFile &New) {
  // `.data.limit` is one of `.data.*`.
  const std::string Kind = Section.substr(0, Section.find('.', 1));
  const auto IsAlike = [&Kind](const std::string &Name) {
    return Name == Kind || Name.starts_with(Kind + ".");
  };
  std::string Before; // the last one in the file in front of it
  for (const ObjectSection &Of : New.Sections) {
    if (Of.Name == Section)
      break;
    if (IsAlike(Of.Name) && Of.Alloc)
      Before = Of.Name;
  }
  for (MapPart &Part : Map.Parts)
    for (size_t I = 0; I < Part.Body.size(); ++I) {
      const MapStatement &S = Part.Body[I];
      if (S.Is != MapStatement::Kind::Input || S.Text != File ||
          (Before.empty() ? !IsAlike(S.Name) : S.Name != Before))
        continue;
      MapStatement Room;
      Room.Name = Section;
      Room.Text = File;
      Room.Address = S.Address + (Before.empty() ? 0 : S.SizeBytes);
      Part.Body.insert(Part.Body.begin() + long(I + !Before.empty()),
                       std::move(Room));
      return true;
    }
  return false;
}

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
  const SymbolValue Value =
      [this](const std::string &Name) -> std::optional<uint64_t> {
    const auto At = Globals.find(Name);
    if (At == Globals.end())
      return std::nullopt;
    return F.Image.Symbols[At->second].Value;
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
  if (!Symbol.Local) {
    const auto Set = Base.Final.Assigned.find(Symbol.Name);
    if (Set != Base.Final.Assigned.end() && Set->second == Symbol.Value) {
      Out.Is = SymbolPlace::Kind::Assigned;
      return Out;
    }
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
    const SymbolValue Value =
        [&Out](const std::string &Name) -> std::optional<uint64_t> {
      const auto At = Out.Globals.find(Name);
      if (At == Out.Globals.end())
        return std::nullopt;
      return Out.F.Image.Symbols[At->second].Value;
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
    if (Found == Globals.end())
      return std::nullopt;
    const SymbolPlace &At = Places[Found->second];
    if (At.Is != SymbolPlace::Kind::InPiece)
      return F.Image.Symbols[Found->second].Value;
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
    if (Of.Section < F.Image.Sections.size() &&
        F.Image.Sections[Of.Section].Tls)
      To.Is -= tlsAddress(Out);
    Out.Symbols.push_back(std::move(To));
  }
  return Out;
}

} // namespace kst
