// SPDX-License-Identifier: GPL-2.0-or-later
//
// The facts of every configuration that is asked about, linked one by one: a
// struct has fields, offsets and users of its own in each.

#ifndef KST_HYBRID_PIPELINE_CONFIGS_H
#define KST_HYBRID_PIPELINE_CONFIGS_H

#include "hybrid/evidence/Reference.h"
#include "hybrid/layout/JoinedConfigs.h"
#include "hybrid/pipeline/FactsSession.h"
#include "hybrid/pipeline/ProfileFiles.h"
#include "hybrid/pipeline/ReferenceFile.h"
#include "hybrid/program/StaticEvidence.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
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
  std::optional<Estimate> Often;
  std::optional<StaticSource> Source; ///< none if there are profiles
  std::string Triple;
};

/// A struct in all configurations that define it, in each form that the text of
/// its definition has there: as several units lay it out, or under other names.
struct StructInConfigs {
  JoinedConfigs Evidence;
  /// Of each element of Evidence.Configs.
  std::vector<const Config *> Where;
  std::vector<std::string> Names;   ///< the same for people
  std::vector<std::string> Triples; ///< the same: what it is compiled for
  /// What else the text makes, which an edit changes too: "struct u8_ring".
  std::vector<std::string> OtherRecords;

  /// One more form; `Asked`: the record's name in the request.
  void add(const Config &In, RecordId Id, const std::string &Asked);
};

class Configs {
public:
  /// Collects and links the units of each build directory, in their order; says
  /// what cost no facts. An error if nothing of one can be analysed. `Apart`:
  /// FactsSession::Units are wanted one by one, also from an index.
  static llvm::Expected<Configs> collect(const AnalyzeRequest &Asked,
                                         const std::vector<UnitList> &Lists,
                                         bool Apart = false);

  /// Evidence about a struct from all profiles; of a configuration that lacks
  /// it there is none, which `Diags` hears. An error if no configuration has
  /// it.
  llvm::Expected<StructInConfigs>
  evidence(const StructRequest &Asked, const DiagnosticConsumer &Diags) const {
    return gather(Asked, Diags, Profiles.weighted());
  }
  /// The same as if profile number Only were the only one.
  llvm::Expected<StructInConfigs>
  evidenceUnder(size_t Only, const StructRequest &Asked) const {
    return gather(Asked, {}, {Profiles.weighted()[Only]});
  }
  /// The same in one configuration only, and in one form.
  Result<AffinityEvidence> evidenceOf(const Config &In,
                                      const StructRequest &Asked) const {
    Result<RecordId> Id = findRecord(*In.Whole, Asked.Name);
    if (!Id)
      return Failure{Id.error()};
    return evidenceOf(In, *Id, Asked);
  }
  Result<AffinityEvidence> evidenceOf(const Config &In, RecordId Id,
                                      const StructRequest &Asked) const {
    return evidenceIn(In, Id, Asked, Profiles.weighted());
  }
  /// Profiles that take part in evidence().
  size_t profileCount() const { return Profiles.size(); }

  const std::vector<std::unique_ptr<Config>> &each() const { return All; }
  const std::string &sourceRoot() const {
    return All.front()->Session.SourceRoot;
  }
  /// Why the definition is not the project's (Provenance.h), or "".
  std::string whyForeign(const RecordInfo &Record) const;
  /// The absolute name of the file that defines the record.
  std::string headerOf(const RecordInfo &Record) const;

private:
  llvm::Error add(const AnalyzeRequest &Asked, const std::string &Build,
                  const UnitList &List, IndexFacts *From, bool Apart,
                  std::set<std::string> &Warned);
  llvm::Expected<StructInConfigs>
  gather(const StructRequest &Asked, const DiagnosticConsumer &Diags,
         const std::vector<WeightedProfile> &Used) const;
  Result<AffinityEvidence>
  evidenceIn(const Config &In, RecordId Id, const StructRequest &Asked,
             const std::vector<WeightedProfile> &Used) const;
  void nameAll();

  std::vector<std::unique_ptr<Config>> All;
  ProfileFiles Profiles;
  std::vector<ReferenceFile> References;
  MergeOptions Merge;
  bool OneThread = false;
  bool WithVisitors = true;
  uint32_t Cpus = 0; ///< that orders are for; 0: as recorded
};

} // namespace kst

#endif
