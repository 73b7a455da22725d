// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/ProfileCommands.h"

#include "hybrid/profile/ProfileCheck.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/profile/ProfileReport.h"
#include "hybrid/profile/ProfileThin.h"
#include "hybrid/report/Numbers.h"
#include "passes/readers/DebugMembers.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/InputBytes.h"
#include "tools/kstatic-affinity/OutputFile.h"
#include "tools/kstatic-affinity/Version.h"

#include "llvm/Support/FileSystem.h"

#include <set>

namespace kst {

static llvm::Error failed(const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Why);
}

llvm::Expected<NamedProfile> loadProfile(const std::string &File) {
  auto Bytes = inputBytes(File, uint64_t(1) << 30);
  if (!Bytes)
    return Bytes.takeError();
  llvm::StringRef Buffer = (*Bytes)->getBuffer();
  Result<Profile> Read = readProfile({Buffer.data(), Buffer.size()});
  if (!Read)
    return failed(File + ": " + Read.error());
  return NamedProfile{File, std::move(*Read)};
}

llvm::Expected<Profile> writeSum(const Options &Given,
                                 std::vector<NamedProfile> All) {
  Result<Profile> Sum = mergeProfiles(std::move(All));
  if (!Sum)
    return failed("they do not fit together: " + Sum.error());
  if (!Given.Label.empty())
    Sum->Text["label"] = Given.Label;
  if (auto Broken = checkProfile(*Sum))
    return failed(Broken->Message);
  if (llvm::Error E = writeFile(Given.OutputFile, writeProfile(*Sum)))
    return E;
  return std::move(*Sum);
}

ExitCode runProfileMerge(const Options &Given) {
  std::vector<NamedProfile> All;
  for (const std::string &File : Given.Paths) {
    llvm::Expected<NamedProfile> One = loadProfile(File);
    if (reportError(One.takeError()))
      return ExitNoResult;
    All.push_back(std::move(*One));
  }
  llvm::Expected<Profile> Sum = writeSum(Given, std::move(All));
  if (reportError(Sum.takeError()))
    return ExitNoResult;
  if (!Given.Quiet)
    complain(Given.OutputFile + ": " + counted(Given.Paths.size(), "profile") +
             ", " + counted(Sum->Runs, "run"));
  return ExitDone;
}

ExitCode runProfileThin(const Options &Given) {
  llvm::Expected<NamedProfile> Read = loadProfile(Given.Paths.front());
  if (reportError(Read.takeError()))
    return ExitNoResult;
  Profile Thin = thinProfile(std::move(Read->What), Given.Keep, Given.Seed);
  if (!Given.Label.empty())
    Thin.Text["label"] = Given.Label;
  if (reportError(writeFile(Given.OutputFile, writeProfile(Thin))))
    return ExitNoResult;
  return ExitDone;
}

/// Names of the members that were counted, from debug information of the files
/// that --binary names; without them, of the program that the profile names, if
/// it is still there.
static llvm::Error nameMembers(const Options &Given, ProfileReport &Shown) {
  const Profile &P = Shown.What;
  std::set<SizedStruct> Structs;
  for (const MeasuredStruct &S : P.Structs)
    if (S.SizeBytes && (Shown.Struct.empty() || P.text(S.Name) == Shown.Struct))
      Structs.insert({P.text(S.Name), S.SizeBytes});
  std::vector<std::string> Files = Given.Binaries;
  if (auto Program = P.Text.find("program");
      Files.empty() && Program != P.Text.end() &&
      llvm::sys::fs::is_regular_file(Program->second))
    Files.push_back(Program->second);
  for (const std::string &File : Files) {
    auto Found = debugMembers(File, Structs);
    if (!Found && Given.Binaries.empty()) {
      llvm::consumeError(Found.takeError());
      continue;
    }
    if (!Found)
      return Found.takeError();
    Shown.Members.merge(*Found);
  }
  return llvm::Error::success();
}

ExitCode runProfileShow(const Options &Given) {
  llvm::Expected<NamedProfile> Read = loadProfile(Given.Paths.front());
  if (!Read) {
    complain(llvm::toString(Read.takeError()));
    return ExitNoResult;
  }
  ProfileReport Shown;
  Shown.Tool = {toolVersion(), llvmVersion()};
  Shown.File = Read->Name;
  Shown.What = std::move(Read->What);
  Shown.Top = Given.Top;
  if (!Given.Structs.empty()) {
    Shown.Struct = Given.Structs.front();
    const Profile &P = Shown.What;
    if (std::none_of(P.Structs.begin(), P.Structs.end(),
                     [&](auto &S) { return P.text(S.Name) == Shown.Struct; })) {
      std::string Names;
      for (const MeasuredStruct &S : P.Structs)
        if (Names.size() < 200)
          Names += (Names.empty() ? "" : ", ") + P.text(S.Name);
      complain(Shown.File + " knows no struct " + Shown.Struct +
               (Names.empty() ? "" : "; it has " + Names));
      return ExitUsage;
    }
  }
  if (reportError(nameMembers(Given, Shown)))
    return ExitUsage;
  if (!Given.JsonFile.empty() &&
      reportError(writeFile(Given.JsonFile, toJson(Shown))))
    return ExitNoResult;
  if (!Given.Quiet && Given.JsonFile != "-" &&
      reportError(writeFile("-", toText(Shown))))
    return ExitNoResult;
  return ExitDone;
}

} // namespace kst
