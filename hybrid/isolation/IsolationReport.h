// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the isolation commands say, for people and for programs.

#pragma once

#include "hybrid/core/ToolId.h"
#include "hybrid/isolation/Impact.h"
#include "hybrid/isolation/Isolate.h"
#include "hybrid/isolation/LinkCheck.h"
#include "hybrid/report/Document.h"

namespace kst {

/// Which link the answer is about.
struct LinkFacts {
  ToolId Tool;
  std::string Image;
  size_t Objects = 0, Explained = 0;
  std::vector<Unexplained> Odd;
  bool TwoSteps = false;
};

struct ChainRow {
  std::string Name, Output;
  size_t Objects = 0; ///< that have bytes in it
  uint64_t Address = 0, SizeBytes = 0, PaddingBytes = 0;
  uint64_t MostAlignBytes = 1;
  double Heat = 0; ///< share of all
  bool Array = false;
  std::string Largest; ///< file
  uint64_t LargestBytes = 0;
};
struct MapReport {
  LinkFacts Link;
  std::vector<ChainRow> Chains;
};

struct VerifyReport {
  LinkFacts Link;
  std::vector<std::string> Changed;
  std::vector<GeneratedSize> Generated;
  std::vector<std::string> GeneratedNames; ///< of each of them
  LinkCheck Check;
  size_t WithoutGiven = 0; ///< equal if nothing were given
};

struct PlanReport {
  LinkFacts Link;
  IsolationPlan Plan;
  bool Churn = false; ///< from history; else all objects change equally often
  std::string HeatOf;
};

struct ImpactReport {
  LinkFacts Link;
  Impact Found;
  bool Relinked = false;            ///< after the change is a real image
  std::vector<std::string> Changes; ///< in words
  std::string HeatOf;
};

/// Chains of sections in the order of addresses; heat by functionHeat().
std::vector<ChainRow> chainRows(const LinkedImage &Image,
                                const FunctionHeat &Heat);

/// With commas between them; "-" for none.
std::string joined(const std::vector<std::string> &Words);

Document describe(const MapReport &R);
Document describe(const VerifyReport &R);
Document describe(const PlanReport &R);
Document describe(const ImpactReport &R);

/// schema/kst-isolation-1.schema.json
std::string toJson(const MapReport &R);
std::string toJson(const VerifyReport &R);
std::string toJson(const PlanReport &R);
std::string toJson(const ImpactReport &R);

} // namespace kst
