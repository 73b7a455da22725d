// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/CodeVersions.h"

#include "hybrid/evidence/SiteKinds.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace kst {
namespace {

/// Of accesses of both versions this part may be somewhere else: counters do
/// not see all that the source has, nor the other way round.
constexpr size_t UnchangedOneIn = 20;

bool before(const LineAccess &A, const LineAccess &B) {
  return std::tie(A.Line, A.Column, A.Class, A.Field) <
         std::tie(B.Line, B.Column, B.Class, B.Field);
}

std::vector<AccessClass> classesOf(SiteKind Kind) {
  if (Kind == SiteKind::Address)
    return {AccessClass::Address};
  std::vector<AccessClass> Classes;
  if (reads(Kind))
    Classes.push_back(isBulk(Kind) ? AccessClass::BulkRead : AccessClass::Read);
  if (writes(Kind))
    Classes.push_back(isBulk(Kind) ? AccessClass::BulkWrite
                                   : AccessClass::Write);
  return Classes;
}

std::vector<LineAccess> accessesNow(const Program &Whole, FunctionId Id,
                                    const std::string &Struct,
                                    AccessPlaces &Places) {
  const FunctionFact &Fact = *Whole.Functions[Id].Fact;
  std::vector<LineAccess> Now;
  for (const AccessPlaces::Spot &At : Places.spots(Id)) {
    if (At.File != Fact.File)
      continue;
    for (const AccessPlaces::Spot::Inside &In : At.Where) {
      if (In.Record != Struct)
        continue;
      LineAccess Access{int32_t(At.Line - Fact.Line), At.Column,
                        AccessClass::Address, In.Field};
      if (At.Reads) {
        Access.Class = At.Bulk ? AccessClass::BulkRead : AccessClass::Read;
        Now.push_back(Access);
      }
      if (At.Writes) {
        Access.Class = At.Bulk ? AccessClass::BulkWrite : AccessClass::Write;
        Now.push_back(Access);
      }
      if (!At.Reads && !At.Writes)
        Now.push_back(Access);
    }
  }
  std::ranges::sort(Now, before);
  return Now;
}

/// Whether both versions do the same in the same lines and columns. The source
/// has only the first of several reads of a member in a block.
bool coincide(const FunctionVersions &Of) {
  auto Plain = [](const LineAccess &A) {
    return A.Class == AccessClass::Read || A.Class == AccessClass::Write;
  };
  using Place = std::tuple<int32_t, uint32_t, AccessClass>;
  std::set<Place> Then, Now;
  for (const LineAccess &A : Of.Now)
    if (Plain(A))
      Now.insert({A.Line, A.Column, A.Class});
  std::set<std::tuple<uint64_t, AccessClass>> Seen;
  size_t All = Now.size(), Missing = 0;
  for (const MeasuredAccess &A : Of.Then) {
    if (!Plain(A))
      continue;
    const Place Here{A.Line, A.Column, A.Class};
    Then.insert(Here);
    if (!Seen.insert({A.BeginBits, A.Class}).second)
      continue;
    ++All;
    Missing += !Now.count(Here);
  }
  for (const Place &Here : Now)
    Missing += !Then.count(Here);
  return Missing < All && Missing * UnchangedOneIn <= All;
}

} // namespace

CodeVersions::CodeVersions(const Program &Whole, const FunctionNames &Names,
                           const Profile &From)
    : Whole(Whole), Names(Names), From(From) {
  for (const MeasuredSite &Site : From.Sites) {
    if (Site.Kind != SiteKind::Entry || !Site.Line)
      continue;
    auto [It, New] = All.try_emplace({Site.Function, Site.File});
    if (!New)
      continue;
    Known &Of = It->second;
    std::string Why;
    Of.Then = Site.Line;
    Of.Id = Names.find(From.text(Site.Function), From.text(Site.File), Why);
    if (Of.Id == None)
      continue;
    Of.Now = Whole.Functions[Of.Id].Fact->Line;
    ++Found;
    Moved += Of.Now != Of.Then;
  }
  compareEnds();
}

