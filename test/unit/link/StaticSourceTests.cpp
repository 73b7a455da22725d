// SPDX-License-Identifier: GPL-2.0-or-later
//
// From C text to co-access sets: the front end and the linker together, on
// small programs built like the kernel's.

#include "hybrid/link/StaticSource.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

/// Evidence on struct `s` of a program of several units.
class Analysed {
public:
  explicit Analysed(std::vector<std::string> Codes, HotFunctions Hot = {}) {
    for (size_t I = 0; I != Codes.size(); ++I) {
      TestTU Unit = TestTU::withCode(kernelLike() + Codes[I]);
      Unit.File = "unit" + std::to_string(I) + ".c";
      llvm::Expected<TuFacts> Facts = Unit.build();
      if (!Facts) {
        ADD_FAILURE() << llvm::toString(Facts.takeError());
        return;
      }
      Units.push_back(std::move(*Facts));
    }
    Program Whole(Units);
    Result<AffinityEvidence> Found = StaticSource(Whole, Hot).evidence("s");
    if (!Found)
      ADD_FAILURE() << Found.error();
    else
      Evidence = std::move(*Found);
  }

  uint32_t field(const std::string &Name) const {
    for (uint32_t I = 0; I != Evidence.Record.Fields.size(); ++I)
      if (Evidence.Record.Fields[I].Name == Name)
        return I;
    ADD_FAILURE() << "no field " << Name;
    return 0;
  }
  const FieldUse &use(const std::string &Name) const {
    return Evidence.Fields[field(Name)];
  }
  /// The set owned by Function; null when there is none.
  const CoAccessSet *set(const std::string &Function) const {
    for (const CoAccessSet &Set : Evidence.Sets)
      if (Set.Where.Function == Function)
        return &Set;
    return nullptr;
  }
  double probability(const CoAccessSet *Set, const std::string &Name) const {
    if (Set)
      for (const FieldTouch &Touch : Set->Touches)
        if (Touch.Field == field(Name))
          return Touch.Probability;
    return 0;
  }

  AffinityEvidence Evidence;

private:
  std::vector<TuFacts> Units;
};

const char *PerCpuStruct = R"c(
struct s { raw_spinlock_t lock; int running; int idle; int cold; atomic_t users;
           struct list_head tasks; unsigned long clock; };
struct s instances __percpu_section;
#define instance(cpu) (per_cpu_ptr(&instances, (cpu)))
)c";

} // namespace

