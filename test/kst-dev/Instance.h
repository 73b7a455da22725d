// SPDX-License-Identifier: GPL-2.0-or-later
//
// One layout problem with nothing around it: a record, the evidence about it,
// and every constant that the price depends on. What docs/guide/formats.md
// describes, as a value; a benchmark set is a list of these.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/core/Record.h"
#include "hybrid/core/SourceRule.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace kst {

/// The constants have no defaults here that matter: who makes an instance
/// states all of them. Names follow docs/design/price.md.
struct Instance {
  std::string Name;
  /// Where it comes from, in words: kind, struct, source, seed, ...
  std::map<std::string, std::string> Origin;

  uint32_t LineBytes = 64;
  /// Instances start at every multiple of this equally often.
  uint32_t InstanceAlignBytes = 64;
  double LambdaShare = 0;
  double LambdaPad = 0;
  double UnknownRemoteShare = 0;
  double ChosenRemoteShare = 0;
  double OtherCpus = 1;
  /// Of the others, in the unit of set weights; infinite: every visit is one.
  double Stays = std::numeric_limits<double>::infinity();
  /// A field with at least this explicit alignment is an anchor.
  uint32_t AnchorAlignBytes = 32;

  /// Names, types and places in the source do not matter here and are not
  /// kept, except the names of the record and its fields.
  RecordInfo Record;
  std::vector<SourceRule> Rules;
  /// Weight, Cpu, Others, Shared, and per touch Field, Probability and Writes;
  /// nothing else takes part in a price.
  std::vector<CoAccessSet> Sets;
};

} // namespace kst
