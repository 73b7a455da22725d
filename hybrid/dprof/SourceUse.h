// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the visits of a report say about its fields: who reads and writes them,
// and which of them are used together. Visits that make an object or take it
// apart are left out: no other CPU uses it then.

#pragma once

#include "hybrid/core/CoAccessSet.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kst {

class SourceUse {
public:
  /// `StandsFor`: by field, the field that it counts as (bit-fields of one byte
  /// are one). `Sets` outlive this.
  SourceUse(const std::vector<CoAccessSet> &Sets,
            const std::vector<uint32_t> &StandsFor);

  /// Some visit uses the field.
  bool uses(uint32_t Field) const;

  struct User {
    Site Where;
    double Share = 0;      ///< of what all sites of the sets do
    bool OtherCpu = false; ///< mostly in visits by a CPU that does not own the
                           ///< object
  };
  /// Who writes the field, or who accesses it: most first, ties by place; at
  /// most so many.
  std::vector<User> users(uint32_t Field, bool Writers, size_t Most) const;

  struct Together {
    double Share = 0; ///< 0..1 of the visits: they use B, too
    Site Where;       ///< what owns most of those; empty for none
  };
  /// Of the visits that use A, each weighted with how often it does so in that
  /// function (`In`: its name and file, which may be empty; null: of all
  /// visits, with the probability that they do). Touches of one visit are
  /// independent, as in docs/design/source.md. Nothing if no visit uses A
  /// there.
  std::optional<Together> together(uint32_t A, uint32_t B,
                                   const Site *In = nullptr) const;

private:
  struct Use {
    uint32_t Field;
    double Probability;
    std::vector<const FieldTouch *> Touches;
  };
  struct Visit {
    const CoAccessSet *Of;
    std::vector<Use> Uses; ///< by field
    const Use *find(uint32_t Field) const;
  };
  std::vector<Visit> Visits;
};

} // namespace kst
