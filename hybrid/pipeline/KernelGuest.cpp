// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/KernelGuest.h"

#include "analyzer/run/InterruptGuard.h"

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

std::vector<std::string> qemuArguments(const KernelGuest &Asked,
                                       const GuestPlugin &With,
                                       const std::string &Parameters) {
  const std::string Memory = std::to_string(Asked.MemoryMiB) + "M";
  std::vector<std::string> Out = {
      Asked.Qemu, "-machine",
      (With.Ram.empty() ? "pc" : "pc,memory-backend=ram") +
          (",max-ram-below-4g=" + std::to_string(LowMemoryMiB)) + "M"};
  if (!With.Ram.empty())
    Out.insert(Out.end(),
               {"-object", "memory-backend-file,id=ram,share=on,size=" +
                               Memory + ",mem-path=" + escapedValue(With.Ram)});
  Out.insert(Out.end(),
             {"-m",
              Memory,
              "-smp",
              std::to_string(Asked.Cpus),
              "-accel",
              Asked.Deterministic || With.OneThread ? "tcg,thread=single"
                                                    : "tcg,thread=multi",
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
              Parameters,
              "-plugin",
              escapedValue(Asked.Plugin) + With.Arguments});
  if (Asked.Deterministic)
    Out.insert(Out.end(), {"-icount", "shift=1,sleep=off", "-rtc",
                           "base=2020-01-01,clock=vm", "-seed", "1"});
  if (!Asked.Initrd.empty())
    Out.insert(Out.end(), {"-initrd", Asked.Initrd});
  if (!Asked.Disk.empty())
    Out.insert(Out.end(),
               {"-drive", std::string("if=virtio,snapshot=on,format=") +
                              (isQcow2(Asked.Disk) ? "qcow2" : "raw") +
                              ",file=" + escapedValue(Asked.Disk)});
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

} // namespace

llvm::Error checkGuest(const KernelGuest &Asked) {
  for (const std::string *File : {&Asked.Vmlinux, &Asked.Image, &Asked.Plugin,
                                  &Asked.Initrd, &Asked.Disk})
    if (!File->empty() && !llvm::sys::fs::exists(*File))
      return usageError(*File + ": no such file");
  if (!Asked.Cpus || Asked.Cpus > 64 || Asked.MemoryMiB < 64)
    return usageError("--cpus takes 1 to 64, --memory at least 64 (MiB)");
  return llvm::Error::success();
}

std::string escapedValue(StringRef Value) {
  std::string Out;
  for (char C : Value)
    Out += C == ',' ? ",," : std::string(1, C);
  return Out;
}

std::string guestParameters() {
  return "console=ttyS0 nokaslr no5lvl no_timer_check panic=-1";
}

llvm::Expected<bool> bootGuest(const KernelGuest &Asked,
                               const GuestPlugin &With,
                               const std::string &Parameters,
                               const DiagnosticConsumer &Diags) {
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
    becomeQemu(qemuArguments(Asked, With, Parameters), Console);
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
    Diags.warn("the guest was ended after " +
               std::to_string(Asked.TimeoutSeconds) + " s");
  else if (How == Ending::Done && Status)
    Diags.warn("QEMU ended with status " + std::to_string(Status) +
               ": what it recorded until then is kept");
  return How == Ending::Interrupted;
}

} // namespace kst
