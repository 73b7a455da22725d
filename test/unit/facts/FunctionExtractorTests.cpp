// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses, calls and stores of one body.

#include "test/unit/support/FactsText.h"
#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

const char *Declarations = R"c(
struct s;
struct ops { int (*run)(struct s *, int); };
struct s { int a, b; struct s *next; char name[8]; atomic_t users;
           int bits : 3; const struct ops *ops; };
struct pair { struct s *one; int two; };
struct s make(void);
int call(struct s *, int), arg(void);
void *memset(void *, int, unsigned long);
void *memcpy(void *, const void *, unsigned long);
void *malloc(unsigned long);
void leave(struct s **);
)c";

std::string extracted(const std::string &Body) {
  TestTU Unit = TestTU::withCode(
      "#include \"kernel.h\"\n" + std::string(Declarations) +
      "long f(struct s *p, struct s *q, long i) {" + Body + "}");
  Unit.Headers["kernel.h"] = kernelLike();
  llvm::Expected<TuFacts> Facts = Unit.build();
  if (!Facts)
    return toString(Facts.takeError());
  for (const FunctionFact &Function : Facts->Functions)
    if (Facts->Strings[Function.Name] == "f")
      return FactsText(*Facts, Function).body();
  return "no function";
}

struct Case {
  const char *Body, *Expected;
};

void check(llvm::ArrayRef<Case> Cases) {
  for (const Case &C : Cases)
    EXPECT_EQ(extracted(C.Body), C.Expected) << C.Body;
}

/// "LINE:COLUMN" of each access of f(), from the line of its name.
std::string placesIn(const std::string &Body) {
  TestTU Unit = TestTU::withCode("struct s { int a, b, in[4]; };\n"
                                 "#define TWICE(x) ((x) + 2 * (x))\n"
                                 "int f(struct s *p, struct s *q) {\n" +
                                 Body + "\n}\n");
  llvm::Expected<TuFacts> Facts = Unit.build();
  if (!Facts)
    return toString(Facts.takeError());
  std::string Out;
  for (const AccessFact &Access : Facts->Accesses)
    Out += (Out.empty() ? "" : " ") +
           std::to_string(Access.Line - Facts->Functions.front().Line) + ":" +
           std::to_string(Access.Column);
  return Out;
}

/// As clang's debug information has them: the member's name of a read, the
/// operator of a write, a macro where it stands.
TEST(FunctionExtractor, ColumnsAreThoseOfDebugInformation) {
  EXPECT_EQ(placesIn("return p->a + q->b;"), "1:11 1:18");
  EXPECT_EQ(placesIn("p->a = 1;\n  q->b++;\np->in[2] += 3;\nreturn 0;"),
            "1:6 2:7 3:10");
  EXPECT_EQ(placesIn("return TWICE(p->a);"), "1:8");
}

TEST(FunctionExtractor, Accesses) {
  check({
      {"return p->a;", "read arg0.a\n"},
      {"p->a = 1;", "write arg0.a\n"},
      {"p->a += 1; q->b++;", "change arg0.a\nchange arg1.b\n"},
      {"p->bits = i;", "write arg0.bits\n"},
      {"return p->next->a;", "read arg0.next\nread *(arg0.next).a\n"},
      {"return READ_ONCE(p->a);", "read arg0.a once\n"},
      {"WRITE_ONCE(p->a, 1);", "write arg0.a once\n"},
      {"*p = *q;", "bulk read arg1\nbulk write arg0\n"},
      {"return __atomic_load_n(&p->a, 0);", "read arg0.a atomic\n"},
      {"__sync_fetch_and_add(&p->a, 1);", "change arg0.a atomic\n"},
      {"asm(\"\" : \"+m\"(p->a));", "change arg0.a\n"},
      {"asm(\"bts %1, %0\" :: \"m\"(p->a), \"r\"(1));", "change arg0.a\n"},
      {"asm(\"mov %0, %1\" : \"=m\"(p->a) : \"m\"(q->b));",
       "write arg0.a\nread arg1.b\n"},
  });
}

TEST(FunctionExtractor, WhatIsNoAccess) {
  check({
      {"return sizeof(p->a) + __builtin_constant_p(p->b);", ""},
      {"return (long)&p->a;", ""},
      {"int l = 3; l++; struct s own; own.a = 3;", ""},
      {"return 0 ? p->a : i;", ""},
      // The second read is of a register.
      {"return p->a + p->a;", "read arg0.a\n"},
      {"return READ_ONCE(p->a) + READ_ONCE(p->a);",
       "read arg0.a once\nread arg0.a once\n"},
      {"i = p->a; arg(); return i + p->a;",
       "read arg0.a\nread arg0.a\narg()\n"},
  });
}

TEST(FunctionExtractor, LibraryFunctions) {
  check({
      {"memset(p->name, 0, 8);", "bulk write arg0.name\n"},
      {"memcpy(p, q, sizeof(*p));", "bulk write arg0\nbulk read arg1\n"},
      // Less than the whole begins at the first member.
      {"memcpy(&p->a, &q->a, 8);", "bulk write arg0.a\nbulk read arg1.a\n"},
      {"memset(p, 0, 8);", "bulk write arg0.a\n"},
      {"return (long)malloc(8);", "malloc(8)\n"},
  });
}

TEST(FunctionExtractor, CallsAndStores) {
  check({
      {"call(p, arg());", "arg()\ncall(arg0, call0)\n"},
      {"p->ops->run(q, 1);",
       "read arg0.ops\nread *(arg0.ops).run\n->run(arg1, 1)\n"},
      {"p->next = q;", "write arg0.next\narg0.next = arg1\n"},
      {"p->next = 0;", "write arg0.next\n"},
      {"p->a = i;", "write arg0.a\n"},
      {"struct pair l = {q, 2}; arg();", "arg()\nobject0.one = arg1\n"},
      {"asm(\"xchg %0, %1\" : \"+m\"(p->next), \"+r\"(q));",
       "change arg0.next\narg0.next = local{arg1|?}\n"},
      {"struct s *held __attribute__((cleanup(leave))) = p; arg();",
       "arg()\nleave(object0)\nobject0 = arg0\n"},
  });
}

} // namespace
} // namespace kst
