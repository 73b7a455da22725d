// SPDX-License-Identifier: GPL-2.0-or-later
//
// A kernel that the user built, booted in QEMU with the recorder, as a trace.

#ifndef KST_HYBRID_PIPELINE_RECORDKERNEL_H
#define KST_HYBRID_PIPELINE_RECORDKERNEL_H

#include "hybrid/pipeline/Traces.h"

namespace kst {

struct RecordRequest {
  // The machine.
  std::string Vmlinux, Image; ///< with symbols; what boots
  std::string Initrd, Disk;   ///< "": none; the disk is not changed
  std::string Append;         ///< to the kernel's command line
  unsigned Cpus = 2, MemoryMiB = 512;
  bool Deterministic = false;  ///< one thread, time by instructions
  unsigned TimeoutSeconds = 0; ///< 0: none
  std::string Plugin, Qemu;    ///< files of the recorder and the emulator
  // What of it. Nothing named: all.
  std::vector<std::string> Types;     ///< struct, cache, or kmalloc@FUNCTION
  std::vector<std::string> Pointers;  ///< TYPE.MEMBER: stores with their value
  std::vector<std::string> Addresses; ///< BEGIN-END, or a variable
  std::vector<std::string> Contexts;  ///< task, softirq, hardirq, nmi, call
  std::string Window;                 ///< START:STOP, symbols or addresses
  std::string Sample;                 ///< N/M
  // Where to.
  std::string Label, Directory; ///< of the recording; made, must not be there
  std::string Console;          ///< file; "": standard error
};

/// Boots it and waits until it powers off, time is up or SIGINT or SIGTERM
/// comes: then the guest is ended, and what was recorded is kept. The answer:
/// whether it was interrupted. Mistakes of the request come before anything is
/// started. Directory then holds a recording (RecordedKernel.h).
llvm::Expected<bool> recordKernel(const RecordRequest &Asked,
                                  const Listener &Tell);

} // namespace kst

#endif
