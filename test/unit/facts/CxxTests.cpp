// SPDX-License-Identifier: GPL-2.0-or-later
//
// C++ units: what their bodies access, what they call by which name, which
// functions are the unit's own, what their classes demand.

#include "test/unit/support/FactsText.h"
#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kst {
namespace {

const char *Declarations = R"c(
namespace std { template <class T> T &&move(T &t) { return static_cast<T &&>(t); } }
using size_t = decltype(sizeof(0));
struct s { int a, b; s *next; char pad[64]; int c; };
struct holder { s &to; int n; };
int take(s &), take(s *, int);
template <class T> struct box { T v; T get() const { return v; } };
struct own { int x; own(); own(int); ~own(); int get() const { return x; }
             static int count(s *p) { return p->a; }
             virtual int over(); };
void *operator new(size_t);
)c";

llvm::Expected<TuFacts> factsOf(const std::string &Code,
                                const std::string &File = "main.cc") {
  TestTU Unit = TestTU::withCode(Code);
  Unit.File = File;
  Unit.ExtraArgs = {"-std=c++20"};
  return Unit.build();
}

const FunctionFact *functionNamed(const TuFacts &Facts,
                                  const std::string &Name) {
  for (const FunctionFact &Function : Facts.Functions)
    if (Facts.Strings[Function.Name] == Name)
      return &Function;
  return nullptr;
}

/// What f() of this body does.
std::string extracted(const std::string &Body) {
  auto Facts = factsOf(std::string(Declarations) +
                       "long f(s *p, s &q, holder &h, long i) {" + Body + "}");
  if (!Facts)
    return toString(Facts.takeError());
  const FunctionFact *F = functionNamed(*Facts, "f");
  return F ? FactsText(*Facts, *F).body() : "no function";
}

struct Case {
  const char *Body, *Expected;
};

void check(llvm::ArrayRef<Case> Cases) {
  for (const Case &C : Cases)
    EXPECT_EQ(extracted(C.Body), C.Expected) << C.Body;
}

TEST(Cxx, References) {
  check({
      {"return q.a;", "read arg1.a\n"},
      {"s &r = *p; r.b = 1; return 0;", "write arg0.b\n"},
      {"const auto &r = q.c; return r;", "read arg1.c\n"},
      {"h.to.a++; return 0;", "read arg2.to\nchange *(arg2.to).a\n"},
      {"return take(q) + take(*p);", "_Z4takeR1s(arg1)\n_Z4takeR1s(arg0)\n"},
      {"return take(&q, 1);", "_Z4takeP1si(arg1, 1)\n"},
  });
}

TEST(Cxx, CopiesOfRecords) {
  check({
      {"*p = q; return 0;", "bulk read arg1\nbulk write arg0\n"},
      {"s l = q; return l.a;", "bulk read arg1\n"},
      {"return std::move(q).a;", "read arg1.a\n"},
  });
}

std::string bodyOf(const std::string &Code, const std::string &Name) {
  auto Facts = factsOf(std::string(Declarations) + Code);
  if (!Facts)
    return toString(Facts.takeError());
  const FunctionFact *F = functionNamed(*Facts, Name);
  if (F)
    return FactsText(*Facts, *F).body();
  std::string Names;
  for (const FunctionFact &Of : Facts->Functions)
    Names += " " + Facts->Strings[Of.Name];
  return "only" + Names;
}

/// What a closure holds is a member of it.
TEST(Cxx, Closures) {
  const char *Code = "int g(s &q, int n) { "
                     "auto l = [&q, n](int k) { return q.a + n + k; }; "
                     "return l(3); }";
  EXPECT_EQ(bodyOf(Code, "g::lambda"), "read *(arg0.).a\nread arg0.\n");
  EXPECT_NE(bodyOf(Code, "g").find("(object0, 3)"), std::string::npos)
      << bodyOf(Code, "g");
  EXPECT_NE(bodyOf(Code, "g").find("object0. = arg0\n"), std::string::npos)
      << bodyOf(Code, "g");
}

TEST(Cxx, Methods) {
  EXPECT_EQ(bodyOf("int g(own &o) { return o.get(); }", "own::get"),
            "read arg0.x\n");
  EXPECT_EQ(bodyOf("int g(own &o) { return o.get(); }", "g"),
            "_ZNK3own3getEv(arg0)\n");
  EXPECT_EQ(bodyOf("int g(s *p) { return own::count(p); }", "own::count"),
            "read arg0.a\n");
  // Whose function it is only the object knows.
  EXPECT_EQ(bodyOf("int g(own &o) { return o.over(); }", "g"), "?(arg0)\n");
  EXPECT_EQ(bodyOf("own::own(int n) : x(n) {}", "own::own"), "write arg0.x\n");
  EXPECT_EQ(bodyOf("void g(s *p) { own o(p->a); }", "g"),
            "read arg0.a\n_ZN3ownC1Ei(object0, *(arg0.a))\n"
            "_ZN3ownD1Ev(object0)\n");
}

