// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/Worker.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kst {
namespace {

struct AnswerHeader {
  uint64_t Bytes;
  uint64_t Retires; ///< 1: the child ends after this answer
};

constexpr size_t KeepWordsBytes = 4096;

// ---- In the child. Nothing here returns to the caller's stack.

bool sendAll(int Socket, const void *Bytes, size_t Count) {
  const char *At = static_cast<const char *>(Bytes);
  while (Count) {
    ssize_t N = ::send(Socket, At, Count, MSG_NOSIGNAL);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    At += N;
    Count -= N;
  }
  return true;
}

void limit(decltype(RLIMIT_CORE) Resource, rlim_t Value) {
  rlimit Limit;
  if (getrlimit(Resource, &Limit) != 0)
    return;
  Limit.rlim_cur = std::min(Value, Limit.rlim_max);
  setrlimit(Resource, &Limit);
}

struct MemoryUse {
  uint64_t AddressSpaceBytes = 0, ResidentBytes = 0;
};

MemoryUse memoryUse() {
  unsigned long Size = 0, Resident = 0;
  if (FILE *File = fopen("/proc/self/statm", "re")) {
    if (fscanf(File, "%lu %lu", &Size, &Resident) != 2)
      Size = Resident = 0;
    fclose(File);
  }
  uint64_t Page = sysconf(_SC_PAGESIZE);
  return {Size * Page, Resident * Page};
}

void prepareChild(const WorkerLimits &Limits, InterruptGuard &Interrupts,
                  pid_t Parent, int Messages) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != Parent) // it died before the line above
    _exit(1);
  // A crash shall end the child at once: no stack trace, no core.
  for (int Signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGHUP,
                     SIGQUIT, SIGPIPE})
    signal(Signal, SIG_DFL);
  Interrupts.leaveToParent();
  limit(RLIMIT_CORE, 0);
  prctl(PR_SET_DUMPABLE, 0); // nor for a core_pattern that is a program
  if (Limits.StackBytes)
    limit(RLIMIT_STACK, Limits.StackBytes);
  if (Limits.AddressSpaceBytes)
    limit(RLIMIT_AS, memoryUse().AddressSpaceBytes + Limits.AddressSpaceBytes);
  int Null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(Null, STDIN_FILENO);
  dup2(Messages, STDOUT_FILENO);
  dup2(Messages, STDERR_FILENO);
  ::close(Null);
  ::close(Messages);
}

[[noreturn]] void serve(int Socket, const JobFunction &Work,
                        const WorkerLimits &Limits) {
  for (;;) {
    uint64_t Job;
    ssize_t N = ::recv(Socket, &Job, sizeof(Job), MSG_WAITALL);
    if (N < 0 && errno == EINTR)
      continue;
    if (N != sizeof(Job))
      _exit(0); // no more jobs
    std::string Answer = Work(Job);
    bool Retires = memoryUse().ResidentBytes > Limits.RecycleRssBytes;
    AnswerHeader Header = {Answer.size(), Retires};
    if (!sendAll(Socket, &Header, sizeof(Header)) ||
        !sendAll(Socket, Answer.data(), Answer.size()) || Retires)
      _exit(0);
  }
}

} // namespace

// ---- In the parent.

std::unique_ptr<Worker> Worker::start(const JobFunction &Work,
                                      const WorkerLimits &Limits,
                                      InterruptGuard &Interrupts) {
  int Ends[2], Pipe[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends) != 0)
    return nullptr;
  if (pipe2(Pipe, O_CLOEXEC) != 0) {
    ::close(Ends[0]);
    ::close(Ends[1]);
    return nullptr;
  }
  pid_t Parent = getpid();
  pid_t Pid = fork();
  if (Pid == 0) {
    ::close(Ends[0]);
    ::close(Pipe[0]);
    prepareChild(Limits, Interrupts, Parent, Pipe[1]);
    serve(Ends[1], Work, Limits);
  }
  int Why = errno;
  ::close(Ends[1]);
  ::close(Pipe[1]);
  if (Pid < 0) {
    ::close(Ends[0]);
    ::close(Pipe[0]);
    errno = Why;
    return nullptr;
  }
  int Room = 1 << 20;
  setsockopt(Ends[0], SOL_SOCKET, SO_RCVBUF, &Room, sizeof(Room));
  fcntl(Pipe[0], F_SETFL, O_NONBLOCK);
  std::unique_ptr<Worker> Result(new Worker);
  Result->Pid = Pid;
  Result->Socket = Ends[0];
  Result->Messages = Pipe[0];
  Result->MaxResultBytes = Limits.MaxResultBytes;
  return Result;
}

