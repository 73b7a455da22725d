// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where pointers to records go when their type is forgotten.

#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

#include <array>

namespace kst {
namespace {

const char *Records = R"c(
typedef unsigned long size_t;
struct one { int a, b; };
struct two { int a, b, c; };
struct holder { void *any; unsigned long word; char bytes[32]; struct one *own;
                void *(*turn)(void *); };
void *keep(void *any);
)c";

/// "one -> two", "one -> keep.0", "keep() -> two", "holder.any -> two".
std::vector<std::string> shown(const TuFacts &Facts) {
  auto Field = [&](const SlotFact &S) {
    const RecordFact &Record = Facts.Records[S.A];
    return Facts.Strings[Record.Name] + "." +
           Facts.Strings[Facts.Fields[Record.Fields.Begin + S.B].Name];
  };
  auto Name = [&](const SlotFact &S) -> std::string {
    switch (S.Kind) {
    case SlotKind::Record:
      return Facts.Strings[Facts.Records[S.A].Name];
    case SlotKind::Param:
      return Facts.Strings[S.A] + "." + std::to_string(S.B);
    case SlotKind::Result:
      return Facts.Strings[S.A] + "()";
    case SlotKind::Global:
      return Facts.Strings[S.A];
    case SlotKind::Member:
      return Field(S);
    case SlotKind::TableParam:
      return Field(S) + "." + std::to_string(S.C);
    case SlotKind::TableResult:
      return Field(S) + "()";
    case SlotKind::Scalar:
      return (S.B ? "pointers of " : "numbers of ") + std::to_string(S.A);
    case SlotKind::Holder:
      return Facts.Strings[S.A] + "(" + std::to_string(S.B) + ")";
    case SlotKind::Byte:
      return "byte " + std::to_string(S.A);
    case SlotKind::Opaque: {
      const char *Kinds[] = {"offset", "length", "rest", "assembly", "foreign"};
      static_assert(std::size(Kinds) == size_t(OpaqueKind::Count));
      return std::string(Kinds[S.C]) + " in line " + std::to_string(S.B);
    }
    case SlotKind::Number:
      return std::array{"measured", "counted", "written"}.at(S.A);
    case SlotKind::Count:
      break;
    }
    return "?";
  };
  std::vector<std::string> Lines;
  for (const PointerFlowFact &F : Facts.PointerFlows)
    Lines.push_back(Name(F.From) + " -> " + Name(F.To));
  std::sort(Lines.begin(), Lines.end());
  return Lines;
}

struct Case {
  const char *Name;
  const char *Code;
  std::vector<std::string> Flows;
};

void PrintTo(const Case &Shown, std::ostream *Out) { *Out << Shown.Name; }

class Flows : public testing::TestWithParam<Case> {};

TEST_P(Flows, Found) {
  TestTU Unit = TestTU::withCode(std::string(Records) + GetParam().Code);
  auto Facts = Unit.build();
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  EXPECT_EQ(shown(*Facts), GetParam().Flows);
}

const Case Cases[] = {
    {"Cast",
     "struct two *f(struct one *p) { return (struct two *)p; }",
     {"one -> two"}},
    {"ElementOfArray",
     "struct two *f(struct one *p, int i) { return (struct two *)&p[i]; }",
     {"one -> two"}},
    {"SameRecord",
     "const struct one *f(struct one *p) { return (const struct one *)p; }",
     {}},
    {"ThroughVoid",
     "struct two *f(struct one *p) { return (void *)p; }",
     {"one -> two"}},
    {"ThroughVariable",
     "struct two *f(struct one *p) { void *q, *r; q = p; r = q; return r; }",
     {"one -> two"}},
    {"ThroughNumber",
     "struct two *f(struct one *p) { unsigned long n = (unsigned long)p | 1;\n"
     "return (struct two *)(n & ~1UL); }",
     {"one -> two"}},
    {"EitherOfTwo",
     "void f(struct one *p, struct two *q, int n) { keep(n ? (void *)p : q); }",
     {"one -> keep.0", "two -> keep.0"}},
    {"IntoParameter", "void f(struct one *p) { keep(p); }", {"one -> keep.0"}},
    {"FromParameter",
     "int f(void *any) { struct two *p = any; return p->a; }",
     {"f.0 -> two"}},
    {"OutOfFunction",
     "int f(void *any) { struct two *p = keep(any); return p->a; }",
     {"f.0 -> keep.0", "keep() -> two"}},
    {"Returned", "void *f(struct one *p) { return p; }", {"one -> f()"}},
    {"Member",
     "int f(struct holder *h, struct one *p) { h->any = p;\n"
     "return ((struct two *)h->any)->a; }",
     {"holder.any -> two", "one -> holder.any"}},
    {"MemberReadOnce",
     "int f(struct holder *h) { struct two *p =\n"
     "*(void *const volatile *)&h->any; return p->a; }",
     {"holder.any -> two"}},
    {"NumberInMember",
     "void f(struct holder *h, struct one *p) { h->word = (unsigned long)p; }",
     {"one -> holder.word"}},
    {"Initialiser",
     "struct one x; struct holder h = { .any = &x };",
     {"one -> holder.any"}},
    {"Global",
     "static void *any; void f(struct one *p) { any = p; }",
     {"one -> main.c:any"}},
    {"BytesOfRecord",
     "struct two *f(struct holder *h) { return (struct two *)h->bytes; }",
     {"holder.bytes -> two", "two -> holder.bytes"}},
    {"ThroughTable",
     "struct two *f(struct holder *h, struct one *p) { return h->turn(p); }",
     {"holder.turn() -> two", "one -> holder.turn.0"}},
    {"OutPointer",
     "void get(void **any); void f(void) { struct one *p; get((void **)&p); }",
     {"get.0 -> one", "one -> get.0"}},
    {"CopiedBytes",
     "void f(struct one *p, struct two *q) {\n"
     "__builtin_memcpy(p, q, sizeof(*p)); }",
     {"two -> one"}},
    // Typed all the way, another level, another place: nothing is forgotten.
    {"Typed",
     "void g(struct one *p); void f(struct holder *h) { g(h->own); }",
     {}},
    {"AddressOfPointer", "void f(struct one *p) { keep(&p); }", {}},
    {"CastOfFunction",
     "void one(struct one *p); typedef void (*call)(struct two *);\n"
     "call f(void) { return (call)one; }",
     {"two -> one"}},
    {"CastOfUntypedFunction",
     "void one(struct one *p); typedef void (*call)(void *);\n"
     "call f(void) { return (call)one; }",
     {"one.0 -> one"}},
    {"CastOfFunctionOfTheSame",
     "int one(struct one *p); typedef void (*call)(struct one *);\n"
     "call f(void) { return (call)one; }",
     {}},
    {"Callback",
     "void start(void (*run)(void *), void *with);\n"
     "static void run(void *p) { struct two *q = p; q->a = 1; }\n"
     "void f(struct one *p) { start(run, p); }",
     {"main.c:run.0 -> two", "one -> main.c:run.0", "one -> start.1"}},
    {"FunctionBesideTyped",
     "void start(void (*run)(void *), struct one *with);\n"
     "static void run(void *p) { struct two *q = p; q->a = 1; }\n"
     "void f(struct one *p) { start(run, p); }",
     {"main.c:run.0 -> two"}},
    {"HeldByVariable",
     "static int run(void *p) { return *(int *)p; }\n"
     "static int (*held)(void *) = run;\n"
     "int f(struct one *p) { return held(p); }",
     {"main.c:held(0) -> main.c:run.0", "main.c:run.0 -> numbers of 4",
      "one -> main.c:held(0)"}},
    {"HeldByArray",
     "static int run(void *p) { return *(int *)p; }\n"
     "static int (*held[2])(void *) = {run};\n"
     "int f(struct one *p, int i) { return held[i](p); }",
     {"main.c:held(0) -> main.c:run.0", "main.c:run.0 -> numbers of 4",
      "one -> main.c:held(0)"}},
    {"NumberAtStart",
     "int f(const void *any) { return *(const int *)any; }",
     {"f.0 -> numbers of 4"}},
    {"PointerAtStart",
     "const char *f(const void *any) { return *(char *const *)any; }",
     {"f.0 -> pointers of 8"}},
    {"TableOfPointers",
     "struct one first; void *table[] = {[2] = &first};",
     {"one -> table"}},
    {"SumOfBytes",
     "struct two *f(struct one *p) { return (void *)((char *)p + 8); }",
     {"one -> byte 8"}},
    {"Cleared",
     "void f(struct one *p) { __builtin_memset(p, 0, sizeof(*p)); }",
     {}},
};
INSTANTIATE_TEST_SUITE_P(PointerFlows, Flows, testing::ValuesIn(Cases),
                         [](const auto &Info) { return Info.param.Name; });

TEST(Flows, PlaceIsWhereTheTypeComesBack) {
  TestTU Unit = TestTU::withCode("struct one { int a; };\n"
                                 "struct two { int a; };\n"
                                 "struct two *f(struct one *p) {\n"
                                 "  void *q = p;\n"
                                 "  return q;\n}");
  auto Facts = Unit.build();
  ASSERT_TRUE(bool(Facts));
  ASSERT_EQ(Facts->PointerFlows.size(), 1u);
  const PointerFlowFact &Flow = Facts->PointerFlows[0];
  EXPECT_EQ(Facts->Strings[Flow.Function], "f");
  EXPECT_EQ(Facts->Strings[Flow.File], "main.c");
  EXPECT_EQ(Flow.Line, 5u);
}

} // namespace
} // namespace kst
