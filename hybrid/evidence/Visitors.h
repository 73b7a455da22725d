// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose objects functions visit, as others saw it: their own CPU's, or
// another's.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/profile/VisitCount.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace kst {

class Visitors {
public:
  void add(std::span<const VisitCount> Seen);

  /// Share of the function's visits, 0..1, that another CPU than the owner's
  /// makes, to objects of the struct; where it was seen with none of these, of
  /// all that it was seen with. Few visits say little: Assumed counts as
  /// AssumedVisits more. Nothing: it was seen with nothing.
  std::optional<double> othersShare(const std::string &Struct,
                                    const std::string &Function,
                                    const std::string &File,
                                    double Assumed) const;

  /// As many as an object's owner is told by (ObjectOwners).
  static constexpr double AssumedVisits = 16;

private:
  struct Sum {
    double Visits = 0, Others = 0;
  };
  using Place = std::pair<std::string, std::string>; ///< function, file
  struct Function {
    Sum All;
    std::map<std::string, Sum> Structs;
  };
  std::map<Place, Function> Functions;
};

/// Gives each set whose relation is not known the share of its accesses that
/// others make: a mean over the functions that access fields, where they were
/// seen, and Assumed where not. Leaves alone what nobody was seen with, visits
/// by an object's only user, and evidence whose users were measured.
void addVisitors(AffinityEvidence &To, const Visitors &Seen, double Assumed);

} // namespace kst
