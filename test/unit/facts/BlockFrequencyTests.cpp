// SPDX-License-Identifier: GPL-2.0-or-later
//
// Frequencies of blocks against numbers worked out by hand from FlowOptions.

#include "analyzer/facts/BlockFrequency.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <string>

using namespace clang;

namespace kst {
namespace {

const char Prelude[] = R"(
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define NULL ((void *)0)
#define EINVAL 22
#define WARN_ON(condition) ({ int __warned = !!(condition); \
  if (unlikely(__warned)) do { \
    __asm__ volatile("1:\t.byte 0x0f, 0x0b\n"); } while (0); \
  unlikely(__warned); })
#define BUG() do { __asm__ volatile("ud2"); __builtin_unreachable(); } while (0)
#define static_branch_unlikely(x) ({ _Bool branch; \
  branch = arch_static_branch(x, 0); unlikely(branch); })
#define static_branch_likely(x) ({ _Bool branch; \
  branch = !arch_static_branch(x, 1); likely(branch); })
#define for_each_cpu(cpu, mask) \
  for ((cpu) = 0; (cpu) = next(cpu, mask), (cpu) < limit; (cpu)++)
_Bool arch_static_branch(int *key, _Bool branch);
_Bool refcount_dec_and_test(int *count);
_Bool IS_ERR(const void *p);
void *ERR_PTR(long e);
void printer(void) __attribute__((cold));
void die(void) __attribute__((noreturn));
unsigned read_seqretry(int *s, unsigned q);
void cpu_relax(void);
void schedule(void);
int next(int, int);
struct node { struct node *next, *parent; int v; };
extern int limit, a, b, c, d;
extern unsigned u;
extern int *ptr;
int f(void);
void mark_a(void), mark_b(void), mark_c(void), mark_d(void);
)";

/// A function and its estimate; frequencies by the marker that a block calls.
struct Estimated {
  std::unique_ptr<ASTUnit> Unit;
  std::unique_ptr<CFG> Graph;
  FlowEstimate Flow;
  std::map<std::string, double> Marks;
  double operator[](const std::string &Mark) const {
    auto It = Marks.find(Mark);
    return It == Marks.end() ? std::nan("") : It->second;
  }
};

Estimated
estimate(const std::string &Body, const FlowOptions &Options = {},
         const std::string &Head = "int test(int n, struct node *p)") {
  Estimated E;
  std::string Code = std::string(Prelude) + "\n" + Head + " {" + Body + "}";
  E.Unit = tooling::buildASTFromCodeWithArgs(
      Code, {"-std=gnu11", "-w", "--target=x86_64-linux-gnu"}, "test.c");
  EXPECT_TRUE(E.Unit);
  ASTContext &Context = E.Unit->getASTContext();
  EXPECT_FALSE(Context.getDiagnostics().hasErrorOccurred());
  for (Decl *D : Context.getTranslationUnitDecl()->decls()) {
    auto *Function = dyn_cast<FunctionDecl>(D);
    if (!Function || !Function->doesThisDeclarationHaveABody())
      continue;
    CFG::BuildOptions Build;
    Build.setAllAlwaysAdd();
    E.Graph = CFG::buildCFG(Function, Function->getBody(), &Context, Build);
  }
  EXPECT_TRUE(E.Graph);
  E.Flow = estimateFlow(*E.Graph, Context, Options);
  for (const CFGBlock *Block : *E.Graph)
    for (const CFGElement &Element : *Block)
      if (auto S = Element.getAs<CFGStmt>())
        if (const auto *Call = dyn_cast<CallExpr>(S->getStmt()))
          if (const FunctionDecl *F = Call->getDirectCallee()) {
            const BlockFact &Fact = E.Flow.Blocks[Block->getBlockID()];
            E.Marks[F->getNameAsString()] += Fact.Frequency;
          }
  return E;
}

/// One line of a table: body, frequency of mark_a().
struct Case {
  const char *Name;
  const char *Body;
  double MarkA;
};

class MarkATest : public testing::TestWithParam<Case> {};

TEST_P(MarkATest, Frequency) {
  Estimated E = estimate(GetParam().Body);
  EXPECT_NEAR(E["mark_a"], GetParam().MarkA, 1e-9) << GetParam().Body;
}

