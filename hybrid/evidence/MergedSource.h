// SPDX-License-Identifier: GPL-2.0-or-later
//
// Affinity evidence from source and measurements together: the visits of the
// static side with the weights that profiles give them.

#pragma once

#include "hybrid/evidence/MeasuredCode.h"
#include "hybrid/evidence/Windows.h"
#include "hybrid/profile/Profile.h"
#include "hybrid/program/StaticEvidence.h"

#include <string>
#include <string_view>
#include <vector>

namespace kst {

/// A profile as the user named it. Borrows.
struct WeightedProfile {
  std::string Name;
  const Profile *Measured = nullptr;
  double Weight = 1; ///< > 0
  /// Of a trace: its bytes; Measured is then its Profile.
  std::string_view Trace = {};
};

/// With MergeOptions::Prior: both kinds of evidence, else what was measured
/// alone, on the visits that the source shows; on their own windows, where all
/// that was measured are traces. Borrows everything.
class MergedSource {
public:
  MergedSource(const Program &Whole, const Estimate &Static,
               std::vector<WeightedProfile> Profiles,
               const MergeOptions &Options = {})
      : Whole(Whole), Static(Static), Profiles(std::move(Profiles)),
        Options(Options) {}

  /// Fails as staticEvidence() does, and for a profile that does not fit the
  /// source; the message names it.
  Result<AffinityEvidence> evidence(const std::string &Struct) const;
  Result<AffinityEvidence> evidence(RecordId Id) const;

private:
  Result<AffinityEvidence> ofTraces(const RecordInfo &Record,
                                    std::vector<ProfileCoverage> Covered,
                                    const std::vector<Windows> &Traced) const;

  const Program &Whole;
  const Estimate &Static;
  std::vector<WeightedProfile> Profiles;
  MergeOptions Options;
};

} // namespace kst
