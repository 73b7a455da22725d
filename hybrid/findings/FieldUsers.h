// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which functions read and write a field most.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/findings/Finding.h"

#include <string>
#include <vector>

namespace kst {

/// A function that uses a field.
struct FieldUser {
  Site Where; ///< its strongest access
  /// Where that is in a header: the function whose visit it is, if another.
  std::string By;
  double Share = 0; ///< of all reads, or writes, of the field
  bool operator==(const FieldUser &) const = default;
};

/// Strongest first, at most three of each. A visit counts for the function
/// whose visit it is if that names the field itself, else for the function that
/// has the strongest of its accesses: where a reader finds the field.
struct FieldUsers {
  std::vector<FieldUser> Readers, Writers;
};
FieldUsers usersOf(const AffinityEvidence &Evidence, uint32_t Field);

/// "'name'"
std::string inQuotes(const std::string &Name);
/// "f() a/b.c:12"
std::string inWords(const Site &Where);
/// "f() a/b.c:12 (90.0%), g() a/b.c:40 (10.0%)"
std::string inWords(const std::vector<FieldUser> &Users);

/// The reason "read by f() a/b.c:12 (90.0%)", or "'name' is read by ..." about
/// a field that is not the finding's own. None if nobody does.
void addReaders(Finding &To, const FieldUsers &Users,
                const std::string &Field = "");
/// Likewise "written by ...".
void addWriters(Finding &To, const FieldUsers &Users,
                const std::string &Field = "");

/// Writes of a field while the object is in use, in the unit of the weights:
/// without those of an owner that sets it up or tears it down, and without
/// configuration.
double steadyWrites(const AffinityEvidence &Evidence, uint32_t Field);
/// Likewise reads.
double steadyReads(const AffinityEvidence &Evidence, uint32_t Field);

} // namespace kst
