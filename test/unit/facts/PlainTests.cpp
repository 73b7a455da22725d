// SPDX-License-Identifier: GPL-2.0-or-later
//
// Leaving bodies out must not change the facts: each unit here hides the need
// for a body from a look at names.

#include "analyzer/facts/HeaderIndex.h"
#include "analyzer/facts/NeededBodies.h"
#include "hybrid/facts/FactsFile.h"
#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

const char *Header = R"c(
struct s { int a, b, c; };
static inline int get_a(struct s *p) { return p->a; }
static inline int get_b(struct s *p) { return p->b; }
static inline int get_c(struct s *p) { return get_a(p) + p->c; }
static inline int unused(struct s *p) { return p->a + p->b + p->c; }
)c";

std::string bytes(TestTU Unit) {
  auto Facts = Unit.build();
  return Facts ? writeFacts(*Facts) : "error: " + toString(Facts.takeError());
}

/// Names of the functions that have facts, in their order.
std::vector<std::string> functions(const TestTU &Unit) {
  auto Facts = Unit.build();
  if (!Facts)
    return {toString(Facts.takeError())};
  std::vector<std::string> Names;
  for (const FunctionFact &Function : Facts->Functions)
    Names.push_back(Facts->Strings[Function.Name]);
  return Names;
}

struct Case {
  const char *Name;
  std::map<std::string, std::string> Headers;
  const char *Code;
  std::vector<std::string> Functions; ///< in the facts
};

void PrintTo(const Case &Shown, std::ostream *Out) { *Out << Shown.Name; }

class Plain : public testing::TestWithParam<Case> {};

TEST_P(Plain, SameFacts) {
  TestTU Unit = TestTU::withCode(GetParam().Code);
  Unit.Headers = GetParam().Headers;
  Unit.Headers["s.h"] = Header;
  TestTU Whole = Unit;
  Whole.Plain = true;
  std::string Expected = bytes(Whole);
  EXPECT_EQ(functions(Whole), GetParam().Functions);
  EXPECT_EQ(bytes(Unit), Expected);
  // The same with what the first parse, and another unit, taught.
  HeaderIndex Index;
  TestTU Other =
      TestTU::withCode("#include \"s.h\"\nint o(void) { return 0; }");
  Other.Headers = Unit.Headers;
  Other.Index = Unit.Index = &Index;
  bytes(Other);
  EXPECT_EQ(bytes(Unit), Expected);
  EXPECT_EQ(bytes(Unit), Expected);
}

