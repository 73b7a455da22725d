// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/merge/ProfileMatch.h"

#include "hybrid/merge/SourcePaths.h"

#include <algorithm>
#include <tuple>

namespace kst {

namespace {

/// A site whose line has no access of its field is taken to be at one of the
/// same field so many lines away: calls and conditions over several lines.
constexpr uint32_t NearLines = 5;
/// Calls that may be inlined into one another, where a profile names the
/// function around.
constexpr unsigned InlineDepth = 6;

std::string_view stripped(std::string_view Path) {
  for (bool More = true; More;) {
    More = false;
    for (std::string_view Up : {"./", "../", "/"})
      if (Path.starts_with(Up)) {
        Path.remove_prefix(Up.size());
        More = true;
      }
  }
  return Path;
}

bool reads(SiteKind Kind) {
  switch (Kind) {
  case SiteKind::Read:
  case SiteKind::ReadWrite:
  case SiteKind::BulkRead:
  case SiteKind::ByAddressRead:
  case SiteKind::ByAddressBoth:
    return true;
  default:
    return false;
  }
}

bool writes(SiteKind Kind) {
  switch (Kind) {
  case SiteKind::Write:
  case SiteKind::ReadWrite:
  case SiteKind::BulkWrite:
  case SiteKind::ByAddressWrite:
  case SiteKind::ByAddressBoth:
    return true;
  default:
    return false;
  }
}

bool isByAddress(SiteKind Kind) {
  return Kind == SiteKind::ByAddressRead || Kind == SiteKind::ByAddressWrite ||
         Kind == SiteKind::ByAddressBoth;
}

bool isBulk(SiteKind Kind) {
  return Kind == SiteKind::BulkRead || Kind == SiteKind::BulkWrite;
}

} // namespace

bool sameFile(std::string_view A, std::string_view B) {
  A = stripped(A);
  B = stripped(B);
  if (A.size() < B.size())
    std::swap(A, B);
  return A.ends_with(B) &&
         (A.size() == B.size() || A[A.size() - B.size() - 1] == '/');
}

ProfileMatcher::ProfileMatcher(const Program &Whole, RecordId Target)
    : Whole(Whole), Record(Whole.recordInfo(Target)) {
  for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
    ByName[Whole.text(Whole.Functions[Id].Unit,
                      Whole.Functions[Id].Fact->Name)]
        .push_back(Id);
}

const std::string &ProfileMatcher::fileOf(FunctionId Id) const {
  const LinkedFunction &Of = Whole.Functions[Id];
  return Whole.text(Of.Unit, Of.Fact->File);
}

FunctionId ProfileMatcher::function(const std::string &Name,
                                    const std::string &File,
                                    std::string &Why) const {
  auto It = ByName.find(Name);
  if (It == ByName.end()) {
    Why = "function-not-analysed";
    return None;
  }
  if (It->second.size() == 1 && File.empty())
    return It->second.front();
  FunctionId Only = None;
  for (FunctionId Id : It->second) {
    if (!File.empty() && !sameFile(fileOf(Id), File))
      continue;
    if (Only != None) {
      Why = "several-functions-of-that-name";
      return None;
    }
    Only = Id;
  }
  if (Only == None)
    Why = File.empty() ? "several-functions-of-that-name"
                       : "function-in-another-file";
  return Only;
}

void ProfileMatcher::addChain(Spot &At, FunctionId Id, ValueId Address,
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
      At.Where.push_back({Facts.Strings[In.Name], Offset, Length});
    } else {
      break;
    }
    V = Value.A;
  }
}

