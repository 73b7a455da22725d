// SPDX-License-Identifier: GPL-2.0-or-later
//
// Misses of a struct by sharing, line by line, with what the source says of the
// fields that meet there: text and JSON show this.

#pragma once

#include "hybrid/dprof/DprofReport.h"
#include "hybrid/dprof/SourceUse.h"

namespace kst {

/// What to do about a field that misses falsely and one that is written.
enum class SharingAdvice : uint8_t {
  Separate, ///< visits that miss hardly ever use what is written, or no thread
            ///< of the trace does
  Keep,     ///< most of them use it: they lose the line anyway
  Weigh,    ///< some do: only a replay can tell
  Inside,   ///< both are one field: no order separates them
  OtherObject, ///< what is written is no part of the object
  Unknown,     ///< the source says too little
};
inline constexpr unsigned SharingAdvices = 6;
const char *spelling(SharingAdvice Advice);

/// Of the visits that miss, as the trace weighs them and the source knows them:
/// a visit that uses the written field, too, is Together.
struct SharedVisits {
  double Together = 0, Apart = 0, Unknown = 0; ///< shares of the misses; add up
                                               ///< to 1
  Site Where;                                  ///< what owns most of Together
};

/// From this share of Together / (Together + Apart) on fields stay together,
/// and below that they are separated; nothing is said where more than
/// MostUnknown is Unknown.
inline constexpr double KeepShare = 0.5, SeparateShare = 0.25,
                        MostUnknown = 0.5;

/// What other CPUs wrote when a field missed falsely.
struct SharedPair {
  uint32_t Written = 0;   ///< or LossRow::OtherObject
  uint64_t Misses = 0;    ///< false ones of the field behind such writes
  bool ApartThen = false; ///< the proposed order has no line with both
  SharingAdvice Advice = SharingAdvice::Unknown;
  /// No thread of the trace uses both, whatever visits of the source use.
  bool OfOtherThreads = false;
  SharedVisits Visits = {};
  /// Of the source's visits that use Written: they use the field.
  std::optional<SourceUse::Together> Writers = {};
  std::vector<SourceUse::User> WrittenBy = {}; ///< in the source
};

/// A field that missed falsely on one line.
struct SharedField {
  uint32_t Field = 0;
  uint64_t False = 0;
  std::vector<SourceUse::User> Users; ///< in the source: who accesses it
  /// Most misses first; several may have been written before one miss.
  std::vector<SharedPair> Pairs;
};

struct SharedLine {
  uint32_t Line = 0; ///< of the object, from 0
  uint64_t True = 0, False = 0;
  /// With SharingView::LeastShare of the type's misses; most first.
  std::vector<SharedField> FalseOf;
  /// Fields with true misses, most first.
  std::vector<std::pair<uint32_t, uint64_t>> TrueOf;
};

struct SharingView {
  /// A field, and what was written before its misses, is here from this share
  /// of the type's misses on.
  static constexpr double LeastShare = 0.01;
  /// Of SharedField::Users and SharedPair::WrittenBy.
  static constexpr size_t MostUsers = 3;

  uint64_t Misses = 0; ///< of the type, at the level, now
  uint64_t True = 0, False = 0;
  std::vector<SharedLine> Lines; ///< most misses by sharing first
  /// By field: names, and those of bit-fields that share bytes are one.
  std::vector<std::string> Names;
  std::string name(uint32_t Field) const {
    return Field == LossRow::OtherObject ? "another object" : Names[Field];
  }
};

/// `Source` is what `Of` replayed.
SharingView sharingOf(const DataProfile &P, const WhatIf &Of,
                      const ReportedOrder &Source);

/// The row of the type that the order is of; null if nothing accessed it.
const TypeRow *rowOf(const DataProfile &P, const ReportedOrder &Order);

/// Whether an access to these bytes of an object meets the field.
bool meets(const PlaceRow &At, const ReportedOrder &Order, uint32_t Field);

} // namespace kst
