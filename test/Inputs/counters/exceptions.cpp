// SPDX-License-Identifier: GPL-2.0-or-later
// exact:
// C++: constructors, destructors during unwinding, virtual calls, exceptions
// out of loops, references, templates, bases.
#include <cstdio>
#include <stdexcept>
#include <vector>

// Not std::string: the library has code of it too, which is counted only where
// it happens to be inlined here.
struct Text {
  int Length;
  char *Data;
  Text(int N, char C) : Length(N), Data(new char[N + 1]) {
    while (N--)
      Data[N] = C;
  }
  Text(const Text &Other) : Text(Other.Length, Other.Length ? *Other.Data : 0) {}
  ~Text() { delete[] Data; }
  int size() const { return Length; }
};

struct Base {
  int Id;
  unsigned Kind : 3, Count : 9;
  static int Alive;
  explicit Base(int Id) : Id(Id), Kind(1), Count(0) {
    if (Id % 11 == 10)
      throw std::runtime_error("ten");
    ++Alive;
  }
  virtual ~Base() { --Alive; }
  virtual int value() const { return Id; }
};
int Base::Alive = 0;

struct Derived : Base {
  Text Name;
  double Weight = 0.5;
  explicit Derived(int Id) : Base(Id), Name(Id % 3, 'x') { Name.Data[Id % 3] = 0; Kind = 2; }
  int value() const override { return Base::value() * int(Name.size()) + int(Weight * 2); }
};

template <typename T> struct Guard {
  T &Target;
  int Before;
  explicit Guard(T &Of) : Target(Of), Before(Of.Id) { Target.Count++; }
  ~Guard() { Target.Id = Before; }
};

static int work(Derived &D, int N) {
  Guard<Derived> G(D);
  D.Id += N;
  for (int I = 0; I != N; ++I) {
    D.Weight += 1;
    if (D.Id + I == 37)
      throw D.Id;
    if (I > 20)
      throw std::out_of_range(D.Name.Data);
  }
  return D.value();
}

int main() {
  long Sum = 0;
  int Caught[3] = {};
  for (int I = 0; I != 40; ++I) {
    try {
      std::vector<Derived> All;
      All.reserve(2);
      All.emplace_back(I);
      All.emplace_back(I + 1);
      Sum += work(All[I & 1], I % 29) + All[0].Count;
    } catch (int &Id) {
      Caught[0]++;
      Sum += Id;
    } catch (const std::out_of_range &) {
      Caught[1]++;
    } catch (const std::exception &) {
      Caught[2]++;
    }
  }
  std::printf("%ld %d %d %d %d\n", Sum, Caught[0], Caught[1], Caught[2], Base::Alive);
}