const Case Cases[] = {
    {"Nothing",
     {},
     "#include \"s.h\"\nint f(struct s *p) { return p->a; }",
     {"f"}},
    {"Direct",
     {},
     "#include \"s.h\"\nint f(struct s *p) { return get_c(p); }",
     {"f", "get_c", "get_a"}},
    {"Paste",
     {{"p.h", "#define GET(x, p) get_##x(p)\n"
              "#define CAT(x, y) x##y\n#define CALL(x, y, p) CAT(x, y)(p)\n"}},
     "#include \"p.h\"\n#include \"s.h\"\n"
     "int f(struct s *p) { return GET(a, p) + CALL(g, et_b, p); }",
     {"f", "get_a", "get_b"}},
    {"DefinedByMacro",
     {{"m.h", "#define DEFINE(n, e) static inline int n##_all(struct s *p) "
              "{ return get_b(p) + (e); }\nDEFINE(take, get_a(p))\n"}},
     "#include \"s.h\"\n#include \"m.h\"\n"
     "int f(struct s *p) { return take_all(p); }",
     {"f", "take_all", "get_b", "get_a"}},
    {"NameMadeByMacro",
     {{"m.h", "#define FN(n) made_##n\n"
              "static inline int FN(one)(struct s *p) { return p->b; }\n"}},
     "#include \"s.h\"\n#include \"m.h\"\n"
     "int f(struct s *p) { return made_one(p); }",
     {"f", "made_one"}},
    {"LaterHeaderNeedsEarlier",
     {{"late.h", "static inline int late(struct s *p) { return get_b(p); }\n"}},
     "#include \"s.h\"\n#include \"late.h\"\n"
     "int f(struct s *p) { return late(p); }",
     {"f", "late", "get_b"}},
    {"MacroOfLaterHeader",
     {{"late.h", "#define LATE get_b\n"}},
     "#include \"s.h\"\n#include \"late.h\"\n"
     "int f(struct s *p) { return LATE(p); }",
     {"f", "get_b"}},
    {"Table",
     {{"t.h", "struct ops { int (*run)(struct s *); };\n"
              "#define OPS { .run = get_##a }\n#define RUN(x) get_##x\n"}},
     "#include \"s.h\"\n#include \"t.h\"\n"
     "const struct ops o = { .run = RUN(b) };",
     {"get_b"}},
    {"AddressTaken",
     {{"p.h", "#define REF(x) (&get_##x)\n"}},
     "#include \"s.h\"\n#include \"p.h\"\nint run(int (*)(struct s *));\n"
     "int f(struct s *p) { return run(REF(a)); }",
     {"f", "get_a"}},
    {"Generic",
     {{"g.h", "#define PICK(p) _Generic((p), struct s *: get_c, "
              "default: get_b)(p)\n"}},
     "#include \"s.h\"\n#include \"g.h\"\n"
     "int f(struct s *p) { return PICK(p); }",
     {"f", "get_c", "get_a"}},
    {"StatementExpression",
     {{"e.h", "#define TWICE(p) ({ int r_ = get_a(p); r_ + get_b(p); })\n"}},
     "#include \"s.h\"\n#include \"e.h\"\n"
     "int f(struct s *p) { return TWICE(p); }",
     {"f", "get_a", "get_b"}},
    {"StaticLocal",
     {{"l.h", "static inline struct s *only(void) { static struct s one; "
              "return &one; }\n"
              "static inline struct s *spare(void) { static struct s one; "
              "struct hidden { int h; } x; x.h = 1; return &one; }\n"}},
     "#include \"s.h\"\n#include \"l.h\"\n"
     "int f(void) { return only()->a; }",
     {"f", "only"}},
    {"Counter",
     {{"c.h", "#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n"
              "#define CALL_(n) do { extern void n(void); n(); } while (0)\n"
              "#define CALL(n) CALL_(n)\n"
              "#define CHECK() CALL(CAT(check, __COUNTER__))\n"
              "static inline void spare(void) { CHECK(); CHECK(); }\n"
              "static inline int need(struct s *p) { CHECK(); CHECK(); "
              "return p->a; }\n"}},
     "#include \"s.h\"\n#include \"c.h\"\n"
     "int f(struct s *p) { CHECK(); return need(p); }\n"
     "static int (*CAT(table, __COUNTER__))(struct s *) = need;",
     {"f", "need"}},
    {"DeclaredBeforeElsewhere",
     {{"d.h", "struct s; static inline int later(struct s *p);\n"},
      {"l.h", "static inline int later(struct s *p) { return p->c; }\n"}},
     "#include \"d.h\"\n#include \"s.h\"\n#include \"l.h\"\n"
     "#define AT(x) la##x\nint f(struct s *p) { return AT(ter)(p); }",
     {"f", "later"}},
    {"GnuInlineAndOwnDefinition",
     {{"g.h", "extern inline __attribute__((gnu_inline)) int twin(struct s *p)"
              " { return p->b; }\n"}},
     "#include \"s.h\"\n#include \"g.h\"\n"
     "int twin(struct s *p) { return p->c; }\n"
     "int f(struct s *p) { return twin(p); }",
     {"twin", "f"}},
    {"IncludedSource",
     {{"part.c", "int g(struct s *p) { return get_b(p); }\n"}},
     "#include \"s.h\"\n#include \"part.c\"\n",
     {"g", "get_b"}},
    {"HeaderTwice",
     {{"x.h", "static inline int NAME(struct s *p) { return p->a + WITH; }\n"}},
     "#include \"s.h\"\n#define NAME one\n#define WITH get_b(p)\n"
     "#include \"x.h\"\n#undef NAME\n#define NAME two\n#include \"x.h\"\n"
     "int f(struct s *p) { return two(p) + one(p); }",
     {"f", "two", "one", "get_b"}},
};

INSTANTIATE_TEST_SUITE_P(Units, Plain, testing::ValuesIn(Cases),
                         [](const auto &Info) { return Info.param.Name; });

TEST(NeededBodies, LeavesOutWhatNothingNames) {
  HeaderIndex Index;
  NeededBodies Needed(Index, /*All=*/false);
  Needed.addSource("int f(struct s *p) { return get_c(p); }");
  std::string Text = "static inline int get_c(int p) { return get_a(p); }\n"
                     "static inline int get_a(int p) {\n  return p;\n}\n"
                     "static inline int get_b(int p) {\n  return p;\n}\n";
  auto Reduced = Needed.reduce(llvm::sys::fs::UniqueID(1, 1),
                               llvm::MemoryBuffer::getMemBuffer(Text));
  EXPECT_EQ(Reduced->getBuffer(),
            "static inline int get_c(int p) { return get_a(p); }\n"
            "static inline int get_a(int p) {\n  return p;\n}\n"
            "static inline int get_b(int p) ;\n           \n \n");
}

TEST(NeededBodies, AllLeavesOutNothing) {
  HeaderIndex Index;
  NeededBodies Needed(Index, /*All=*/true);
  std::string Text = "static inline int f(int p) { return p; }\n";
  auto Reduced = Needed.reduce(llvm::sys::fs::UniqueID(1, 1),
                               llvm::MemoryBuffer::getMemBuffer(Text));
  EXPECT_EQ(Reduced->getBuffer(), Text);
}

TEST(Plain, ErrorIsThatOfTheWholeUnit) {
  TestTU Unit = TestTU::withCode("#include \"s.h\"\nint f(void) { return x; }");
  Unit.Headers["s.h"] = Header;
  TestTU Whole = Unit;
  Whole.Plain = true;
  EXPECT_EQ(bytes(Unit), bytes(Whole));
  EXPECT_EQ(bytes(Unit).substr(0, 6), "error:");
}

} // namespace
} // namespace kst
