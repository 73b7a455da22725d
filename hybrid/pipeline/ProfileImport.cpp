// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ProfileImport.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/import/AccessLog.h"
#include "hybrid/import/CounterJoin.h"
#include "hybrid/import/LineCoverage.h"
#include "hybrid/import/PerfText.h"
#include "hybrid/pipeline/ProfileFiles.h"
#include "hybrid/pipeline/ProgramTables.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/report/Numbers.h"
#include "passes/readers/KernelImage.h"
#include "passes/readers/SampleProfile.h"

#include <map>
#include <optional>

namespace kst {
namespace {

/// By the first bytes; an error if it is none that we know.
llvm::Expected<Recording> recordingOf(const std::string &File,
                                      std::string_view Bytes) {
  if (looksLikeRawCounters(Bytes))
    return Recording::Counters;
  if (looksLikeProfile(Bytes))
    return mistake(File + ": a profile already; see profile merge and profile "
                          "show");
  if (Bytes.starts_with("KSTEVENT"))
    return mistake(File + ": a raw trace; see trace import");
  if (Bytes.starts_with("PERFILE2"))
    return mistake(File + ": a recording of perf; import what `perf script` "
                          "prints of it");
  if (looksLikeAccessLog(Bytes))
    return Recording::AccessLog;
  if (looksLikeLineCoverage(Bytes))
    return Recording::LineCoverage;
  if (looksLikeSampleProfile(Bytes))
    return Recording::SampleProfile;
  if (looksLikePerfText(Bytes))
    return Recording::PerfScript;
  return mistake(File + ": of no known format: neither raw counters, nor text "
                        "of perf script, nor a log of accesses, nor a sample "
                        "profile, nor a tracefile of lcov");
}

std::string inWords(const JoinNotes &Notes) {
  std::string Line = counted(Notes.UnitsJoined, "unit");
  if (Notes.UnitsWithoutTable)
    Line += "; " + counted(Notes.UnitsWithoutTable, "unit") +
            " with counters in no table: left out, give its file with --binary";
  if (Notes.TablesWithoutCounters)
    Line += "; " + counted(Notes.TablesWithoutCounters, "table") +
            " without counters: never ran, counted as zero";
  if (Notes.NegativeRegions)
    Line += "; " + counted(Notes.NegativeRegions, "region") +
            " with a count below zero, taken as zero";
  if (Notes.ObjectsWithoutStruct)
    Line += "; " + counted(Notes.ObjectsWithoutStruct, "struct") +
            " counted by address in no table: left out";
  return Line;
}

std::string inWords(const PerfNotes &Notes) {
  std::string Line = counted(Notes.Samples, "sample") + " of functions";
  if (Notes.FieldSamples)
    Line += ", " + counted(Notes.FieldSamples, "sample") + " of fields";
  if (Notes.Branches)
    Line += "; of " + std::to_string(Notes.Branches) + " taken branches" + " " +
            std::to_string(Notes.Entries) + " to the start of a function" +
            (Notes.Entries
                 ? ", its entries; " + counted(Notes.SamplesLeft, "sample") +
                       " of functions not used for that"
                 : "");
  if (Notes.UserSpace)
    Line += "; " + std::to_string(Notes.UserSpace) + " of user space left out";
  if (Notes.Unknown)
    Line += "; " + std::to_string(Notes.Unknown) + " without a symbol";
  if (Notes.DataAddresses)
    Line += "; data addresses of " + counted(Notes.DataAddresses, "sample") +
            " not used: no object is known there";
  if (Notes.OtherLines)
    Line += "; " + counted(Notes.OtherLines, "line") + " not understood";
  return Line;
}

std::string inWords(const AccessLogNotes &Notes) {
  std::string Line = std::to_string(Notes.Accesses) +
                     (Notes.Accesses == 1 ? " access" : " accesses");
  if (Notes.OtherLines)
    Line += "; " + counted(Notes.OtherLines, "line") + " not understood";
  return Line;
}

std::string inWords(const LineCoverageNotes &Notes) {
  std::string Line = counted(Notes.Functions, "function") + ", " +
                     counted(Notes.Lines, "line");
  if (Notes.EntriesOnly)
    Line += "; lines not used: LLVM's tracefiles do not say where the name of "
            "a function stands, give the program with --binary";
  if (Notes.NotInProgram)
    Line += "; " + std::to_string(Notes.NotInProgram) +
            " that the program does not have";
  if (Notes.LinesOutside)
    Line += "; " + counted(Notes.LinesOutside, "line") +
            " of no function, or of several, left out";
  if (Notes.OtherLines)
    Line += "; " + counted(Notes.OtherLines, "line") +
            " of the file not understood";
  return Line;
}

std::string inWords(const SampleProfile &Read) {
  constexpr size_t MostNames = 5;
  std::string Line = counted(Read.Functions, "function") + ", with " +
                     counted(Read.Inlined, "inlined function");
  if (Read.NotInProgram)
    Line += "; " + std::to_string(Read.NotInProgram) +
            " that the program does not have, of no file";
  if (Read.Hashes)
    Line += "; " + counted(Read.Hashes, "hashed name") +
            " of no function of the program left out";
  if (Read.Several.empty())
    return Line;
  Line += "; " + counted(Read.Several.size(), "name") +
          " of several functions left out, with " + percent(Read.SeveralShare) +
          " of the samples: ";
  for (size_t I = 0; I != Read.Several.size() && I != MostNames; ++I)
    Line += (I ? ", " : "") + Read.Several[I];
  return Line + (Read.Several.size() > MostNames ? ", ..." : "");
}

std::string_view withoutDot(std::string_view Path) {
  return Path.substr(Path.starts_with("./") ? 2 : 0);
}

/// Whether the last names of Path are those of End.
bool endsWithPath(std::string_view Path, std::string_view End) {
  return Path.ends_with(End) &&
         (Path.size() == End.size() || End.starts_with('/') ||
          Path[Path.size() - End.size() - 1] == '/');
}

/// The functions of the one program that was sampled, read when asked for.
class SampledProgram {
public:
  explicit SampledProgram(const std::vector<std::string> &Binaries)
      : Binaries(Binaries) {}

