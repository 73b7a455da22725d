// SPDX-License-Identifier: GPL-2.0-or-later
//
// What one call of a function does to instances of the subject.

#include "hybrid/program/FunctionEffects.h"
#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

#include <sstream>

namespace kst {
namespace {

const char *Declarations = R"c(
struct part { int x; };
struct s { raw_spinlock_t lock; int a, b; struct part in; struct s *next; };
void unseen(struct part *); int test(void);
)c";

/// Effects of the last function of Code, callees summarized before: a line for
/// each field and instance with probability, reads and writes.
std::string effects(const std::string &Code) {
  TestTU Unit = TestTU::withCode("#include \"kernel.h\"\n" +
                                 std::string(Declarations) + Code);
  Unit.Headers["kernel.h"] = kernelLike();
  llvm::Expected<TuFacts> Facts = Unit.build();
  if (!Facts)
    return toString(Facts.takeError());
  std::vector<TuFacts> Units{std::move(*Facts)};
  Program Whole(Units);
  RecordId Id = Whole.recordsNamed("s").front();
  RecordPlaces Places(Whole);
  SubjectRecord Subject(Whole, Places, Id);
  CodeFrequencies Frequencies(Whole);
  ConfigurationCode Configured(Whole, Frequencies);
  LinkValues Pool;
  LinkDrops Drops;
  const size_t Count = Whole.Functions.size();
  std::vector<LinkId> Returns(Count, None);
  SummaryTable Summaries(Count);
  std::vector<LifetimeSummary> Lifetimes(Count);
  std::ostringstream Text;
  Text.precision(3);
  // Functions stand in the order of their definitions, so callees come first.
  std::vector<FunctionId> Order(Count);
  for (FunctionId F = 0; F != Count; ++F)
    Order[F] = F;
  std::sort(Order.begin(), Order.end(), [&](FunctionId A, FunctionId B) {
    return Whole.Functions[A].Fact->Line < Whole.Functions[B].Fact->Line;
  });
  for (FunctionId Function : Order) {
    ValueTranslator Values(Whole, Function, Pool, Returns);
    ValueTranslator Objects(Whole, Function, Pool, Returns);
    FunctionLifetimes Lives(Whole, Frequencies, Function, Pool, Objects,
                            Lifetimes);
    FunctionEffects Here(Whole, Frequencies, Subject, Pool, Function, Values,
                         Summaries, Lives, Configured, false, Drops);
    Here.collect();
    Returns[Function] = Values.returned();
    Lifetimes[Function] = Lives.summary();
    Summaries[Function] = Here.All;
    if (Function != Order.back())
      continue;
    for (const auto &[Key, Inner] : Here.All) {
      const LinkValue &Instance = Pool[Key.Instance];
      Text << (Instance.Kind == ValueKind::Param
                   ? "arg" + std::to_string(Instance.A)
                   : "other")
           << (Key.Field == None
                   ? " pending"
                   : "." + Whole.recordInfo(Id).Fields[Key.Field].Name)
           << " p=" << Inner.Probability << " r=" << Inner.Reads
           << " w=" << Inner.Writes << (Inner.Lock > 0 ? " lock" : "")
           << (Inner.Marked > 0 ? " marked" : "") << "\n";
    }
  }
  return Text.str();
}

TEST(FunctionEffects, ByHand) {
  struct {
    const char *Code, *Expected;
  } Cases[] = {
      {"void f(struct s *p) { p->a = p->b; }",
       "arg0.a p=1 r=0 w=1\narg0.b p=1 r=1 w=0\n"},
      // A branch of which nothing is known: 0.5.
      {"void f(struct s *p, int i) { if (i & 4) p->a++; }",
       "arg0.a p=0.5 r=0.5 w=0.5\n"},
      // Several touches of one instance are one visit; reads add up.
      {"void f(struct s *p) { p->a = 1; test(); p->a = 2; }",
       "arg0.a p=1 r=0 w=2\n"},
      {"void f(struct s *p) { _raw_spin_lock(&p->lock); p->a = 1; }",
       "arg0.lock p=1 r=1 w=1 lock\narg0.a p=1 r=0 w=1\n"},
      {"void f(struct s *p) { WRITE_ONCE(p->a, 1); }",
       "arg0.a p=1 r=0 w=1 marked\n"},
      // What a callee without a body may do to a part.
      {"void f(struct s *p) { unseen(&p->in); }", "arg0.in p=1 r=1 w=1\n"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(effects(Case.Code), Case.Expected) << Case.Code;
}

TEST(FunctionEffects, TakesOverWhatCalleesDoToArguments) {
  struct {
    const char *Code, *Expected;
  } Cases[] = {
      {"static void g(struct s *q) { q->a = 1; }\n"
       "void f(int i, struct s *p) { g(p); g(p); }",
       "arg1.a p=1 r=0 w=2\n"},
      {"static void g(struct s *q) { q->a = 1; }\n"
       "void f(struct s *p, int i) { if (i & 4) g(p); p->b = 1; }",
       "arg0.a p=0.5 r=0 w=0.5\narg0.b p=1 r=0 w=1\n"},
      // A scalar's address is pending in the callee, a field in the caller.
      {"static void g(int *n) { *n = 1; }\n"
       "void f(struct s *p) { g(&p->b); }",
       "arg0.b p=1 r=0 w=1\n"},
      {"static void g(struct part *n) { n->x = 1; }\n"
       "void f(struct s *p) { g(&p->in); }",
       "arg0.in p=1 r=0 w=1\n"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(effects(Case.Code), Case.Expected) << Case.Code;
}

} // namespace
} // namespace kst
