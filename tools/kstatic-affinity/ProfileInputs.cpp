// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/ProfileInputs.h"

#include "hybrid/profile/ProfileFile.h"
#include "hybrid/trace/TraceReader.h"
#include "tools/kstatic-affinity/InputBytes.h"

#include <string_view>

namespace kst {

static llvm::Error failed(const std::string &File, const std::string &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "--profile %s: %s", File.c_str(), Why.c_str());
}

/// What a trace says as a profile: sites with the number of their events.
static Result<Profile> aboutTrace(std::string_view Bytes) {
  Result<TraceReader> Reader = TraceReader::open(Bytes);
  if (!Reader)
    return Failure{Reader.error()};
  return Reader->about();
}

llvm::Expected<ProfileInputs> ProfileInputs::read(const Options &Given) {
  ProfileInputs All;
  for (const auto &[File, Weight] : Given.Profiles) {
    auto Bytes = inputBytes(File);
    if (!Bytes)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "--profile %s",
                                     llvm::toString(Bytes.takeError()).c_str());
    std::string_view Text((*Bytes)->getBufferStart(),
                          (*Bytes)->getBufferSize());
    bool Trace = looksLikeTrace(Text);
    if (!Trace && !looksLikeProfile(Text))
      return failed(File, "not a profile; `kstatic-affinity profile import` "
                          "makes one from counters, samples or logs");
    Result<Profile> Made = Trace ? aboutTrace(Text) : readProfile(Text);
    if (!Made)
      return failed(File, Made.error());
    All.Traces.push_back(Trace ? std::move(*Bytes) : nullptr);
    All.Names.push_back(File);
    All.Weights.push_back(Weight);
    All.Profiles.push_back(std::move(*Made));
  }
  return All;
}

std::vector<WeightedProfile> ProfileInputs::weighted() const {
  std::vector<WeightedProfile> All;
  for (size_t I = 0; I != Names.size(); ++I)
    All.push_back({Names[I], &Profiles[I], Weights[I],
                   Traces[I] ? std::string_view(Traces[I]->getBufferStart(),
                                                Traces[I]->getBufferSize())
                             : std::string_view()});
  return All;
}

MergeOptions mergeOptions(const Options &Given) {
  MergeOptions How;
  How.Prior = Given.Evidence != EvidenceKind::Dynamic;
  How.Pool = Given.PoolProfiles;
  return How;
}

} // namespace kst
