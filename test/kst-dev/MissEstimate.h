// SPDX-License-Identifier: GPL-2.0-or-later
//
// Why an access missed, as far as its line's history of accesses can tell: the
// rules of DProf (Pesterev et al., EuroSys'10), which knew no cache. Shares no
// code with the cache model, against whose classes bench/dprof_cases.py holds
// it.

#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace kst {

enum class MissGuess : uint8_t {
  First,        ///< the CPU has not touched the line before
  TrueSharing,  ///< another CPU wrote these bytes since this one's last access
  FalseSharing, ///< another CPU wrote others of the line
  Conflict,     ///< none did, and the set has far more lines than the others
  Capacity,     ///< none did, and the set has not
};
inline constexpr unsigned MissGuesses = 5;
const char *spelling(MissGuess Guess);

/// What is taken for the cache that misses, and when a set has too many lines:
/// more than its ways, and `Factor` times the mean of all sets of the CPU,
/// among the different ones that the CPU touches in a window.
struct GuessRules {
  uint64_t Sets;
  uint32_t Ways;
  unsigned Cpus;
  uint64_t WindowAccesses;
  double Factor = 2;
};

/// Lines of 64 bytes. Memory grows with the different lines and with the misses
/// of a window.
class MissEstimate {
public:
  /// `Take` gets each miss with the tag of its access, at the latest when its
  /// window ends.
  using TakeGuess = std::function<void(uint32_t Tag, MissGuess)>;
  MissEstimate(const GuessRules &Rules, TakeGuess Take)
      : Rules(Rules), Take(std::move(Take)),
        LinesOfSets(Rules.Sets * Rules.Cpus) {}

  /// Bytes of one line, in the order of time.
  struct Access {
    uint64_t Address;
    uint32_t Bytes; ///< at least 1
    unsigned Cpu;
    bool Stores, Missed;
    uint32_t Tag;
  };
  void access(const Access &Of);
  /// After the last access.
  void finish() { endWindow(); }

private:
  struct CpuHistory {
    uint64_t Written = 0; ///< bit N: others wrote byte N since its last access
    uint32_t Window = 0;  ///< of its last access, from 1; 0: none
  };
  struct Replaced {
    uint64_t Set; ///< of all CPUs
    uint32_t Tag;
  };
  void endWindow();

  const GuessRules Rules;
  const TakeGuess Take;
  std::unordered_map<uint64_t, size_t> First; ///< of each line, in Histories
  std::vector<CpuHistory> Histories;          ///< a row of CPUs for each line
  std::vector<uint32_t> LinesOfSets;          ///< [CPU * sets + set]
  std::vector<Replaced> Open; ///< misses of the window that no write explains
  uint32_t Window = 1;
  uint64_t Accesses = 0;
};

} // namespace kst
