// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/Machine.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace kst {

std::span<const Machine> knownMachines() {
  static const std::array<Machine, 3> Table = {{
      // l1, l2, llc, memory; cluster, socket, other socket; CPUs
      {"epyc-9654", "AMD EPYC 9654 (2022), 12 chiplets, 3.7 GHz", //
       4, 14, 50, 430, 100, 367, 709, 8, 96},
      {"xeon-8360y", "Intel Xeon 8360Y (2021), one mesh, 3.1 GHz", //
       5, 14, 70, 277, 199, 199, 394, 36, 36},
      {"graviton2", "AWS Graviton2 (2020), arm64, one socket, 2.5 GHz", //
       4, 13.5, 72, 238, 118, 118, 118, 64, 64},
  }};
  return Table;
}

const Machine *machineNamed(std::string_view Name) {
  const auto Known = knownMachines();
  const auto At = std::ranges::find(Known, Name, &Machine::Name);
  return At == Known.end() ? nullptr : &*At;
}

Result<Machine> machineFrom(std::string_view Text) {
  const auto Read = nlohmann::json::parse(Text, nullptr, false);
  if (!Read.is_object())
    return Failure{"not a JSON object"};
  Machine Made;
  const std::pair<const char *, std::string *> Words[] = {
      {"name", &Made.Name}, {"source", &Made.Source}};
  const std::pair<const char *, double *> Cycles[] = {
      {"l1", &Made.L1},
      {"l2", &Made.L2},
      {"llc", &Made.Llc},
      {"memory", &Made.Memory},
      {"cluster", &Made.Cluster},
      {"socket", &Made.Socket},
      {"other_socket", &Made.OtherSocket}};
  const std::pair<const char *, uint32_t *> Cpus[] = {
      {"cluster_cpus", &Made.ClusterCpus}, {"socket_cpus", &Made.SocketCpus}};
  constexpr double MostCycles = 1e6;
  constexpr uint32_t MostCpus = 8192;
  for (auto [Key, To] : Words) {
    if (!Read.contains(Key) || !Read[Key].is_string())
      return Failure{std::string("no text \"") + Key + '"'};
    *To = Read[Key].get<std::string>();
  }
  for (auto [Key, To] : Cycles) {
    if (!Read.contains(Key) || !Read[Key].is_number() ||
        !(Read[Key].get<double>() > 0 && Read[Key].get<double>() <= MostCycles))
      return Failure{std::string("\"") + Key +
                     "\" has to be cycles, more than 0 and at most 1000000"};
    *To = Read[Key].get<double>();
  }
  for (auto [Key, To] : Cpus) {
    if (!Read.contains(Key) || !Read[Key].is_number_unsigned() ||
        Read[Key].get<uint64_t>() < 1 || Read[Key].get<uint64_t>() > MostCpus)
      return Failure{std::string("\"") + Key +
                     "\" has to be a number from 1 to 8192"};
    *To = Read[Key].get<uint32_t>();
  }
  if (Read.size() != std::size(Words) + std::size(Cycles) + std::size(Cpus))
    return Failure{"a key that is not known"};
  if (Made.Name.empty() || std::ranges::any_of(Made.Name, [](unsigned char C) {
        return C < 0x20 || C == 0x7f;
      }))
    return Failure{"\"name\" has to be one line of text"};
  if (!(Made.L1 <= Made.L2 && Made.L2 <= Made.Llc && Made.Llc <= Made.Memory))
    return Failure{"\"l1\", \"l2\", \"llc\", \"memory\" have to ascend"};
  if (std::min({Made.Cluster, Made.Socket, Made.OtherSocket}) <= Made.L1)
    return Failure{"another CPU's line has to cost more than \"l1\""};
  if (Made.SocketCpus % Made.ClusterCpus)
    return Failure{"\"cluster_cpus\" has to divide \"socket_cpus\""};
  return Made;
}

double lineCycles(const Machine &Of) {
  return Of.L1 + FetchChance * (Of.Llc - Of.L1);
}

Machine lineMachine(double Lost) {
  const double Far = 1 + Lost;
  return {"lines", "", 1, 1, 1, 1, Far, Far, Far, 1, 1};
}

double transferCycles(const Machine &Of, double Cpus) {
  const double Others = std::max(1.0, Cpus - 1);
  const double Near = std::min(Others, Of.ClusterCpus - 1.0);
  const double Beside = std::min(Others, Of.SocketCpus - 1.0) - Near;
  return (Near * Of.Cluster + Beside * Of.Socket +
          (Others - Near - Beside) * Of.OtherSocket) /
         Others;
}

} // namespace kst