  /// nullptr: none was named.
  llvm::Expected<const FunctionCode *> code() {
    if (Binaries.empty() || Read)
      return Read ? &*Read : nullptr;
    if (Binaries.size() > 1)
      return mistake("a sample profile or a tracefile is of one program: give "
                     "one --binary");
    auto Image = KernelImage::open(Binaries.front());
    if (!Image)
      return Image.takeError();
    FunctionCode Code = Image->functionCode();
    if (Code.Functions.empty())
      return failure(Image->file() + ": no debug information of functions");
    Release = Image->release();
    Read = std::move(Code);
    return &*Read;
  }
  std::string Release; ///< of a kernel; "" if it is none

private:
  const std::vector<std::string> &Binaries;
  std::optional<FunctionCode> Read;
};

llvm::Expected<Profile> sampleProfile(const ImportRequest &Asked,
                                      const std::string &File,
                                      std::string_view Bytes,
                                      SampledProgram &Program) {
  auto Code = Program.code();
  if (!Code)
    return Code.takeError();
  llvm::Expected<SampleProfile> Read = readSampleProfile(Bytes, File, *Code);
  if (!Read)
    return failure(llvm::toString(Read.takeError()));
  if (!Program.Release.empty())
    Read->What.Text["release"] = Program.Release;
  Asked.Tell.note(File + ": " + inWords(*Read));
  if (!*Code)
    Asked.Tell.note(File + ": names of functions only: static functions of one "
                           "name are told apart with --binary, of the program "
                           "that was sampled");
  return std::move(Read->What);
}

/// Where the program has the functions of a tracefile.
FunctionPlaces placesIn(const FunctionCode *Code) {
  if (!Code)
    return nullptr;
  std::multimap<std::string_view, const CodeFunction *> ByName;
  for (const CodeFunction &Of : Code->Functions)
    ByName.insert({Of.Name, &Of});
  return [ByName = std::move(ByName)](std::string_view File,
                                      std::string_view Function) {
    std::optional<NamedLine> Found;
    const auto [Begin, End] = ByName.equal_range(Function);
    for (auto At = Begin; At != End; ++At)
      // Paths of both may have a beginning that the other lacks.
      if (const std::string_view In = withoutDot(At->second->File);
          endsWithPath(File, In) || endsWithPath(In, File))
        Found = NamedLine{At->second->File, At->second->Line};
    return Found;
  };
}

/// What was read of File, with its notes said; or why it could not be.
template <typename T>
llvm::Expected<Profile> imported(const ImportRequest &Asked,
                                 const std::string &File, Result<T> Read) {
  if (!Read)
    return failure(File + ": " + Read.error());
  Asked.Tell.note(File + ": " + inWords(Read->Notes));
  return std::move(Read->What);
}

llvm::Expected<Profile> importFile(const ImportRequest &Asked,
                                   const std::string &File,
                                   ProgramTables &Program,
                                   SampledProgram &Sampled) {
  auto Buffer = inputBytes(File);
  if (!Buffer)
    return mistake(llvm::toString(Buffer.takeError()));
  std::string_view Bytes = bytesOf(**Buffer);
  Recording Form = Asked.Form;
  if (Form == Recording::Auto) {
    llvm::Expected<Recording> Found = recordingOf(File, Bytes);
    if (!Found)
      return Found.takeError();
    Form = *Found;
  }
  if (Form == Recording::PerfScript)
    return imported(Asked, File, readPerfText(Bytes));
  if (Form == Recording::AccessLog)
    return imported(Asked, File, readAccessLog(Bytes));
  if (Form == Recording::SampleProfile)
    return sampleProfile(Asked, File, Bytes, Sampled);
  if (Form == Recording::LineCoverage) {
    auto Code = Sampled.code();
    if (!Code)
      return Code.takeError();
    return imported(Asked, File, readLineCoverage(Bytes, placesIn(*Code)));
  }
  auto Raw = orFailure(readRawCounters(Bytes), File + ": ");
  if (!Raw)
    return Raw.takeError();
  auto Tables = Program.of(Raw->Text, File);
  if (!Tables)
    return Tables.takeError();
  return imported(Asked, File, joinCounters(*Raw, **Tables, Program.members()));
}

} // namespace

llvm::Expected<Profile> importProfile(const ImportRequest &Asked) {
  ProgramTables Program(Asked.Binaries);
  SampledProgram Sampled(Asked.Binaries);
  std::vector<NamedProfile> Profiles;
  for (const std::string &File : Asked.Files) {
    llvm::Expected<Profile> One = importFile(Asked, File, Program, Sampled);
    if (!One)
      return One.takeError();
    Profiles.push_back({File, std::move(*One)});
  }
  return sumOf(std::move(Profiles), Asked.Label);
}

} // namespace kst
