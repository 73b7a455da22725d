// SPDX-License-Identifier: GPL-2.0-or-later
//
// Units that share a header, and differ in what they see of it.

#pragma once

#include "hybrid/index/Index.h"
#include "test/unit/support/TestTU.h"

namespace kst_test {

inline kst::TuFacts unitFacts(const std::string &File,
                              const std::string &Code) {
  kst::TestTU Unit = kst::TestTU::withCode("#include \"s.h\"\n" + Code);
  Unit.File = File;
  Unit.Headers["s.h"] = R"c(
struct in { int x, y; };
struct ops { int (*run)(struct in *); };
union numbers { struct in in; char bytes[8]; };
struct s { int a; struct in in; int b; struct ops *ops; };
static inline int get(struct s *p) { return p->a
#ifdef MORE
  + p->b
#endif
; }
__attribute__((weak)) int overridden(struct s *p);
void start_thread(struct s *p);
)c";
  return llvm::cantFail(Unit.build());
}

inline std::vector<kst::TuFacts> smallUnits() {
  std::vector<kst::TuFacts> Units;
  Units.push_back(unitFacts("a.c",
                            "int a(struct s *p) { return get(p); }\n"
                            "int overridden(struct s *p) { return p->a; }\n"));
  Units.push_back(unitFacts(
      "b.c", "#undef MORE\nstatic int run(struct in *i) { return i->x; }\n"
             "struct ops table = { run };\n"
             "int b(struct s *p) { return p->ops->run(&p->in) + get(p); }\n"));
  Units.push_back(unitFacts("c.c",
                            "int overridden(struct s *p) { return p->b; }\n"
                            "int c(union numbers *n, struct s *p) { "
                            "start_thread(p); asm volatile(\"# %0\" : : "
                            "\"i\" (__builtin_offsetof(struct s, in.y))); "
                            "return n->bytes[0] + get(p); }\n"));
  return Units;
}

} // namespace kst_test
