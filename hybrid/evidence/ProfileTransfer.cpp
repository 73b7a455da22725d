// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/ProfileTransfer.h"

#include "hybrid/evidence/CodeVersions.h"
#include "hybrid/evidence/FieldPlaces.h"
#include "hybrid/evidence/FieldVotes.h"
#include "hybrid/evidence/MemberNames.h"
#include "hybrid/evidence/SiteKinds.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/profile/ProfileFit.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace kst {
namespace {

const char *wordOf(FoundBy How) {
  switch (How) {
  case FoundBy::Name:
    return "name";
  case FoundBy::Code:
    return "code";
  case FoundBy::Neighbours:
    return "neighbours";
  }
  return "";
}

uint64_t accessesOf(const MeasuredSite &Site) {
  return Site.Count * (reads(Site.Kind) + writes(Site.Kind));
}

/// Whether code says that a member is elsewhere, in a struct that seems to be
/// the same.
bool changedPlaces(const FieldMap &ByCode, const RecordInfo &Record) {
  return std::ranges::any_of(ByCode.pieces(), [&](const auto &Piece) {
    const auto &[Begin, Of] = Piece;
    if (Of.Field == None || Of.How != FoundBy::Code)
      return false;
    const FieldInfo &Now = Record.Fields[Of.Field];
    return Begin < Now.OffsetBits ||
           (Now.SizeBits && Begin >= Now.OffsetBits + Now.SizeBits);
  });
}

/// One profile on its way into another version.
class Transferring {
public:
  Transferring(const Program &Whole, const RecordInfo &Record,
               AccessPlaces &Places, const Profile &From, CodeVersions &Code,
               bool Fits)
      : Whole(Whole), Record(Record), Places(Places), From(From), Code(Code),
        Fits(Fits), Rows(From.Structs.size()) {}

  /// Whether it has to be: nothing is as it was.
  bool needed();
  Result<TransferredProfile> run();

private:
  /// A row of Profile::Structs on both sides.
  struct Row {
    bool Subject = false;
    RecordInfo Record;       ///< what it is now
    FieldMap Map;            ///< only if it moved
    bool Moved = false;      ///< its layout is another one
    uint32_t New = NoStruct; ///< in the new profile
  };

  void prepare(uint32_t Struct);
  void findFields(uint32_t Struct);
  void findLines(uint32_t Struct);
  void copyTexts();
  void site(const MeasuredSite &Old);
  void byAddress(const AddressCount &Old);
  void count(uint32_t Struct, const MeasuredSite &Old, uint64_t Accesses,
             bool Found);

