// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is said of evidence: how much of it was measured, which part of the
// instances' life it belongs to, who uses them.

#pragma once

#include "hybrid/core/Evidence.h"

#include <span>
#include <string>
#include <vector>

namespace kst {

/// "measured", "derived", "never hit", "not reached", "not instrumented",
/// "static".
const char *toWord(Origin From);

/// Of the selected units, those with the build's own commands.
uint32_t ownCommands(const Coverage &C);
/// "3 of 3 translation units", and how many have the build's own commands if
/// not all have.
std::string unitWords(const Coverage &C);

/// How much of the accesses of these fields, or of all, was counted, 0..1; the
/// rest is estimated.
double measuredShare(const AffinityEvidence &E);
double measuredShare(const AffinityEvidence &E,
                     const std::vector<uint32_t> &Fields);
/// The part of all visits whose rate the reference gives, 0..1.
double referenceShare(const AffinityEvidence &E);
/// "static", "static and measured", ...: what the report rests on.
std::string evidenceKind(const AffinityEvidence &E);
/// What of a profile of another version was matched, without the profile's
/// name: "transferred from another version, 97.3% of its counts matched"; "" of
/// one that fits as it is.
std::string transferWords(const ProfileTransfer &Of);
/// evidenceKind(), and how much of the accesses was measured if some was.
std::string evidenceWords(const AffinityEvidence &E);
/// "82% measured", "measured", "estimated"; "" without a profile.
std::string measuredWords(const AffinityEvidence &E, double Share);

inline constexpr Phase AllPhases[] = {Phase::Steady, Phase::SetUp,
                                      Phase::FirstUse, Phase::TearDown,
                                      Phase::Configuration};

/// "steady", "set-up", "first-use", "teardown", "configuration".
const char *toWord(Phase When);

/// Of the weight of all sets, 0..1; 0 without sets.
double phaseShare(const AffinityEvidence &E, Phase When);

/// Of the weight of all sets, 0..1, visits of which no access is seen to be to
/// this struct (AccessSite::Guessed).
double guessedShare(const AffinityEvidence &E);
/// One sentence for the head of a report and of a patch; "" below a twentieth.
std::string guessedWords(const AffinityEvidence &E);

/// One sentence for the head of a report; "" when all visits are steady.
std::string phaseWords(const AffinityEvidence &E);

/// "remote loop", "set-up visit": what kind of visits a set stands for.
std::string visitWords(const CoAccessSet &Set);

/// "scaled from 2 CPUs to 128; ..."; "" if nothing was.
std::string cpuWords(const CpuCount &Of);

/// Who is taken to use an object and where that comes from, a sentence without
/// its full stop. Shares: the orders have a cost of sharing; without one, "" if
/// nothing is known. With a question where the source suggests one.
std::string ownershipWords(const Ownership &Of, bool Shares);

/// How many visits go to data of a CPU that the code names by a number, and
/// how many of these count as another CPU's; "" if none does.
std::string chosenWords(std::span<const CoAccessSet> Sets,
                        const Ownership &Users);

/// How many visits are by functions of which recordings tell who comes; "" if
/// none is.
std::string seenWords(std::span<const CoAccessSet> Sets);

} // namespace kst