/// A function kept its lines if what followed it then is where something
/// follows now: new functions may stand between, but not in it.
void CodeVersions::compareEnds() {
  std::map<std::string_view, std::set<uint32_t>> LinesNow; ///< by file
  for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
    LinesNow[fileOf(Id)].insert(Whole.Functions[Id].Fact->Line);
  std::map<TextId, std::vector<Known *>> Files;
  for (auto &[Name, Of] : All)
    Files[Name.File].push_back(&Of);
  for (auto &[File, Functions] : Files) {
    std::ranges::sort(Functions, {}, &Known::Then);
    for (size_t I = 1; I < Functions.size(); ++I) {
      Known &Of = *Functions[I - 1];
      if (Of.Id != None)
        Of.SameEnd = LinesNow[fileOf(Of.Id)].count(
            Of.Now + (Functions[I]->Then - Of.Then));
    }
  }
}

std::string_view CodeVersions::fileOf(FunctionId Id) const {
  const LinkedFunction &Of = Whole.Functions[Id];
  return Whole.text(Of.Unit, Of.Fact->File);
}

bool CodeVersions::followFiles() {
  std::map<TextId, uint32_t> Times; // that a name is there
  for (const auto &[Name, Of] : All)
    ++Times[Name.Function];
  bool Any = false;
  for (auto &[Name, Of] : All) {
    if (Of.Id != None || Times[Name.Function] > 1)
      continue;
    Of.Id = Names.external(From.text(Name.Function));
    if (Of.Id == None)
      continue;
    Of.OtherFile = Any = true;
    Of.Now = Whole.Functions[Of.Id].Fact->Line;
    ++Found;
    ++Moved;
  }
  return Any;
}

std::string_view CodeVersions::otherFile(const SourceFunction &Of) const {
  const Known *Found = known(Of);
  return Found && Found->OtherFile ? fileOf(Found->Id) : std::string_view();
}

const CodeVersions::Known *CodeVersions::known(const SourceFunction &Of) const {
  auto It = All.find(Of);
  return It == All.end() || It->second.Id == None ? nullptr : &It->second;
}

int64_t CodeVersions::distance(const SourceFunction &Of) const {
  const Known *Found = known(Of);
  return Found ? int64_t(Found->Now) - Found->Then : 0;
}

uint32_t CodeVersions::lineThen(const SourceFunction &Of) const {
  const Known *Found = known(Of);
  return Found ? Found->Then : 0;
}

FunctionId CodeVersions::find(const SourceFunction &Of) const {
  const Known *Found = known(Of);
  return Found ? Found->Id : None;
}

std::vector<FunctionVersions> CodeVersions::of(uint32_t Struct,
                                               AccessPlaces &Places) const {
  std::map<SourceFunction, FunctionVersions> Functions;
  for (const MeasuredSite &Site : From.Sites) {
    if (Site.Struct != Struct || Site.Marks & MarkBitFieldRead)
      continue;
    const SourceFunction Name{Site.Function, Site.File};
    const Known *Of = known(Name);
    if (!Of)
      continue;
    for (AccessClass Class : classesOf(Site.Kind)) {
      MeasuredAccess Access;
      Access.Line = int32_t(Site.Line - Of->Then);
      Access.Column = Site.Column;
      Access.Class = Class;
      Access.BeginBits = Site.OffsetBytes * 8ull + Site.FirstBit;
      Access.SizeBits = Site.Bits ? Site.Bits : Site.SizeBytes * 8ull;
      Access.BitField = Site.Bits;
      Functions[Name].Then.push_back(Access);
    }
  }
  const std::string &Name = From.text(From.Structs[Struct].Name);
  std::vector<FunctionVersions> Out;
  for (auto &[Was, Of] : Functions) {
    const Known &Found = *known(Was);
    Of.Id = Found.Id;
    Of.Was = Was;
    std::ranges::sort(Of.Then, [](const auto &A, const auto &B) {
      return before(A, B) || (!before(B, A) && A.BeginBits < B.BeginBits);
    });
    Of.Now = accessesNow(Whole, Of.Id, Name, Places);
    Of.Unchanged = Found.SameEnd && coincide(Of);
    Out.push_back(std::move(Of));
  }
  return Out;
}

LineMap linesOf(const FunctionVersions &Of) {
  const std::vector<LineAccess> Then(Of.Then.begin(), Of.Then.end());
  return alignLines(Then, Of.Now);
}

} // namespace kst
