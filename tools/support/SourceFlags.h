// SPDX-License-Identifier: GPL-2.0-or-later
//
// Options that commands about sources share, and the requests that they make.

#ifndef KST_TOOLS_SUPPORT_SOURCEFLAGS_H
#define KST_TOOLS_SUPPORT_SOURCEFLAGS_H

#include "analyzer/request/StructAddress.h"
#include "hybrid/pipeline/Request.h"
#include "tools/support/CommandLine.h"

#include <optional>

namespace kst {

/// A command that reads units of a tree.
class UnitsCommand : public Command {
protected:
  UnitsCommand(llvm::StringRef Name, llvm::StringRef Summary,
               llvm::StringRef Usage);

  /// Fills in what the options say.
  llvm::Error fill(UnitsRequest &Asked);
  /// Every name of --struct once, in the order asked for.
  std::vector<std::string> structNames() const;

  ListFlag Structs, BuildDirs, Exclude;
  Flag<std::string> Template;
  Flag<unsigned> Jobs;
  Flag<std::string> CacheDir;
  Flag<bool> NoCache, Plain;
  Words Paths;

private:
  std::optional<Progress> Shown; ///< outlives the request
};

/// A command that takes evidence about structs.
class StructsCommand : public UnitsCommand {
protected:
  StructsCommand(llvm::StringRef Name, llvm::StringRef Summary,
                 llvm::StringRef Usage);

  llvm::Error fill(AnalyzeRequest &Asked);

  /// Gives each struct what the option says about it, or about all.
  /// `OneOnly`: without a name there must be only one struct.
  llvm::Error address(const ListFlag &Option, AddressedText Kind, bool OneOnly,
                      std::vector<std::string> StructRequest::*Into,
                      AnalyzeRequest &Asked) const;

  ListFlag Hot, HotFiles, Profiles;
  Flag<std::string> Evidence;
  Flag<bool> PoolProfiles;
  Flag<unsigned> Threads;
  ListFlag Owned;
  Flag<unsigned> CacheLine, InstanceAlign;
  ListFlag Pins, LiftRule;

private:
  llvm::Error addProfiles(AnalyzeRequest &Asked) const;
};

bool isPowerOfTwo(unsigned N, unsigned Most);

} // namespace kst

#endif