Worker::~Worker() {
  finish();
  ::close(Socket);
  ::close(Messages);
}

void Worker::give(size_t NewJob) {
  Job = NewJob;
  Started = Clock::now();
  receiveMessages();
  Words.clear();
  uint64_t Number = NewJob;
  // If the child has died, receive() will find out.
  (void)::send(Socket, &Number, sizeof(Number), MSG_NOSIGNAL);
}

Worker::State Worker::receive() {
  for (;;) {
    size_t Want = sizeof(AnswerHeader);
    if (ReceivedBytes >= sizeof(AnswerHeader)) {
      AnswerHeader Header;
      memcpy(&Header, Received.data(), sizeof(Header));
      if (Header.Bytes > MaxResultBytes) {
        TooLarge = true;
        return State::Lost;
      }
      Retired = Header.Retires != 0;
      Want += Header.Bytes;
      if (ReceivedBytes == Want)
        return State::Answered;
    }
    if (Received.size() < Want)
      Received.resize(Want);
    ssize_t N = ::recv(Socket, Received.data() + ReceivedBytes,
                       Want - ReceivedBytes, MSG_DONTWAIT);
    if (N > 0)
      ReceivedBytes += N;
    else if (N == 0 || (errno != EAGAIN && errno != EINTR))
      return State::Lost;
    else if (errno == EAGAIN)
      return State::Working;
  }
}

void Worker::receiveMessages() {
  char Buffer[4096];
  ssize_t N;
  while (Messages >= 0 && (N = ::read(Messages, Buffer, sizeof(Buffer))) != 0) {
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return;
    Words.append(Buffer, N);
    if (Words.size() > KeepWordsBytes)
      Words.erase(0, Words.size() - KeepWordsBytes);
  }
}

std::string Worker::take() {
  std::string Answer = std::move(Received);
  Answer.erase(0, sizeof(AnswerHeader));
  Received.clear();
  ReceivedBytes = 0;
  Job.reset();
  return Answer;
}

void Worker::finish() {
  if (Pid < 0)
    return;
  // A child that is already ending keeps the status it ends with.
  ::kill(Pid, SIGKILL);
  rusage Usage = {};
  while (wait4(Pid, &WaitStatus, 0, &Usage) < 0 && errno == EINTR) {
  }
  Pid = -1;
  receiveMessages();
  PeakRssKb = Usage.ru_maxrss;
  auto Seconds = [](timeval T) { return T.tv_sec + T.tv_usec * 1e-6; };
  CpuSeconds = Seconds(Usage.ru_utime) + Seconds(Usage.ru_stime);
}

std::string Worker::lastWords() const {
  std::string Text = Words;
  while (!Text.empty() && isspace(static_cast<unsigned char>(Text.back())))
    Text.pop_back();
  // The last three lines say what happened; one line in the report.
  size_t From = Text.size();
  for (int Lines = 0; Lines < 3 && From != std::string::npos && From != 0;
       ++Lines)
    From = Text.rfind('\n', From - 1);
  if (From != std::string::npos && From != 0)
    Text.erase(0, From + 1);
  std::ranges::replace(Text, '\n', ';');
  return Text;
}

std::string Worker::endOfLife() const {
  std::string Text;
  if (TooLarge)
    Text = "its result is larger than " + std::to_string(MaxResultBytes) +
           " bytes";
  else if (WIFSIGNALED(WaitStatus))
    Text = "crashed (signal " + std::to_string(WTERMSIG(WaitStatus)) + ")";
  else
    Text = "ended without a result (exit status " +
           std::to_string(WEXITSTATUS(WaitStatus)) + ")";
  std::string Last = lastWords();
  return Last.empty() ? Text : Text + ": " + Last;
}

} // namespace kst
