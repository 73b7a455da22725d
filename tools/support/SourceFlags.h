// SPDX-License-Identifier: GPL-2.0-or-later
//
// Options that commands about sources share, and the requests that they make.

#pragma once

#include "analyzer/request/StructAddress.h"
#include "hybrid/pipeline/Request.h"
#include "tools/support/CommandLine.h"

#include <optional>

namespace kst {

/// The file with the reference that comes with the tool.
std::string shippedReference();
/// The script that runs the tasks of `index --dask`.
std::string shippedDriver();

/// A command that reads units of a tree.
class UnitsCommand : public Command {
protected:
  UnitsCommand(llvm::StringRef Name, llvm::StringRef Summary,
               llvm::StringRef Usage);

  /// Fills in what the options say.
  llvm::Error fill(UnitsRequest &Asked);
  /// Every name of --struct once, in the order asked for.
  std::vector<std::string> structNames() const;

  ListFlag Structs{
      {Sub, OfAnalysis, "struct", "NAME[,NAME]", "Struct or union to look at"}};
  ListFlag BuildDirs{{Sub, OfAnalysis, "p", "DIR",
                      "Directory with compile_commands.json, or kbuild's O="}};
  Flag<std::string> Root{{Sub, OfAnalysis, "root", "DIR",
                          "Top of the project (default: of version control)",
                          cl::Hidden}};
  ListFlag Exclude{{Sub, OfAnalysis, "exclude", "PATH",
                    "File, directory or pattern to leave out"}};
  Flag<bool> OnlyBuilt{{Sub, OfAnalysis, "only-built", "",
                        "Of a kernel only what the build has compiled",
                        cl::Hidden}};
  Flag<std::string> Template{{Sub, OfAnalysis, "template", "FILE",
                              "Commands for a tree that is only configured",
                              cl::Hidden}};
  Flag<std::string> Target{
      {Sub, OfAnalysis, "target", "TRIPLE",
       "What compilers compile for that do not tell it themselves",
       cl::Hidden}};
  Flag<unsigned> Jobs{
      {Sub, OfAnalysis, "j", "N", "Processes at once (default: one per core)"}};
  Flag<std::string> CacheDir{{Sub, OfAnalysis, "cache-dir", "DIR",
                              "Where facts are kept", cl::Hidden}};
  Flag<bool> NoCache{{Sub, OfAnalysis, "no-cache", "",
                      "Neither read nor keep facts", cl::Hidden}};
  Flag<bool> Plain{{Sub, OfAnalysis, "plain", "",
                    "Parse everything: slower, same result", cl::Hidden}};
  Words Paths{Sub, "PATH..."};

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

  Flag<std::string> IndexFile{
      {Sub, OfAnalysis, "index", "FILE",
       "Take facts from there, where 'index' has put them"}};
  ListFlag Hot{{Sub, OfAnalysis, "hot", "FUNC[=WEIGHT]",
                "A function on a path that matters; may be repeated"}};
  ListFlag HotFiles{{Sub, OfAnalysis, "hot-file", "FILE",
                     "Hot functions, one per line", cl::Hidden}};
  ListFlag Profiles{{Sub, OfAnalysis, "profile", "FILE[=WEIGHT]",
                     "Measured counts, from 'profile import'"}};
  ListFlag References{
      {Sub, OfAnalysis, "reference", "FILE",
       "How often code runs elsewhere; or none (default: the tool's)"}};
  ListFlag ReferenceParts{{Sub, OfAnalysis, "reference-parts", "NAME[,NAME]",
                           "Only these of its numbers: branches, trips, "
                           "tables, entries, runs, visitors",
                           cl::Hidden}};
  Flag<std::string> Evidence{
      {Sub, OfAnalysis, "evidence", "KIND",
       "With --profile: hybrid (default), static or dynamic", cl::Hidden},
      "hybrid"};
  Flag<bool> PoolProfiles{{Sub, OfAnalysis, "pool-profiles", "",
                           "Longer runs weigh more", cl::Hidden}};
  Flag<unsigned> Threads{{Sub, OfAnalysis, "threads", "1",
                          "The program has one thread, nothing is shared"}};
  Flag<unsigned> Cpus{{Sub, OfAnalysis, "cpus", "N",
                       "CPUs of the machines that the order is for"}};
  ListFlag Users{{Sub, OfAnalysis, "users", "NAME=WAY[,...]",
                  "Users of an object come =shared, =handed-over or =private",
                  cl::Hidden}};
  ListFlag Contention{{Sub, OfAnalysis, "contention", "[STRUCT:]LOCK=N",
                       "N other CPUs arrive while that field is held as a lock",
                       cl::Hidden}};
  ListFlag Lifecycle{{Sub, OfAnalysis, "lifecycle", "[STRUCT:]N",
                      "An object is used N times for each visit that makes it "
                      "or frees it",
                      cl::Hidden}};
  Flag<unsigned> CacheLine{{Sub, OfLayout, "cache-line", "N",
                            "Bytes of a cache line (default 64)", cl::Hidden},
                           64};
  Flag<std::string> OnMachine{
      {Sub, OfLayout, "machine", "NAME|FILE",
       "Whose cycles count: epyc-9654 (default), xeon-8360y, graviton2, or a "
       "JSON file",
       cl::Hidden}};
  Flag<unsigned> InstanceAlign{
      {Sub, OfLayout, "instance-align", "N",
       "Bytes to which instances are aligned (default: by "
       "their slab cache, else a line beyond 1.5 lines)",
       cl::Hidden}};
  ListFlag Pins{{Sub, OfLayout, "pin", "[STRUCT:]FIELD[=PLACE]",
                 "It stays, or =first, =last, =line:N, =with:F, =apart:F"}};
  ListFlag LiftRule{{Sub, OfLayout, "lift-rule", "[STRUCT:]ID",
                     "Do not obey a rule that is shown as 'held in place'"}};

  /// What --machine names; without it the usual one.
  llvm::Expected<Machine> machine() const;

  /// Files that a request which fill() made reads, but for those of the source.
  std::vector<std::string> inputs(const AnalyzeRequest &Asked) const;

private:
  llvm::Error addProfiles(AnalyzeRequest &Asked) const;
  llvm::Error addReference(AnalyzeRequest &Asked) const;
  llvm::Error addLives(AnalyzeRequest &Asked) const;
  llvm::Error addUsers(AnalyzeRequest &Asked) const;
  llvm::Error addReferenceParts(kst::ReferenceParts &Parts) const;
};

bool isPowerOfTwo(unsigned N, unsigned Most);

} // namespace kst
