// SPDX-License-Identifier: GPL-2.0-or-later
//
// A survey: every struct of a selection of code, with what its layout costs now
// and what another order would save. Plain data; the pipeline fills it in.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/core/ScalarStore.h"
#include "hybrid/core/ToolId.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kst {

/// What the bytes of a struct cost, where the number of its objects is known,
/// and what a smaller one would bring.
struct MemoryPrice {
  std::optional<uint64_t> Objects;
  std::string Source; ///< of Objects, for people: "slabinfo: dentry"
  /// Bytes that the allocator takes for one, and how many are in one slab of
  /// SlabBytes.
  uint64_t ObjectBytes = 0, SlabBytes = 0, PerSlab = 0;
  bool OwnCache = false; ///< else one of the general sizes
  /// A struct that is smaller by so many bytes is given less memory; 0: no
  /// size does that.
  uint64_t Shrink = 0;
  uint64_t SmallerObjectBytes = 0, SmallerPerSlab = 0;
  /// Whether the holes and the padding are enough for Shrink.
  bool InReach = false;

  std::optional<uint64_t> bytes() const {
    if (!Objects)
      return std::nullopt;
    return *Objects * (PerSlab ? SlabBytes / PerSlab : ObjectBytes);
  }
};

/// How hard an order was looked for.
enum class SearchEffort { None, Short, Whole };

struct SurveyRow {
  /// As --struct takes it in the same selection; File and Line of the
  /// definition.
  std::string Name, File;
  uint32_t Line = 0;
  std::vector<std::string> Configs; ///< that have it

  uint64_t SizeBytes = 0, HoleBits = 0, PaddingBytes = 0;
  uint32_t HoleCount = 0, Fields = 0, Touched = 0;
  uint32_t Lines = 0; ///< that it lies on, from the start of a line

  /// Weights are in the unit of the estimated frequencies, the same for all
  /// rows; costs are cycles of so many visits.
  double Visits = 0, Reads = 0, Writes = 0;
  double ReferenceShare = 0; ///< of Visits, 0..1: at recorded rates
  double ResolvedShare = 1;  ///< of the accesses in the source, 0..1
  Cost Now;                  ///< of the first configuration
  double Objective = 0;      ///< present cost over all configurations
  double Bound = 0;          ///< no order costs less

  /// An order that was found.
  struct Found {
    double Cost = 0; ///< in the unit of Objective
    uint32_t Moves = 0;
    std::vector<std::string> Moved; ///< names of fields
  };
  SearchEffort Searched = SearchEffort::None;
  Verdict What = Verdict::InsufficientEvidence;
  std::optional<Found> Few;      ///< the best with at most FewMoves
  std::optional<Found> Proposed; ///< what the report proposes
  std::optional<Found> Best;     ///< the best, however many moves
  uint64_t ProposedBytes = 0;
  double Survives = 0; ///< share of the draws of the weights in which it helps
  /// Misses saved, as shares of those now; no number without a proposal.
  std::optional<double> MissesLow, MissesMiddle, MissesHigh;

  struct Risk {
    std::string Written, Used;
    uint32_t Line = 0;
    double Share = 0; ///< of what all risks of the struct lose
    bool StillTogether = false;
  };
  uint32_t RiskCount = 0;
  std::optional<Risk> Worst;

  /// Fields that hold it by value: "task_struct.se"; the first few of Holders.
  std::vector<std::string> HeldIn;
  uint32_t Holders = 0;
  /// Why nothing is proposed; "" if something is.
  std::string Reason;
  /// What holds fields in place, whatever is proposed.
  std::vector<ConstraintNote> Rules;
  MemoryPrice Memory;
  std::string Report; ///< file with the whole report, beside the index

  double saving() const { return Proposed ? Objective - Proposed->Cost : 0; }
  double gain() const { return Objective > 0 ? saving() / Objective : 0; }
};

/// Moves of SurveyRow::Few.
inline constexpr uint32_t FewMoves = 3;

struct Survey {
  ToolId Tool;
  uint32_t LineBytes = 64;
  std::string Machine; ///< whose cycles costs are
  std::vector<std::string> Configs;
  std::string Reference; ///< whose rates were used; "" without
  uint32_t UnitsSelected = 0, UnitsParsed = 0;
  std::vector<std::string> Paths;
  /// Definitions of structs with at least two fields; those that no visit
  /// reaches; those whose bytes others see; those that the filters leave out.
  uint32_t Defined = 0, Unused = 0, Visible = 0, Filtered = 0, Failed = 0;
  /// Sum over all rows and filtered ones: what shares are of.
  double TotalCost = 0, TotalVisits = 0;
  uint32_t Shown = 0; ///< rows that the text names
  /// What is in no struct and so in no row, most places first.
  std::vector<ScalarStore> Scalars;
  /// The most expensive saving first; ties by name and file.
  std::vector<SurveyRow> Rows;
};

/// By what they save in the whole, most first; then present cost, name, file.
void rank(std::vector<SurveyRow> &Rows);

} // namespace kst
