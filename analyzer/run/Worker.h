// SPDX-License-Identifier: GPL-2.0-or-later
//
// One child process that does jobs for the pool, seen from the parent, and
// what the child itself does.

#pragma once

#include "analyzer/run/InterruptGuard.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace kst {

/// Sanitizers map terabytes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr uint64_t DefaultAddressSpaceBytes = 0;
#else
inline constexpr uint64_t DefaultAddressSpaceBytes = uint64_t(4) << 30;
#endif

/// What a worker may use. The defaults suit clang on kernel sources.
struct WorkerLimits {
  std::chrono::milliseconds Timeout{300000}; ///< per job, wall time
  uint64_t StackBytes = uint64_t(64) << 20;  ///< 0: as inherited
  /// What a worker may map beyond what the parent has; 0: no limit. A source
  /// that explodes costs its unit, not the machine.
  uint64_t AddressSpaceBytes = DefaultAddressSpaceBytes;
  /// A worker that holds more than this after a job is replaced.
  uint64_t RecycleRssBytes = uint64_t(350) << 20;
  uint64_t MaxResultBytes = uint64_t(1) << 30;
};

/// Runs in the child: the job's number in, the answer's bytes out.
using JobFunction = std::function<std::string(size_t Job)>;

/// The parent's side of a child. Killed and reaped when destroyed.
class Worker {
public:
  using Clock = std::chrono::steady_clock;

  /// Forks. The caller has one thread. Nothing when there is no process or
  /// descriptor left; errno tells.
  static std::unique_ptr<Worker> start(const JobFunction &Work,
                                       const WorkerLimits &Limits,
                                       InterruptGuard &Interrupts);
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  /// Hands out a job. Only when busy() is false.
  void give(size_t Job);
  bool busy() const { return Job.has_value(); }
  size_t job() const { return *Job; }
  Clock::time_point started() const { return Started; }

  /// Descriptors that poll() should watch for input.
  int answers() const { return Socket; }
  int messages() const { return Messages; }

  enum class State {
    Working,  ///< nothing to fetch yet
    Answered, ///< take() has the answer
    Lost      ///< the child is gone, or must go
  };
  /// Reads what is there without waiting.
  State receive();
  void receiveMessages();

  /// The answer; the worker is free again, or retired.
  std::string take();
  /// The worker will do no further job.
  bool retired() const { return Retired; }

  /// Ends the child if it still runs and waits for it. Afterwards endOfLife()
  /// says how it ended and usage is known.
  void finish();
  /// "crashed (signal 11)", with the last words on stderr.
  std::string endOfLife() const;
  std::string lastWords() const;
  uint64_t peakRssKb() const { return PeakRssKb; }
  double cpuSeconds() const { return CpuSeconds; }

private:
  Worker() = default;

  pid_t Pid = -1;
  int Socket = -1, Messages = -1;
  std::optional<size_t> Job;
  Clock::time_point Started;
  uint64_t MaxResultBytes = 0;
  std::string Received; ///< header and answer, as far as they came
  size_t ReceivedBytes = 0;
  std::string Words; ///< tail of what the child wrote to stdout and stderr
  bool Retired = false, TooLarge = false;
  int WaitStatus = 0;
  uint64_t PeakRssKb = 0;
  double CpuSeconds = 0;
};

} // namespace kst