// Defaults of FlowOptions: Expect .99, StaticKey .9, Cold .001, Error .05,
// Guard .34, PointerSet .7, Equal .375, Negative .1, ErrorCode .2, LoopExit .2,
// Repeat .1, Trips 2, CpuTrips 8, AncestorTrips 3.
const Case Hints[] = {
    {"Straight", "mark_a();", 1},
    {"Unknown", "if (a) mark_a();", 0.5},
    {"Unlikely", "if (unlikely(a)) mark_a();", 0.01},
    {"LikelyElse", "if (likely(a)) ; else mark_a();", 0.01},
    {"NotUnlikely", "if (!unlikely(a)) mark_a();", 0.99},
    {"Parentheses", "if ((((int)likely(a)))) mark_a();", 0.99},
    {"Given", "if (__builtin_expect_with_probability(!!a, 1, 0.7)) mark_a();",
     0.7},
    {"AndOfUnlikely", "if (a && unlikely(b)) mark_a();", 0.5 * 0.01},
    {"OrOfUnlikely", "if (unlikely(a) || unlikely(b)) mark_a();",
     0.01 + 0.99 * 0.01},
    {"FirstOfLikelyAnd", "if (likely(a && (mark_a(), b))) ;", 0.99},
    {"SecondOfUnlikelyOr", "if (unlikely(a || (mark_a(), b))) ;", 0.99},
    {"StaticUnlikely", "if (static_branch_unlikely(&a)) mark_a();", 0.1},
    {"StaticMaybeOff",
     "if (0 ? static_branch_likely(&a) : static_branch_unlikely(&a)) mark_a();",
     0.1},
    {"StaticMaybeOn",
     "if (1 ? static_branch_likely(&a) : static_branch_unlikely(&a)) mark_a();",
     0.9},
    {"LastReference", "if (refcount_dec_and_test(&a)) mark_a();", 1 / 16.0},
    {"NotTheLastReference", "if (!refcount_dec_and_test(&a)) mark_a();",
     15 / 16.0},
    {"StaticLikely", "if (static_branch_likely(&a)) mark_a();", 0.9},
    {"Warned", "if (WARN_ON(a)) mark_a();", 0.001},
    {"WarnedOfOr", "if (WARN_ON(a || (mark_a(), b))) f();", 0.999},
    {"Conditional", "int x = unlikely(a) ? (mark_a(), 1) : 2;", 0.01},
    {"Pointer", "if (ptr) mark_a();", 0.7},
    {"PointerNull", "if (ptr == NULL) mark_a();", 0.3},
    {"Negative", "if (a < 0) mark_a();", 0.1},
    {"ClockOrder", "if ((long)(a - b) < 0) mark_a();", 0.5},
    {"UnsignedZero", "if (u > 0) mark_a();", 0.5},
    {"Equal", "if (a == b) mark_a();", 0.375},
    {"Bit", "if ((a & 4) == 0) mark_a();", 0.5},
    {"ErrorCode", "int err = f(); if (err) mark_a();", 0.2},
    {"IsErr", "if (IS_ERR(ptr)) mark_a();", 0.01},
    {"ConstantTrue", "if (1) mark_a();", 1},
    {"Switch",
     "switch (a) { case 1: mark_a(); break; case 2: break;"
     "case 3: break; default: break; }",
     0.25},
    // Weights 1, 1, 0.05.
    {"SwitchError",
     "switch (a) { case 1: mark_a(); break; case 2: break;"
     "default: return -EINVAL; }",
     1 / 2.05},
    {"AsmGoto", "__asm__ goto(\"\" : : : : out); return 0; out: mark_a();",
     0.1 / 1.1},
};

const Case Exits[] = {
    {"Cold", "if (a) { mark_a(); printer(); }", 0.001},
    {"NoReturn", "if (a) { mark_a(); die(); }", 0.001},
    {"Bug", "if (a) { mark_a(); BUG(); }", 0.001},
    {"ColdFurtherOn", "if (a) { mark_a(); if (b) f(); printer(); }", 0.001},
    {"ColdBothWays", "if (a) mark_a(); printer();", 0.5},
    {"Error", "if (a) return -EINVAL; mark_a();", 0.95},
    {"ErrorGoto", "if (a) goto out_err; mark_a(); return 0; out_err: return b;",
     0.95},
    {"ErrorAssigned",
     "int r = 0; if (a) { r = -EINVAL; goto out; } mark_a();"
     " out: return r;",
     0.95},
    {"NoErrorNumber", "int r = 0; if (a) r = -1; else mark_a(); return r;",
     0.5},
    {"ErrorPointer", "if (a) return (long)ERR_PTR(b); mark_a();", 0.95},
    // .2 for err with .05 for the exit: .01 / (.01 + .8 * .95) fails.
    {"ErrorCodeAndExit", "int err = f(); if (err) return -EINVAL; mark_a();",
     1 - 0.01 / (0.01 + 0.76)},
    {"Guard", "if (a) return 0; mark_a();", 0.66},
    {"CommonEndIsNoGuard", "if (a) mark_a(); return 0;", 0.5},
    {"OrGuard", "if (a || b) return 0; mark_a();", 0.66 * 0.66},
};

