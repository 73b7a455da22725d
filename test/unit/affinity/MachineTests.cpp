// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/Machine.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

TEST(Machine, ClustersAndSocketsFillUpOneAfterAnother) {
  Machine M = lineMachine(0);
  M.Cluster = 100;
  M.Socket = 300;
  M.OtherSocket = 700;
  M.ClusterCpus = 4;
  M.SocketCpus = 8;
  EXPECT_DOUBLE_EQ(transferCycles(M, 2), 100);
  EXPECT_DOUBLE_EQ(transferCycles(M, 4), 100);
  // Of 7 others 3 are in the cluster.
  EXPECT_DOUBLE_EQ(transferCycles(M, 8), (3 * 100 + 4 * 300) / 7.0);
  EXPECT_DOUBLE_EQ(transferCycles(M, 16), (3 * 100 + 4 * 300 + 8 * 700) / 15.0);
}

TEST(Machine, ALineIsMostlyStillThere) {
  Machine M = lineMachine(0);
  M.L1 = 4;
  M.Llc = 54;
  EXPECT_DOUBLE_EQ(lineCycles(M), 4 + 0.13 * 50);
  EXPECT_DOUBLE_EQ(lineCycles(lineMachine(9)), 1);
}

TEST(Machine, TheTableIsSane) {
  ASSERT_FALSE(knownMachines().empty());
  for (const Machine &M : knownMachines()) {
    EXPECT_EQ(machineNamed(M.Name)->Name, M.Name);
    EXPECT_LE(M.L1, M.L2) << M.Name;
    EXPECT_LE(M.L2, M.Llc) << M.Name;
    EXPECT_LE(M.Llc, M.Memory) << M.Name;
    EXPECT_LT(M.Llc, M.Cluster) << M.Name;
    EXPECT_LE(M.Cluster, M.Socket) << M.Name;
    EXPECT_LE(M.Socket, M.OtherSocket) << M.Name;
    EXPECT_EQ(M.SocketCpus % M.ClusterCpus, 0u) << M.Name;
  }
  EXPECT_FALSE(machineNamed("pdp-11"));
}

TEST(Machine, OutOfAFile) {
  const std::string Good =
      R"({"name": "m", "source": "mine", "l1": 4, "l2": 14, "llc": 50,
          "memory": 400, "cluster": 90, "socket": 300, "other_socket": 700,
          "cluster_cpus": 8, "socket_cpus": 64})";
  auto Read = machineFrom(Good);
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(Read->Name, "m");
  EXPECT_EQ(Read->Socket, 300);
  EXPECT_EQ(Read->SocketCpus, 64u);
  auto With = [&](const std::string &Old, const std::string &New) {
    std::string Text = Good;
    Text.replace(Text.find(Old), Old.size(), New);
    return machineFrom(Text);
  };
  EXPECT_FALSE(machineFrom(""));
  EXPECT_FALSE(machineFrom("[]"));
  EXPECT_FALSE(With("\"l1\": 4", "\"l1\": 0"));
  EXPECT_FALSE(With("\"l1\": 4", "\"l1\": \"4\""));
  EXPECT_FALSE(With("\"l1\": 4,", ""));
  EXPECT_FALSE(With("\"l1\": 4", "\"l1\": 4, \"l3\": 4"));
  EXPECT_FALSE(With("\"llc\": 50", "\"llc\": 3")) << "faster than l1";
  EXPECT_FALSE(With("\"l2\": 14", "\"l2\": 51"));
  EXPECT_FALSE(With("\"memory\": 400", "\"memory\": 1"));
  EXPECT_FALSE(With("\"m\"", "\"\""));
  EXPECT_FALSE(With("\"m\"", "\"a\\nb\""));
  EXPECT_FALSE(With("\"cluster\": 90", "\"cluster\": 4"));
  EXPECT_FALSE(With("\"cluster_cpus\": 8", "\"cluster_cpus\": 7"));
  EXPECT_FALSE(With("\"cluster_cpus\": 8", "\"cluster_cpus\": 0"));
}

} // namespace