const std::vector<ProfileMatcher::Spot> &ProfileMatcher::spots(FunctionId Id) {
  auto [It, New] = Spots.try_emplace(Id);
  std::vector<Spot> &All = It->second;
  if (!New)
    return All;
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Fact = *Whole.Functions[Id].Fact;
  for (uint32_t I = Fact.Accesses.Begin; I != Fact.Accesses.End; ++I) {
    const AccessFact &Access = Facts.Accesses[I];
    Spot At;
    At.Block = Access.Block;
    At.Line = Access.Line;
    At.Reads = Access.Kind == AccessKind::Read ||
               Access.Kind == AccessKind::ReadWrite ||
               Access.Kind == AccessKind::BulkRead;
    At.Writes = Access.Kind == AccessKind::Write ||
                Access.Kind == AccessKind::ReadWrite ||
                Access.Kind == AccessKind::BulkWrite;
    addChain(At, Id, Access.Address, Access.SizeBytes);
    All.push_back(std::move(At));
  }
  for (uint32_t I = Fact.Calls.Begin; I != Fact.Calls.End; ++I) {
    const CallFact &Call = Facts.Calls[I];
    for (uint32_t A = Call.Args.Begin; A != Call.Args.End; ++A) {
      if (Facts.ValueArgs[A] == None)
        continue;
      Spot At;
      At.Block = Call.Block;
      At.Line = Call.Line;
      addChain(At, Id, Facts.ValueArgs[A], 0);
      if (!At.Where.empty())
        All.push_back(std::move(At));
    }
  }
  return All;
}

bool ProfileMatcher::isAt(const Spot &At, uint32_t Field) const {
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
bool ProfileMatcher::touches(FunctionId Id, uint32_t Field, unsigned Depth) {
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
      for (const CallTarget &To : Whole.targets(Id, Facts.Calls[I]))
        Found |= Whole.Functions[To.Function].Fact->Flags & FnStatic &&
                 touches(To.Function, Field, Depth - 1);
  return Touches[{Id, Field}] = Found;
}

/// Candidates get stricter as long as some are left: field, line, direction.
ProfileMatcher::Found ProfileMatcher::find(FunctionId Id,
                                           const MeasuredSite &Site,
                                           std::string_view Struct,
                                           uint32_t Field) {
  Found Result;
  std::vector<const Spot *> Same;
  bool ByAddress = isByAddress(Site.Kind);
  for (const Spot &At : spots(Id)) {
    bool Fits = ByAddress && (At.Reads || At.Writes);
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
  // Whoever gives no line means the function around, inlined ones included.
  if (Same.empty() && !Site.Line && Field != None) {
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    for (uint32_t I = Fact.Calls.Begin; I != Fact.Calls.End; ++I)
      for (const CallTarget &To : Whole.targets(Id, Facts.Calls[I]))
        if (Facts.Calls[I].Kind == CallKind::Direct &&
            touches(To.Function, Field, InlineDepth))
          Result.Blocks.push_back(Facts.Calls[I].Block);
    std::sort(Result.Blocks.begin(), Result.Blocks.end());
    Result.Blocks.erase(
        std::unique(Result.Blocks.begin(), Result.Blocks.end()),
        Result.Blocks.end());
    Result.Placed = !Result.Blocks.empty();
    return Result;
  }
  // An access in a helper that sees a part of the struct only, as in
  // list_add(): its callers know the field. The helper runs for others too, so
  // the count says nothing about its blocks.
  auto OfPart = [&] {
    for (const Spot &At : spots(Id)) {
      bool Known = false; // it is a field of the struct, another one
      for (const Spot::Inside &In : At.Where)
        Known |= In.Record == Struct;
      Result.Placed |=
          At.Line == Site.Line && (At.Reads || At.Writes) && !Known;
    }
    return Result;
  };
  Result.Placed = !Same.empty() && !ByAddress;
  if (Site.Line && Same.empty())
    return OfPart();
  if (Site.Line) {
    uint32_t Best = None;
    for (const Spot *At : Same)
      Best = std::min(Best, At->Line > Site.Line ? At->Line - Site.Line
                                                 : Site.Line - At->Line);
    if (Best > (ByAddress ? 0 : NearLines)) {
      Result.Placed = false;
      return ByAddress ? Result : OfPart();
    }
    std::erase_if(Same, [&](const Spot *At) {
      return (At->Line > Site.Line ? At->Line - Site.Line
                                   : Site.Line - At->Line) != Best;
    });
    Result.Placed = true;
  }
  auto Agrees = [&](const Spot *At) {
    if (Site.Kind == SiteKind::Address)
      return !At->Reads && !At->Writes;
    return (reads(Site.Kind) && At->Reads) ||
           (writes(Site.Kind) && At->Writes);
  };
  if (std::any_of(Same.begin(), Same.end(), Agrees))
    std::erase_if(Same, [&](const Spot *At) { return !Agrees(At); });
  for (const Spot *At : Same)
    Result.Blocks.push_back(At->Block);
  std::sort(Result.Blocks.begin(), Result.Blocks.end());
  Result.Blocks.erase(
      std::unique(Result.Blocks.begin(), Result.Blocks.end()),
      Result.Blocks.end());
  Result.Exact = Result.Blocks.size() == 1 && Site.Line;
  return Result;
}

uint32_t fieldOfPath(const RecordInfo &Record, std::string_view Top) {
  Top = Top.substr(0, Top.find_first_of(".[-"));
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    std::string_view Name(Record.Fields[F].Name);
    while (!Name.empty()) {
      size_t Bar = Name.find('|');
      if (Name.substr(0, Bar) == Top)
        return F;
      if (Bar == std::string_view::npos)
        break;
      Name.remove_prefix(Bar + 1);
    }
  }
  return None;
}

/// Bulk accesses touch several, all others one.
std::vector<uint32_t>
ProfileMatcher::fieldsAt(const MeasuredSite &Site,
                         std::string_view Path) const {
  if (!Path.empty()) {
    uint32_t Field = fieldOfPath(Record, Path);
    return Field == None ? std::vector<uint32_t>()
                         : std::vector<uint32_t>{Field};
  }
  uint64_t Begin = Site.OffsetBytes * 8ull + Site.FirstBit;
  uint64_t End = Site.Bits
                     ? Begin + Site.Bits
                     : Begin + std::max<uint64_t>(1, Site.SizeBytes) * 8;
  std::vector<uint32_t> Fields;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    const FieldInfo &Of = Record.Fields[F];
    if (Of.ZeroSize || Of.Absent || Of.OffsetBits >= End ||
        Of.OffsetBits + Of.SizeBits <= Begin)
      continue;
    Fields.push_back(F);
    if (!isBulk(Site.Kind))
      break;
  }
  return Fields;
}

