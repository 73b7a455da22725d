// SPDX-License-Identifier: GPL-2.0-or-later
//
// From C text to phases: which accesses come before an object is published,
// which while it is freed, which while the system is configured.

#include "hybrid/program/LifeWeights.h"
#include "hybrid/program/StaticEvidence.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace kst;

namespace {

const char *Header = R"c(
#include "kernel.h"
struct rcu { void *next; void (*func)(struct rcu *); };
struct kref { int count; };
struct s { int a, b, c, d; struct s *next; struct list_head l; struct rcu rcu;
           struct kref ref; };
struct box { struct s *held; int n; };
struct ops { void (*add)(struct s *); void (*prepare)(struct s *); };
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void *run(void *);
void list_splice(struct list_head *, struct list_head *);
void *kmalloc(unsigned long, unsigned);
void kfree(const void *);
void list_del(struct list_head *);
void call_rcu(struct rcu *, void (*)(struct rcu *));
int kref_put(struct kref *, void (*)(struct kref *));
int dec_and_test(struct kref *);
int rnd(void);
struct s *find(int);
void *ERR_PTR(long);
void unseen_init(struct s *);
void unseen_register(struct s *);
void rtnl_lock(void);
void rtnl_unlock(void);
extern struct list_head heads;
extern struct s *shared;
#define new_s() ((struct s *)kmalloc(sizeof(struct s), 0))
#define of_rcu(p) ((struct s *)((char *)(p) - __builtin_offsetof(struct s, rcu)))
#define of_ref(p) ((struct s *)((char *)(p) - __builtin_offsetof(struct s, ref)))
)c";

using Phases = std::set<Phase>;

/// The phases in which each field of struct s is touched.
std::map<std::string, Phases> phasesOfUnits(std::vector<std::string> Codes) {
  std::vector<TuFacts> Units;
  for (size_t I = 0; I != Codes.size(); ++I) {
    TestTU Unit = TestTU::withCode("#include \"life.h\"\n" + Codes[I]);
    Unit.Headers["kernel.h"] = kernelLike();
    Unit.Headers["life.h"] = Header;
    Unit.File = "unit" + std::to_string(I) + ".c";
    llvm::Expected<TuFacts> Facts = Unit.build();
    if (!Facts) {
      ADD_FAILURE() << llvm::toString(Facts.takeError());
      return {};
    }
    Units.push_back(std::move(*Facts));
  }
  Program Whole(Units);
  Result<AffinityEvidence> Found =
      staticEvidence(Whole, estimateFrequencies(Whole, {}), "s");
  std::map<std::string, Phases> Of;
  if (!Found) {
    ADD_FAILURE() << Found.error();
    return Of;
  }
  for (const CoAccessSet &Set : Found->Sets)
    for (const FieldTouch &Touch : Set.Touches)
      if (Touch.Probability > 0)
        Of[Found->Record.Fields[Touch.Field].Name].insert(Set.When);
  return Of;
}

std::map<std::string, Phases> phasesOf(std::string Code) {
  return phasesOfUnits({std::move(Code)});
}

const Phases Steady{Phase::Steady}, Fresh{Phase::SetUp},
    FirstUse{Phase::FirstUse}, Dying{Phase::TearDown},
    Configuration{Phase::Configuration};

} // namespace

