// SPDX-License-Identifier: GPL-2.0-or-later
//
// The facts of every configuration that -p names, linked one by one: a struct
// has fields, offsets and users of its own in each.

#ifndef KST_TOOLS_CONFIGS_H
#define KST_TOOLS_CONFIGS_H

#include "hybrid/layout/JoinedConfigs.h"
#include "hybrid/program/StaticSource.h"
#include "tools/kstatic-affinity/ExitCode.h"
#include "tools/kstatic-affinity/FactsSession.h"
#include "tools/kstatic-affinity/ProfileInputs.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kst {

/// One build directory. Not copyable: the parts refer to each other.
struct Config {
  /// For people: the last part of the directory that -p names, or the
  /// architecture where there is one configuration only.
  std::string Name;
  std::string Build; ///< that -p names; "" without
  FactsSession Session;
  std::unique_ptr<Program> Whole;
  std::unique_ptr<StaticSource> Source;
  std::string Triple;
};

/// A struct in all configurations that define it.
struct StructInConfigs {
  JoinedConfigs Evidence;
  /// Of each element of Evidence.Configs.
  std::vector<const Config *> Where;
};

class Configs {
public:
  /// Collects and links the units of each -p, in their order, and reports on
  /// stderr what went wrong. On failure returns the exit code of the process.
  static std::variant<Configs, ExitCode>
  collect(const Options &Given, const std::vector<UnitList> &Lists);

  /// Evidence about a struct; of a configuration that lacks it there is none,
  /// which is said on stderr. On failure the exit code; the reason is printed.
  std::variant<StructInConfigs, ExitCode> evidence(const std::string &Struct,
                                                   bool Quiet) const;
  /// The same as if profile number Only were the only one.
  std::variant<StructInConfigs, ExitCode>
  evidenceUnder(size_t Only, const std::string &Struct) const;
  /// Profiles that take part in evidence().
  size_t profileCount() const { return Profiles.size(); }

  const Config &first() const { return *All.front(); }
  const std::string &sourceRoot() const { return first().Session.SourceRoot; }

private:
  std::variant<StructInConfigs, ExitCode>
  gather(const std::string &Struct, bool Quiet,
         const std::vector<WeightedProfile> &Used) const;

  std::vector<std::unique_ptr<Config>> All;
  /// What the user says about who uses the objects.
  void declareUsers(AffinityEvidence &Of) const;

  ProfileInputs Profiles;
  MergeOptions How;
  bool OneThread = false;
  std::vector<std::string> Owned;
};

} // namespace kst

#endif