TEST(StaticSource, ReadsAndWritesByKind) {
  Analysed Of({R"c(
    struct s { int r, w, rw; struct { int deep; } in; };
    void f(struct s *p) { p->w = p->r; p->rw++; p->in.deep = 1; }
  )c"});
  EXPECT_DOUBLE_EQ(Of.use("r").Reads, 1);
  EXPECT_DOUBLE_EQ(Of.use("r").Writes, 0);
  EXPECT_DOUBLE_EQ(Of.use("w").Reads, 0);
  EXPECT_DOUBLE_EQ(Of.use("w").Writes, 1);
  EXPECT_DOUBLE_EQ(Of.use("rw").Reads, 1);
  EXPECT_DOUBLE_EQ(Of.use("rw").Writes, 1);
  EXPECT_DOUBLE_EQ(Of.use("in").Writes, 1);
}

TEST(StaticSource, HelperOnFieldAddressCountsAsThatField) {
  Analysed Of({std::string(PerCpuStruct) + R"c(
    void f(struct s *p, struct list_head *n) { atomic_inc(&p->users); list_add(n, &p->tasks); }
    int g(struct s *p) { return atomic_read(&p->users); }
  )c"});
  EXPECT_DOUBLE_EQ(Of.use("users").Writes, 1); // f
  EXPECT_DOUBLE_EQ(Of.use("users").Reads, 2);  // f and g
  EXPECT_DOUBLE_EQ(Of.use("tasks").Reads, 1);  // head->next
  EXPECT_DOUBLE_EQ(Of.use("tasks").Writes, 1); // head->next
}

TEST(StaticSource, LockOfUnseenBodyIsReadAndWritten) {
  Analysed Of({std::string(PerCpuStruct) + R"c(
    void f(struct s *p) { _raw_spin_lock(&p->lock); p->running++; }
  )c"});
  EXPECT_DOUBLE_EQ(Of.use("lock").Writes, 1);
  EXPECT_GT(Of.use("lock").Lock, 0);
  EXPECT_DOUBLE_EQ(Of.use("running").Lock, 0);
}

TEST(StaticSource, LoopOverCpusIsOneRemoteVisitAcrossUnits) {
  Analysed Of({std::string(PerCpuStruct) + R"c(
    int idle_cpu(int cpu);
    int sum(void) {
      int cpu, n = 0;
      for_each_cpu(cpu) {
        struct s *p = instance(cpu);
        n += p->running;
        if (idle_cpu(cpu)) n++;
      }
      return n;
    })c",
               std::string(PerCpuStruct) + R"c(
    int idle_cpu(int cpu) { struct s *p = instance(cpu); return p->idle; }
  )c"});
  const CoAccessSet *Set = Of.set("sum");
  ASSERT_TRUE(Set);
  EXPECT_EQ(Set->Cpu, CpuRelation::Remote);
  EXPECT_EQ(Set->Kind, SetKind::Loop);
  EXPECT_NEAR(Of.probability(Set, "running"), 1, 1e-9);
  EXPECT_NEAR(Of.probability(Set, "idle"), 1, 1e-9);
  EXPECT_EQ(Of.probability(Set, "cold"), 0);
  // The access lies in the callee, and the report can say so.
  for (const FieldTouch &Touch : Set->Touches)
    if (Touch.Field == Of.field("idle")) {
      ASSERT_FALSE(Touch.Sites.empty());
      EXPECT_EQ(Touch.Sites[0].Function, "idle_cpu");
      EXPECT_EQ(Touch.Sites[0].File, "unit1.c");
    }
  EXPECT_GT(Of.use("idle").RemoteReads, 0);
}

TEST(StaticSource, ThisCpuIsLocal) {
  Analysed Of({std::string(PerCpuStruct) + R"c(
    void tick(void) { struct s *p = this_cpu_ptr(&instances); p->clock++; }
  )c"});
  const CoAccessSet *Set = Of.set("tick");
  ASSERT_TRUE(Set);
  EXPECT_EQ(Set->Cpu, CpuRelation::Local);
}

TEST(StaticSource, UnlikelyFieldHasLowProbability) {
  Analysed Of({R"c(
#define unlikely(x) __builtin_expect(!!(x), 0)
    struct s { int a, b; };
    void f(struct s *p) { if (unlikely(p->a)) p->b = 1; }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Of.probability(Set, "a"), 1, 1e-9);
  EXPECT_LT(Of.probability(Set, "b"), 0.1);
  EXPECT_GT(Of.probability(Set, "b"), 0);
}

TEST(StaticSource, CallerOwnsTheVisitOfItsCallee) {
  Analysed Of({R"c(
    struct s { int a, b; };
    static void g(struct s *p) { p->b = 1; }
    void f(struct s *p) { p->a = 1; g(p); }
  )c"});
  ASSERT_EQ(Of.Evidence.Sets.size(), 1u);
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Of.probability(Set, "a"), 1, 1e-9);
  EXPECT_NEAR(Of.probability(Set, "b"), 1, 1e-9);
}

TEST(StaticSource, TablesLinkCallerAndCallee) {
  Analysed Of({R"c(
    struct s { int a, b; };
    struct ops { void (*run)(struct s *); };
    static void one(struct s *p) { p->b = 1; }
    static const struct ops one_ops = { .run = one };
    void f(struct s *p, const struct ops *o) { p->a = 1; o->run(p); }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Of.probability(Set, "b"), 1, 1e-9);
}

TEST(StaticSource, LocalObjectCarriesTheInstance) {
  Analysed Of({R"c(
    struct s { int a, b; };
    struct env { struct s *dst; int flags; };
    static void g(struct env *e) { e->dst->b = 1; }
    void f(struct s *p) { struct env e = { .dst = p }; p->a = 1; g(&e); }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Of.probability(Set, "a"), 1, 1e-9);
  EXPECT_NEAR(Of.probability(Set, "b"), 1, 1e-9);
}

TEST(StaticSource, EmbeddedPartThroughItsOwnPointer) {
  Analysed Of({R"c(
    struct part { int x, y; };
    struct s { int a; struct part in; };
    static void g(struct part *q) { q->x++; }
    void f(struct s *p) { p->a = 1; g(&p->in); }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Of.probability(Set, "in"), 1, 1e-9);
}

TEST(StaticSource, ContainerOfIsTheWhole) {
  Analysed Of({R"c(
    struct part { int x; };
    struct s { int a; struct part in; };
    void f(struct part *q) { struct s *p = container_of(q, struct s, in); p->a = q->x; }
  )c"});
  ASSERT_EQ(Of.Evidence.Sets.size(), 1u);
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Of.probability(Set, "a"), 1, 1e-9);
  EXPECT_NEAR(Of.probability(Set, "in"), 1, 1e-9);
}

TEST(StaticSource, ParentIsAnotherInstance) {
  Analysed Of({R"c(
    struct s { struct s *parent; int a, b; };
    void f(struct s *p) { p->a = 1; p->parent->b = 1; }
  )c"});
  ASSERT_EQ(Of.Evidence.Sets.size(), 2u);
  for (const CoAccessSet &Set : Of.Evidence.Sets)
    EXPECT_NE(Of.probability(&Set, "a") > 0, Of.probability(&Set, "b") > 0);
}

TEST(StaticSource, HotFunctionsAreTheOnlyEntries) {
  Analysed Of({R"c(
    struct s { int a, b; };
    void f(struct s *p) { p->a = 1; }
    void g(struct s *p) { p->b = 1; }
  )c"},
              {{"g", 3}});
  EXPECT_EQ(Of.use("a").total(), 0);
  EXPECT_DOUBLE_EQ(Of.use("b").Writes, 3);
}

TEST(StaticSource, UnknownStructProposesNames) {
  TestTU Unit = TestTU::withCode("struct request { int a; }; int f(struct request *r) { return r->a; }");
  llvm::Expected<TuFacts> Facts = Unit.build();
  ASSERT_TRUE(bool(Facts));
  std::vector<TuFacts> Units{*Facts};
  Program Whole(Units);
  Result<AffinityEvidence> Found = StaticSource(Whole, {}).evidence("reqest");
  ASSERT_FALSE(bool(Found));
  EXPECT_NE(Found.error().find("did you mean 'request'"), std::string::npos);
}

TEST(StaticSource, TwoDefinitionsAreNamed) {
  std::vector<TuFacts> Units;
  for (const char *Code : {"struct s { int a; }; int f(struct s *p) { return p->a; }",
                           "struct s { long b, c; }; long g(struct s *p) { return p->b; }"}) {
    TestTU Unit = TestTU::withCode(Code);
    Unit.File = "u" + std::to_string(Units.size()) + ".c";
    llvm::Expected<TuFacts> Facts = Unit.build();
    ASSERT_TRUE(bool(Facts));
    Units.push_back(*Facts);
  }
  Program Whole(Units);
  Result<AffinityEvidence> Found = StaticSource(Whole, {}).evidence("s");
  ASSERT_FALSE(bool(Found));
  EXPECT_NE(Found.error().find("u0.c:1"), std::string::npos);
  EXPECT_NE(Found.error().find("u1.c:1"), std::string::npos);
}
