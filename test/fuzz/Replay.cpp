// SPDX-License-Identifier: GPL-2.0-or-later
//
// The targets for any compiler: every file of a corpus, and what comes of each
// by a fixed sequence of mutations. FuzzReplay DIR MUTATIONS

#include "FuzzTargets.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

using namespace kst_fuzz;

/// Flips, numbers that readers trip over, cuts, doublings.
static void mutate(std::string &Bytes, std::mt19937_64 &Random) {
  for (size_t Times = 1 + Random() % 4; Times && !Bytes.empty(); --Times) {
    size_t At = Random() % Bytes.size();
    static const uint32_t Numbers[] = {0,      1,         0x7f,       0x80,
                                       0xffff, 0x7ffffff, 0x80000000, ~0u};
    switch (Random() % 6) {
    case 0:
      Bytes[At] ^= static_cast<char>(1 << Random() % 8);
      break;
    case 1:
      Bytes[At] = static_cast<char>(Random());
      break;
    case 2: {
      At &= ~size_t(3);
      uint32_t Number = Numbers[Random() % std::size(Numbers)];
      memcpy(&Bytes[At], &Number, std::min<size_t>(4, Bytes.size() - At));
      break;
    }
    case 3:
      Bytes.resize(At);
      break;
    case 4:
      Bytes.insert(At, Bytes.substr(Random() % Bytes.size(), Random() % 64));
      break;
    case 5:
      Bytes.erase(At, Random() % 32);
      break;
    }
  }
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  const Target &Of = chosenTarget();
  std::vector<std::filesystem::path> Files;
  for (const auto &Entry : std::filesystem::directory_iterator(Argv[1]))
    Files.push_back(Entry.path());
  std::sort(Files.begin(), Files.end());
  if (Files.empty())
    return 2;
  std::mt19937_64 Random(1);
  const unsigned long Mutations = strtoul(Argv[2], nullptr, 10);
  for (const auto &File : Files) {
    std::ifstream In(File, std::ios::binary);
    const std::string Bytes{std::istreambuf_iterator<char>(In), {}};
    Of.Run(Bytes);
    for (unsigned long I = 0; I < Mutations; ++I) {
      std::string Changed = Bytes;
      mutate(Changed, Random);
      Of.Run(std::move(Changed));
    }
  }
  printf("%s: %zu files, %lu mutations of each\n", Of.Name, Files.size(),
         Mutations);
}
