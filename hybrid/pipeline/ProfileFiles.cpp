// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ProfileFiles.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/pipeline/ReferenceFile.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/profile/ProfileCheck.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/profile/ReferenceText.h"
#include "hybrid/trace/SampledTrace.h"
#include "hybrid/trace/TraceReader.h"
#include "passes/readers/DebugMembers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <set>

namespace kst {

/// What a trace says as a profile: sites with the number of their events.
static Result<Profile> aboutTrace(std::string_view Bytes) {
  Result<TraceReader> Reader = TraceReader::open(Bytes);
  if (!Reader)
    return Failure{Reader.error()};
  return Reader->about();
}

llvm::Expected<ProfileFiles>
ProfileFiles::read(const std::vector<ProfileRequest> &Asked) {
  ProfileFiles Read;
  for (const ProfileRequest &One : Asked) {
    auto Bytes = inputBytes(One.File);
    if (!Bytes)
      return usageError("--profile " + llvm::toString(Bytes.takeError()));
    std::string_view Text = bytesOf(**Bytes);
    const std::string Context = "--profile " + One.File + ": ";
    bool Trace = looksLikeTrace(Text);
    if (looksLikeReference(Text))
      return usageError(Context + "a reference; give it to --reference");
    if (!Trace && !looksLikeProfile(Text))
      return usageError(
          Context + "not a profile; `kstatic-affinity profile import` makes "
                    "one from counters, samples or logs");
    auto Counts =
        orFailure(Trace ? aboutTrace(Text) : readProfile(Text), Context);
    if (!Counts)
      return Counts.takeError();
    Read.All.push_back(
        {One, std::move(*Counts), Trace ? std::move(*Bytes) : nullptr});
  }
  return Read;
}

std::vector<WeightedProfile> ProfileFiles::weighted() const {
  std::vector<WeightedProfile> Profiles;
  for (const File &One : All) {
    // Which samples came close together says nothing: they count, no more.
    bool Order = One.Trace && !accessesAreSamples(One.Counts);
    Profiles.push_back({One.Asked.File, &One.Counts, One.Asked.Weight,
                        Order ? bytesOf(*One.Trace) : std::string_view()});
  }
  return Profiles;
}

llvm::Expected<NamedProfile> loadProfile(const std::string &File) {
  auto Read = ReferenceFile::open(File);
  if (!Read)
    return Read.takeError();
  auto Whole = Read->whole();
  if (!Whole)
    return Whole.takeError();
  return NamedProfile{File, std::move(*Whole)};
}

llvm::Expected<Profile> sumOf(std::vector<NamedProfile> Profiles,
                              const std::string &Label) {
  auto Sum = orFailure(mergeProfiles(std::move(Profiles)),
                       "they do not fit together: ");
  if (!Sum)
    return Sum.takeError();
  if (!Label.empty())
    Sum->Text["label"] = Label;
  if (auto Broken = checkProfile(*Sum))
    return failure(Broken->Message);
  return Sum;
}

static llvm::Error nameMembers(ProfileReport &Shown,
                               std::vector<std::string> Binaries) {
  const Profile &P = Shown.What;
  std::set<SizedStruct> Structs;
  for (const MeasuredStruct &S : P.Structs)
    if (S.SizeBytes && (Shown.Struct.empty() || P.text(S.Name) == Shown.Struct))
      Structs.insert({P.text(S.Name), S.SizeBytes});
  const bool Named = !Binaries.empty();
  if (auto Program = P.Text.find("program");
      !Named && Program != P.Text.end() &&
      llvm::sys::fs::is_regular_file(Program->second))
    Binaries.push_back(Program->second);
  for (const std::string &File : Binaries) {
    auto Found = debugMembers(File, Structs);
    if (Found)
      Shown.Members.merge(*Found);
    else if (Named)
      return usageError(llvm::toString(Found.takeError()));
    else
      llvm::consumeError(Found.takeError());
  }
  std::map<SizedStruct, MemberNames> Own; // of the top level only
  for (const NamedMember &M : P.Members) {
    const MeasuredStruct &S = P.Structs[M.Struct];
    if (SizedStruct Key(P.text(S.Name), S.SizeBytes); Structs.count(Key))
      Own[Key].push_back({M.OffsetBits, M.SizeBits, P.text(M.Name)});
  }
  Shown.Members.merge(Own);
  return llvm::Error::success();
}

llvm::Expected<ProfileReport>
describeProfile(const std::string &File, const std::string &Struct,
                const std::vector<std::string> &Binaries) {
  llvm::Expected<NamedProfile> Read = loadProfile(File);
  if (!Read)
    return Read.takeError();
  ProfileReport Shown;
  Shown.Tool = thisTool();
  Shown.File = File;
  Shown.Struct = Struct;
  Shown.What = std::move(Read->What);
  const Profile &P = Shown.What;
  if (!Struct.empty() && llvm::none_of(P.Structs, [&](const auto &S) {
        return P.text(S.Name) == Struct;
      })) {
    std::string Names;
    for (const MeasuredStruct &S : P.Structs)
      if (Names.size() < 200)
        Names += (Names.empty() ? "; it has " : ", ") + P.text(S.Name);
    return usageError(File + " knows no struct " + Struct + Names);
  }
  if (llvm::Error E = nameMembers(Shown, Binaries))
    return E;
  return Shown;
}

} // namespace kst
