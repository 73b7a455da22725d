// SPDX-License-Identifier: GPL-2.0-or-later
//
// The index of a source tree: facts of its units, each thing once, with what
// tells whether they still hold. Units of several configurations lie side by
// side.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/index/FactsStore.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace kst {

/// A question to the file system and its answer, see analyzer/run/Dependency.h.
struct IndexedAnswer {
  std::string Path;
  uint8_t Kind = 0;
  uint64_t SizeBytes = 0;
  Hash128 Hash;
  auto tied() const {
    return std::tie(Path, Kind, SizeBytes, Hash.High, Hash.Low);
  }
};

struct IndexedUnit {
  std::string Relative; ///< to the source root
  Hash128 Key;          ///< tool, command and directory
  std::vector<uint32_t>
      Answers; ///< into Index::Answers: what its facts rest on
};

struct Index {
  std::string Tool;                ///< that made it, for people
  std::string FactsId;             ///< facts of another id mean something else
  std::string SourceRoot;          ///< absolute
  std::vector<std::string> Builds; ///< what -p named; none: the tree itself
  std::vector<IndexedAnswer> Answers; ///< each once
  std::vector<IndexedUnit> Units;
  FactsStore Store;               ///< its units are beside Units
  std::vector<FailedUnit> Failed; ///< units that gave no facts
};

/// Puts units together, in any order and from any number of parts.
class IndexBuilder {
public:
  /// Start: all but the units of it counts for the whole.
  explicit IndexBuilder(Index Start);

  uint32_t answer(IndexedAnswer Of);
  /// Unit.Answers: those that answer() returned.
  void add(IndexedUnit Unit, const TuFacts &Facts);
  /// Of the same FactsId and SourceRoot.
  void add(const Index &Part);
  void addFailed(FailedUnit Unit) { Made.Failed.push_back(std::move(Unit)); }

  /// The same for every order and grouping of the units. Nothing is left.
  Index finish();

private:
  Index Made;
  std::map<std::tuple<std::string, uint8_t, uint64_t, uint64_t, uint64_t>,
           uint32_t>
      Known;
};

} // namespace kst
