// SPDX-License-Identifier: GPL-2.0-or-later
//
// What names tell in the kernel: conventions that hold in all of it, and that
// its authors rely on too. docs/method.md lists them.

#ifndef KST_HYBRID_VOCABULARY_KERNELNAMES_H
#define KST_HYBRID_VOCABULARY_KERNELNAMES_H

#include <string_view>

namespace kst {

/// A function whose name has, between underscores, a word for what happens
/// rarely: life cycle, configuration, hotplug, power management, reporting.
bool isRareName(std::string_view Function);

/// The same, with only those words that no hot path uses for its own steps
/// (`detach_task` moves a task; `rebuild_domains` is configuration).
bool isConfigurationName(std::string_view Function);

/// A function that by its name only asks, as `xa_load` or `mutex_is_locked`:
/// what its pointers lead to is read, though they may not be to const.
bool isAskingName(std::string_view Function);

/// A record whose tables of functions serve configuration and reporting.
bool isConfigurationTable(std::string_view Record);

} // namespace kst

#endif
