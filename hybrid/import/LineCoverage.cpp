// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/LineCoverage.h"

#include "hybrid/import/TextLines.h"
#include "hybrid/profile/ProfileBuilder.h"

#include <map>

namespace kst {
namespace {

/// "3,core.c:f" without the part up to the colon, which LLVM puts before static
/// functions.
std::string_view withoutFile(std::string_view Name) {
  return Name.substr(Name.rfind(':') + 1);
}

struct CoveredFunction {
  uint64_t Begin = 0, End = 0; ///< lines; End 0: not known
  uint64_t Count = 0;
};

struct CoveredFile {
  std::map<std::string, CoveredFunction, std::less<>> Functions;
  std::map<uint64_t, uint64_t> Lines;
  /// lcov 2: number in the record -> lines of the function.
  std::map<uint64_t, CoveredFunction> Numbered;
};

class Coverage {
public:
  /// False if the line is none of a tracefile.
  bool line(std::string_view Line);
  Result<ImportedCoverage> finish(const FunctionPlaces &Places);
  LineCoverageNotes Notes;

private:
  bool function(std::string_view Words);
  bool numberedFunction(std::string_view Words);
  bool name(uint64_t Number, std::string_view Words);
  bool count(uint64_t Count, std::string_view Name);
  bool run(std::string_view Words);
  void write(const std::string &Path, const CoveredFile &Of,
             const FunctionPlaces &Places);

