// SPDX-License-Identifier: GPL-2.0-or-later
//
// Options of the commands that boot a kernel: which one, on what machine.

#ifndef KST_TOOLS_KSTATICAFFINITY_GUESTFLAGS_H
#define KST_TOOLS_KSTATICAFFINITY_GUESTFLAGS_H

#include "hybrid/pipeline/KernelGuest.h"
#include "tools/support/CommandLine.h"

namespace kst {

class GuestFlags {
public:
  explicit GuestFlags(cl::SubCommand &Sub) : Sub(Sub) {}

  /// What the options ask for, with this plugin of ours; `Quiet`: the guest
  /// prints nowhere, unless an option says where; `Output`: the file that the
  /// command writes. A usageError if there is no kernel, or if what is written
  /// is a file of the guest.
  llvm::Error fill(llvm::StringRef Command, llvm::StringRef Plugin, bool Quiet,
                   const std::string &Output, KernelGuest &To) const;

private:
  cl::SubCommand &Sub;
  Flag<std::string> Kernel{{Sub, OfAnalysis, "kernel", "DIR",
                            "Output directory of the kernel's build"}};
  Flag<std::string> Vmlinux{{Sub, OfAnalysis, "vmlinux", "FILE",
                             "Its vmlinux (default: DIR/vmlinux)"}};
  Flag<std::string> Image{{Sub, OfAnalysis, "image", "FILE",
                           "What boots (default: DIR/arch/x86/boot/bzImage)"}};
  Flag<std::string> Initrd{
      {Sub, OfAnalysis, "initrd", "FILE", "Initial file system"}};
  Flag<std::string> Disk{
      {Sub, OfAnalysis, "disk", "IMAGE", "Disk, /dev/vda; it is not changed"}};
  Flag<std::string> Append{
      {Sub, OfAnalysis, "append", "WORDS", "More parameters of the kernel"}};
  Flag<unsigned> Cpus{
      {Sub, OfAnalysis, "cpus", "N", "CPUs of the guest (default: 2)"}, 2};
  Flag<unsigned> Memory{
      {Sub, OfAnalysis, "memory", "MIB", "Memory of the guest (default: 512)"},
      512};
  Flag<bool> Icount{{Sub, OfAnalysis, "icount", "",
                     "The same run every time: one thread, time by "
                     "instructions; slower"}};
  Flag<unsigned> Timeout{{Sub, OfAnalysis, "timeout", "SECONDS",
                          "End the guest then (default: when it powers off)"}};
  Flag<std::string> Qemu{{Sub, OfAnalysis, "qemu", "FILE",
                          "The emulator (default: qemu-system-x86_64)"},
                         "qemu-system-x86_64"};
  Flag<std::string> Console{
      {Sub, OfOutput, "console", "FILE",
       "What the guest prints (default: standard error)"}};
};

} // namespace kst

#endif
