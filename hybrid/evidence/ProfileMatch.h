// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sites of a profile at the accesses of the analysed source: how often
// functions were entered, how often their blocks ran, how often each field of
// the struct was touched, and what found no place and why.

#pragma once

#include "hybrid/core/EvidenceOrigin.h"
#include "hybrid/evidence/AccessPlaces.h"
#include "hybrid/evidence/FunctionNames.h"
#include "hybrid/evidence/LineAnchors.h"
#include "hybrid/evidence/ProfileTransfer.h"
#include "hybrid/profile/Profile.h"
#include "hybrid/program/Program.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kst {

/// What one profile says about one function of the program.
struct MatchedFunction {
  bool Counted = false; ///< instrumented: its zeros are measurements
  bool HasEntry = false;
  /// Counted all over an image, of a header: code that was not analysed enters
  /// it too, so its entries say nothing of its callers here.
  bool Elsewhere = false;
  double Entries = 0;
  double Samples = 0;
  std::vector<std::pair<uint32_t, double>> Blocks; ///< runs, zeros too; sorted
};

/// Counts of one field; those by address included in Reads and Writes.
struct MatchedField {
  uint64_t Reads = 0, Writes = 0, ByAddress = 0;
  uint64_t Unplaced = 0; ///< of the others: at no access of the source
  uint64_t Handed = 0;   ///< times its address was handed on
  uint32_t SitesReached = 0,
           SitesNotReached = 0; ///< by function entered or not
  /// Some accesses may not have been seen: Reads and Writes are lower bounds.
  bool AtLeast = false;
};

/// Fields that a function which was not analysed, or which the source side sees
/// differently, touched.
struct StraySet {
  std::string Function, File; ///< File: as the analysis spells files
  uint32_t Line = 0;
  double Entries = 0; ///< or the largest count, where entries are not known
  struct Use {
    double Reads = 0, Writes = 0, Most = 0; ///< Most: of a single site
    struct Accesses {
      double Reads = 0, Writes = 0;
    };
    std::map<uint32_t, Accesses> Lines; ///< the same by line
  };
  std::map<uint32_t, Use> Fields;
};

struct MatchedProfile {
  std::vector<std::pair<FunctionId, MatchedFunction>> Functions; ///< sorted
  std::vector<MatchedField> Fields; ///< as RecordInfo::Fields
  std::vector<StraySet> Strays;     ///< by file and function of the profile
  ProfileCoverage Covered;
};

/// Matches any number of profiles of a program. Borrows the program.
class ProfileMatcher {
public:
  /// Text: of the analysed source, for profiles that know the text of lines.
  ProfileMatcher(const Program &Whole, RecordId Target, SourceText Text = {})
      : Whole(Whole), Record(Whole.recordInfo(Target)), Names(Whole),
        Places(Whole, Record), Source(std::move(Text)) {}
  /// Without a subject: functions and blocks alone.
  explicit ProfileMatcher(const Program &Whole, SourceText Text = {})
      : Whole(Whole), Names(Whole), Places(Whole, Record),
        Source(std::move(Text)) {}
  ProfileMatcher(const ProfileMatcher &) = delete; // Places borrows Record

  /// Structs: rows of Profile::Structs that are the target. Deterministic; does
  /// not fail: what finds no place is counted by reason.
  MatchedProfile match(const Profile &From,
                       const std::vector<uint32_t> &Structs);

  /// transferProfile() into this program.
  Result<std::optional<TransferredProfile>> transfer(const Profile &From) {
    return transferProfile(Whole, Record, Names, Places, From);
  }

  /// As of AccessPlaces.
  std::vector<std::vector<uint32_t>> accessBlocks() const {
    return Places.accessBlocks();
  }

private:
  const Program &Whole;
  RecordInfo Record;
  FunctionNames Names;
  AccessPlaces Places;
  SourceLines Source;
};

} // namespace kst
