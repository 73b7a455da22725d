// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/Lackey.h"

#include "hybrid/import/TextLines.h"
#include "hybrid/profile/ProfileBuilder.h"

#include <unordered_map>

namespace kst {
namespace {

constexpr size_t LinesToRecognize = 200;

/// An instruction that accesses memory.
struct LackeySite {
  uint8_t Access = 0;
  uint32_t MostBytes = 0;
  uint64_t Count = 0;
  uint32_t Number = 0; ///< in the builder
};

uint8_t accessOfLetter(char What) {
  return What == 'L'   ? AccessLoad
         : What == 'S' ? AccessStore
                       : AccessLoad | AccessStore;
}

/// Calls Each(access, address of its instruction) for every access.
template <typename Visit>
LackeyNotes forEachReference(std::string_view Text, Visit Each) {
  LackeyNotes Notes;
  uint64_t Pc = 0;
  while (!Text.empty()) {
    LackeyLine Line = lackeyLine(takeLine(Text));
    if (!Line.What) {
      ++Notes.OtherLines;
    } else if (Line.What == 'I') {
      ++Notes.Instructions;
      Pc = Line.Address;
    } else {
      ++Notes.Accesses;
      Each(Line, Pc, Notes.Instructions);
    }
  }
  return Notes;
}

std::string hexadecimal(uint64_t Number) {
  char Digits[20] = "0x";
  auto End = std::to_chars(Digits + 2, Digits + sizeof(Digits), Number, 16);
  return {Digits, End.ptr};
}

} // namespace

LackeyLine lackeyLine(std::string_view Text) {
  // "I  address,size" or " L address,size"
  if (Text.size() < 6 || Text[2] != ' ')
    return {};
  LackeyLine Line;
  if (Text[0] == 'I' && Text[1] == ' ')
    Line.What = 'I';
  else if (Text[0] == ' ' &&
           (Text[1] == 'L' || Text[1] == 'S' || Text[1] == 'M'))
    Line.What = Text[1];
  else
    return {};
  Text.remove_prefix(3);
  size_t Comma = Text.find(',');
  if (Comma == Text.npos)
    return {};
  auto Address = numberOf(Text.substr(0, Comma), 16);
  auto Size = numberOf(Text.substr(Comma + 1));
  if (!Address || !Size || !*Size || *Size > 4096)
    return {};
  Line.Address = *Address;
  Line.SizeBytes = static_cast<uint32_t>(*Size);
  return Line;
}

bool looksLikeLackey(std::string_view Text) {
  Text = Text.substr(0, BytesToRecognize);
  bool Instruction = false, Access = false;
  for (size_t I = 0; I < LinesToRecognize && !Text.empty(); ++I) {
    char What = lackeyLine(takeLine(Text)).What;
    Instruction |= What == 'I';
    Access |= What && What != 'I';
  }
  return Instruction && Access;
}

Result<LackeyNotes> traceOfLackey(std::string_view Text,
                                  const std::string &Label,
                                  TraceWriter::Sink To) {
  std::unordered_map<uint64_t, LackeySite> Sites;
  std::vector<uint64_t> Order; // the same on every machine
  LackeyNotes Notes = forEachReference(
      Text, [&](const LackeyLine &Line, uint64_t Pc, uint64_t) {
        auto [At, New] = Sites.try_emplace(Pc);
        if (New)
          Order.push_back(Pc);
        LackeySite &Site = At->second;
        Site.Access |= accessOfLetter(Line.What);
        Site.MostBytes = std::max(Site.MostBytes, Line.SizeBytes);
        ++Site.Count;
      });
  if (!Notes.Accesses)
    return Failure{"no access of `valgrind --tool=lackey --trace-mem=yes`"};
  ProfileBuilder Make;
  Make.Text["recorder"] = "lackey";
  Make.Text["clock"] = "instructions";
  if (!Label.empty())
    Make.Text["label"] = Label;
  for (uint64_t Pc : Order) {
    LackeySite &Site = Sites[Pc];
    MeasuredSite Row;
    Row.Function = Make.text(hexadecimal(Pc));
    Row.SizeBytes = Site.MostBytes;
    Row.Kind = Site.Access == AccessLoad    ? SiteKind::ByAddressRead
               : Site.Access == AccessStore ? SiteKind::ByAddressWrite
                                            : SiteKind::ByAddressBoth;
    Row.Count = Site.Count;
    Site.Number = Make.site(Row);
  }
  ProfileBuilder::Numbers Numbers;
  auto About = Make.finish(&Numbers);
  if (!About)
    return Failure{About.error()};
  TraceTables Tables;
  Tables.About = std::move(*About);
  TraceWriter Out(Tables, std::move(To));
  forEachReference(Text, [&](const LackeyLine &Line, uint64_t Pc,
                             uint64_t Time) {
    Out.event({Time, Line.Address, 0, Numbers.Sites[Sites[Pc].Number], 0,
               EventKind::Access, accessOfLetter(Line.What), Line.SizeBytes});
  });
  if (!Out.finish())
    return Failure{"the trace could not be written"};
  return Notes;
}

} // namespace kst