TEST(Cxx, InstancesOfTemplates) {
  EXPECT_EQ(bodyOf("int g(box<int> *b) { return b->get(); }", "box<int>::get"),
            "read arg0.v\n");
}

std::vector<std::string> keysOf(const std::string &Code,
                                const std::string &File = "main.cc") {
  auto Facts = factsOf(Code, File);
  if (!Facts)
    return {toString(Facts.takeError())};
  std::vector<std::string> Keys;
  for (const FunctionFact &Of : Facts->Functions)
    Keys.push_back(Facts->Strings[Of.Key] +
                   (Of.Flags & FnOwn ? "" : " (header)"));
  for (const DropFact &Of : Facts->Drops)
    if (Of.Function)
      Keys.push_back("unread " + Facts->Strings[Of.Function]);
  std::ranges::sort(Keys);
  return Keys;
}

using Names = std::vector<std::string>;

TEST(Cxx, KeysKeepOverloadsApart) {
  EXPECT_EQ(keysOf("int f(int a) { return a; } int f(long a) { return a; }"
                   "extern \"C\" int g(int a) { return a; }"
                   "namespace n { int f(int a) { return a; } }"
                   "namespace { struct t { int f() { return 1; } }; }"
                   "static int f(char) { return 1; }"
                   "int main() { return 0; }"),
            (Names{"_Z1fi", "_Z1fl", "_ZN1n1fEi", "g", "main", "main.cc:_ZL1fc",
                   "main.cc:_ZN12_GLOBAL__N_11t1fEv"}));
}

TEST(Cxx, AllBodiesAreRead) {
  EXPECT_EQ(keysOf("struct a { int m() { return 1; } "
                   "  friend int fr(a) { return 2; } "
                   "  struct in { int n() { return 3; } }; };"
                   "template <class T> T id(T t) { return t; }"
                   "int use() { struct loc { int l() { return 4; } } v;"
                   "  return id(3) + v.l(); }"),
            (Names{"_Z2fr1a", "_Z2idIiET_S0_", "_Z3usev", "_ZN1a1mEv",
                   "_ZN1a2in1nEv", "main.cc:_ZZ3usevEN3loc1lEv"}));
}

TEST(Cxx, HeadersAreNotOwnCode) {
  TestTU Unit = TestTU::withCode("#include \"h.h\"\n#include \"part.c\"\n"
                                 "int f() { return used() + part(); }");
  Unit.File = "main.cc";
  Unit.Headers["h.h"] = "inline int used() { return 1; }\n"
                        "inline int unused() { return 2; }\n"
                        "int emitted() { return 3; }\n";
  Unit.Headers["part.c"] = "static int part() { return 4; }";
  Unit.ExtraArgs = {"-std=c++20"};
  auto Facts = Unit.build();
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  EXPECT_FALSE(functionNamed(*Facts, "unused"));
  ASSERT_TRUE(functionNamed(*Facts, "used"));
  EXPECT_FALSE(functionNamed(*Facts, "used")->Flags & FnOwn);
  for (const char *Own : {"f", "part", "emitted"}) {
    ASSERT_TRUE(functionNamed(*Facts, Own)) << Own;
    EXPECT_TRUE(functionNamed(*Facts, Own)->Flags & FnOwn) << Own;
  }
}

/// A header that a command compiles by itself is a unit like others.
TEST(OwnCode, AnyMainFile) {
  TestTU Unit = TestTU::withCode("struct s { int a; };\n"
                                 "static inline int f(struct s *p) "
                                 "{ return p->a; }");
  Unit.File = "lib.h";
  auto Facts = Unit.build();
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  ASSERT_EQ(Facts->Functions.size(), 1u);
  EXPECT_EQ(Facts->Accesses.size(), 1u);
}

TEST(OwnCode, PreprocessedText) {
  TestTU Unit = TestTU::withCode("# 1 \"b.c\"\n# 1 \"s.h\" 1\n\n"
                                 "struct s { int a; };\n"
                                 "static int unused(void) { return 1; }\n"
                                 "# 2 \"b.c\" 2\n"
                                 "int f(struct s *p) { return p->a; }\n");
  Unit.File = "b.i";
  auto Facts = Unit.build();
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  ASSERT_EQ(Facts->Functions.size(), 1u);
  EXPECT_EQ(Facts->Strings[Facts->Functions[0].File], "b.c");
  ASSERT_EQ(Facts->Records.size(), 1u);
  EXPECT_EQ(Facts->Strings[Facts->Records[0].File], "s.h");
  EXPECT_EQ(Facts->Records[0].Line, 2u);
}

/// As parser generators write it: no header is entered.
TEST(OwnCode, LineDirectives) {
  TestTU Unit = TestTU::withCode("int a(void) { return 1; }\n"
                                 "#line 7 \"parse.y\"\n"
                                 "static int b(void) { return 1; }\n");
  auto Facts = Unit.build();
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  ASSERT_EQ(Facts->Functions.size(), 2u);
  EXPECT_EQ(Facts->Strings[Facts->Functions[1].File], "parse.y");
  EXPECT_EQ(Facts->Functions[1].Line, 7u);
}