  const Program &Whole;
  const RecordInfo &Record;
  AccessPlaces &Places;
  const Profile &From;
  CodeVersions &Code;
  const bool Fits; ///< some row is the record: others are other structs
  std::vector<Row> Rows;
  std::map<SourceFunction, LineMap> Lines;
  std::vector<TextId> Texts; ///< of From, in the builder
  std::map<std::pair<uint64_t, uint64_t>, TransferredMember> Members;
  ProfileTransfer About;
  ProfileBuilder Make;
};

/// By name where the profile knows them, else by the code that uses them. Equal
/// sizes and offsets do not prove that members have not changed places.
void Transferring::findFields(uint32_t Struct) {
  const MeasuredStruct &Was = From.Structs[Struct];
  Row &Of = Rows[Struct];
  Of.Moved = misfit(From, Was, Of.Record).has_value();
  if (hasMemberNames(From, Struct)) {
    Of.Map = fieldsByName(From, Struct, Of.Record);
  } else {
    Of.Map = fieldsByCode(Code.of(Struct, Places), From, Was, Of.Record);
    Of.Moved |= changedPlaces(Of.Map, Of.Record);
  }
  if (!Of.Moved)
    Of.Map = FieldMap::same(Of.Record);
}

void Transferring::prepare(uint32_t Struct) {
  const MeasuredStruct &Was = From.Structs[Struct];
  Row &Of = Rows[Struct];
  const std::string &Name = From.text(Was.Name);
  Of.Subject = Name == Record.Name && !(Fits && misfit(From, Was, Record));
  if (Of.Subject) {
    Of.Record = Record;
  } else if (Name != Record.Name) {
    const std::vector<RecordId> Known = Whole.recordsNamed(Name);
    for (RecordId Id : Known)
      if (RecordInfo Now = Whole.recordInfo(Id); !misfit(From, Was, Now))
        Of.Record = std::move(Now);
    if (Of.Record.Name.empty() && !Known.empty())
      Of.Record = Whole.recordInfo(Known.front());
  }
  if (!Of.Record.Name.empty())
    findFields(Struct);
  Of.New = Of.Moved ? Make.structure(Name, Of.Record.SizeBytes)
                    : Make.structure(Name, Was.SizeBytes, From.elements(Was));
  if (Of.Subject && Of.Moved)
    About.SizeBytes = std::max<uint64_t>(About.SizeBytes, Was.SizeBytes);
}

/// By the accesses of this struct, in functions where no other has told.
void Transferring::findLines(uint32_t Struct) {
  for (FunctionVersions &Of : Code.of(Struct, Places)) {
    for (MeasuredAccess &A : Of.Then)
      if (const auto *At = Rows[Struct].Map.at(A.BeginBits))
        A.Field = At->second.Field;
    if (LineMap Found = linesOf(Of); !Found.empty())
      Lines.try_emplace(Of.Was, std::move(Found));
  }
}

void Transferring::copyTexts() {
  for (const std::string &Text : From.Strings)
    Texts.push_back(Make.text(Text));
  Make.Text = From.Text;
  Make.Runs = From.Runs;
  Make.DurationNs = From.DurationNs;
  Make.Lost = From.Lost;
}

void Transferring::count(uint32_t Struct, const MeasuredSite &Old,
                         uint64_t Accesses, bool Found) {
  const Row &Of = Rows[Struct];
  if (!Of.Subject || !Accesses)
    return;
  About.Counts += Accesses;
  if (Found)
    About.Matched += Accesses;
  if (!Of.Moved)
    return;
  uint64_t Begin = Old.OffsetBytes, Size = Old.SizeBytes;
  for (const MeasuredElement &E : From.elements(From.Structs[Struct]))
    if (!Old.Bits && !isBulk(Old.Kind) && E.OffsetBytes <= Begin &&
        Begin < uint64_t(E.OffsetBytes) + E.SizeBytes) {
      Begin = E.OffsetBytes;
      Size = E.SizeBytes;
      break;
    }
  const auto *At = Of.Map.at(Old.OffsetBytes * 8ull + Old.FirstBit);
  TransferredMember &To = Members[{Begin, Old.FirstBit}];
  To.OffsetBytes = Begin;
  To.SizeBytes = std::max(To.SizeBytes, Size);
  To.Counts += Accesses;
  To.Name = Old.Field ? From.text(Old.Field)
                      : memberNameAt(From, Struct,
                                     Old.OffsetBytes * 8ull + Old.FirstBit);
  if (!Found)
    return;
  const uint32_t Field = Old.Field ? fieldOfPath(Of.Record, To.Name)
                         : At      ? At->second.Field
                                   : None;
  if (Field != None) {
    To.Field = Of.Record.Fields[Field].Name;
    To.By = wordOf(Old.Field ? FoundBy::Name : At->second.How);
  }
}

void Transferring::site(const MeasuredSite &Old) {
  MeasuredSite To = Old;
  To.Function = Texts[Old.Function];
  To.File = Texts[Old.File];
  To.Field = Texts[Old.Field];
  const SourceFunction Name{Old.Function, Old.File};
  if (std::string_view File = Code.otherFile(Name); !File.empty())
    To.File = Make.text(File);
  if (Old.Kind != SiteKind::Line && Old.Kind != SiteKind::Entry && Old.Line)
    if (const uint32_t Then = Code.lineThen(Name)) {
      const auto Known = Lines.find(Name);
      const int32_t Inside = int32_t(Old.Line - Then);
      To.Line = uint32_t(
          Then + Code.distance(Name) +
          (Known == Lines.end() ? Inside : movedLine(Known->second, Inside)));
    }
  if (Old.Struct == NoStruct) {
    Make.site(To);
    return;
  }
  const Row &Of = Rows[Old.Struct];
  To.Struct = Of.New;
  const uint64_t Accesses =
      Old.Kind == SiteKind::Address || Old.Marks & MarkBitFieldRead
          ? 0
          : accessesOf(Old);
  if (!Of.Moved || Old.Field) {
    count(Old.Struct, Old, Accesses,
          !Old.Field || fieldOfPath(Of.Record, From.text(Old.Field)) != None);
    Make.site(To);
    return;
  }
  const std::vector<MeasuredSite> Sites =
      Of.Map.moved(To, Of.Record, From.Structs[Old.Struct].SizeBytes);
  count(Old.Struct, Old, Accesses, !Sites.empty());
  if (Sites.empty() && Of.Subject)
    About.Dropped += Accesses;
  for (MeasuredSite Moved : Sites) {
    if (std::string Resized = Of.Map.nameIfResized(Old, Of.Record);
        !Resized.empty())
      Moved.Field = Make.text(Resized);
    Make.site(Moved);
  }
}

void Transferring::byAddress(const AddressCount &Old) {
  const Row &Of = Rows[Old.Struct];
  MeasuredSite Site;
  Site.OffsetBytes = Old.OffsetBytes;
  Site.SizeBytes = 1;
  const std::vector<MeasuredSite> Sites =
      Of.Moved
          ? Of.Map.moved(Site, Of.Record, From.Structs[Old.Struct].SizeBytes)
          : std::vector{Site};
  count(Old.Struct, Site, Old.Reads + Old.Writes, !Sites.empty());
  if (Sites.empty() && Of.Subject)
    About.Dropped += Old.Reads + Old.Writes;
  for (const MeasuredSite &Moved : Sites)
    Make.byAddress(Of.New, Moved.OffsetBytes, Old.Reads, Old.Writes);
}

bool Transferring::needed() {
  for (uint32_t S = 0; S != Rows.size(); ++S)
    if (From.text(From.Structs[S].Name) == Record.Name)
      prepare(S);
  return !Fits || Code.moved() || std::ranges::any_of(Rows, [](const Row &Of) {
    return Of.Subject && Of.Moved;
  });
}

Result<TransferredProfile> Transferring::run() {
  Code.followFiles();
  About.Made = true;
  About.Functions = Code.found();
  About.FunctionsMoved = Code.moved();
  copyTexts();
  for (uint32_t S = 0; S != Rows.size(); ++S)
    if (From.text(From.Structs[S].Name) != Record.Name)
      prepare(S);
  for (bool Subject : {true, false})
    for (uint32_t S = 0; S != Rows.size(); ++S)
      if (Rows[S].Subject == Subject)
        findLines(S);
  for (const MeasuredSite &Old : From.Sites)
    site(Old);
  for (const AddressCount &Old : From.ByAddress)
    byAddress(Old);
  for (const ThreadUse &Of : From.Threads)
    Make.threads(Rows[Of.Struct].New, Of.ByOwner, Of.ByOthers);
  for (const FunctionSamples &Of : From.Samples)
    Make.samples(Texts[Of.Function], Of.Count);
  for (const SourceFunction &Of : From.NotCounted)
    Make.notCounted(Texts[Of.Function], Texts[Of.File]);
  for (auto &[Place, Of] : Members)
    About.Members.push_back(std::move(Of));
  Result<Profile> Made = Make.finish();
  if (!Made)
    return Failure{Made.error()};
  return TransferredProfile{std::move(*Made), std::move(About)};
}

/// Of a profile that knows functions and lines alone: nothing has to move, as
/// its lines are counted from the functions' names.
ProfileTransfer functionsAlone(const Profile &From, const CodeVersions &Code) {
  ProfileTransfer About;
  About.Made = true;
  About.Functions = Code.found();
  About.FunctionsMoved = Code.moved();
  std::set<TextId> Analysed; // files of which some function is there
  for (const MeasuredSite &Site : From.Sites)
    if (const SourceFunction Of{Site.Function, Site.File};
        Code.find(Of) != None && Code.otherFile(Of).empty())
      Analysed.insert(Site.File);
  for (const MeasuredSite &Site : From.Sites) {
    const bool Found = Code.find({Site.Function, Site.File}) != None;
    if (Found || Analysed.count(Site.File))
      About.Counts += Site.Count;
    if (Found)
      About.Matched += Site.Count;
  }
  return About;
}

std::string percentOf(double Share) {
  char Text[16];
  std::snprintf(Text, sizeof Text, "%.1f%%", 100 * Share);
  return Text;
}

} // namespace

