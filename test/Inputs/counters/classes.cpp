// SPDX-License-Identifier: GPL-2.0-or-later
// C++: exceptions, inline functions of which the linker keeps one, virtual
// calls, templates, destructors, thread_local.
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

struct Base {
  long Id = 0;
  virtual int step(int) { return 0; }
  virtual ~Base() {}
};

struct Derived : Base {
  int X = 0;
  unsigned Bits : 5;
  Derived() : Bits(0) {}
  int step(int I) override {
    X += I;
    Bits++;
    if (I == 77)
      throw std::runtime_error("x");
    Id++;
    return X;
  }
  ~Derived() override { X = -1; }
};

static Derived Global;
static thread_local Derived Mine;

template <class T> T *make(int N) {
  T *Made = new T;
  Made->X = N;
  return Made;
}

static int recursive(Derived &D, int N) {
  D.X++;
  if (!N)
    return 0;
  int K = recursive(D, N - 1) + recursive(D, N / 2);
  D.Id++;
  return K + 1;
}

int main() {
  std::vector<std::thread> Threads;
  for (int T = 0; T < 4; T++)
    Threads.emplace_back([T] {
      Derived *D = make<Derived>(T);
      for (int I = 0; I < 500; I++) {
        try {
          D->step(I % 100);
        } catch (std::exception &) {
          D->Id += 5;
        }
        Mine.X++;
      }
      recursive(*D, 10);
      delete D;
    });
  for (std::thread &T : Threads)
    T.join();
  Derived Array[3];
  for (Derived &D : Array)
    D = Global;
  std::printf("%ld %d %d\n", Array[1].Id, Mine.X, recursive(Global, 5));
}
