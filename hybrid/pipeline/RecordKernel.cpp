// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/RecordKernel.h"

#include "analyzer/files/OutputFile.h"
#include "analyzer/run/InterruptGuard.h"
#include "hybrid/pipeline/RecordFilters.h"
#include "hybrid/pipeline/RecordedKernel.h"
#include "passes/recorder/KernelSettings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kst {
namespace {

using llvm::StringRef;

constexpr uint64_t MiB = 1 << 20;
/// What the machine keeps below 4 GiB, for itself to decide no more.
constexpr uint64_t LowMiB = 2048;
constexpr std::chrono::seconds TimeToEnd(20);

bool isQcow2(const std::string &File) {
  char Magic[4] = {};
  int Fd = ::open(File.c_str(), O_RDONLY | O_CLOEXEC);
  bool Is =
      Fd >= 0 && ::read(Fd, Magic, 4) == 4 && StringRef(Magic, 4) == "QFI\xfb";
  if (Fd >= 0)
    ::close(Fd);
  return Is;
}

std::string commandLine(const RecordRequest &Asked,
                        const std::string &TraceEvents) {
  // Addresses are those of vmlinux, four levels of page tables; one cache for
  // each type; nothing that TCG's clocks trip over.
  std::string Out = "console=ttyS0 nokaslr no5lvl slab_nomerge no_timer_check "
                    "panic=-1";
  if (!TraceEvents.empty())
    Out += " trace_buf_size=16k trace_event=" + TraceEvents;
  return Asked.Append.empty() ? Out : Out + " " + Asked.Append;
}

/// An option value in which commas have a meaning.
std::string escaped(StringRef Value) {
  std::string Out;
  for (char C : Value)
    Out += C == ',' ? ",," : std::string(1, C);
  return Out;
}

std::vector<std::string> qemuArguments(const RecordRequest &Asked,
                                       const std::string &Append) {
  const std::string Ram = Asked.Directory + "/ram",
                    Memory = std::to_string(Asked.MemoryMiB) + "M";
  std::vector<std::string> Out = {
      Asked.Qemu,
      "-machine",
      "pc,memory-backend=ram,max-ram-below-4g=" + std::to_string(LowMiB) + "M",
      "-object",
      "memory-backend-file,id=ram,share=on,size=" + Memory +
          ",mem-path=" + escaped(Ram),
      "-m",
      Memory,
      "-smp",
      std::to_string(Asked.Cpus),
      "-accel",
      Asked.Deterministic ? "tcg,thread=single" : "tcg,thread=multi",
      "-nodefaults",
      "-display",
      "none",
      "-serial",
      "stdio",
      "-monitor",
      "none",
      "-no-reboot",
      "-kernel",
      Asked.Image,
      "-append",
      Append,
      "-plugin",
      escaped(Asked.Plugin) + ",dir=" + escaped(Asked.Directory) +
          ",ram=" + escaped(Ram)};
  if (Asked.Deterministic)
    Out.insert(Out.end(), {"-icount", "shift=1,sleep=off", "-rtc",
                           "base=2020-01-01,clock=vm", "-seed", "1"});
  if (!Asked.Initrd.empty())
    Out.insert(Out.end(), {"-initrd", Asked.Initrd});
  if (!Asked.Disk.empty())
    Out.insert(Out.end(),
               {"-drive", std::string("if=virtio,snapshot=on,format=") +
                              (isQcow2(Asked.Disk) ? "qcow2" : "raw") +
                              ",file=" + escaped(Asked.Disk)});
  return Out;
}

/// Ends only with exec or the process.
[[noreturn]] void becomeQemu(const std::vector<std::string> &Arguments,
                             int Console) {
  std::vector<char *> Words;
  for (const std::string &Word : Arguments)
    Words.push_back(const_cast<char *>(Word.c_str()));
  Words.push_back(nullptr);
  // A process group of its own: Ctrl-C reaches it through us.
  ::setpgid(0, 0);
  int Nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(Nothing, STDIN_FILENO);
  ::dup2(Console, STDOUT_FILENO);
  ::dup2(Console, STDERR_FILENO);
  ::execvp(Words[0], Words.data());
  ::_exit(127);
}

enum class Ending { Done, TimeOut, Interrupted };

/// Waits for the end of the process; ends it when it must end.
Ending waitFor(pid_t Pid, unsigned TimeoutSeconds, InterruptGuard &Signals,
               int &Status) {
  using Clock = std::chrono::steady_clock;
  Ending How = Ending::Done;
  const Clock::time_point Begin = Clock::now();
  Clock::time_point Told;
  while (::waitpid(Pid, &Status, WNOHANG) == 0) {
    pollfd On = {Signals.descriptor(), POLLIN, 0};
    ::poll(&On, 1, 100);
    if (How == Ending::Done) {
      if (Signals.interrupted())
        How = Ending::Interrupted;
      else if (TimeoutSeconds &&
               Clock::now() - Begin > std::chrono::seconds(TimeoutSeconds))
        How = Ending::TimeOut;
      else
        continue;
      Told = Clock::now();
      ::kill(Pid, SIGTERM);
    } else if (Clock::now() - Told > TimeToEnd) {
      ::kill(Pid, SIGKILL);
    }
  }
  return How;
}

llvm::Expected<bool> boot(const RecordRequest &Asked,
                          const std::vector<std::string> &Arguments,
                          const Listener &Tell) {
  int Console = STDERR_FILENO;
  if (!Asked.Console.empty()) {
    Console = ::open(Asked.Console.c_str(),
                     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (Console < 0)
      return failure(Asked.Console + ": cannot be written");
  }
  InterruptGuard Signals;
  pid_t Pid = ::fork();
  if (Pid == 0) {
    Signals.leaveToParent();
    becomeQemu(Arguments, Console);
  }
  if (Console != STDERR_FILENO)
    ::close(Console);
  if (Pid < 0)
    return failure("no process for QEMU");
  int Status = 0;
  Ending How = waitFor(Pid, Asked.TimeoutSeconds, Signals, Status);
  if (WIFEXITED(Status) && WEXITSTATUS(Status) == 127)
    return failure(Asked.Qemu + ": cannot be run");
  if (How == Ending::TimeOut)
    Tell.warn("the guest was ended after " +
              std::to_string(Asked.TimeoutSeconds) + " s");
  else if (How == Ending::Done && Status)
    Tell.warn("QEMU ended with status " + std::to_string(Status) +
              ": what it recorded until then is kept");
  return How == Ending::Interrupted;
}

llvm::Error prepare(const RecordRequest &Asked, const RecorderSettings &S,
                    const std::string &Append) {
  if (std::error_code Why = llvm::sys::fs::create_directory(
          Asked.Directory, /*IgnoreExisting=*/false))
    return failure(Asked.Directory + ": " + Why.message());
  llvm::SmallString<256> Vmlinux(Asked.Vmlinux);
  (void)llvm::sys::fs::make_absolute(Vmlinux);
  std::string About = "recorder=qemu\nvmlinux=" + Vmlinux.str().str() +
                      "\ncpus=" + std::to_string(Asked.Cpus) +
                      "\nparameters=" + Append +
                      "\nclock=recorded events of all CPUs\n";
  if (!Asked.Label.empty())
    About += "label=" + Asked.Label + "\n";
  if (!Asked.Sample.empty())
    About += "sample=" + Asked.Sample + "\n";
  if (!Asked.Window.empty())
    About += "window=" + Asked.Window + "\n";
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
                                  const Listener &Tell) {
  for (const std::string *File : {&Asked.Vmlinux, &Asked.Image, &Asked.Plugin,
                                  &Asked.Initrd, &Asked.Disk})
    if (!File->empty() && !llvm::sys::fs::exists(*File))
      return mistake(*File + ": no such file");
  if (!Asked.Cpus || Asked.Cpus > 64 || Asked.MemoryMiB < 64)
    return mistake("--cpus takes 1 to 64, --memory at least 64 (MiB)");
  if (llvm::Error E = checkFilters(Asked))
    return E;
  auto Image = KernelImage::open(Asked.Vmlinux);
  if (!Image)
    return Image.takeError();
  auto Kernel = kernelSettings(*Image);
  if (!Kernel)
    return Kernel.takeError();
  for (const std::string &What : Kernel->Missing)
    Tell.warn("not recorded: " + What);
  if (llvm::Error E = setFilters(Asked, *Image, Kernel->Settings))
    return E;
  RecorderSettings &S = Kernel->Settings;
  S.RamBytes = Asked.MemoryMiB * MiB;
  S.LowBytes = std::min(S.RamBytes, LowMiB * MiB);
  S.Cpus = std::min<uint64_t>(S.Cpus, Asked.Cpus);
  const std::string Append = commandLine(Asked, Kernel->TraceEvents);
  if (llvm::Error E = prepare(Asked, Kernel->Settings, Append))
    return E;
  auto Interrupted = boot(Asked, qemuArguments(Asked, Append), Tell);
  (void)llvm::sys::fs::remove(Asked.Directory + "/ram");
  if (llvm::sys::fs::exists(Asked.Directory + "/tables"))
    return Interrupted;
  (void)llvm::sys::fs::remove_directories(Asked.Directory);
  if (!Interrupted)
    return Interrupted;
  return *Interrupted ? interrupted()
                      : failure(Asked.Qemu + " ended without a recording");
}

} // namespace kst
