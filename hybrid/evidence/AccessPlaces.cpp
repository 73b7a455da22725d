// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/AccessPlaces.h"

#include "hybrid/evidence/FieldPlaces.h"
#include "hybrid/evidence/SiteKinds.h"

#include <algorithm>

namespace kst {
namespace {

/// A site whose line has no access of its field is taken to be at the nearest
/// one of the same field. Within so many lines that is the same expression:
/// calls and conditions over several lines.
constexpr uint32_t NearLines = 5;
/// Calls that may be inlined into one another, where a profile names the
/// function around.
constexpr unsigned InlineDepth = 6;

uint32_t distance(uint32_t A, uint32_t B) { return A > B ? A - B : B - A; }

void makeUnique(std::vector<uint32_t> &Blocks) {
  std::ranges::sort(Blocks);
  Blocks.erase(std::unique(Blocks.begin(), Blocks.end()), Blocks.end());
}

} // namespace

void AccessPlaces::addChain(Spot &At, FunctionId Id, ValueId Address,
                            uint32_t Size) const {
  const TuFacts &Facts = Whole.unitOf(Id);
  const uint32_t First = Whole.Functions[Id].Fact->Values.Begin;
  uint64_t Offset = 0, Length = Size;
  bool Element = false;
  for (ValueId V = Address; V != None;) {
    const ValueFact &Value = Facts.Values[First + V];
    if (Value.Kind == ValueKind::Element) {
      Element = true;
      Offset = 0; // somewhere in the array
    } else if (Value.Kind == ValueKind::Field) {
      const RecordFact &In = Facts.Records[Value.B];
      const FieldFact &Field = Facts.Fields[In.Fields.Begin + Value.C];
      if (Element || Length == 0)
        Length = std::max<uint64_t>(1, (Field.SizeBits + 7) / 8);
      Element = false;
      Offset += Field.OffsetBits / 8;
      At.Where.push_back({Facts.Strings[In.Name], Offset, Length, Value.C});
    } else {
      break;
    }
    V = Value.A;
  }
}

const std::vector<AccessPlaces::Spot> &AccessPlaces::spots(FunctionId Id) {
  auto [It, New] = Spots.try_emplace(Id);
  std::vector<Spot> &All = It->second;
  if (!New)
    return All;
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Fact = *Whole.Functions[Id].Fact;
  for (uint32_t I = Fact.Accesses.Begin; I != Fact.Accesses.End; ++I) {
    const AccessFact &Access = Facts.Accesses[I];
    Spot At;
    At.File = Access.File;
    At.Block = Access.Block;
    At.Line = Access.Line;
    At.Column = Access.Column;
    At.Bulk = Access.Kind == AccessForm::BulkRead ||
              Access.Kind == AccessForm::BulkWrite;
    At.Reads = Access.Kind == AccessForm::Read ||
               Access.Kind == AccessForm::ReadWrite ||
               Access.Kind == AccessForm::BulkRead;
    At.Writes = Access.Kind == AccessForm::Write ||
                Access.Kind == AccessForm::ReadWrite ||
                Access.Kind == AccessForm::BulkWrite;
    addChain(At, Id, Access.Address, Access.SizeBytes);
    All.push_back(std::move(At));
  }
  for (uint32_t I = Fact.Calls.Begin; I != Fact.Calls.End; ++I) {
    const CallFact &Call = Facts.Calls[I];
    for (uint32_t A = Call.Args.Begin; A != Call.Args.End; ++A) {
      if (Facts.ValueArgs[A] == None)
        continue;
      Spot At;
      At.File = Call.File;
      At.Block = Call.Block;
      At.Line = Call.Line;
      addChain(At, Id, Facts.ValueArgs[A], 0);
      if (!At.Where.empty())
        All.push_back(std::move(At));
    }
  }
  return All;
}

bool AccessPlaces::isAt(const Spot &At, uint32_t Field) const {
  const FieldInfo &Of = Record.Fields[Field];
  for (const Spot::Inside &In : At.Where)
    if (In.Record == Record.Name &&
        In.OffsetBytes * 8 < Of.OffsetBits + Of.SizeBits &&
        (In.OffsetBytes + In.SizeBytes) * 8 > Of.OffsetBits)
      return true;
  return false;
}

/// Whether a function, with the callees that are visible in its file or a
/// header, has an access of the field.
bool AccessPlaces::touches(FunctionId Id, uint32_t Field, unsigned Depth) {
  auto [It, New] = Touches.try_emplace({Id, Field}, false);
  if (!New)
    return It->second;
  bool Found = false;
  for (const Spot &At : spots(Id))
    Found |= (At.Reads || At.Writes) && isAt(At, Field);
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Fact = *Whole.Functions[Id].Fact;
  for (uint32_t I = Fact.Calls.Begin; I != Fact.Calls.End && !Found && Depth;
       ++I)
    if (Facts.Calls[I].Kind == CallKind::Direct)
      for (const PossibleCallee &To : Whole.callees(Id, Facts.Calls[I]))
        Found |= Whole.Functions[To.Function].Fact->Flags & FnStatic &&
                 touches(To.Function, Field, Depth - 1);
  return Touches[{Id, Field}] = Found;
}

/// Spots that touch the bytes of the site, or any memory, if that is all that
/// is known of it.
std::vector<const AccessPlaces::Spot *>
AccessPlaces::candidates(FunctionId Id, const MeasuredSite &Site,
                         std::string_view Struct, uint32_t Field) {
  std::vector<const Spot *> Same;
  for (const Spot &At : spots(Id)) {
    bool Fits = isByAddress(Site.Kind) && (At.Reads || At.Writes);
    for (const Spot::Inside &In : At.Where) {
      if (Fits || In.Record != Struct)
        continue;
      if (Field != None && Site.Field) {
        Fits = isAt(At, Field);
      } else {
        uint64_t Size = std::max<uint64_t>(1, Site.SizeBytes);
        Fits = In.OffsetBytes < Site.OffsetBytes + Size &&
               Site.OffsetBytes < In.OffsetBytes + In.SizeBytes;
      }
    }
    if (Fits)
      Same.push_back(&At);
  }
  return Same;
}

/// Calls of a function, in blocks of which the field is touched. For sites
/// without a line: they mean the function around, inlined ones included.
SitePlace AccessPlaces::inCallees(FunctionId Id, uint32_t Field) {
  SitePlace Result;
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Fact = *Whole.Functions[Id].Fact;
  for (uint32_t I = Fact.Calls.Begin; I != Fact.Calls.End; ++I)
    for (const PossibleCallee &To : Whole.callees(Id, Facts.Calls[I]))
      if (Facts.Calls[I].Kind == CallKind::Direct &&
          touches(To.Function, Field, InlineDepth))
        Result.Blocks.push_back(Facts.Calls[I].Block);
  makeUnique(Result.Blocks);
  Result.Placed = !Result.Blocks.empty();
  return Result;
}

/// An access in a helper that sees a part of the struct only, as in list_add():
/// its callers know the field. The helper runs for others too, so the count
/// says nothing about its blocks.
SitePlace AccessPlaces::ofPart(FunctionId Id, const MeasuredSite &Site,
                               std::string_view Struct) {
  SitePlace Result;
  for (const Spot &At : spots(Id)) {
    bool Known = false; // it is a field of the struct, another one
    for (const Spot::Inside &In : At.Where)
      Known |= In.Record == Struct;
    Result.Placed |= At.Line == Site.Line && (At.Reads || At.Writes) && !Known;
  }
  return Result;
}

/// Candidates get stricter as long as some are left: field, line, direction.
SitePlace AccessPlaces::look(FunctionId Id, const MeasuredSite &Site,
                             std::string_view Struct, uint32_t Field) {
  const bool ByAddress = isByAddress(Site.Kind);
  std::vector<const Spot *> Same = candidates(Id, Site, Struct, Field);
  if (Same.empty() && !Site.Line && Field != None)
    return inCallees(Id, Field);
  if (Same.empty() && Site.Line)
    return ofPart(Id, Site, Struct);
  SitePlace Result;
  Result.Placed = !Same.empty() && !ByAddress;
  bool Near = true;
  if (Site.Line) {
    uint32_t Best = None;
    for (const Spot *At : Same)
      Best = std::min(Best, distance(At->Line, Site.Line));
    if (ByAddress && Best)
      return SitePlace();
    Near = Best <= NearLines;
    // Accesses of one block that are alike are one, at the first line.
    if (SitePlace Part; !Near)
      if (Part = ofPart(Id, Site, Struct); Part.Placed)
        return Part;
    std::erase_if(Same, [&](const Spot *At) {
      return distance(At->Line, Site.Line) != Best;
    });
    Result.Placed = true;
  }
  auto Agrees = [&](const Spot *At) {
    if (Site.Kind == SiteKind::Address)
      return !At->Reads && !At->Writes;
    return (reads(Site.Kind) && At->Reads) || (writes(Site.Kind) && At->Writes);
  };
  if (std::ranges::any_of(Same, Agrees))
    std::erase_if(Same, [&](const Spot *At) { return !Agrees(At); });
  for (const Spot *At : Same)
    Result.Blocks.push_back(At->Block);
  makeUnique(Result.Blocks);
  Result.Exact = Result.Blocks.size() == 1 && Site.Line && Near;
  return Result;
}

const SitePlace &AccessPlaces::find(FunctionId Id, const MeasuredSite &Site,
                                    std::string_view Struct, uint32_t Field) {
  uint32_t StructId = NoStruct;
  if (Site.Struct != NoStruct) {
    auto It = StructIds.find(Struct);
    if (It == StructIds.end())
      It = StructIds.emplace(Struct, uint32_t(StructIds.size())).first;
    StructId = It->second;
  }
  auto [Answer, New] = Answers.try_emplace(
      {Id, StructId, Site.Line, Site.OffsetBytes, Site.SizeBytes,
       Site.Field ? Field : None, Site.Kind});
  if (New)
    Answer->second = look(Id, Site, Struct, Field);
  return Answer->second;
}

std::vector<std::vector<uint32_t>> AccessPlaces::accessBlocks() const {
  uint64_t BitsThatLack = 0; // at the start of the record
  for (uint32_t F = 0; F != Record.Fields.size(); ++F)
    if (mayLackCounts(Record, F))
      BitsThatLack = Record.Fields[F].OffsetBits + Record.Fields[F].SizeBits;
  std::vector<std::vector<uint32_t>> Found(Whole.Functions.size());
  for (FunctionId Id = 0; Id != Found.size(); ++Id) {
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    for (uint32_t I = Fact.Accesses.Begin; I != Fact.Accesses.End; ++I) {
      const AccessFact &Access = Facts.Accesses[I];
      Spot At;
      addChain(At, Id, Access.Address, 1);
      if (std::ranges::none_of(At.Where, [&](const Spot::Inside &In) {
            return In.Record == Record.Name &&
                   In.OffsetBytes * 8 >= BitsThatLack;
          }))
        continue;
      Found[Id].insert(Found[Id].end(),
                       Access.Kind == AccessForm::ReadWrite ? 2 : 1,
                       Access.Block);
    }
  }
  return Found;
}

} // namespace kst
