// SPDX-License-Identifier: GPL-2.0-or-later
//
// A kernel that the user built, booted in QEMU with a plugin of ours.

#ifndef KST_HYBRID_PIPELINE_KERNELGUEST_H
#define KST_HYBRID_PIPELINE_KERNELGUEST_H

#include "hybrid/pipeline/Errors.h"

#include <cstdint>
#include <string>

namespace kst {

struct KernelGuest {
  std::string Vmlinux, Image; ///< with symbols; what boots
  std::string Initrd, Disk;   ///< "": none; the disk is not changed
  std::string Append;         ///< to the kernel's command line
  unsigned Cpus = 2, MemoryMiB = 512;
  bool Deterministic = false;  ///< one thread, time by instructions
  unsigned TimeoutSeconds = 0; ///< 0: none
  std::string Plugin, Qemu;    ///< files of our plugin and of the emulator
  std::string Console;         ///< file; "": standard error
};

/// What a recorder wants of the guest beside that.
struct GuestPlugin {
  /// Behind the name of its file: `,NAME=VALUE` with escaped values.
  std::string Arguments;
  std::string Ram;        ///< file that is the guest's memory; "": none
  bool OneThread = false; ///< for all CPUs, also where time is the host's
};

/// What the machine keeps below 4 GiB, for itself to decide no more.
inline constexpr uint64_t LowMemoryMiB = 2048;

/// A usageError if a file is not there or a number is out of its range.
llvm::Error checkGuest(const KernelGuest &Asked);

/// A value of an option of QEMU, in which commas have a meaning.
std::string escapedValue(llvm::StringRef Value);

/// The command line of every guest, before Append: addresses are those of
/// vmlinux, four levels of page tables, nothing that TCG's clocks trip over.
std::string guestParameters();

/// Boots it with these parameters of the kernel and waits until it powers off,
/// time is up or SIGINT or SIGTERM comes: then the guest is ended. The answer:
/// whether it was interrupted. An end by time or of a broken QEMU is told.
llvm::Expected<bool> bootGuest(const KernelGuest &Asked,
                               const GuestPlugin &With,
                               const std::string &Parameters,
                               const DiagnosticConsumer &Diags);

} // namespace kst

#endif
