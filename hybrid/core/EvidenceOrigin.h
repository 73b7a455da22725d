// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a number of the evidence comes from and how sure it is.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kst {

/// What a measurement says about a piece of code, or about a field.
enum class Origin {
  Static,     ///< there is no measurement
  Measured,   ///< it ran, and was counted
  Derived,    ///< it has no counter, or none that sees all of it; measured code
              ///< around it says how often it runs
  NeverHit,   ///< instrumented, its function or a caller ran, it did not
  NotReached, ///< instrumented, but nothing that leads to it ran
  NotInstrumented, ///< no profile could have seen it
};

/// 95 % of what was measured; unseen code adds 0 to Low, its estimate to High.
struct Interval {
  double Low = 0, High = 0;
};

/// Of a co-access set.
struct SetOrigin {
  Origin From = Origin::Static;
  double MeasuredShare = 0; ///< 0..1: of Weight, from counts
  /// 0..1: of Weight, not measured here, but the rate of code that the
  /// reference saw run.
  double ReferenceShare = 0;
  double Counted = 0;      ///< entries of the owner, over all profiles, as read
  double StaticWeight = 0; ///< what the source alone says, in the same unit
  Interval Weight;         ///< same unit as the set's weight
};

/// Of a field: what was counted, over all profiles, as read.
struct FieldOrigin {
  Origin From = Origin::Static;
  uint64_t Reads = 0, Writes = 0; ///< those known by address only included
  uint64_t ByAddress = 0;         ///< of Reads + Writes
  double MeasuredShare = 0;       ///< 0..1: of the field's Reads + Writes
  Interval Uses;                  ///< of FieldUse::total()
};

/// A member of the struct as it was measured, and what became of it.
struct TransferredMember {
  uint64_t OffsetBytes = 0, SizeBytes = 0; ///< then
  std::string Name;    ///< then; "": the profile does not know it
  std::string Field;   ///< now; "": none is known
  const char *By = ""; ///< "name", "code" or "neighbours"; "" without a field
  uint64_t Counts = 0; ///< accesses at its bytes
};

/// How a profile of another version or configuration was made to fit.
struct ProfileTransfer {
  bool Made = false;      ///< false: it fits as it is
  uint64_t SizeBytes = 0; ///< of the struct then; 0: the profile has no struct
  /// Accesses of the struct, and those whose field is known here. Of a profile
  /// without structs: runs of functions and lines in analysed files, and those
  /// of functions that are still there.
  uint64_t Counts = 0, Matched = 0;
  uint64_t Dropped = 0; ///< of Counts: left out, as nothing tells their field
  uint32_t Functions = 0, FunctionsMoved = 0; ///< found; in another line
  std::vector<TransferredMember> Members;     ///< with counts; by offset

  double share() const { return Counts ? double(Matched) / double(Counts) : 0; }
};

/// What one profile is and how much of it the analysis could use.
struct ProfileCoverage {
  std::string Name;                        ///< as on the command line
  std::map<std::string, std::string> Text; ///< label, release, cpus, ...
  double Share = 1; ///< of all profiles, by the user's weights
  double Seconds = 0;
  uint64_t Runs = 1, Lost = 0;
  uint64_t Accesses = 0; ///< of the struct, as counted
  uint64_t Placed = 0;   ///< of them: at an access of the analysed source
  uint64_t ByField = 0;  ///< of them: the field is known, the place is not
  std::map<std::string, uint64_t> NotPlaced; ///< reason -> accesses
  uint64_t Samples = 0, SamplesUsed = 0;
  /// A trace: whether accesses follow one another as more than chance has it.
  bool Trace = false, Structured = false;
  uint64_t Events = 0;  ///< of the struct
  double ByChance = 1;  ///< probability of an order like that by chance
  double OrderBits = 0; ///< what an access says about the next
  ProfileTransfer Transfer;
  uint32_t FunctionsEntered = 0;
  uint32_t FunctionsNeverEntered = 0;    ///< instrumented
  uint32_t FunctionsNotInstrumented = 0; ///< with accesses of the struct
};

} // namespace kst