const Case LoopCases[] = {
    {"ForConstant", "for (int i = 0; i < 4; i++) mark_a();", 4},
    {"ForDownStep", "int i; for (i = 9; i >= 0; i -= 2) mark_a();", 5},
    {"ForNever", "for (int i = 4; i < 4; i++) mark_a();", 0},
    {"ForUnknown", "for (int i = 0; i < n; i++) mark_a();", 2},
    {"Nested",
     "for (int i = 0; i < 3; i++) for (int j = 0; j < 5; j++)"
     " mark_a();",
     15},
    {"List", "for (; p; p = p->next) mark_a();", 2},
    {"Ancestors", "for (; p; p = p->parent) mark_a();", 3},
    {"Cpus", "int i; for_each_cpu(i, n) mark_a();", 8},
    {"While", "while (f()) mark_a();", 2},
    {"DoOnce", "do { mark_a(); } while (0);", 1},
    {"Do", "do { mark_a(); } while (f());", 2},
    {"DoRetry", "unsigned q; do { mark_a(); } while (read_seqretry(&a, q));",
     1 / 0.9},
    {"Spin", "while (f()) { mark_a(); cpu_relax(); }", 0.1 / 0.9},
    {"GotoAgain", "again: mark_a(); if (f()) goto again;", 1 / 0.9},
    {"GotoAgainUnlikely", "again: mark_a(); if (unlikely(f())) goto again;",
     1 / 0.99},
    {"SpinForEver", "for (;;) { mark_a(); if (f()) break; cpu_relax(); }",
     1 / 0.9},
    {"SleepForEver", "for (;;) { mark_a(); if (f()) break; schedule(); }", 2},
    {"LikelyOut", "for (;;) { mark_a(); if (likely(a)) return 0; f(); }",
     1 / 0.99},
    {"Endless", "for (;;) mark_a();", 2},
    // 2/3 for the first run of the body, each further one 2/3 * .8 as likely.
    {"Break", "while (f()) { mark_a(); if (a) break; }",
     (2.0 / 3) / (1 - 2.0 / 3 * 0.8)},
    // Both operands share alike: sqrt(2/3) each, 2/3 together.
    {"WhileAnd", "while (a && f()) mark_a();", 2},
};

std::string caseName(const testing::TestParamInfo<Case> &Info) {
  return Info.param.Name;
}
INSTANTIATE_TEST_SUITE_P(Hint, MarkATest, testing::ValuesIn(Hints), caseName);
INSTANTIATE_TEST_SUITE_P(Exit, MarkATest, testing::ValuesIn(Exits), caseName);
INSTANTIATE_TEST_SUITE_P(Loop, MarkATest, testing::ValuesIn(LoopCases),
                         caseName);

TEST(BlockFrequencyTest, ScopeOfALockRunsOnce) {
  const char *Scope = "\n#define scoped_guard(x) for (int *done = NULL; "
                      "ptr && !done; done = (void *)1)\n"
                      "scoped_guard(a) mark_a(); mark_b();";
  Estimated E = estimate(Scope);
  EXPECT_EQ(E.Flow.Loops.size(), 0u);
  EXPECT_NEAR(E["mark_b"], 1, 1e-9);
  const char *Passed =
      "\n#define scoped_guard(x) for (int *l = ptr; 1; ({ goto done; })) "
      "if (!l) { done: break; } else\n"
      "scoped_guard(a) mark_a(); mark_b();";
  Estimated F = estimate(Passed);
  EXPECT_NEAR(F["mark_a"], 0.99, 1e-9);
  EXPECT_NEAR(F["mark_b"], 1, 1e-9);
}

