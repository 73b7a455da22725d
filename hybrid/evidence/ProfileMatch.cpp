// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/ProfileMatch.h"

#include "hybrid/evidence/FieldPlaces.h"
#include "hybrid/evidence/LineAnchors.h"
#include "hybrid/evidence/SiteKinds.h"
#include "hybrid/evidence/SourcePaths.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace kst {
namespace {

/// One profile on its way.
class Matching {
public:
  Matching(const Program &Whole, const RecordInfo &Record,
           const FunctionNames &Names, AccessPlaces &Places,
           SourceLines &Source, const Profile &From,
           const std::vector<uint32_t> &Structs)
      : Whole(Whole), Record(Record), Names(Names), Places(Places),
        Source(Source), From(From), IsOurs(From.Structs.size()),
        PlaceOf(Whole.Functions.size(), None) {
    for (uint32_t Row : Structs)
      IsOurs[Row] = true;
  }

  MatchedProfile run();

private:
  /// A function of the profile.
  struct Resolved {
    FunctionId Id = None;
    std::string Why;
    double Entered = 0;
  };
  struct BlockRuns {
    FunctionId Id;
    uint32_t Block;
    bool Shared;
    double Count;
  };

  Resolved &resolve(const SourceFunction &Of);
  MatchedFunction &function(FunctionId Id);
  void entry(const MeasuredSite &Site);
  void site(const MeasuredSite &Site);
  void addRuns(FunctionId Id, const SitePlace &Place, uint64_t Count);
  void field(uint32_t Field, const MeasuredSite &Site, const Resolved &At,
             bool Placed);
  void line(const MeasuredSite &Site);
  void blocks();
  void strays();
  void byAddress(const AddressCount &Count);
  void samples(const FunctionSamples &Of);
  void notCounted(const SourceFunction &Of);
  void countFunctions();

