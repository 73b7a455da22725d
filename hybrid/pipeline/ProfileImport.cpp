// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ProfileImport.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/pipeline/ImportNotes.h"
#include "hybrid/pipeline/ProfileFiles.h"
#include "hybrid/pipeline/ProgramTables.h"
#include "hybrid/profile/ProfileFile.h"
#include "passes/readers/KernelImage.h"

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
    return usageError(File +
                      ": a profile already; see profile merge and profile "
                      "show");
  if (Bytes.starts_with("KSTEVENT"))
    return usageError(File + ": a raw trace; see trace import");
  if (Bytes.starts_with("PERFILE2"))
    return usageError(File + ": a recording of perf; import what `perf script` "
                             "prints of it");
  if (looksLikeAccessLog(Bytes))
    return Recording::AccessLog;
  if (looksLikeLineCoverage(Bytes))
    return Recording::LineCoverage;
  if (looksLikeSampleProfile(Bytes))
    return Recording::SampleProfile;
  if (looksLikePerfText(Bytes))
    return Recording::PerfScript;
  return usageError(File +
                    ": of no known format: neither raw counters, nor text "
                    "of perf script, nor a log of accesses, nor a sample "
                    "profile, nor a tracefile of lcov");
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
      return usageError(
          "a sample profile or a tracefile is of one program: give "
          "one --binary");
    auto Image = KernelImage::open(Binaries.front());
    if (!Image)
      return Image.takeError();
    auto Code = Image->functionCode();
    if (!Code)
      return failure(llvm::toString(Code.takeError()));
    Release = Image->release();
    Read = std::move(*Code);
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
  Asked.Diags.note(File + ": " + inWords(*Read));
  if (!*Code)
    Asked.Diags.note(File +
                     ": names of functions only: static functions of one "
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
  Asked.Diags.note(File + ": " + inWords(Read->Notes));
  return std::move(Read->What);
}

llvm::Expected<Profile> importFile(const ImportRequest &Asked,
                                   const std::string &File,
                                   ProgramTables &Program,
                                   SampledProgram &Sampled) {
  auto Buffer = inputBytes(File);
  if (!Buffer)
    return usageError(llvm::toString(Buffer.takeError()));
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
  if (!Program.problem().empty())
    Asked.Diags.note("members have no names: " + Program.problem());
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