uint32_t flagsOf(const std::string &Code, const std::string &Name) {
  auto Facts = factsOf(Code);
  if (!Facts) {
    ADD_FAILURE() << toString(Facts.takeError());
    return ~0u;
  }
  for (const RecordFact &Of : Facts->Records)
    if (Facts->Strings[Of.Name] == Name)
      return Of.Flags;
  ADD_FAILURE() << "no record " << Name;
  return ~0u;
}

TEST(Cxx, KindsOfRecords) {
  EXPECT_EQ(flagsOf("struct r { int a, b; int f(); r(); };", "r"), 0u);
  EXPECT_EQ(flagsOf("class r { int a, b; };", "r"), 0u);
  EXPECT_EQ(flagsOf("namespace n { struct r { int a; }; }", "n::r"), 0u);
  EXPECT_EQ(flagsOf("extern \"C\" { struct r { int a; }; }", "r"), 0u);
  EXPECT_EQ(flagsOf("struct b { int x; }; struct r : b { };", "r"), RecHasBase);
  EXPECT_EQ(flagsOf("struct r { int a; virtual int f(); };", "r"),
            RecHasVtable | RecNotStandard);
  EXPECT_EQ(flagsOf("class r { int a; public: int b; };", "r"), RecNotStandard);
  EXPECT_EQ(
      flagsOf("template <class T> struct r { T a; }; r<int> v;", "r<int>"),
      RecTemplate);
}

Names demandsOf(const std::string &Code) {
  auto Facts = factsOf(Code);
  if (!Facts)
    return {toString(Facts.takeError())};
  Names Found;
  for (const DemandFact &Of : Facts->Demands) {
    auto Field = [&](uint32_t Number) {
      const RecordFact &In = Facts->Records[Of.Record];
      return Number == None
                 ? std::string("-")
                 : Facts->Strings[Facts->Fields[In.Fields.Begin + Number].Name];
    };
    const char *Kind = Of.Kind == DemandKind::Positional       ? "up to "
                       : Of.Kind == DemandKind::MadeAfter      ? "after "
                       : Of.Kind == DemandKind::AssertedOrder  ? "order "
                       : Of.Kind == DemandKind::Overrun        ? "bytes "
                       : Of.Kind == DemandKind::AssertedOffset ? "offset "
                                                               : "? ";
    Found.push_back(Kind + Field(Of.Field) +
                    (Of.Other == None ? "" : " " + Field(Of.Other)));
  }
  std::ranges::sort(Found);
  return Found;
}

TEST(CxxDemands, Positions) {
  const std::string R = "struct r { int a, b, c; };";
  EXPECT_EQ(demandsOf(R + "r v{1, 2};"), Names{"up to b"});
  EXPECT_EQ(demandsOf(R + "r v{.a = 1, .c = 2};"), Names{"order c a"});
  EXPECT_EQ(demandsOf(R + "r f() { return r(1, 2); }"), Names{"up to b"});
  EXPECT_EQ(demandsOf(R + "int f(r &v) { auto &[x, y, z] = v; return y; }"),
            Names{"up to c"});
  EXPECT_EQ(demandsOf(R + "struct o { char x[12]; };"
                          "o f(r &v) { return __builtin_bit_cast(o, v); }"),
            Names{"bytes -"});
  EXPECT_EQ(demandsOf(R + "static_assert(__builtin_offsetof(r, b) == 4);"),
            Names{"offset b"});
  EXPECT_EQ(demandsOf(R + "struct in { static_assert(__builtin_offsetof(r, b) "
                          "== 4); };"),
            Names{"offset b"});
  EXPECT_EQ(demandsOf(R + "int f(r *p) { return p->a + p->c; }"), Names{});
}

TEST(CxxDemands, Construction) {
  EXPECT_EQ(demandsOf("struct r { int a = 1; int b = a + 1; int c; };"),
            Names{"after b a"});
  EXPECT_EQ(demandsOf("struct r { int a, b; r(int n) : a(n), b(a) {} };"),
            Names{"after b a"});
  EXPECT_EQ(demandsOf("struct d { ~d(); }; struct r { d a; int b; d c; };"),
            Names{"after c a"});
}

/// Its table, and what the compiler makes for it, are where key() is.
TEST(Cxx, KeyFunctionEntersTheOthers) {
  TestTU Unit = TestTU::withCode("#include \"b.h\"\n"
                                 "int derived::key() { return 0; }\n");
  Unit.File = "main.cc";
  Unit.ExtraArgs = {"-std=c++20"};
  Unit.Headers["b.h"] =
      "struct base { int v; virtual ~base() { v = 0; } };\n"
      "struct derived : base { virtual int key(); virtual int other();\n"
      "  virtual int in() { return v; } };\n"
      "struct apart : base { virtual int key(); virtual int in2() { return v; "
      "} };\n";
  auto Facts = Unit.build();
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  EXPECT_TRUE(functionNamed(*Facts, "derived::in"));
  EXPECT_TRUE(functionNamed(*Facts, "base::~base"));
  EXPECT_FALSE(functionNamed(*Facts, "apart::in2"));
}

} // namespace
} // namespace kst