  const Program &Whole;
  const RecordInfo &Record;
  const FunctionNames &Names;
  AccessPlaces &Places;
  SourceLines &Source;
  const Profile &From;
  MatchedProfile Result;
  std::vector<bool> IsOurs; ///< by row of Profile::Structs
  std::unordered_map<uint64_t, Resolved> Known;
  SourceFunction LastName{~0u, ~0u};
  Resolved *LastFound = nullptr;
  std::vector<uint32_t> PlaceOf; ///< in Result.Functions, by FunctionId
  std::vector<BlockRuns> Runs;
  std::map<FunctionId, std::vector<LineRuns>> Lines;
  bool OfImage = false; ///< counts all of it, not some structs' sites
  std::map<SourceFunction, StraySet> Strays;
};

Matching::Resolved &Matching::resolve(const SourceFunction &Of) {
  if (LastFound && LastName == Of)
    return *LastFound;
  auto [It, New] = Known.try_emplace(uint64_t(Of.Function) << 32 | Of.File);
  if (New)
    It->second.Id =
        Names.find(From.text(Of.Function), From.text(Of.File), It->second.Why);
  LastName = Of;
  LastFound = &It->second;
  return It->second;
}

MatchedFunction &Matching::function(FunctionId Id) {
  if (PlaceOf[Id] == None) {
    PlaceOf[Id] = Result.Functions.size();
    Result.Functions.push_back({Id, {}});
  }
  return Result.Functions[PlaceOf[Id]].second;
}

void Matching::entry(const MeasuredSite &Site) {
  if (!Site.Function)
    for (FunctionId Id : Names.inFile(From.text(Site.File))) {
      MatchedFunction &Of = function(Id);
      Of.Counted = Of.HasEntry = true;
    }
  if (!Site.Function)
    return;
  Resolved &At = resolve({Site.Function, Site.File});
  At.Entered += double(Site.Count);
  if (At.Id == None)
    return;
  MatchedFunction &Of = function(At.Id);
  Of.Counted = Of.HasEntry = true;
  Of.Elsewhere = OfImage && !Names.fileOf(At.Id).ends_with(".c");
  Of.Entries += double(Site.Count);
}

/// Blocks that cannot be told apart share the count by their frequencies.
void Matching::addRuns(FunctionId Id, const SitePlace &Place, uint64_t Count) {
  double Weight = 0;
  const TuFacts &Facts = Whole.unitOf(Id);
  uint32_t First = Whole.Functions[Id].Fact->Blocks.Begin;
  for (uint32_t Block : Place.Blocks)
    Weight += Facts.Blocks[First + Block].Frequency;
  for (uint32_t Block : Place.Blocks) {
    double Part = Place.Blocks.size() == 1 ? 1
                  : Weight > 0 ? Facts.Blocks[First + Block].Frequency / Weight
                               : 1.0 / Place.Blocks.size();
    Runs.push_back({Id, Block, !Place.Exact, Part * double(Count)});
  }
}

void Matching::site(const MeasuredSite &Site) {
  const Resolved &At = resolve({Site.Function, Site.File});
  bool Ours = Site.Struct != NoStruct && IsOurs[Site.Struct];
  std::vector<uint32_t> Fields;
  if (Ours)
    Fields = fieldsAt(Record, Site, From.text(Site.Field));
  MatchedFunction *Function = nullptr;
  bool Found = false;
  if (At.Id != None) {
    Function = &function(At.Id);
    Function->Counted = true;
    const SitePlace &Place = Places.find(
        At.Id, Site,
        Site.Struct == NoStruct
            ? std::string_view()
            : std::string_view(From.text(From.Structs[Site.Struct].Name)),
        Fields.empty() ? None : Fields.front());
    Found = Place.Placed;
    addRuns(At.Id, Place, Site.Count);
  }
  if (!Ours)
    return;
  bool Reached =
      Function && Function->HasEntry ? Function->Entries > 0 : Site.Count > 0;
  for (uint32_t F : Fields)
    ++(Reached ? Result.Fields[F].SitesReached
               : Result.Fields[F].SitesNotReached);
  if (Site.Kind == SiteKind::Address) {
    for (uint32_t F : Fields)
      Result.Fields[F].Handed += Site.Count;
    return;
  }
  std::string Why = At.Id == None ? At.Why
                    : !Found      ? "no-access-of-that-field-there"
                                  : "";
  if (Fields.empty())
    Why = !Site.Field ? "no-field-at-that-offset" : "no-field-of-that-name";
  else if (isBulk(Site.Kind) && Site.SizeBytes == 0)
    Why = "bulk-access-of-unknown-size";
  ProfileCoverage &Covered = Result.Covered;
  uint64_t Accesses = Site.Count * (reads(Site.Kind) + writes(Site.Kind));
  Covered.Accesses += Accesses;
  if (Why.empty())
    Covered.Placed += Accesses;
  else if (Accesses)
    Covered.NotPlaced[Why] += Accesses;
  for (uint32_t F : Fields)
    field(F, Site, At, Why.empty());
}

/// What a site says about one field; without a place, also as a stray.
void Matching::field(uint32_t Field, const MeasuredSite &Site,
                     const Resolved &At, bool Placed) {
  MatchedField &Of = Result.Fields[Field];
  uint64_t Reads = reads(Site.Kind) ? Site.Count : 0;
  uint64_t Writes = writes(Site.Kind) ? Site.Count : 0;
  Of.Reads += Reads;
  Of.Writes += Writes;
  if (Placed)
    return;
  Of.Unplaced += Reads + Writes;
  if (!Site.Count)
    return;
  StraySet &Stray = Strays[{Site.Function, Site.File}];
  if (Stray.Fields.empty()) {
    Stray.Function = From.text(Site.Function);
    Stray.File = From.text(Site.File);
    Stray.Line = Site.Line;
    Stray.Entries = At.Entered;
  }
  StraySet::Use &Use = Stray.Fields[Field];
  Use.Reads += double(Reads);
  Use.Writes += double(Writes);
  Use.Lines[Site.Line].Reads += double(Reads);
  Use.Lines[Site.Line].Writes += double(Writes);
  Use.Most = std::max(Use.Most, double(Site.Count));
  Stray.Entries = std::max(Stray.Entries, Use.Most);
}

void Matching::line(const MeasuredSite &Site) {
  const FunctionId Id = resolve({Site.Function, Site.File}).Id;
  if (Id != None)
    Lines[Id].push_back({int32_t(Site.Line), std::max(Site.SizeBytes, 1u),
                         double(Site.Count), uint16_t(Site.Column)});
}

/// Of each block the largest count that was not split, or of those that were;
/// lines where no access tells.
void Matching::blocks() {
  for (auto &[Id, Of] : Lines) {
    std::ranges::sort(Of, {}, &LineRuns::Begin);
    if (std::ranges::any_of(Of, &LineRuns::Anchor))
      if (const auto Text =
              Source.from(Names.fileOf(Id), Whole.Functions[Id].Fact->Line);
          !Text.empty())
        followText(Of, Text);
    for (auto [Block, Count] : blocksOfLines(Whole, Id, Of))
      Runs.push_back({Id, Block, true, Count});
  }
  std::ranges::sort(Runs, [](const BlockRuns &A, const BlockRuns &B) {
    return std::tie(A.Id, A.Block, A.Shared, B.Count) <
           std::tie(B.Id, B.Block, B.Shared, A.Count);
  });
  for (size_t I = 0; I != Runs.size(); ++I)
    if (!I || Runs[I].Id != Runs[I - 1].Id ||
        Runs[I].Block != Runs[I - 1].Block)
      function(Runs[I].Id).Blocks.push_back({Runs[I].Block, Runs[I].Count});
}

void Matching::strays() {
  SourcePaths::Pairs SameFiles;
  for (const auto &[Of, At] : Known)
    if (At.Id != None && !Strays.empty())
      if (const std::string &File = From.text(uint32_t(Of)); !File.empty())
        SameFiles.insert({File, Names.fileOf(At.Id)});
  SourcePaths Paths(SameFiles);
  for (auto &[Where, Stray] : Strays) {
    Stray.File = Paths.analysed(Stray.File);
    Result.Strays.push_back(std::move(Stray));
  }
}

void Matching::byAddress(const AddressCount &Count) {
  if (!IsOurs[Count.Struct])
    return;
  MeasuredSite Site;
  Site.OffsetBytes = Count.OffsetBytes;
  uint64_t Both = Count.Reads + Count.Writes;
  Result.Covered.Accesses += Both;
  std::vector<uint32_t> Fields = fieldsAt(Record, Site, "");
  if (Fields.empty()) {
    if (Both)
      Result.Covered.NotPlaced["no-field-at-that-offset"] += Both;
    return;
  }
  MatchedField &Of = Result.Fields[Fields.front()];
  Of.Reads += Count.Reads;
  Of.Writes += Count.Writes;
  Of.ByAddress += Both;
  Result.Covered.ByField += Both;
}

void Matching::samples(const FunctionSamples &Of) {
  Result.Covered.Samples += Of.Count;
  std::string Why;
  FunctionId Id = Names.find(From.text(Of.Function), "", Why);
  if (Id == None)
    return;
  function(Id).Samples += double(Of.Count);
  Result.Covered.SamplesUsed += Of.Count;
}

void Matching::notCounted(const SourceFunction &Not) {
  FunctionId Id = resolve(Not).Id;
  if (Id == None)
    return;
  MatchedFunction &Of = function(Id);
  Of.Counted = Of.HasEntry = false;
  Of.Blocks.clear();
}

void Matching::countFunctions() {
  for (auto &[Id, Of] : Result.Functions) {
    if (!Of.Counted)
      continue;
    bool Ran = Of.Entries > 0;
    for (const auto &[Block, Count] : Of.Blocks)
      Ran |= !Of.HasEntry && Count > 0;
    ++(Ran ? Result.Covered.FunctionsEntered
           : Result.Covered.FunctionsNeverEntered);
  }
}

MatchedProfile Matching::run() {
  Result.Fields.resize(Record.Fields.size());
  Result.Covered.Text = From.Text;
  Result.Covered.Seconds = From.DurationNs * 1e-9;
  Result.Covered.Runs = From.Runs;
  Result.Covered.Lost = From.Lost;
  OfImage = std::ranges::any_of(From.Sites, [](const MeasuredSite &Site) {
    return Site.Kind == SiteKind::Line;
  });
  // Entries first: whether a function ran says what a zero means.
  for (const MeasuredSite &Site : From.Sites)
    if (Site.Kind == SiteKind::Entry)
      entry(Site);
  for (const MeasuredSite &Site : From.Sites)
    if (Site.Kind == SiteKind::Line)
      line(Site);
    else if (Site.Kind != SiteKind::Entry && !(Site.Marks & MarkBitFieldRead))
      site(Site);
  blocks();
  strays();
  for (const AddressCount &Count : From.ByAddress)
    byAddress(Count);
  if (From.Samples.empty() && From.Text.count("source"))
    for (uint32_t F = 0; F != Result.Fields.size(); ++F)
      Result.Fields[F].AtLeast =
          !Result.Fields[F].ByAddress && mayLackCounts(Record, F);
  for (const FunctionSamples &Of : From.Samples)
    samples(Of);
  for (const SourceFunction &Not : From.NotCounted)
    notCounted(Not);
  std::ranges::sort(Result.Functions, [](const auto &A, const auto &B) {
    return A.first < B.first;
  });
  countFunctions();
  return std::move(Result);
}

} // namespace

MatchedProfile ProfileMatcher::match(const Profile &From,
                                     const std::vector<uint32_t> &Structs) {
  return Matching(Whole, Record, Names, Places, Source, From, Structs).run();
}

} // namespace kst
