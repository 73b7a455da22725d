// SPDX-License-Identifier: GPL-2.0-or-later
//
// The profiles that --profile names, read once for all structs and
// configurations.

#ifndef KST_TOOLS_PROFILEINPUTS_H
#define KST_TOOLS_PROFILEINPUTS_H

#include "hybrid/evidence/MergedSource.h"
#include "tools/kstatic-affinity/Options.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace kst {

/// Not copyable: what weighted() gives refers to it.
class ProfileInputs {
public:
  ProfileInputs() = default;
  ProfileInputs(ProfileInputs &&) = default;
  ProfileInputs &operator=(ProfileInputs &&) = default;

  /// An error names the file and says what is wrong with it.
  static llvm::Expected<ProfileInputs> read(const Options &Given);

  bool empty() const { return Names.empty(); }
  size_t size() const { return Names.size(); }
  /// All profiles as evidence takes them.
  std::vector<WeightedProfile> weighted() const;

private:
  std::vector<std::string> Names;
  std::vector<double> Weights;
  std::vector<Profile> Profiles;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> Traces; ///< or null
};

/// As --evidence and --pool-profiles say.
MergeOptions mergeOptions(const Options &Given);

} // namespace kst

#endif