TEST(Lifetimes, PublicationSplitsOneBlock) {
  auto Of = phasesOf("void f(void) { struct s *p = new_s();"
                     "  p->a = 1; list_add(&p->l, &heads); p->b = 2; }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], FirstUse);
}

TEST(Lifetimes, WhatIsThereFromTheStartOrFoundIsSteady) {
  auto Of = phasesOf("struct s global; void f(void) { global.a = 1; }"
                     "void g(void) { find(3)->b = 1; }"
                     "void h(struct s *p) { p->c = 1; }"
                     "void i(void) { shared->d = 1; }");
  for (const char *Field : {"a", "b", "c", "d"})
    EXPECT_EQ(Of[Field], Steady) << Field;
}

TEST(Lifetimes, EveryWayToPublish) {
  const char *Publications[] = {
      "shared = p;",
      "*(struct s *volatile *)&shared = p;",
      "struct s *old = p;"
      "asm volatile(\"xchg %0, %1\" : \"+r\"(old), \"+m\"(shared));",
      "find(1)->next = p;",
      "box->held = p;",
      "unseen_register(p);",
      "struct box *b = kmalloc(16, 0); b->held = p; *where = b;",
      "__atomic_store_n(&shared, p, 5);",
      "__sync_bool_compare_and_swap(&shared, 0, p);",
      "struct box filled = {p, 1}; *box = filled;",
      "*box = (struct box){.held = p};",
      "ops->add(p);",
      "pthread_t t; pthread_create(&t, 0, run, p);",
      "struct list_head l; list_add(&p->l, &l); list_splice(&l, &heads);",
  };
  for (const char *Publish : Publications) {
    auto Of = phasesOf(
        std::string(
            "void f(struct box *box, struct box **where,"
            "  struct ops *ops) { struct s *p = new_s(); struct s *q = p;"
            "  q->a = 1;") +
        Publish + " q->b = 1; }");
    EXPECT_EQ(Of["a"], Fresh) << Publish;
    EXPECT_EQ(Of["b"], FirstUse) << Publish;
  }
}

TEST(Lifetimes, WhatDoesNotPublish) {
  const char *Others[] = {
      "p->next = p;",
      "unseen_init(p);",
      "struct box *b = kmalloc(16, 0); b->held = p;",
      "struct box local; local.held = p; (void)local.held;",
      "struct box local, other; local.held = p; other = local;",
      "struct list_head l, k; list_add(&p->l, &l); list_splice(&l, &k);",
      "struct s *mine; __atomic_store_n(&mine, p, 5);",
      "ops->prepare(p);",
      "if (rnd()) { kfree(p); return; }",
  };
  for (const char *Other : Others) {
    auto Of = phasesOf(std::string("void f(struct ops *ops) {"
                                   "  struct s *p = new_s(); p->a = 1;") +
                       Other + " p->b = 1; shared = p; }");
    EXPECT_EQ(Of["a"], Fresh) << Other;
    EXPECT_EQ(Of["b"], Fresh) << Other;
  }
}

TEST(Lifetimes, TheLibrarysAllocatorsAreAllocators) {
  auto Of = phasesOf("void *malloc(unsigned long); void free(void *);"
                     "void *calloc(unsigned long, unsigned long);"
                     "void f(void) { struct s *p = malloc(sizeof *p);"
                     "  p->a = 1; shared = p; }"
                     "void g(void) { struct s *p = calloc(1, sizeof *p);"
                     "  p->b = 1; shared = p; }"
                     "void h(struct s *p) { p->c = 1; if (rnd()) {"
                     "  list_del(&p->l); p->d = 1; free(p); } }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], Fresh);
  EXPECT_EQ(Of["c"], Steady);
  EXPECT_EQ(Of["d"], Dying);
}

TEST(Lifetimes, MadeThroughAnArgument) {
  const std::string Use = "void f(void) { struct s *p; if (make(&p)) return;"
                          "  p->b = 1; shared = p; p->c = 1; }";
  auto Of = phasesOf("static int make(struct s **to) { struct s *p = new_s();"
                     "  if (!p) return -1; p->a = 1; *to = p; p->d = 1;"
                     "  return 0; }" +
                     Use);
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["d"], Fresh);
  EXPECT_EQ(Of["b"], Fresh);
  EXPECT_EQ(Of["c"], FirstUse);
  const char *Others[] = {
      "struct s *p = new_s(); shared = p; *to = p;",
      "*to = rnd() ? new_s() : shared;",
      "*to = find(1);",
      "unseen(to); *to = new_s();",
      "*to = new_s(); kept = to;",
  };
  for (const char *Other : Others)
    EXPECT_EQ(phasesOf("void unseen(struct s **); struct s **kept;"
                       "static int make(struct s **to) {" +
                       std::string(Other) + " return 0; }" + Use)["b"],
              Steady)
        << Other;
}

TEST(Lifetimes, TheObjectOfTheRoundBeforeIsPublished) {
  auto Of = phasesOf("void f(int n) { struct s *last = 0;"
                     "  while (n--) { if (last) last->b = n;"
                     "    struct s *p = new_s(); p->a = n;"
                     "    shared = p; last = p; } }"
                     "void g(int n) { struct s *last = 0;"
                     "  while (n--) { if (last) last->c = n;"
                     "    struct s *p = new_s(); last = p; } }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], FirstUse);
  EXPECT_EQ(Of["c"], Fresh);
}

TEST(Lifetimes, WhatAFreshObjectReplacesIsNotThatObject) {
  auto Of = phasesOf("void f(void) { struct s *old = shared, *p = new_s();"
                     "  p->a = 1; shared = p; p->b = 1; p->d = 1;"
                     "  old->c = 1; kfree(old); }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], FirstUse);
  EXPECT_EQ(Of["c"], Dying);
}

TEST(Lifetimes, OneWayThatPublishesIsEnough) {
  auto Of = phasesOf("void f(void) { struct s *p = new_s();"
                     "  if (rnd()) shared = p; else p->a = 1; p->b = 1; }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], FirstUse);
}

TEST(Lifetimes, EachRoundAllocatesAnew) {
  auto Of = phasesOf("void f(int n) { for (int i = 0; i < n; i++) {"
                     "  struct s *p = new_s(); p->a = i;"
                     "  list_add(&p->l, &heads); p->b = i; } }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], FirstUse);
}

TEST(Lifetimes, ThroughWrappersAndUnits) {
  auto Of = phasesOfUnits(
      {"struct s *alloc_s(int n) { struct s *p = new_s();"
       "  if (!p) return ERR_PTR(-12); p->a = n; return p; }"
       "void init_s(struct s *p, int n) { p->b = n; }"
       "void add_s(struct s *p) { p->c = 1; list_add(&p->l, &heads);"
       "  p->d = 1; }",
       "struct s *alloc_s(int); void init_s(struct s *, int);"
       "void add_s(struct s *);"
       "void f(int n) { struct s *p = alloc_s(n); init_s(p, n); add_s(p); }"});
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], Fresh);
  EXPECT_EQ(Of["c"], Fresh);
  EXPECT_EQ(Of["d"],
            (Phases{Phase::FirstUse, Phase::Steady})); // who else calls?
}

TEST(Lifetimes, ACalleeThatAlsoGetsSharedObjectsIsBoth) {
  auto Of = phasesOf("static void touch(struct s *p) { p->a = 1; }"
                     "void f(void) { struct s *p = new_s(); touch(p);"
                     "  shared = p; }"
                     "void g(void) { touch(find(1)); }");
  EXPECT_EQ(Of["a"], (Phases{Phase::SetUp, Phase::Steady}));
}

TEST(Lifetimes, FindOrCreateIsSteady) {
  auto Of = phasesOf("void f(void) { struct s *p = find(1);"
                     "  if (!p) p = new_s(); p->a = 1; }");
  EXPECT_EQ(Of["a"], Steady);
}

TEST(Lifetimes, AFreeListOfThisCpuAndAnAllocatorAreOne) {
  auto Of = phasesOf("struct cache { int n; struct s *free[8]; };"
                     "extern struct cache caches __percpu_section;"
                     "static struct s *pop(void) {"
                     "  struct cache *c = this_cpu_ptr(&caches);"
                     "  return c->n ? c->free[--c->n] : 0; }"
                     "void f(void) { struct s *p = pop(); if (!p) p = new_s();"
                     "  p->a = 1; shared = p; }");
  EXPECT_EQ(Of["a"], Fresh);
}

TEST(Lifetimes, FreedOnAllWays) {
  auto Of = phasesOf("static void destroy(struct s *p) { p->a = 1;"
                     "  if (rnd()) p->b = 1; kfree(p); }"
                     "void f(void) { struct s *p = find(1); p->c = 1;"
                     "  if (rnd()) { p->d = 1; destroy(p); } }");
  EXPECT_EQ(Of["a"], Dying);
  EXPECT_EQ(Of["b"], Dying);
  EXPECT_EQ(Of["c"], Steady);
  EXPECT_EQ(Of["d"], Dying);
}

TEST(Lifetimes, AReferenceThatMayBeTheLastIsNoEnd) {
  auto Of = phasesOf("static void put(struct s *p) {"
                     "  if (dec_and_test(&p->ref)) { p->a = 1; kfree(p); } }"
                     "void f(void) { struct s *p = find(1); p->b = 1;"
                     "  put(p); }");
  EXPECT_EQ(Of["a"], Dying);
  EXPECT_EQ(Of["b"], Steady);
}

TEST(Lifetimes, Callbacks) {
  auto Of =
      phasesOf("static void after(struct rcu *r) { struct s *p = of_rcu(r);"
               "  p->a = 1; }"
               "void f(struct s *p) { list_del(&p->l); p->b = 1;"
               "  call_rcu(&p->rcu, after); }"
               "static void last(struct kref *r) { struct s *p = of_ref(r);"
               "  p->c = 1; }"
               "void g(struct s *p) { p->d = 1; kref_put(&p->ref, last); }");
  EXPECT_EQ(Of["a"], Dying);
  EXPECT_EQ(Of["b"], Dying);
  EXPECT_EQ(Of["c"], Dying);
  EXPECT_EQ(Of["d"], Steady);
}

TEST(Lifetimes, AttachedToWhatTheCallersPass) {
  auto Of = phasesOf(
      "struct net;"
      "static void both(struct box *b, struct s *p) { b->held = p; p->a = 1; }"
      "static void one(struct box *b, struct s *p) { b->held = p; p->b = 1; }"
      "void f(void) { struct box *b = kmalloc(8, 0); both(b, new_s()); }"
      "void g(struct box *b) { one(b, new_s()); }"
      "static int make(struct net *n, struct box *b) {"
      "  struct s *p = new_s(); b->held = p; p->c = 1; return 0; }"
      "struct net_proto_family { int n;"
      "  int (*create)(struct net *, struct box *); };"
      "const struct net_proto_family family = {.create = make};");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], FirstUse);
  EXPECT_EQ(Of["c"], Fresh);
}

TEST(Lifetimes, SearchingBeforeFreeingIsSteady) {
  auto Of = phasesOf("void f(int n) { struct s *p;"
                     "  for (p = shared; p; p = p->next)"
                     "    if (p->a == n) { p->b = 1; kfree(p); break; } }");
  EXPECT_EQ(Of["a"], Steady);
  EXPECT_EQ(Of["b"], Dying);
}

TEST(Lifetimes, UnderConfigurationLocks) {
  auto Of = phasesOf("static void only(struct s *p) { p->a = 1; }"
                     "static void both(struct s *p) { p->b = 1; }"
                     "void f(void) { rtnl_lock(); only(find(1)); both(find(2));"
                     "  rtnl_unlock(); find(3)->c = 1; }"
                     "void g(void) { both(find(4)); }");
  EXPECT_EQ(Of["a"], Configuration);
  EXPECT_EQ(Of["b"], (Phases{Phase::Configuration, Phase::Steady}));
  EXPECT_EQ(Of["c"], Steady);
}

TEST(Lifetimes, ALockThatIsTriedIsHeldWhereItIsReleased) {
  auto Of = phasesOf("int rtnl_trylock(void);"
                     "void f(struct s *p) { if (!rtnl_trylock()) {"
                     "    p->a = 1; return; }"
                     "  p->b = 1; rtnl_unlock(); }"
                     "void g(struct s *p) { if (rtnl_trylock()) {"
                     "    p->c = 1; rtnl_unlock(); }"
                     "  p->d = 1; }");
  EXPECT_EQ(Of["a"], Steady);
  EXPECT_EQ(Of["b"], Configuration);
  EXPECT_EQ(Of["c"], Configuration);
  EXPECT_EQ(Of["d"], Steady);
}

TEST(Lifetimes, RequestsToConfigureComeFromTablesThatNobodySees) {
  auto Of = phasesOf("struct netlink_ext_ack { int m; };"
                     "static void part(struct s *p, struct netlink_ext_ack *x)"
                     "{ p->a = 1; }"
                     "void doit(struct netlink_ext_ack *x)"
                     "{ part(find(1), x); find(2)->b = 1; }"
                     "void both(struct s *p, struct netlink_ext_ack *x)"
                     "{ p->c = 1; }"
                     "void fast(void) { both(find(3), 0); }");
  EXPECT_EQ(Of["a"], Configuration);
  EXPECT_EQ(Of["b"], Configuration);
  EXPECT_EQ(Of["c"], Steady);
}

TEST(Lifetimes, AnObjectThatPointsIntoItselfIsNotPublished) {
  auto Of = phasesOf("struct s *f(int n) { struct s *p = kmalloc(8, 0);"
                     "  int *part = n ? &p->a : (int *)kmalloc(4, 0);"
                     "  p->next = (struct s *)part; p->b = 1; return p; }"
                     "void g(int n) { struct s *p = kmalloc(8, 0);"
                     "  int *part = n ? &p->a : (int *)kmalloc(4, 0);"
                     "  shared->next = (struct s *)part; p->c = 1; }");
  EXPECT_EQ(Of["b"], Fresh);
  EXPECT_EQ(Of["c"], FirstUse);
}

TEST(Lifetimes, ObjectsThatPointToEachOtherAreNotPublished) {
  auto Of =
      phasesOf("static void pair(struct s *p, struct s *q) {"
               "  p->next = q; q->next = p; p->a = 1; }"
               "void f(void) { struct s *p = new_s(), *q = new_s();"
               "  pair(p, q); p->b = 1; shared = p; p->c = 1; q->d = 1; }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], Fresh);
  EXPECT_EQ(Of["c"], FirstUse);
  EXPECT_EQ(Of["d"], FirstUse);
}

TEST(Lifetimes, WhoFindsThePartnerFindsTheObject) {
  const std::string Pair = "static void pair(struct s *p, struct s *q) {"
                           "  p->next = q; q->next = p; }";
  auto Of =
      phasesOf(Pair + "void f(void) { struct s *p = new_s();"
                      "  p->a = 1; pair(p, shared); p->b = 1; }"
                      "void g(void) { struct s *p = new_s(), *q = new_s();"
                      "  pair(p, q); p->c = 1; shared = q; p->d = 1; }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], FirstUse);
  EXPECT_EQ(Of["c"], Fresh);
  EXPECT_EQ(Of["d"], FirstUse);
}

TEST(Lifetimes, ThreeInARingAreNotPublished) {
  auto Of = phasesOf(
      "void f(void) { struct s *p = new_s(), *q = new_s(), *r = new_s();"
      "  p->next = q; q->next = r; r->next = p; p->a = 1;"
      "  shared = r; q->b = 1; }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], FirstUse);
}

TEST(Lifetimes, WhatHangsOnAnObjectThatIsReturned) {
  auto Of = phasesOf(
      "static struct s *around(struct s *p) { struct s *q = new_s();"
      "  q->next = p; return q; }"
      "void f(void) { struct s *p = new_s(), *q = around(p); p->a = 1;"
      "  shared = q; p->b = 1; }"
      "static struct s *both(struct s *p) { struct s *q = new_s();"
      "  q->next = p; p->next = q; return q; }"
      "void g(void) { struct s *p = new_s(); shared = both(p); p->c = 1; }");
  EXPECT_EQ(Of["a"], Fresh);
  EXPECT_EQ(Of["b"], FirstUse);
  EXPECT_EQ(Of["c"], FirstUse);
}

TEST(Lifetimes, WhatHangsOnAnotherThroughANewObject) {
  auto Of = phasesOf(
      "static void via(struct s *p, struct s *to) { struct s *q = new_s();"
      "  q->next = p; p->next = q; to->next = q; }"
      "void f(void) { struct s *p = new_s(); via(p, shared); p->a = 1; }"
      "void g(void) { struct s *p = new_s(), *to = new_s();"
      "  via(p, to); p->b = 1; }");
  EXPECT_EQ(Of["a"], FirstUse);
  EXPECT_EQ(Of["b"], Fresh);
}

TEST(Lifetimes, NobodyFindsAnObjectThroughNull) {
  auto Of = phasesOf("static void init(struct box *b, struct s *p) {"
                     "  if (b) b->held = p; p->a = 1; }"
                     "void f(void) { struct s *p = new_s(); init(0, p);"
                     "  p->b = 1; }");
  EXPECT_EQ(Of["b"], Fresh);
}

TEST(Lifetimes, WhatIsFreedIsNotWhatAnotherHolds) {
  auto Of = phasesOf("void f(struct box *b, struct s *gone) {"
                     "  gone->a = 1; kfree(gone); b->held->b = 1; }");
  EXPECT_EQ(Of["a"], Dying);
  EXPECT_EQ(Of["b"], Steady);
}

TEST(Lifetimes, WhatIsMadeIsNotWhatAnotherHolds) {
  auto Of = phasesOf("void f(struct box *b) { struct s *p = new_s();"
                     "  b->held->b = 1; shared = p; p->c = 1; }");
  EXPECT_EQ(Of["b"], Steady);
  EXPECT_EQ(Of["c"], FirstUse);
}

TEST(Lifetimes, LoopsInLoopsInFrontOfTheEnd) {
  auto Of = phasesOf("void f(void) { struct s *p = find(1); if (rnd()) return;"
                     "  p->a = 1; for (int i = 0; i < 60; i++)"
                     "    for (int k = 0; k < 60; k++) p->b += k;"
                     "  kfree(p); }");
  EXPECT_EQ(Of["a"], Dying);
  EXPECT_EQ(Of["b"], Dying);
}

TEST(Lifetimes, BootIsConfiguration) {
  auto Of = phasesOf("void __attribute__((section(\".init.text\"))) f(void)"
                     "{ shared->a = 1; }");
  EXPECT_EQ(Of["a"], Configuration);
}

namespace {

Visit visit(Phase When, double Weight) {
  Visit Of;
  Of.When = When;
  Of.Weight = Weight;
  return Of;
}

} // namespace

TEST(LifeWeights, SixteenVisitsPerLife) {
  std::vector<Visit> Visits{visit(Phase::Steady, 144), visit(Phase::SetUp, 30),
                            visit(Phase::TearDown, 10),
                            visit(Phase::Configuration, 5),
                            visit(Phase::FirstUse, 16)};
  weighByLives(Visits);
  EXPECT_DOUBLE_EQ(Visits[0].Weight, 144);
  EXPECT_DOUBLE_EQ(Visits[1].Weight, 7.5); // (144 + 16) / (16 * 40) = 1/4
  EXPECT_DOUBLE_EQ(Visits[2].Weight, 2.5);
  EXPECT_DOUBLE_EQ(Visits[3].Weight, 5); // rare enough as it is
  EXPECT_DOUBLE_EQ(Visits[4].Weight, 16);
}

TEST(LifeWeights, MeasuredWeightsAndLivesWithoutUseStay) {
  std::vector<Visit> Visits{visit(Phase::Steady, 16), visit(Phase::SetUp, 100)};
  Visits[1].From.MeasuredShare = 1;
  weighByLives(Visits);
  EXPECT_DOUBLE_EQ(Visits[1].Weight, 100);
  Visits[1].From.MeasuredShare = 0.25;
  Visits[1].From.ReferenceShare = 0.5; // a quarter is guessed
  weighByLives(Visits);
  EXPECT_DOUBLE_EQ(Visits[1].Weight, 75 + 25 * 0.01);
  std::vector<Visit> Alone{visit(Phase::SetUp, 100)};
  weighByLives(Alone);
  EXPECT_DOUBLE_EQ(Alone[0].Weight, 100);
}
