// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `colour` says, for people and for programs.

#pragma once

#include "hybrid/colour/ColourGeometry.h"
#include "hybrid/colour/ColourHeat.h"
#include "hybrid/colour/PageReplay.h"
#include "hybrid/core/ToolId.h"
#include "hybrid/report/Document.h"

namespace kst {

struct ReplayReport {
  ToolId Tool;
  std::string File; ///< empty: a machine all of whose memory is free
  ColourReplayOptions Options;
  PageReplay Data;
  std::vector<std::string> Limits; ///< of the trace
  uint64_t Lost = 0;
  bool Complete = true;
  /// Another trace: where its kernel put pages.
  std::string OtherFile;
  std::vector<uint32_t> OtherPages;
};

struct HeatReport {
  ToolId Tool;
  std::string File;
  ColourHeat Data;
  std::vector<std::string> Limits;
  uint64_t Lost = 0;
  bool Complete = true;
};

struct GeometryReport {
  ToolId Tool;
  std::string From;
  std::vector<NodeCache> Caches;
};

/// Whether a policy keeps more pages in the cache than stock at a size up to
/// that of the cache: by this share of hits or more.
inline constexpr double LeastHitGain = 0.01;

Document describe(const ReplayReport &R);
Document describe(const HeatReport &R);
Document describe(const GeometryReport &R);

/// schema/kst-colour-1.schema.json
std::string toJson(const ReplayReport &R);
std::string toJson(const HeatReport &R);
std::string toJson(const GeometryReport &R);

} // namespace kst
