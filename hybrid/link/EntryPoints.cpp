// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/link/EntryPoints.h"

#include <string_view>

namespace kst {

namespace {

// Relative weights of the ways into a subsystem.
constexpr double Ordinary = 1.0;
constexpr double CalledInsideToo = 0.25; ///< external, but also called here
constexpr double Rare = 0.01;            ///< cold, reporting, configuration
constexpr double Once = 0.0001;          ///< boot and module load

bool endsWithAny(std::string_view Text,
                 std::initializer_list<std::string_view> Ends) {
  for (std::string_view End : Ends)
    if (Text.ends_with(End))
      return true;
  return false;
}

bool startsWithAny(std::string_view Text,
                   std::initializer_list<std::string_view> Starts) {
  for (std::string_view Start : Starts)
    if (Text.starts_with(Start))
      return true;
  return false;
}

/// Names by which the kernel marks what runs rarely: reporting through
/// procfs, sysfs and debugfs, configuration, CPU hotplug.
bool isRareName(std::string_view Name) {
  return endsWithAny(Name, {"_show", "_store", "_seq_start", "_seq_next",
                            "_seq_stop", "_seq_show", "_open", "_init",
                            "_exit", "_setup", "_online", "_offline",
                            "_dead", "_dying", "_starting"}) ||
         startsWithAny(Name, {"print_", "show_", "proc_", "debugfs_", "dump_",
                              "seq_", "init_", "alloc_", "free_", "debug_"});
}

} // namespace

std::vector<double> entryFrequencies(const Program &Whole,
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
    uint32_t Flags = Function.Fact->Flags;
    if (Flags & FnInit) {
      Entry[Id] = Once;
      continue;
    }
    bool Reached = Function.AddressTaken ||
                   (Function.InTable && !Function.TableCalled);
    if (Flags & FnStatic && !Reached && !(Flags & FnSyscall))
      continue; // only those who call it here can reach it
    double Often = Function.Called && !(Flags & FnSyscall) ? CalledInsideToo
                                                           : Ordinary;
    if (Flags & (FnCold | FnNoReturn) || isRareName(Name))
      Often = Rare;
    Entry[Id] = Often;
  }
  return Entry;
}

} // namespace kst
