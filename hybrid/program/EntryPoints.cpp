// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/EntryPoints.h"

#include "hybrid/vocabulary/Vocabulary.h"

namespace kst {

namespace {

// Relative weights of the ways into a subsystem.
constexpr double Ordinary = 1.0;
/// One implementation among others behind a table that only code outside of
/// the program calls.
constexpr double TableEntry = 0.3;
constexpr double Rare = 0.01;   ///< cold, reporting, configuration
constexpr double Once = 0.0001; ///< boot and module load
/// In a program, what its own code calls: the rest of its ways in.
constexpr double FromOutside = 0.001;

} // namespace

std::vector<double> entryFrequencies(const Program &Whole,
                                     const ThreadRounds &Rounds,
                                     const HotFunctions &Hot) {
  std::vector<double> Entry(Whole.Functions.size(), 0);
  for (FunctionId Id = 0; Id != Entry.size(); ++Id) {
    const LinkedFunction &Function = Whole.Functions[Id];
    const std::string &Name = Whole.text(Function.Unit, Function.Fact->Name);
    if (!Hot.empty()) {
      if (auto It = Hot.find(Name); It != Hot.end())
        Entry[Id] = It->second;
      continue;
    }
    if (Rounds.Functions[Id]) {
      Entry[Id] = Ordinary;
      continue;
    }
    uint32_t Flags = Function.Fact->Flags;
    if (Flags & FnInit) {
      Entry[Id] = Once;
      continue;
    }
    bool ByTable = Function.InTable && !Function.TableCalled;
    // A system call's body is static and entered through its wrappers, where
    // they are in the program.
    bool Outside = !(Flags & FnStatic) || Function.AddressTaken ||
                   (Flags & FnSyscall && !Function.Called);
    if (!Outside && !ByTable)
      continue; // only those who call it here can reach it
    double Often = Outside ? Ordinary : TableEntry;
    bool OnlyConfiguration = Function.InTable && !Function.InWorkTable;
    if (Flags & (FnCold | FnNoReturn) || OnlyConfiguration || isRareName(Name))
      Often *= Rare;
    if (Rounds.OfProgram && !Function.AddressTaken)
      Often *= FromOutside;
    Entry[Id] = Often;
  }
  return Entry;
}

} // namespace kst
