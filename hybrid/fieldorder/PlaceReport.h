// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `place` answers, for a terminal and for programs.

#pragma once

#include "hybrid/core/Ownership.h"
#include "hybrid/fieldorder/Report.h"
#include "hybrid/layout/PlaceField.h"
#include "hybrid/report/Document.h"

#include <string>
#include <vector>

namespace kst {

struct PlaceReport {
  ToolId Tool;
  RecordInfo Record; ///< of all configurations together
  NewField Asked;
  std::string Declaration; ///< as given
  uint32_t LineBytes = 64;
  std::string Machine;              ///< whose cycles costs are
  std::vector<std::string> Configs; ///< names, as the user knows them
  std::vector<std::string> Triples; ///< one per configuration
  double AllVisits = 0; ///< sum of the weights of all sets, first configuration
  PlaceAdvice Advice;
  Ownership Users;       ///< first configuration
  std::string Evidence;  ///< what visits rest on, in words; first configuration
  std::string Reference; ///< as Coverage::Reference; first configuration
  double ReferenceShare = 0; ///< 0..1: of the visits, whose rate it gives
};

/// In short the best ten gaps, the best that fits and the end.
Document describe(const PlaceReport &R);

/// schema/kst-place-1.schema.json; all gaps.
std::string toJson(const PlaceReport &R);

} // namespace kst
