// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/RecordKernel.h"

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/RecordFilters.h"
#include "hybrid/pipeline/RecordedKernel.h"
#include "hybrid/trace/TraceLimits.h"
#include "passes/recorder/KernelSettings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <fcntl.h>
#include <unistd.h>

namespace kst {
namespace {

constexpr uint64_t MiB = 1 << 20;

std::string commandLine(const RecordRequest &Asked,
                        const std::string &TraceEvents) {
  // One cache for each type.
  std::string Out = guestParameters() + " slab_nomerge";
  if (!TraceEvents.empty())
    Out += " trace_buf_size=16k trace_event=" + TraceEvents;
  return Asked.Guest.Append.empty() ? Out : Out + " " + Asked.Guest.Append;
}

llvm::Error prepare(const RecordRequest &Asked, const RecorderSettings &S,
                    const std::string &Append) {
  std::error_code Why = llvm::sys::fs::create_directory(
      Asked.Directory, /*IgnoreExisting=*/false);
  if (Why == std::errc::file_exists)
    return failure(Asked.Directory +
                   ": is there from a recording before; 'trace import' makes "
                   "a trace of it; remove it to record anew");
  if (Why)
    return failure(Asked.Directory + ": " + Why.message());
  llvm::SmallString<256> Vmlinux(Asked.Guest.Vmlinux);
  (void)llvm::sys::fs::make_absolute(Vmlinux);
  std::string About = "recorder=qemu\nvmlinux=" + Vmlinux.str().str() +
                      "\ncpus=" + std::to_string(Asked.Guest.Cpus) +
                      "\nparameters=" + Append +
                      "\nclock=recorded events of all CPUs\n";
  for (const auto &[Key, Value] :
       std::initializer_list<std::pair<const char *, std::string>>{
           {"label", Asked.Label},
           {"window", Asked.Window},
           {SampledIntervals, Asked.Sample},
           {OnlyTypes, llvm::join(Asked.Types, ", ")},
           {OnlyAddresses, llvm::join(Asked.Addresses, ", ")},
           {OnlyContexts, llvm::join(Asked.Contexts, ", ")}})
    if (!Value.empty())
      About += std::string(Key) + "=" + Value + "\n";
  if (llvm::Error E = writeFile(Asked.Directory + "/settings", S.text()))
    return E;
  if (llvm::Error E = writeFile(Asked.Directory + "/" + RecordingAbout, About))
    return E;
  int Ram = ::open((Asked.Directory + "/ram").c_str(),
                   O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  bool Good = Ram >= 0 && !::ftruncate(Ram, static_cast<off_t>(S.RamBytes));
  if (Ram >= 0)
    ::close(Ram);
  return Good ? llvm::Error::success()
              : failure(Asked.Directory + "/ram: cannot be made");
}

} // namespace

llvm::Expected<bool> recordKernel(const RecordRequest &Asked,
                                  const DiagnosticConsumer &Diags) {
  if (llvm::Error E = checkGuest(Asked.Guest))
    return E;
  if (llvm::Error E = checkFilters(Asked))
    return E;
  auto Image = KernelImage::open(Asked.Guest.Vmlinux);
  if (!Image)
    return Image.takeError();
  if (!Image->problem().empty())
    Diags.warn(Image->problem());
  auto Kernel = kernelSettings(*Image);
  if (!Kernel)
    return Kernel.takeError();
  for (const std::string &What : Kernel->Missing)
    Diags.warn("not recorded: " + What);
  if (llvm::Error E = setFilters(Asked, *Image, Kernel->Settings))
    return E;
  RecorderSettings &S = Kernel->Settings;
  S.RamBytes = Asked.Guest.MemoryMiB * MiB;
  S.LowBytes = std::min(S.RamBytes, LowMemoryMiB * MiB);
  S.Cpus = std::min<uint64_t>(S.Cpus, Asked.Guest.Cpus);
  const std::string Append = commandLine(Asked, Kernel->TraceEvents);
  if (llvm::Error E = prepare(Asked, Kernel->Settings, Append))
    return E;
  GuestPlugin With;
  With.Ram = Asked.Directory + "/ram";
  With.Arguments = ",dir=" + escapedValue(Asked.Directory) +
                   ",ram=" + escapedValue(With.Ram);
  auto Interrupted = bootGuest(Asked.Guest, With, Append, Diags);
  (void)llvm::sys::fs::remove(Asked.Directory + "/ram");
  if (llvm::sys::fs::exists(Asked.Directory + "/tables"))
    return Interrupted;
  (void)llvm::sys::fs::remove_directories(Asked.Directory);
  if (!Interrupted)
    return Interrupted;
  return *Interrupted
             ? interrupted()
             : failure(Asked.Guest.Qemu + " ended without a recording");
}

} // namespace kst