Result<std::optional<TransferredProfile>>
transferProfile(const Program &Whole, const RecordInfo &Record,
                const FunctionNames &Names, AccessPlaces &Places,
                const Profile &From) {
  using Answer = std::optional<TransferredProfile>;
  CodeVersions Code(Whole, Names, From);
  if (From.Structs.empty()) {
    if (!Code.moved())
      return Answer();
    std::optional<Profile> Elsewhere;
    if (Code.followFiles()) {
      Result<TransferredProfile> Made =
          Transferring(Whole, Record, Places, From, Code, false).run();
      if (!Made)
        return Failure{Made.error()};
      Elsewhere = std::move(Made->What);
    }
    return Answer({std::move(Elsewhere), functionsAlone(From, Code)});
  }
  Result<std::vector<uint32_t>> Fitting = measuredStructs(From, Record);
  const bool Known = std::ranges::any_of(From.Structs, [&](const auto &S) {
    return From.text(S.Name) == Record.Name;
  });
  if (!Known)
    return Failure{Fitting.error()};
  Transferring Into(Whole, Record, Places, From, Code, bool(Fitting));
  if (!Into.needed())
    return Answer();
  Result<TransferredProfile> Made = Into.run();
  if (!Made)
    return Failure{Made.error()};
  const ProfileTransfer &About = Made->About;
  if (!Fitting && !(About.share() >= TransferAtLeast))
    return Failure{Fitting.error() + "; " + percentOf(About.share()) +
                   " of its " + std::to_string(About.Counts) +
                   " counts are of fields that are found again, at least " +
                   percentOf(TransferAtLeast) + " must be"};
  return Answer(std::move(*Made));
}

} // namespace kst
