// SPDX-License-Identifier: GPL-2.0-or-later
//
// Profiles from files: those that a report takes as evidence, and what is done
// with profiles themselves.

#ifndef KST_HYBRID_PIPELINE_PROFILEFILES_H
#define KST_HYBRID_PIPELINE_PROFILEFILES_H

#include "hybrid/evidence/MergedSource.h"
#include "hybrid/pipeline/Request.h"
#include "hybrid/profile/ProfileMerge.h"
#include "hybrid/profile/ProfileReport.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace kst {

/// Profiles and traces as evidence. Not copyable: what weighted() gives refers
/// to it.
class ProfileFiles {
public:
  ProfileFiles() = default;
  ProfileFiles(ProfileFiles &&) = default;
  ProfileFiles &operator=(ProfileFiles &&) = default;

  /// A usageError names the file and says what is wrong with it.
  static llvm::Expected<ProfileFiles>
  read(const std::vector<ProfileRequest> &Asked);

  size_t size() const { return All.size(); }
  std::vector<WeightedProfile> weighted() const;

private:
  struct File {
    ProfileRequest Asked;
    Profile Counts;
    std::unique_ptr<llvm::MemoryBuffer> Trace; ///< or null
  };
  std::vector<File> All;
};

/// The profile in one file: a .kstp, or the text of a reference; both also
/// compressed by zstd, of at most 64 MiB.
llvm::Expected<NamedProfile> loadProfile(const std::string &File);

/// All profiles as one, with a label if that is not empty. Fails, naming the
/// difference, if they do not fit together.
llvm::Expected<Profile> sumOf(std::vector<NamedProfile> Profiles,
                              const std::string &Label);

/// What `profile show` prints of File: of one struct, if it is not empty. Names
/// of members are from debug information of `Binaries`, or of the program that
/// the profile names if it is still there, else its own.
llvm::Expected<ProfileReport>
describeProfile(const std::string &File, const std::string &Struct,
                const std::vector<std::string> &Binaries);

} // namespace kst

#endif