std::vector<bool> ProfileMatcher::withSites() const {
  std::vector<bool> Found(Whole.Functions.size());
  for (FunctionId Id = 0; Id != Found.size(); ++Id) {
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    for (uint32_t I = Fact.Accesses.Begin; I != Fact.Accesses.End && !Found[Id];
         ++I) {
      Spot At;
      addChain(At, Id, Facts.Accesses[I].Address, 1);
      for (const Spot::Inside &In : At.Where)
        if (In.Record == Record.Name)
          Found[Id] = true;
    }
  }
  return Found;
}

MatchedProfile
ProfileMatcher::match(const Profile &From,
                      const std::vector<uint32_t> &Structs) {
  std::vector<bool> IsOurs(From.Structs.size());
  for (uint32_t Row : Structs)
    IsOurs[Row] = true;
  MatchedProfile Result;
  Result.Fields.resize(Record.Fields.size());
  ProfileCoverage &Covered = Result.Covered;
  Covered.Text = From.Text;
  Covered.Seconds = From.DurationNs * 1e-9;
  Covered.Runs = From.Runs;
  Covered.Lost = From.Lost;

  struct Resolved {
    FunctionId Id = None;
    std::string Why;
    double Entered = 0;
  };
  std::unordered_map<uint64_t, Resolved> Known;
  SourceFunction LastName{~0u, ~0u};
  Resolved *LastFound = nullptr;
  auto Resolve = [&](const SourceFunction &Of) -> Resolved & {
    if (LastFound && LastName == Of)
      return *LastFound;
    auto [It, New] = Known.try_emplace(uint64_t(Of.Function) << 32 | Of.File);
    if (New)
      It->second.Id = function(From.text(Of.Function), From.text(Of.File),
                               It->second.Why);
    LastName = Of;
    LastFound = &It->second;
    return It->second;
  };
  std::vector<uint32_t> StructId(From.Structs.size());
  for (size_t S = 0; S != From.Structs.size(); ++S)
    StructId[S] = StructIds
                      .try_emplace(From.text(From.Structs[S].Name),
                                   uint32_t(StructIds.size()))
                      .first->second;

  // Entries first: whether a function ran says what a zero means.
  std::vector<uint32_t> Place(Whole.Functions.size(), None);
  auto FunctionAt = [&](FunctionId Id) -> MatchedFunction & {
    if (Place[Id] == None) {
      Place[Id] = Result.Functions.size();
      Result.Functions.push_back({Id, {}});
    }
    return Result.Functions[Place[Id]].second;
  };
  for (const MeasuredSite &Site : From.Sites)
    if (Site.Kind == SiteKind::Entry) {
      Resolved &At = Resolve({Site.Function, Site.File});
      At.Entered += double(Site.Count);
      if (At.Id != None) {
        MatchedFunction &Of = FunctionAt(At.Id);
        Of.Counted = Of.HasEntry = true;
        Of.Entries += double(Site.Count);
      }
    }

  std::map<SourceFunction, StraySet> Strays;
  struct BlockRuns {
    FunctionId Id;
    uint32_t Block;
    bool Shared;
    double Count;
  };
  std::vector<BlockRuns> Runs;
  for (const MeasuredSite &Site : From.Sites) {
    if (Site.Kind == SiteKind::Entry || Site.Marks & MarkBitFieldRead)
      continue;
    std::string_view Struct =
        Site.Struct == NoStruct
            ? std::string_view()
            : std::string_view(From.text(From.Structs[Site.Struct].Name));
    const Resolved &At = Resolve({Site.Function, Site.File});
    bool Ours = Site.Struct != NoStruct && IsOurs[Site.Struct];
    std::vector<uint32_t> Fields;
    if (Ours)
      Fields = fieldsAt(Site, From.text(Site.Field));
    MatchedFunction *Function = nullptr;
    Found Spot;
    if (At.Id != None) {
      Function = &FunctionAt(At.Id);
      Function->Counted = true;
      uint32_t Field = Fields.empty() ? None : Fields.front();
      auto [Answer, New] = Answers.try_emplace(
          {At.Id, Site.Struct == NoStruct ? NoStruct : StructId[Site.Struct],
           Site.Line, Site.OffsetBytes, Site.SizeBytes,
           Site.Field ? Field : None, Site.Kind});
      if (New)
        Answer->second = find(At.Id, Site, Struct, Field);
      Spot = Answer->second;
      double Weight = 0;
      const TuFacts &Facts = Whole.unitOf(At.Id);
      uint32_t First = Whole.Functions[At.Id].Fact->Blocks.Begin;
      for (uint32_t Block : Spot.Blocks)
        Weight += Facts.Blocks[First + Block].Frequency;
      for (uint32_t Block : Spot.Blocks) {
        double Part = Spot.Blocks.size() == 1 ? 1
                      : Weight > 0
                          ? Facts.Blocks[First + Block].Frequency / Weight
                          : 1.0 / Spot.Blocks.size();
        Runs.push_back({At.Id, Block, !Spot.Exact, Part * double(Site.Count)});
      }
    }
    if (!Ours)
      continue;
    bool Reached = Function && Function->HasEntry ? Function->Entries > 0
                                                  : Site.Count > 0;
    for (uint32_t F : Fields)
      ++(Reached ? Result.Fields[F].SitesReached
                 : Result.Fields[F].SitesNotReached);
    if (Site.Kind == SiteKind::Address) {
      for (uint32_t F : Fields)
        Result.Fields[F].Handed += Site.Count;
      continue;
    }
    uint64_t Accesses = Site.Count * (reads(Site.Kind) + writes(Site.Kind));
    Covered.Accesses += Accesses;
    std::string Why = At.Id == None ? At.Why
                      : !Spot.Placed ? "no-access-of-that-field-there"
                                     : "";
    if (Fields.empty())
      Why = !Site.Field ? "no-field-at-that-offset"
                               : "no-field-of-that-name";
    else if (isBulk(Site.Kind) && Site.SizeBytes == 0)
      Why = "bulk-access-of-unknown-size";
    if (Why.empty())
      Covered.Placed += Accesses;
    else if (Accesses)
      Covered.NotPlaced[Why] += Accesses;
    for (uint32_t F : Fields) {
      MatchedField &Of = Result.Fields[F];
      Of.Reads += reads(Site.Kind) ? Site.Count : 0;
      Of.Writes += writes(Site.Kind) ? Site.Count : 0;
      if (Why.empty())
        continue;
      Of.Unplaced += Accesses;
      if (!Site.Count)
        continue;
      StraySet &Stray = Strays[{Site.Function, Site.File}];
      if (Stray.Fields.empty()) {
        Stray.Function = From.text(Site.Function);
        Stray.File = From.text(Site.File);
        Stray.Line = Site.Line;
        Stray.Entries = At.Entered;
      }
      StraySet::Use &Use = Stray.Fields[F];
      Use.Reads += reads(Site.Kind) ? double(Site.Count) : 0;
      Use.Writes += writes(Site.Kind) ? double(Site.Count) : 0;
      if (double(Site.Count) > Use.Most) {
        Use.Most = double(Site.Count);
        Use.Line = Site.Line;
      }
      Stray.Entries = std::max(Stray.Entries, Use.Most);
    }
  }
  // Of each block the largest count that was not split, or of those that were.
  std::sort(Runs.begin(), Runs.end(),
            [](const BlockRuns &A, const BlockRuns &B) {
              return std::tie(A.Id, A.Block, A.Shared, B.Count) <
                     std::tie(B.Id, B.Block, B.Shared, A.Count);
            });
  for (size_t I = 0; I != Runs.size(); ++I)
    if (!I || Runs[I].Id != Runs[I - 1].Id || Runs[I].Block != Runs[I - 1].Block)
      FunctionAt(Runs[I].Id).Blocks.push_back({Runs[I].Block, Runs[I].Count});
  SourcePaths::Pairs SameFiles;
  for (const auto &[Names, At] : Known)
    if (At.Id != None && !Strays.empty())
      if (const std::string &File = From.text(uint32_t(Names)); !File.empty())
        SameFiles.insert({File, fileOf(At.Id)});
  SourcePaths Paths(SameFiles);
  for (auto &[Where, Stray] : Strays) {
    Stray.File = Paths.analysed(Stray.File);
    Result.Strays.push_back(std::move(Stray));
  }

  for (const AddressCount &Count : From.ByAddress) {
    if (!IsOurs[Count.Struct])
      continue;
    MeasuredSite Site;
    Site.OffsetBytes = Count.OffsetBytes;
    uint64_t Both = Count.Reads + Count.Writes;
    Covered.Accesses += Both;
    std::vector<uint32_t> Fields = fieldsAt(Site, "");
    if (Fields.empty()) {
      if (Both)
        Covered.NotPlaced["no-field-at-that-offset"] += Both;
      continue;
    }
    MatchedField &Of = Result.Fields[Fields.front()];
    Of.Reads += Count.Reads;
    Of.Writes += Count.Writes;
    Of.ByAddress += Both;
    Covered.ByField += Both;
  }

  for (const FunctionSamples &Of : From.Samples) {
    Covered.Samples += Of.Count;
    std::string Why;
    FunctionId Id = function(From.text(Of.Function), "", Why);
    if (Id == None)
      continue;
    FunctionAt(Id).Samples += double(Of.Count);
    Covered.SamplesUsed += Of.Count;
  }
  for (const SourceFunction &Not : From.NotCounted) {
    FunctionId Id = Resolve(Not).Id;
    if (Id == None)
      continue;
    MatchedFunction &Of = FunctionAt(Id);
    Of.Counted = Of.HasEntry = false;
    Of.Blocks.clear();
  }
  std::sort(Result.Functions.begin(), Result.Functions.end(),
            [](const auto &A, const auto &B) { return A.first < B.first; });
  for (auto &[Id, Of] : Result.Functions) {
    if (!Of.Counted)
      continue;
    bool Ran = Of.Entries > 0;
    for (const auto &[Block, Count] : Of.Blocks)
      Ran |= !Of.HasEntry && Count > 0;
    ++(Ran ? Covered.FunctionsEntered
                      : Covered.FunctionsNeverEntered);
  }
  return Result;
}

} // namespace kst
