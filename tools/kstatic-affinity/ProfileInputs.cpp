// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/ProfileInputs.h"

#include "hybrid/io/ProfileFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {

static llvm::Error failed(const std::string &File, const std::string &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "--profile %s: %s", File.c_str(), Why.c_str());
}

llvm::Expected<ProfileInputs> ProfileInputs::read(const Options &Given) {
  ProfileInputs All;
  for (const auto &[File, Weight] : Given.Profiles) {
    llvm::sys::fs::file_status Status;
    if (llvm::sys::fs::status(File, Status) ||
        !llvm::sys::fs::is_regular_file(Status))
      return failed(File, "no such regular file");
    auto Bytes = llvm::MemoryBuffer::getFile(File, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
    if (!Bytes)
      return failed(File, Bytes.getError().message());
    llvm::StringRef Text = (*Bytes)->getBuffer();
    if (!looksLikeProfile(Text))
      return failed(File, "not a profile; `kstatic-affinity profile import` "
                          "makes one from counters, samples or logs");
    Result<Profile> Made = readProfile(Text);
    if (!Made)
      return failed(File, Made.error());
    All.Names.push_back(File);
    All.Weights.push_back(Weight);
    All.Profiles.push_back(std::move(*Made));
  }
  return All;
}

std::vector<WeightedProfile> ProfileInputs::weighted() const {
  std::vector<WeightedProfile> All;
  for (size_t I = 0; I != Names.size(); ++I)
    All.push_back({Names[I], &Profiles[I], Weights[I]});
  return All;
}

MergeOptions mergeOptions(const Options &Given) {
  MergeOptions How;
  How.Prior = Given.Evidence != EvidenceKind::Dynamic;
  How.Pool = Given.PoolProfiles;
  return How;
}

} // namespace kst
