// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who reads and who writes each global, out of the instructions of the image.

#pragma once

#include "hybrid/core/DataUse.h"
#include "hybrid/core/ObjectFile.h"
#include "hybrid/isolation/ThreadPhases.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kst {

/// One function's instructions that name the same byte of a global.
struct GlobalAccess {
  uint32_t Function = 0;                     ///< symbol of the image
  uint64_t OffsetBytes = 0;                  ///< in the global
  bool Indexed = false;                      ///< anywhere from there on
  uint32_t Loads = 0, Stores = 0, Taken = 0; ///< instructions
  /// Nobody runs beside it: code that is freed after the boot, or that runs
  /// before a program makes threads.
  bool Init = false;
  /// It tests the byte, and all who store after the boot store the same
  /// constants: a flag that is set once (`if (!told) told = 1`) or limits, not
  /// what is written often.
  bool Once = false;
  bool OfMain = false; ///< as in GlobalUser
};

/// What functions do with some bytes of a global.
struct GlobalUser {
  uint32_t Function = 0; ///< symbol of the image
  uint32_t Loads = 0, Stores = 0, Taken = 0;
  bool Init = false;
  bool Once = false;   ///< all of its stores are
  bool OfMain = false; ///< of a program: the first thread's alone
  bool writes() const { return Stores && !Once; }
};
struct GlobalUse {
  std::vector<GlobalUser> Users; ///< by function
  /// Heat of functions that write it, and that only load, without code of the
  /// boot. Of those that take the address: what they do with it is not
  /// known.
  double Writes = 0, Reads = 0, Taken = 0;
};

/// By symbol: those that are data, have a size, and lie outside of per-CPU
/// sections.
struct GlobalUses {
  std::map<uint32_t, std::vector<GlobalAccess>> Of; ///< by function and offset
  /// Symbols that a pointer in data leads to: anybody may write them.
  std::set<uint32_t> Pointed;
  size_t Instructions = 0;
  size_t Outside = 0; ///< of them, at an address of no symbol

  /// Of bytes `Begin` to `End` - 1 of a symbol. `Heat`: by symbol of the file.
  GlobalUse on(uint32_t Symbol, uint64_t Begin, uint64_t End,
               const std::vector<double> &Heat) const;
};

GlobalUses globalUses(const ObjectFile &File, const std::vector<DataUse> &Uses,
                      const ThreadPhases &Phases = {});

/// Heat of who reads it, does not write the other, and does not run in the one
/// thread that all who write the other do.
double readApart(const GlobalUse &Of, const GlobalUse &Written,
                 const std::vector<double> &Heat);

/// Of a list of functions that is shown.
inline constexpr size_t MostUserNames = 4;

/// Names of who stores to it, or of who loads and does not write, the hottest
/// `Most` first.
std::vector<std::string> userNames(const ObjectFile &File, const GlobalUse &Of,
                                   bool Write, const std::vector<double> &Heat,
                                   size_t Most);

} // namespace kst
