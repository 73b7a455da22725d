// SPDX-License-Identifier: GPL-2.0-or-later
//
// Samples of functions and of places in structs, whatever form of text they
// came in, until all are known and it is clear whose count: those of the
// kernel, or, where there are none, those of user space.

#pragma once

#include "hybrid/import/PerfText.h"
#include "hybrid/import/PerfWords.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/profile/ProfileOrder.h"

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace kst {

class PerfCounts {
public:
  /// An event's name; the first 64 are kept.
  void event(std::string_view Name);
  /// When something was sampled; the first and the last time are the run.
  void time(uint64_t Ns);
  /// Function as the source calls it.
  void function(std::string_view Name, bool Kernel, uint64_t Count);
  /// A branch to its first instruction.
  void entry(std::string_view Name, bool Kernel);
  /// A place in struct Struct, a number of Make; Function: a symbol.
  void place(uint32_t Struct, const TypedPlace &Place, uint32_t SizeBytes,
             std::string_view Function, bool Kernel, bool Store,
             uint64_t Count);

  bool any() const {
    return !Functions.empty() || !Entered.empty() || !Places.empty() ||
           Notes.Unknown || WithoutCount;
  }
  bool anyPlace() const { return !Places.empty(); }
  /// Only once. A Failure if there is no sample.
  Result<ImportedPerf> finish();

  PerfNotes Notes;
  ProfileBuilder Make;       ///< its text and losses are the reader's to set
  uint64_t WithoutCount = 0; ///< rows that say a share and no number
  /// Whether the event that the text spoke of last is one of stores.
  bool Store = false;

private:
  struct Counts {
    uint64_t Kernel = 0, User = 0;
  };
  void add(uint64_t &To, uint64_t Count) {
    if (__builtin_add_overflow(To, Count, &To))
      Overflow = true;
  }
  bool anyKernel() const;
  void makeSites(bool Kernel);
  void makeSamples(bool Kernel);
  void makeEntries(bool Kernel);
  Failure noSample() const;

  using ByName = std::map<std::string, Counts, std::less<>>;
  void add(ByName &To, std::string_view Name, bool Kernel, uint64_t Count);

  ByName Functions, Entered;
  using SiteKey =
      std::tuple<uint32_t, TextId, TextId, uint32_t, uint32_t, uint32_t,
                 uint32_t, uint16_t, uint16_t, TextId, SiteKind, uint16_t>;
  std::map<SiteKey, Counts> Places;
  std::set<std::string, std::less<>> Events;
  uint64_t First = ~uint64_t(0), Last = 0;
  bool Overflow = false;
};

} // namespace kst
