// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a report says about one field: its share of the accesses, how it is
// read and written, and the words for it. Every renderer uses these, so that
// text, JSON and HTML never disagree.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <string>
#include <vector>

namespace kst {

/// A field that is written at all is read-mostly from this many reads per
/// write on.
inline constexpr double ReadMostlyRatio = 16;

/// A field is marked remote from this share of accesses by other CPUs on.
inline constexpr double RemoteMarkShare = 0.05;

enum class AccessMark { None, Read, ReadMostly, ReadWrite, Write };

/// The use of field F; all zero when the evidence says nothing about it.
FieldUse useOf(const AffinityEvidence &E, uint32_t F);

/// The name of field F for people: "(unnamed)" for a field without one.
std::string displayName(const RecordInfo &R, uint32_t F);

/// Share of all accesses per field, in declaration order. Sums to 1, or to 0
/// when no access was seen.
std::vector<double> hotness(const AffinityEvidence &E);

AccessMark accessMark(const FieldUse &Use);
/// "", "r", "R", "rw", "w".
const char *toMark(AccessMark Mark);
/// "not accessed", "read only", "read mostly", "read and written", ...
const char *toWords(AccessMark Mark);

/// The mark of a site: "r", "w", "rw"; with "?" where it is assumed.
std::string siteMark(const AccessSite &At);

/// Shares 0..1 of the field's accesses; 0 for a field without accesses.
double remoteShare(const FieldUse &Use);
double locklessShare(const FieldUse &Use);
bool isRemote(const FieldUse &Use);

/// "static", "dynamic", "both", or "none" for a field that was not seen.
const char *evidenceWord(const AffinityEvidence &E, uint32_t F);

const char *toWord(SetKind Kind);
const char *toWord(CpuRelation Cpu);
const char *toWord(Verdict What);

/// Sum of the weights of all sets: the visits that costs are divided by.
double totalWeight(const AffinityEvidence &E);

/// "file:line", or "" when the file is not known.
std::string location(const Site &S);

/// A field as C declares it, without the semicolon, in the two columns that
/// pahole uses. Name holds array extents and bit-field widths; it is empty for
/// function pointers and anonymous members, whose whole declaration is Type.
struct Declaration {
  std::string Type;
  std::string Name;
};
Declaration declaration(const FieldInfo &F);

} // namespace kst
