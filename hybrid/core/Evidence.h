// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is known about one record, from whichever source: static facts,
// counters, samples, traces.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/core/OpaqueUse.h"
#include "hybrid/core/Ownership.h"
#include "hybrid/core/Record.h"
#include "hybrid/core/SourceRule.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

/// A translation unit that gave no facts, and why.
struct FailedUnit {
  std::string File;
  std::string Reason;
  bool IsGone = false; ///< there is no such file
};

/// What was looked at. Counts are of places in the source.
struct Coverage {
  uint32_t UnitsSelected = 0;
  uint32_t UnitsParsed = 0;
  /// How many of the selected ones have flags that the build never said: by
  /// kbuild's rules with those of FlagsFrom, and by the tool's template.
  uint32_t UnitsDerived = 0, UnitsByTemplate = 0;
  std::string FlagsFrom; ///< a source that the build compiled; may be empty
  std::vector<FailedUnit> UnitsFailed; ///< sorted by file
  uint64_t AccessesResolved = 0;
  std::map<std::string, uint64_t> AccessesDropped; ///< reason -> count
  /// Function bodies of the units' own text: how many gave facts, and those
  /// that gave none, by place.
  uint32_t FunctionsRead = 0;
  std::vector<Site> FunctionsUnread;
  bool Static = false;
  bool Dynamic = false;
  std::map<std::string, uint64_t> FlagsDropped; ///< compiler flag -> commands
  /// A compiler that is not clang whose commands clang read; "": none.
  std::string OtherCompiler;
  std::string Reference; ///< what it calls itself; "" without one
  std::vector<ProfileCoverage> Profiles; ///< in the order they were given
  /// Factor from static weights to measured ones, and by which factor (as a
  /// standard deviation of its logarithm) static ones are off; 0: no profile.
  double StaticScale = 0, StaticSpread = 0;
};

/// Which functions see an anonymous union as one of its members.
struct MemberUse {
  uint32_t Field = 0;      ///< index into RecordInfo::Fields
  std::string Member;      ///< one of FieldInfo::Members
  std::vector<Site> Users; ///< one for each function, by name; its first place
};

/// Steady visits for each visit that makes an object or takes it apart, where
/// the user says how many.
struct LifetimeClass {
  double Wanted = 0; ///< 0: nobody said
  double Before = 0; ///< by the evidence; 0: no such visit is known
};

struct AffinityEvidence {
  RecordInfo Record;
  std::vector<FieldUse> Fields;     ///< one per RecordInfo::Fields entry
  std::vector<FieldOrigin> Origins; ///< likewise; empty without a profile
  std::vector<CoAccessSet> Sets;    ///< strongest first; ties by place
  /// What the code that was looked at demands of the order; what other code
  /// demands is not known.
  std::vector<SourceRule> Rules;
  std::vector<OpaqueUse> Opaque;  ///< by file, line, function
  std::vector<MemberUse> Members; ///< by field and place in the definition
  Coverage Covered;
  Ownership Users;
  LifetimeClass Lives;
};

} // namespace kst
