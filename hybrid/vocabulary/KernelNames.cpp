// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/vocabulary/KernelNames.h"

namespace kst {

namespace {

constexpr std::string_view ConfigurationWords[] = {
    // life cycle and configuration
    "setup", "teardown", "destroy", "register", "unregister", "rebuild",
    "probe", "resize", "config", "configure", "boot", "umount",
    // CPU and memory hotplug, power management
    "online", "offline", "dead", "dying", "hotplug", "suspend", "resume",
    "freeze", "thaw", "shutdown", "reboot", "kexec",
    // reporting and debugging
    "show", "print", "dump", "debugfs", "proc", "sysfs", "sysctl", "warn",
    "report"};

/// Rare as a way in from outside, but also steps of hot paths.
constexpr std::string_view RareEntryWords[] = {
    "init",     "exit",    "create", "build",  "early",  "module",  "store",
    "debug",    "attach",  "detach", "remove", "enable", "disable", "mount",
    "starting", "prepare", "seq",    "stat",   "stats",  "trace",   "test"};

constexpr std::string_view AskingWords[] = {
    "is",    "has",    "find",    "lookup", "load",
    "empty", "active", "pending", "peek",   "cmp"};

/// With one of these a name says more than a question.
constexpr std::string_view ChangingWords[] = {
    "set", "clear", "mark",   "add",  "del",  "insert", "remove", "get",
    "put", "alloc", "create", "init", "wait", "store",  "update", "start"};

constexpr std::string_view ConfigurationTables[] = {"cftype",
                                                    "cgroup_subsys",
                                                    "ctl_table",
                                                    "proc_ops",
                                                    "seq_operations",
                                                    "kernel_param_ops",
                                                    "kernel_param",
                                                    "device_attribute",
                                                    "kobj_attribute",
                                                    "bin_attribute",
                                                    "attribute_group",
                                                    "sysfs_ops",
                                                    "cpuhp_step",
                                                    "notifier_block",
                                                    "dev_pm_ops",
                                                    "syscore_ops",
                                                    "console",
                                                    "ethtool_ops",
                                                    "rtnl_link_ops",
                                                    "pernet_operations",
                                                    "kernfs_ops",
                                                    "obs_kernel_param",
                                                    "trace_event_functions",
                                                    "tracer",
                                                    "tracer_opt",
                                                    "fs_context_operations",
                                                    "fs_parameter_spec",
                                                    "file_system_type"};

template <size_t N>
bool hasWord(std::string_view Name, const std::string_view (&Words)[N]) {
  for (;;) {
    size_t End = Name.find('_');
    std::string_view Word = Name.substr(0, End);
    for (std::string_view Known : Words)
      if (Word == Known)
        return true;
    if (End == Name.npos)
      return false;
    Name.remove_prefix(End + 1);
  }
}

} // namespace

bool isConfigurationName(std::string_view Function) {
  return hasWord(Function, ConfigurationWords);
}

bool isRareName(std::string_view Function) {
  return isConfigurationName(Function) || hasWord(Function, RareEntryWords);
}

bool isAskingName(std::string_view Function) {
  return hasWord(Function, AskingWords) && !hasWord(Function, ChangingWords);
}

bool isConfigurationTable(std::string_view Record) {
  for (std::string_view Known : ConfigurationTables)
    if (Record == Known)
      return true;
  return false;
}

} // namespace kst
