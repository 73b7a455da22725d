// SPDX-License-Identifier: GPL-2.0-or-later
//
// What more CPUs do to visits. Recordings have few, machines have many; of each
// kind of visit another law says how its part grows:
//
//   own        the instance of the running CPU or task: with the CPU's work, so
//              not at all.
//   handed     an object that whoever needs it uses next (a task that wakes up
//   over       elsewhere, the run queue that it goes to). Of the visits by
//              another CPU a part meets one by chance, as (N - 1) / N; for the
//              rest the scheduler parts partners, however many CPUs there are:
//                  r(N) = r(2) (1 - Chance + Chance 2 (N - 1) / N).
//              Few take turns at one object.
//   loop over  each CPU visits the instances of all others now and then, so
//   CPUs       they come from N - 1; but the more there are the less often, as
//              the scheduler's intervals grow with them: sqrt(N - 1).
//
// Chance and the root are what 2 and 4 CPUs show; bench/cpus.py predicts 8 from
// them (bench/runs/cpus.txt).

#pragma once

#include "hybrid/affinity/Sharing.h"
#include "hybrid/core/Evidence.h"

#include <optional>
#include <span>

namespace kst {

/// CPUs of the recordings behind SharingOptions and the reference that ships.
inline constexpr double ModelCpus = 2;
/// CPUs of the machines that orders are for if neither --cpus nor a profile
/// says otherwise: a server.
inline constexpr uint32_t ServerCpus = 64;
/// Trips that the source's estimate gives a loop over CPUs (FlowOptions).
inline constexpr double LoopCpus = 8;
/// Fitted on 2 and 4 CPUs: 0.66, the median over structs of three series.
inline constexpr double Chance = 2.0 / 3;
/// Other CPUs that take turns at an object that is handed over.
inline constexpr double Partners = 2;

/// Of a share of visits by others that was seen on From CPUs, what it is on To.
/// Both at least 2; 0..1.
double handedOver(double Share, double From, double To);

/// Factor of visits to an instance in loops over CPUs. Both at least 2.
double loopGrowth(double From, double To);

/// CPUs that take turns as the others, 1 to Cpus - 1, if that share of their
/// visits is in loops: 1 / probability that two visits are of the same CPU,
/// which is 1 / Partners if both are handed over, else 1 / (Cpus - 1).
double otherCpus(double LoopShare, double Cpus);

/// The options with the model's shares for that many CPUs, at least 2. `Known`:
/// the share of others was measured and is turned already.
SharingOptions turnedOptions(SharingOptions Options, double Cpus,
                             std::optional<double> Known,
                             std::span<const CoAccessSet> Sets);

/// Sets how many CPUs the recordings had, of evidence that is for these.
void noteRecordedCpus(AffinityEvidence &Of);

/// Turns evidence to machines of that many CPUs, at least 2: weights and
/// accesses of visits in loops over CPUs, the share of others, of windows of a
/// trace that of the remote ones. Visits that rest
/// on measurement or reference are of their CPUs, those that rest on the source
/// of LoopCpus. The order of sets is not kept. Evidence that was turned before
/// is turned from there, which differs from doing it at once only where a share
/// reached 1.
void turnToCpus(AffinityEvidence &Of, uint32_t Cpus);

} // namespace kst