  std::map<std::string, CoveredFile, std::less<>> Files;
  CoveredFile *Now = nullptr;
  bool Llvm = false; ///< a name has the file before it
  ProfileBuilder Make;
};

/// Takes "12," off Words.
std::optional<uint64_t> takeNumber(std::string_view &Words) {
  const size_t Comma = Words.find(',');
  if (Comma == Words.npos)
    return std::nullopt;
  auto Number = numberOf(Words.substr(0, Comma));
  if (Number)
    Words.remove_prefix(Comma + 1);
  return Number;
}

bool Coverage::line(std::string_view Line) {
  const size_t Colon = Line.find(':');
  const std::string_view Key = Line.substr(0, Colon),
                         Words = Colon == Line.npos ? std::string_view()
                                                    : Line.substr(Colon + 1);
  if (Key == "end_of_record") {
    Now = nullptr;
    return true;
  }
  if (Key == "SF") {
    Now = &Files[std::string(Words)];
    Now->Numbered.clear();
    return !Words.empty();
  }
  // Test names, versions, branches, conditions and sums.
  for (std::string_view Other : {"TN", "VER", "FNF", "FNH", "LF", "LH", "BRDA",
                                 "BRF", "BRH", "MCDC", "MCF", "MCH", "BA"})
    if (Key == Other)
      return true;
  if (!Now)
    return false;
  if (Key == "FN")
    return function(Words);
  if (Key == "FNL")
    return numberedFunction(Words);
  if (Key == "DA")
    return run(Words);
  std::string_view Rest = Words;
  const auto Number = takeNumber(Rest);
  if (!Number)
    return false;
  if (Key == "FNDA")
    return count(*Number, Rest);
  return Key == "FNA" && name(*Number, Rest);
}

/// FN: first line, perhaps the last one, name.
bool Coverage::function(std::string_view Words) {
  CoveredFunction New;
  const auto Begin = takeNumber(Words);
  if (!Begin || !*Begin)
    return false;
  New.Begin = *Begin;
  if (const auto End = takeNumber(Words))
    New.End = *End;
  Llvm |= Words.find(':') != Words.npos;
  CoveredFunction &Of = Now->Functions[std::string(withoutFile(Words))];
  Of.Begin = New.Begin;
  Of.End = New.End;
  return !Words.empty();
}

/// FNL: number, first line, perhaps the last one.
bool Coverage::numberedFunction(std::string_view Words) {
  const auto Number = takeNumber(Words);
  const size_t Comma = Words.find(',');
  const auto Begin = numberOf(Words.substr(0, Comma));
  if (!Number || !Begin || !*Begin)
    return false;
  const auto End =
      Comma == Words.npos ? std::nullopt : numberOf(Words.substr(Comma + 1));
  Now->Numbered[*Number] = {*Begin, End.value_or(0), 0};
  return true;
}

/// FNA: number, count, name.
bool Coverage::name(uint64_t Number, std::string_view Words) {
  const auto Count = takeNumber(Words);
  const auto At = Now->Numbered.find(Number);
  if (!Count || At == Now->Numbered.end() || Words.empty())
    return false;
  Llvm |= Words.find(':') != Words.npos;
  CoveredFunction &Of = Now->Functions[std::string(withoutFile(Words))];
  Of.Begin = At->second.Begin;
  Of.End = At->second.End;
  return count(*Count, Words);
}

static bool add(uint64_t &To, uint64_t Count) {
  return !__builtin_add_overflow(To, Count, &To);
}

bool Coverage::count(uint64_t Count, std::string_view Name) {
  const auto At = Now->Functions.find(withoutFile(Name));
  return At != Now->Functions.end() && add(At->second.Count, Count);
}

/// DA: line, count, perhaps a checksum.
bool Coverage::run(std::string_view Words) {
  const auto Line = takeNumber(Words);
  const auto Count = numberOf(Words.substr(0, Words.find(',')));
  return Line && *Line && Count && add(Now->Lines[*Line], *Count);
}

void Coverage::write(const std::string &Path, const CoveredFile &Of,
                     const FunctionPlaces &Places) {
  struct Known {
    MeasuredSite Site;
    uint64_t End;
    bool Ran;
  };
  std::multimap<uint64_t, Known> Begins;
  for (const auto &[Name, F] : Of.Functions) {
    MeasuredSite Site;
    Site.Function = Make.text(Name);
    const auto Place = Places ? Places(Path, Name) : std::nullopt;
    Notes.NotInProgram += Places && !Place;
    Site.File = Make.text(Place ? Place->File : Path);
    Site.Line = uint32_t(Place ? Place->Line : F.Begin);
    Site.Kind = SiteKind::Entry;
    Site.Count = F.Count;
    Make.site(Site);
    ++Notes.Functions;
    // Of which nothing ran, no line is told. LLVM's line is not the name's.
    if (!Llvm || Place)
      Begins.insert({F.Begin, {Site, F.End, F.Count != 0}});
  }
  for (const auto &[Line, Count] : Of.Lines) {
    auto At = Begins.upper_bound(Line);
    if (At == Begins.begin() || Begins.count((--At)->first) != 1 ||
        (At->second.End && Line > At->second.End)) {
      Notes.LinesOutside += !Notes.EntriesOnly;
      continue;
    }
    MeasuredSite Site = At->second.Site;
    if (!At->second.Ran && !Count)
      continue;
    Site.Kind = SiteKind::Line;
    Site.Line = uint32_t(Line) - Site.Line;
    Site.Count = Count;
    Make.site(Site);
    ++Notes.Lines;
  }
}

Result<ImportedCoverage> Coverage::finish(const FunctionPlaces &Places) {
  Notes.EntriesOnly = Llvm && !Places;
  for (const auto &[Path, Of] : Files)
    write(Path, Of, Places);
  if (!Notes.Functions)
    return Failure{"has no function"};
  Make.Text["source"] = "line coverage";
  Result<Profile> What = Make.finish();
  if (!What)
    return Failure{What.error()};
  return ImportedCoverage{std::move(*What), Notes};
}

} // namespace

bool looksLikeLineCoverage(std::string_view Text) {
  constexpr unsigned Most = 8;
  for (unsigned I = 0; I < Most && !Text.empty(); ++I) {
    const std::string_view Line = takeLine(Text);
    if (Line.starts_with("SF:"))
      return true;
    if (!Line.empty() && !Line.starts_with("TN:") && !Line.starts_with('#'))
      return false;
  }
  return false;
}

Result<ImportedCoverage> readLineCoverage(std::string_view Text,
                                          const FunctionPlaces &Places) {
  Coverage All;
  while (!Text.empty()) {
    const std::string_view Line = takeLine(Text);
    if (!Line.empty() && !Line.starts_with('#') && !All.line(Line))
      ++All.Notes.OtherLines;
  }
  return All.finish(Places);
}

} // namespace kst
