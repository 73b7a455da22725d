// SPDX-License-Identifier: GPL-2.0-or-later
//
// The views of a data profile, and what their descriptions share.

#pragma once

#include "hybrid/dprof/DprofReport.h"

namespace kst {

/// "1234", "12.3K", "4.56M".
std::string amount(double Number);
/// Part / Whole, 0 for nothing of nothing.
double share(double Part, double Whole);
/// "-12.3%", "new", "0.0%".
std::string changeOf(double Before, double After);
/// Types whose details are shown: the one that was asked for, or the hottest
/// that have them.
std::vector<uint32_t> detailed(const DprofReport &R, size_t Most);
/// The field, or "+8" where it has no known name, or "anywhere" in memory that
/// has no fields.
std::string fieldName(const DataProfile &P, const TypeRow &Of,
                      const PlaceRow &At);
/// The member that an access is to, or "first..last"; "+N" where none is known.
std::string membersAt(const MemberNames &In, uint32_t OffsetBytes,
                      uint32_t SizeBytes);
/// " file:line"; "" if it is not known.
std::string located(const std::string &File, uint32_t Line);
/// Places of accesses with a number each: the most first, with function, place,
/// context and share of all of the numbers.
std::vector<Sentence>
placesByShare(const DprofReport &R,
              std::vector<std::pair<const PlaceRow *, uint64_t>> Rows);
/// The name, with the size where there are several of that name.
std::string typeName(const DataProfile &P, const TypeRow &Of);
std::string levelName(CacheLevel Level);

Section profileView(const DprofReport &R);
std::vector<Section> missesView(const DprofReport &R);
std::vector<Section> workingSetView(const DprofReport &R);
Section flowView(const DprofReport &R);
/// Of R.Data.Orders[Which], in whose order R.Orders are.
Section orderView(const DprofReport &R, size_t Which);
Section diffView(const DprofReport &R);

/// A path of a type as it is shown: steps that all objects take one after
/// another on one CPU are one.
struct FlowStep {
  uint32_t Parent = 0; ///< an earlier row; of the root itself
  unsigned Depth = 0;
  std::vector<std::string> Functions; ///< none: the root
  bool OtherCpu = false;
  uint64_t Objects = 0, Ended = 0, Cut = 0, Loads = 0, Stores = 0, Touched = 0;
};
struct FlowSteps {
  std::vector<FlowStep> Rows; ///< in pre-order, the most objects first
  uint64_t LeftOut = 0;       ///< steps of few objects that are not shown
};
/// Steps of at least that share of the objects at their root. `Seen`: of
/// objects whose allocation the trace has.
FlowSteps flowSteps(const Flow &Of, bool Seen, double LeastShare, size_t Most);

/// "0-7", "16-31": bytes that were touched.
std::vector<Sentence> touchedBytes(uint64_t Touched, uint32_t GrainBytes);

} // namespace kst
