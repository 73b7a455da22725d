// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/DaskRun.h"

#include "hybrid/pipeline/Errors.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kst {

namespace {

bool writeAll(int Fd, const char *Bytes, size_t Size) {
  while (Size) {
    const ssize_t Put = ::write(Fd, Bytes, Size);
    if (Put < 0 && errno == EINTR)
      continue;
    if (Put <= 0)
      return false;
    Bytes += Put;
    Size -= Put;
  }
  return true;
}

bool readAll(int Fd, char *Bytes, size_t Size) {
  while (Size) {
    const ssize_t Got = ::read(Fd, Bytes, Size);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got <= 0)
      return false;
    Bytes += Got;
    Size -= Got;
  }
  return true;
}

/// The driver: jobs on its standard input, messages on its standard output.
class Driver {
public:
  ~Driver() {
    if (Jobs >= 0)
      ::close(Jobs);
    if (Messages >= 0)
      ::close(Messages);
    if (Pid > 0) {
      ::kill(Pid, SIGTERM);
      while (::waitpid(Pid, nullptr, 0) < 0 && errno == EINTR)
        ;
    }
  }

  bool start(const DaskRequest &Asked, const std::vector<std::string> &Bytes) {
    Jobs = ::memfd_create("kst-jobs", MFD_CLOEXEC);
    int Pipe[2];
    if (Jobs < 0 || !put(Bytes) || ::pipe2(Pipe, O_CLOEXEC) < 0)
      return false;
    std::vector<const char *> Args{"python3", "-s", Asked.Driver.c_str(),
                                   Asked.Scheduler.c_str(),
                                   Asked.Program.c_str()};
    for (const std::string &Option : Asked.Options)
      Args.push_back(Option.c_str());
    Args.push_back(nullptr);
    Pid = ::fork();
    if (Pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::dup2(Jobs, STDIN_FILENO);
      ::dup2(Pipe[1], STDOUT_FILENO);
      ::execvp(Args[0], const_cast<char *const *>(Args.data()));
      ::_exit(127);
    }
    ::close(Pipe[1]);
    Messages = Pipe[0];
    return Pid > 0;
  }

  int messages() const { return Messages; }

private:
  bool put(const std::vector<std::string> &Bytes) {
    for (const std::string &Job : Bytes) {
      const uint64_t Size = Job.size();
      if (!writeAll(Jobs, reinterpret_cast<const char *>(&Size),
                    sizeof(Size)) ||
          !writeAll(Jobs, Job.data(), Job.size()))
        return false;
    }
    return ::lseek(Jobs, 0, SEEK_SET) == 0;
  }

  int Jobs = -1, Messages = -1;
  pid_t Pid = -1;
};

} // namespace

llvm::Expected<std::string> runOnDask(const DaskRequest &Asked,
                                      const std::vector<std::string> &Jobs) {
  Driver Runs;
  if (!Runs.start(Asked, Jobs))
    return failure(std::string("--dask: cannot start python3: ") +
                   std::strerror(errno));
  // A letter, u64: 'P', the share of the jobs that are done; 'R' or 'E', the
  // size of the answer, or of what went wrong, and that.
  char Kind;
  uint64_t Number;
  std::string Text;
  while (readAll(Runs.messages(), &Kind, 1) &&
         readAll(Runs.messages(), reinterpret_cast<char *>(&Number),
                 sizeof(Number))) {
    if (Kind == 'P') {
      if (Asked.Shown)
        Asked.Shown->show(Asked.Units * Number / Jobs.size(), Asked.Units,
                          Asked.Scheduler);
      continue;
    }
    constexpr uint64_t MostBytes = uint64_t(1) << 36;
    if ((Kind != 'R' && Kind != 'E') || Number > MostBytes)
      break;
    Text.resize(Number);
    if (!readAll(Runs.messages(), Text.data(), Text.size()))
      break;
    if (Asked.Shown)
      Asked.Shown->clear();
    if (Kind == 'E')
      return failure("--dask " + Asked.Scheduler + ": " + Text);
    return Text;
  }
  return failure("--dask: " + Asked.Driver +
                 " ended without an answer; is python3-distributed installed?");
}

} // namespace kst
