// SPDX-License-Identifier: GPL-2.0-or-later
//
// Threads of C++ in every form, each with something that is falsely shared.

#include <functional>
#include <future>
#include <thread>
#include <vector>

constexpr int Rounds = 1000;

struct Pair {
  long a = 0, b = 0;
};
alignas(64) Pair pair;     // two closures without captures
alignas(64) long byValue[4];  // a closure with a copy of the loop's variable
alignas(64) long byNumber[4]; // a function with an argument
alignas(64) long byArm[2];    // one function, told apart by its argument
namespace {
alignas(64) long asynchronous[2];
}

struct Worker {
  long hits = 0;
  void run(int times) {
    for (int i = 0; i < times; ++i)
      hits++;
  }
};
alignas(64) Worker workers[4]; // a method and its object

static void count(int id) {
  for (int i = 0; i < Rounds; ++i)
    byNumber[id]++;
}

static void add(long &to) {
  for (int i = 0; i < Rounds; ++i)
    to++;
}

static void arm(bool first) {
  for (int i = 0; i < Rounds; ++i) {
    if (first)
      byArm[0]++;
    else
      byArm[1]++;
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(count, i);
  for (int i = 0; i < 4; ++i)
    threads.push_back(std::thread([i] {
      for (int k = 0; k < Rounds; ++k)
        byValue[i] += k;
    }));
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(&Worker::run, &workers[i], Rounds);
  std::thread a([] {
    for (int i = 0; i < Rounds; ++i)
      pair.a++;
  });
  std::thread b([] {
    for (int i = 0; i < Rounds; ++i)
      pair.b++;
  });
  alignas(64) long local[2] = {};
  std::thread c(add, std::ref(local[0]));
  std::thread d(add, std::ref(local[1]));
  std::thread e(arm, true);
  std::thread f(arm, false);
  auto g = std::async(std::launch::async, add, std::ref(asynchronous[0]));
  auto h = std::async(std::launch::async, add, std::ref(asynchronous[1]));
  g.get();
  h.get();
  for (std::thread *one : {&a, &b, &c, &d, &e, &f})
    one->join();
  for (std::thread &one : threads)
    one.join();
  return 0;
}
