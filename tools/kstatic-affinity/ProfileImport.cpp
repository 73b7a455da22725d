// SPDX-License-Identifier: GPL-2.0-or-later
//
// `profile import`: whatever was recorded, as a profile.

#include "hybrid/import/AccessLog.h"
#include "hybrid/import/CounterJoin.h"
#include "hybrid/import/PerfText.h"
#include "hybrid/profile/ProfileCheck.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/report/Numbers.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/InputBytes.h"
#include "tools/kstatic-affinity/OutputFile.h"
#include "tools/kstatic-affinity/ProfileCommands.h"
#include "tools/kstatic-affinity/ProgramTables.h"

#include <map>
#include <optional>

namespace kst {
namespace {

enum class Format { Counters, PerfScript, AccessLog };

llvm::Error failed(const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Why);
}

std::string_view view(llvm::StringRef Text) {
  return {Text.data(), Text.size()};
}

class Importer {
public:
  explicit Importer(const Options &Given)
      : Given(Given), Program(Given.Binaries) {}

  ExitCode run();

private:
  llvm::Expected<Profile> import(const std::string &File);
  llvm::Expected<Profile> counters(const std::string &File,
                                   std::string_view Bytes);
  llvm::Expected<Profile> perfText(const std::string &File,
                                   std::string_view Text);
  llvm::Expected<Profile> accessLog(const std::string &File,
                                    std::string_view Text);
  void say(const std::string &File, const std::string &What) {
    if (!Given.Quiet)
      complain(File + ": " + What);
  }
  void sayNotes(const std::string &File, const JoinNotes &Notes);

  const Options &Given;
  ProgramTables Program;
};

/// By the first bytes; nothing and a reason if it is none that we know.
llvm::Expected<Format> formatOf(const Options &Given, const std::string &File,
                                std::string_view Bytes) {
  for (auto [Name, Is] : {std::pair{"counters", Format::Counters},
                          std::pair{"perf-script", Format::PerfScript},
                          std::pair{"access-log", Format::AccessLog}})
    if (Given.Format == Name)
      return Is;
  if (looksLikeRawCounters(Bytes))
    return Format::Counters;
  if (looksLikeProfile(Bytes))
    return failed(File + ": a profile already; see profile merge and profile "
                         "show");
  if (Bytes.starts_with("KSTEVENT"))
    return failed(File + ": a raw trace; see trace import");
  if (Bytes.starts_with("PERFILE2"))
    return failed(File + ": a recording of perf; import what `perf script` "
                         "prints of it");
  if (looksLikeAccessLog(Bytes))
    return Format::AccessLog;
  if (looksLikePerfText(Bytes))
    return Format::PerfScript;
  return failed(File + ": of no known format: neither raw counters, nor text "
                       "of perf script, nor a log of accesses");
}

void Importer::sayNotes(const std::string &File, const JoinNotes &Notes) {
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
  say(File, Line);
}

llvm::Expected<Profile> Importer::counters(const std::string &File,
                                           std::string_view Bytes) {
  Result<RawCounters> Raw = readRawCounters(Bytes);
  if (!Raw)
    return failed(File + ": " + Raw.error());
  auto Tables = Program.of(Raw->Text, File);
  if (!Tables)
    return Tables.takeError();
  Result<JoinedCounters> Joined = joinCounters(*Raw, **Tables);
  if (!Joined)
    return failed(File + ": " + Joined.error());
  sayNotes(File, Joined->Notes);
  return std::move(Joined->What);
}

llvm::Expected<Profile> Importer::perfText(const std::string &File,
                                           std::string_view Text) {
  Result<ImportedPerf> Read = readPerfText(Text);
  if (!Read)
    return failed(File + ": " + Read.error());
  const PerfNotes &Notes = Read->Notes;
  std::string Line = counted(Notes.Samples, "sample") + " of functions";
  if (Notes.FieldSamples)
    Line += ", " + counted(Notes.FieldSamples, "sample") + " of fields";
  if (Notes.UserSpace)
    Line += "; " + std::to_string(Notes.UserSpace) + " of user space left out";
  if (Notes.Unknown)
    Line += "; " + std::to_string(Notes.Unknown) + " without a symbol";
  if (Notes.DataAddresses)
    Line += "; data addresses of " + counted(Notes.DataAddresses, "sample") +
            " not used: no object is known there";
  if (Notes.OtherLines)
    Line += "; " + counted(Notes.OtherLines, "line") + " not understood";
  say(File, Line);
  return std::move(Read->What);
}

llvm::Expected<Profile> Importer::accessLog(const std::string &File,
                                            std::string_view Text) {
  Result<ImportedLog> Read = readAccessLog(Text);
  if (!Read)
    return failed(File + ": " + Read.error());
  std::string Line = std::to_string(Read->Notes.Accesses) +
                     (Read->Notes.Accesses == 1 ? " access" : " accesses");
  if (Read->Notes.OtherLines)
    Line += "; " + counted(Read->Notes.OtherLines, "line") + " not understood";
  say(File, Line);
  return std::move(Read->What);
}

llvm::Expected<Profile> Importer::import(const std::string &File) {
  auto Bytes = inputBytes(File);
  if (!Bytes)
    return Bytes.takeError();
  std::string_view Text = view((*Bytes)->getBuffer());
  llvm::Expected<Format> Is = formatOf(Given, File, Text);
  if (!Is)
    return Is.takeError();
  switch (*Is) {
  case Format::Counters:
    return counters(File, Text);
  case Format::PerfScript:
    return perfText(File, Text);
  case Format::AccessLog:
    return accessLog(File, Text);
  }
  llvm_unreachable("all formats are above");
}

ExitCode Importer::run() {
  std::vector<NamedProfile> All;
  for (const std::string &File : Given.Paths) {
    llvm::Expected<Profile> One = import(File);
    if (!One) {
      complain(llvm::toString(One.takeError()));
      return ExitNoResult;
    }
    All.push_back({File, std::move(*One)});
  }
  if (reportError(writeSum(Given, std::move(All)).takeError()))
    return ExitNoResult;
  return ExitDone;
}

} // namespace

ExitCode runProfileImport(const Options &Given) {
  return Importer(Given).run();
}

} // namespace kst
