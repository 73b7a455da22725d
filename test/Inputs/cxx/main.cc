// SPDX-License-Identifier: GPL-2.0-or-later
// Uses the struct in the ways of C++.
#include "item.h"

extern "C" int printf(const char *, ...);

namespace shop {
// A record of its own, of the same layout rules as in C.
struct shelf {
  item *first;
  long unused[15];
  item *last;
  char label[64];
  unsigned long count;

  void add(item &i) {
    last = &i;
    count++;
  }
};

// No C layout: described, and left as it is.
class keeper {
public:
  explicit keeper(item &i) : held(i) {}
  virtual ~keeper() {}
  virtual unsigned long size() const { return held.size; }

private:
  item &held;
};

template <class T> unsigned long sum(const T &i) { return i.key + i.size; }
} // namespace shop

static void note(item &i) { i.note[1]++; }

int main() {
  item all[4] = {};
  shop::shelf s = {};
  unsigned long total = 0;
  auto count = [&total](const item &i) { total += i.hits; };
  for (item &i : all) {
    step(&i);
    note(i);
    s.add(i);
    count(i);
    total += shop::sum(i);
  }
  shop::keeper k(all[2]);
  total += k.size() + s.count + s.last->note[1];
  printf("%lu\n", total);
  return 0;
}
