// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an access costs on a machine, by who serves it: the one currency in
// which lines that are touched and lines that are lost are compared.
//
// Latencies are those that others published, of loads that depend on one
// another and of lines that threads hand over; docs/design/price.md, "Cycles",
// has the source of each. They say nothing about bandwidth, or about how much
// of a miss hides behind other work.

#pragma once

#include "hybrid/core/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kst {

/// Latencies are in cycles of its clock, > 0.
struct Machine {
  std::string Name, Source;
  double L1 = 0, L2 = 0, Llc = 0, Memory = 0;
  /// Of a line that another CPU has modified: one of the same cluster (CPUs
  /// with a last level of their own), of the same socket, of another socket.
  double Cluster = 0, Socket = 0, OtherSocket = 0;
  uint32_t ClusterCpus = 1, SocketCpus = 1; ///< the former divides the latter
};

/// The table that ships, the default first.
std::span<const Machine> knownMachines();
inline const Machine &usualMachine() { return knownMachines().front(); }

/// By the name of one in the table, or out of the text of a file: a JSON object
/// with "name", "source" and numbers "l1", "l2", "llc", "memory", "cluster",
/// "socket", "other_socket" (cycles), "cluster_cpus", "socket_cpus", no more
/// and no less.
const Machine *machineNamed(std::string_view Name);
Result<Machine> machineFrom(std::string_view Json);

/// What a visit pays for a line that nobody took: most of the time its CPU
/// still has it, else the shared cache serves it.
double lineCycles(const Machine &Of);
/// The chance that a CPU no longer has a line that it touches again and that
/// nobody took. In a recording of three workloads the first level missed in
/// 0.04 to 0.28 of the touches of lines of eight structs of 6.12, in the mean
/// 0.13 (bench/runs/fetched-lines.txt). These have kernel accesses only, and
/// the second level had most of what the first missed; programs push it out, so
/// the shared cache is taken to serve all: a judgement.
inline constexpr double FetchChance = 0.13;

/// One where a line costs 1 and one that is lost `Lost` more, whatever the
/// CPUs: prices in lines.
Machine lineMachine(double Lost);

/// What a line costs that another CPU modified, cycles: the mean over the other
/// CPUs of a machine of that many, at least 2, whose clusters and sockets fill
/// up one after another.
double transferCycles(const Machine &Of, double Cpus);

} // namespace kst
