// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/GuestFlags.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace kst {
namespace {

/// A plugin of QEMU: where the build or the installation has it.
std::string pluginFile(llvm::StringRef Name) {
  static int Here;
  const std::string Tool = llvm::sys::fs::getMainExecutable("", &Here);
  llvm::SmallString<256> File;
  for (const char *Folder : {"lib", KST_PLUGIN_DIR}) {
    File = llvm::sys::path::parent_path(llvm::sys::path::parent_path(Tool));
    llvm::sys::path::append(File, Folder, Name);
    if (llvm::sys::fs::exists(File))
      break;
  }
  return File.str().str();
}

} // namespace

llvm::Error GuestFlags::fill(llvm::StringRef Command, llvm::StringRef Plugin,
                             bool Quiet, const std::string &Output,
                             KernelGuest &To) const {
  if (Kernel.empty() && (Vmlinux.empty() || Image.empty()))
    return usageError(Command + " needs a built kernel: --kernel DIR, or "
                                "--vmlinux FILE and --image FILE");
  To.Vmlinux = Vmlinux.empty() ? Kernel + "/vmlinux" : Vmlinux.getValue();
  To.Image =
      Image.empty() ? Kernel + "/arch/x86/boot/bzImage" : Image.getValue();
  To.Initrd = Initrd;
  To.Disk = Disk;
  To.Append = Append;
  To.Cpus = Cpus;
  To.MemoryMiB = Memory;
  To.Deterministic = Icount;
  To.TimeoutSeconds = Timeout;
  To.Plugin = pluginFile(Plugin);
  To.Qemu = Qemu;
  To.Console = Quiet && Console.empty() ? "/dev/null" : Console.getValue();
  OutputFiles Written{{"-o", Output}};
  if (Console.given())
    Written.push_back({"--console", Console});
  if (llvm::Error E = checkOutputs(Written))
    return E;
  return checkInputs(Written, {To.Vmlinux, To.Image, Initrd, Disk});
}

} // namespace kst
