// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/WorkerPool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <poll.h>
#include <vector>

namespace kst {
namespace {

std::string inWords(std::chrono::milliseconds Time) {
  if (Time.count() % 1000 == 0)
    return std::to_string(Time.count() / 1000) + " s";
  return std::to_string(Time.count()) + " ms";
}

class Pool {
public:
  Pool(size_t JobCount, unsigned Workers, const JobFunction &Work,
       const WorkerLimits &Limits, InterruptGuard &Interrupts,
       const PoolEvents &Events)
      : JobCount(JobCount), MaxWorkers(std::max(1u, Workers)), Work(Work),
        Limits(Limits), Interrupts(Interrupts), Events(Events) {}

  PoolReport run();

private:
  void employ();
  void wait();
  void attend(std::unique_ptr<Worker> &W);
  void dismiss(std::unique_ptr<Worker> &W);
  void end(size_t Job, JobResult Result);
  void deliver();

  const size_t JobCount;
  const unsigned MaxWorkers;
  const JobFunction &Work;
  const WorkerLimits &Limits;
  InterruptGuard &Interrupts;
  const PoolEvents &Events;

  std::vector<std::unique_ptr<Worker>> Staff;
  size_t NextJob = 0;                  ///< to hand out
  size_t Delivered = 0;                ///< all jobs below were given to Done
  std::map<size_t, JobResult> Waiting; ///< ended, not yet delivered
  PoolReport Report;
};

void Pool::end(size_t Job, JobResult Result) {
  if (Events.Ended)
    Events.Ended(Job);
  Waiting.emplace(Job, std::move(Result));
}

void Pool::deliver() {
  for (auto It = Waiting.begin(); It != Waiting.end() && It->first == Delivered;
       It = Waiting.erase(It), ++Delivered)
    if (Events.Done)
      Events.Done(It->first, std::move(It->second));
}

void Pool::dismiss(std::unique_ptr<Worker> &W) {
  W->finish();
  Report.PeakRssKb = std::max(Report.PeakRssKb, W->peakRssKb());
  Report.CpuSeconds += W->cpuSeconds();
}

/// Gives every free worker a job; starts workers while there are jobs.
void Pool::employ() {
  auto Give = [&](Worker &W) {
    if (Events.Started)
      Events.Started(NextJob);
    W.give(NextJob++);
  };
  for (auto &W : Staff)
    if (!W->busy() && NextJob < JobCount)
      Give(*W);
  while (Staff.size() < MaxWorkers && NextJob < JobCount) {
    auto W = Worker::start(Work, Limits, Interrupts);
    if (!W) {
      std::string Why = strerror(errno);
      if (!Staff.empty())
        return; // fewer hands, same work
      while (NextJob < JobCount)
        end(NextJob++, {false, "", "cannot start a process: " + Why});
      return;
    }
    ++Report.Forks;
    Give(*W);
    Staff.push_back(std::move(W));
  }
  for (auto &W : Staff)
    if (!W->busy()) { // more hands than work
      dismiss(W);
      W.reset();
    }
  std::erase(Staff, nullptr);
}

/// Sleeps until something happened: input, a signal or a deadline.
void Pool::wait() {
  std::vector<pollfd> Fds = {{Interrupts.descriptor(), POLLIN, 0}};
  auto Now = Worker::Clock::now();
  auto Nearest = std::chrono::milliseconds(60000);
  for (auto &W : Staff) {
    Fds.push_back({W->answers(), POLLIN, 0});
    Fds.push_back({W->messages(), POLLIN, 0});
    auto Left = std::chrono::ceil<std::chrono::milliseconds>(
        W->started() + Limits.Timeout - Now);
    Nearest = std::min(Nearest, Left);
  }
  poll(Fds.data(), Fds.size(), std::max<int>(0, Nearest.count()));
}

/// Deals with what a worker has for us. Resets W when it is gone.
void Pool::attend(std::unique_ptr<Worker> &W) {
  W->receiveMessages();
  switch (W->receive()) {
  case Worker::State::Working:
    if (Worker::Clock::now() - W->started() < Limits.Timeout)
      return;
    dismiss(W);
    end(W->job(), {false, "", "took longer than " + inWords(Limits.Timeout)});
    break;
  case Worker::State::Answered: {
    size_t Job = W->job();
    end(Job, {true, W->take(), ""});
    if (!W->retired())
      return; // employ() has something to do, or dismisses it
    dismiss(W);
    break;
  }
  case Worker::State::Lost:
    dismiss(W);
    end(W->job(), {false, "", W->endOfLife()});
    break;
  }
  W.reset();
}

PoolReport Pool::run() {
  while (Delivered < JobCount) {
    if (Interrupts.interrupted()) {
      Report.Interrupted = true;
      break;
    }
    employ();
    if (!Staff.empty())
      wait();
    for (auto &W : Staff)
      attend(W);
    std::erase(Staff, nullptr);
    employ(); // before the parent's own work, so that nobody idles
    deliver();
  }
  for (auto &W : Staff)
    dismiss(W);
  Staff.clear();
  return Report;
}

} // namespace

PoolReport runJobs(size_t JobCount, unsigned Workers, const JobFunction &Work,
                   const WorkerLimits &Limits, InterruptGuard &Interrupts,
                   const PoolEvents &Events) {
  return Pool(JobCount, Workers, Work, Limits, Interrupts, Events).run();
}

} // namespace kst