TEST(BlockFrequencyTest, LoopsNestAndHaveLines) {
  Estimated E = estimate("\nfor (int i = 0; i < 3; i++) {\n"
                         "  while (f())\n    mark_a();\n}\n"
                         "do mark_b(); while (f());");
  ASSERT_EQ(E.Flow.Loops.size(), 3u);
  // Line of the function's head, which its first statement follows.
  uint32_t Head = std::count(std::begin(Prelude), std::end(Prelude), '\n') + 2;
  std::map<uint32_t, uint32_t> ByLine;
  for (uint32_t I = 0; I != 3; ++I)
    ByLine[E.Flow.Loops[I].Line - Head] = I;
  ASSERT_TRUE(ByLine.count(1) && ByLine.count(2) && ByLine.count(5));
  const LoopFact &Outer = E.Flow.Loops[ByLine[1]];
  const LoopFact &Inner = E.Flow.Loops[ByLine[2]];
  EXPECT_EQ(Outer.Parent, None);
  EXPECT_LT(ByLine[1], ByLine[2]);
  EXPECT_NEAR(Outer.EntryFrequency, 1, 1e-9);
  EXPECT_NEAR(Outer.HeaderFrequency, 4, 1e-9);
  EXPECT_EQ(Inner.Parent, ByLine[1]);
  EXPECT_NEAR(Inner.EntryFrequency, 3, 1e-9);
  EXPECT_NEAR(Inner.HeaderFrequency, 3 * (2 + 1), 1e-9);
  EXPECT_EQ(E.Flow.Loops[ByLine[5]].Parent, None);
}

TEST(BlockFrequencyTest, UnreachableIsZero) {
  Estimated E = estimate("mark_a(); return 0; mark_b();");
  EXPECT_EQ(E["mark_a"], 1);
  EXPECT_EQ(E["mark_b"], 0);
}

TEST(BlockFrequencyTest, IrreducibleGraphEnds) {
  Estimated E = estimate("if (a) goto two; one: mark_a(); two: mark_b();"
                         "if (f()) goto one; mark_c();");
  EXPECT_TRUE(std::isfinite(E["mark_a"]));
  EXPECT_GT(E["mark_b"], E["mark_a"]);
  EXPECT_GT(E["mark_c"], 0.5);
  EXPECT_LE(E["mark_c"], 1.0);
  // Two entries and no way out.
  Estimated F = estimate("if (a) goto two; one: mark_a(); two: mark_b();"
                         "goto one;");
  EXPECT_TRUE(std::isfinite(F["mark_b"]));
  EXPECT_LT(F["mark_b"], 100);
}

/// Frequencies solve the flow equations of the graph they came from.
TEST(BlockFrequencyTest, FlowIsConserved) {
  for (const Case &C : LoopCases) {
    if (std::string(C.Name) == "Endless")
      continue;
    Estimated E = estimate(C.Body);
    ASTContext &Context = E.Unit->getASTContext();
    LoopForest Forest(*E.Graph, Context);
    std::vector<double> Probability =
        estimateBranches(*E.Graph, Context, Forest, FlowOptions());
    for (uint32_t Block : Forest.order()) {
      double In = Block == Forest.order().front() ? 1 : 0, Out = 0;
      for (uint32_t Edge : Forest.incoming(Block))
        In += E.Flow.Blocks[Forest.edges()[Edge].From].Frequency *
              Probability[Edge];
      for (uint32_t I = 0; I != Forest.outgoing(Block).size(); ++I)
        Out += Probability[Forest.firstEdge(Block) + I];
      EXPECT_NEAR(In, E.Flow.Blocks[Block].Frequency, 1e-9) << C.Body;
      if (!Forest.outgoing(Block).empty()) {
        EXPECT_NEAR(Out, 1, 1e-12) << C.Body;
      }
    }
    double End = E.Flow.Blocks[E.Graph->getExit().getBlockID()].Frequency;
    EXPECT_NEAR(End, 1, 1e-9) << C.Body;
  }
}

TEST(BranchHeuristicsTest, DempsterShafer) {
  // Wu and Larus: 0.7 and 0.6 for the same way: .42 / (.42 + .3 * .4)
  EXPECT_NEAR(combineEvidence(0.7, 0.6), 0.42 / 0.54, 1e-12);
  EXPECT_NEAR(combineEvidence(0.5, 0.2), 0.2, 1e-12);
  EXPECT_NEAR(combineEvidence(0.8, 0.2), 0.5, 1e-12);
}

TEST(BranchHeuristicsTest, ErrorNames) {
  for (const char *Name : {"err", "out_err", "error", "fail_free", "bad_area",
                           "efault", "Efault_end", "out_nomem", "drop"})
    EXPECT_TRUE(isA(NameKind::ErrorLabel, llvm::StringRef(Name).lower()))
        << Name;
  for (const char *Name : {"out", "again", "interrupt", "done", "next",
                           "default_"
                           "path"})
    EXPECT_FALSE(isA(NameKind::ErrorLabel, llvm::StringRef(Name).lower()))
        << Name;
  EXPECT_TRUE(isA(NameKind::ErrorVariable, "ret"));
  EXPECT_FALSE(isA(NameKind::ErrorVariable, "retries"));
}

} // namespace
} // namespace kst
