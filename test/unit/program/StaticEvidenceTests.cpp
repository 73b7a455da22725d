// SPDX-License-Identifier: GPL-2.0-or-later
//
// From C text to co-access sets: the front end and the linker together, on
// small programs built like the kernel's.

#include "test/unit/program/Analysed.h"

using namespace kst;

TEST(StaticEvidence, ReadsAndWritesByKind) {
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

TEST(StaticEvidence, MembersOfAnonymousStructsAreFields) {
  Analysed Of({R"c(
    struct s {
      struct { int a; struct { int b; } __attribute__((aligned(64))); };
      union { int u; struct { short v, w; }; };
      struct { char x; int y; } __attribute__((packed));
    };
    static inline void set(int *at) { *at = 1; }
    int f(struct s *p) { set(&p->b); return p->a + p->v; }
    int g(struct s *p) { return p->u + p->y; }
  )c"});
  const RecordInfo &R = Of.Evidence.Record;
  ASSERT_EQ(R.Fields.size(), 4u);
  EXPECT_EQ(R.Fields[1].Name, "b");
  EXPECT_EQ(R.Fields[1].OffsetBits, 512u);
  EXPECT_EQ(R.Fields[1].Group, 1u);
  EXPECT_EQ(R.Groups[1].Parent, 0u);
  EXPECT_EQ(R.Groups[1].ExplicitAlignBytes, 64u);
  EXPECT_EQ(R.Fields[2].Name, "u|v|w");
  EXPECT_EQ(R.Fields[3].Name, "x|y"); // packed: stays closed
  // f() reaches set(), so it counts twice.
  EXPECT_DOUBLE_EQ(Of.use("a").Reads, 2);
  EXPECT_DOUBLE_EQ(Of.use("b").Writes, 2);
  EXPECT_DOUBLE_EQ(Of.use("u|v|w").Reads, 3);
  ASSERT_EQ(Of.Evidence.Members.size(), 3u);
  EXPECT_EQ(Of.Evidence.Members[0].Member, "u");
  EXPECT_EQ(Of.Evidence.Members[0].Users[0].Function, "g");
  EXPECT_EQ(Of.Evidence.Members[1].Member, "v");
  EXPECT_EQ(Of.Evidence.Members[1].Users[0].Function, "f");
  EXPECT_EQ(Of.Evidence.Members[2].Member, "y");
}

TEST(StaticEvidence, HelperOnFieldAddressCountsAsThatField) {
  Analysed Of({R"c(
#include "percpu.h"
    void f(struct s *p, struct list_head *n) { atomic_inc(&p->users); list_add(n, &p->tasks); }
    int g(struct s *p) { return atomic_read(&p->users); }
  )c"});
  const FieldTouch *Users = Of.touch("f", "users");
  ASSERT_TRUE(Users);
  EXPECT_DOUBLE_EQ(Users->Reads, 1); // incl: read and write
  EXPECT_DOUBLE_EQ(Users->Writes, 1);
  EXPECT_DOUBLE_EQ(Users->LocklessShare, 1);
  const FieldTouch *Tasks = Of.touch("f", "tasks");
  ASSERT_TRUE(Tasks);
  EXPECT_DOUBLE_EQ(Tasks->Reads, 1);  // head->next
  EXPECT_DOUBLE_EQ(Tasks->Writes, 1); // head->next; next->prev is elsewhere
  Users = Of.touch("g", "users");
  ASSERT_TRUE(Users);
  EXPECT_DOUBLE_EQ(Users->Reads, 1);
  EXPECT_DOUBLE_EQ(Users->Writes, 0);
}

TEST(StaticEvidence, LockOfUnseenBodyIsReadAndWritten) {
  Analysed Of({R"c(
#include "percpu.h"
    void f(struct s *p) { _raw_spin_lock(&p->lock); p->running++; }
  )c"});
  EXPECT_DOUBLE_EQ(Of.use("lock").Writes, 1);
  EXPECT_GT(Of.use("lock").Lock, 0);
  EXPECT_DOUBLE_EQ(Of.use("running").Lock, 0);
}

TEST(StaticEvidence, LoopOverCpusIsOneRemoteVisitAcrossUnits) {
  Analysed Of({R"c(
#include "percpu.h"
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
               R"c(
#include "percpu.h"
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
      EXPECT_EQ(Touch.Sites[0].Where.Function, "idle_cpu");
      EXPECT_EQ(Touch.Sites[0].Where.File, "unit1.c");
    }
  EXPECT_GT(Of.use("idle").RemoteReads, 0);
}

TEST(StaticEvidence, ThisCpuIsLocal) {
  Analysed Of({R"c(
#include "percpu.h"
    void tick(void) { struct s *p = this_cpu_ptr(&instances); p->clock++; }
  )c"});
  const CoAccessSet *Set = Of.set("tick");
  ASSERT_TRUE(Set);
  EXPECT_EQ(Set->Cpu, CpuRelation::Local);
}

TEST(StaticEvidence, UnlikelyFieldHasLowProbability) {
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

TEST(StaticEvidence, CallerOwnsTheVisitOfItsCallee) {
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

TEST(StaticEvidence, TablesLinkCallerAndCallee) {
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

TEST(StaticEvidence, ListWalkIsOneVisitAnIteration) {
  // Two guessed trips; the variable is redefined from itself.
  Analysed Of({R"c(
    struct s { struct s *next; int c, d; };
    void f(struct s *p) { while (p) { p->c++; p->d = 1; p = p->next; } }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_EQ(Set->Kind, SetKind::Loop);
  EXPECT_NEAR(Set->Weight, 2, 1e-9);
  const FieldTouch *C = Of.touch("f", "c");
  ASSERT_TRUE(C);
  EXPECT_NEAR(C->Probability, 1, 1e-9);
  EXPECT_NEAR(C->Reads, 1, 1e-9);
  EXPECT_NEAR(C->Writes, 1, 1e-9);
}

TEST(StaticEvidence, TheLastFailingTestOfALoopIsNoVisit) {
  Analysed Of({R"c(
    struct s { int d, e; };
    void f(struct s **tab, int n) {
      for (int i = 0; i < n; i++) { struct s *q = tab[i]; q->e = 1; q->d = 1; q->d = 2; }
    }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Set->Weight, 2, 1e-9);
  EXPECT_NEAR(Of.probability(Set, "d"), 1, 1e-9);
  EXPECT_NEAR(Of.probability(Set, "e"), 1, 1e-9);
}

TEST(StaticEvidence, PlacesInOneBlockAreReachedTogether) {
  Analysed Of({R"c(
    struct s { int a, b, c; };
    void f(struct s *p, int c) { p->a = 1; if (c > 3) { p->b = 1; p->b = 2; p->b = 3; p->c = 4; } }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Of.probability(Set, "b"), Of.probability(Set, "c"), 1e-12);
  EXPECT_LT(Of.probability(Set, "b"), 0.9);
}

TEST(StaticEvidence, DeadArmsOfASizeSwitchDoNotCount) {
  Analysed Of({R"c(
    struct s { int a, b; };
    extern struct s *cur;
    static struct s *get(void) {
      struct s *r;
      switch (sizeof(cur)) { case 4: r = 0; break; case 8: r = cur; break; default: r = (void *)1; }
      return r;
    }
    void f(void) { get()->a++; cur->b++; }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Of.probability(Set, "a"), 1, 1e-9);
  EXPECT_NEAR(Of.probability(Set, "b"), 1, 1e-9);
}

TEST(StaticEvidence, ElementZeroIsThePointerItself) {
  Analysed Of({R"c(
    struct s { int a, b; };
    void f(struct s *p) { p[0].a = 1; p->b = 1; }
  )c"});
  EXPECT_EQ(Of.Evidence.Sets.size(), 1u);
}

TEST(StaticEvidence, CallbackPassedToWhereItIsStored) {
  // Two candidates behind work.fn: one stored directly, one through a helper.
  Analysed Of({R"c(
    struct s { int a, b, c; };
    struct work { void (*fn)(struct s *); };
    static void one(struct s *p) { p->b = 1; }
    static void two(struct s *p) { p->c = 1; }
    static void queue_work(struct work *w, void (*fn)(struct s *)) { w->fn = fn; }
    void prepare(struct work *w) { w->fn = one; queue_work(w, two); }
    void f(struct s *p, struct work *w) { p->a = 1; w->fn(p); }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Of.probability(Set, "a"), 1, 1e-9);
  EXPECT_NEAR(Of.probability(Set, "b"), 0.5, 1e-9);
  EXPECT_NEAR(Of.probability(Set, "c"), 0.5, 1e-9);
}

TEST(StaticEvidence, LocalObjectCarriesTheInstance) {
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

TEST(StaticEvidence, EmbeddedPartThroughItsOwnPointer) {
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

TEST(StaticEvidence, ANodeThatManyStructsHoldThroughAnotherIsNobodys) {
  const std::string Nodes = "struct node { int x; };\n"
                            "struct named { struct node in; long key; };\n"
                            "struct s { int a; struct named name; };\n";
  const std::string Code = "void walk(struct node *q) { q->x++; }\n"
                           "void f(struct s *p) { p->a = 1; }\n";
  EXPECT_TRUE(Analysed({Nodes + Code}).set("walk")) << "one struct has it";
  std::string Others;
  for (int I = 0; I != 8; ++I)
    Others += "struct o" + std::to_string(I) + " { struct named name; };\n";
  EXPECT_FALSE(Analysed({Nodes + Others + Code}).set("walk"));
}

TEST(StaticEvidence, ContainerOfIsTheWhole) {
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

TEST(StaticEvidence, ParentIsAnotherInstance) {
  Analysed Of({R"c(
    struct s { struct s *parent; int a, b; };
    void f(struct s *p) { p->a = 1; p->parent->b = 1; }
  )c"});
  ASSERT_EQ(Of.Evidence.Sets.size(), 2u);
  for (const CoAccessSet &Set : Of.Evidence.Sets)
    EXPECT_NE(Of.probability(&Set, "a") > 0, Of.probability(&Set, "b") > 0);
}

TEST(StaticEvidence, HotFunctionsAreTheOnlyEntries) {
  Analysed Of({R"c(
    struct s { int a, b; };
    void f(struct s *p) { p->a = 1; }
    void g(struct s *p) { p->b = 1; }
  )c"},
              {{"g", 3}});
  EXPECT_EQ(Of.use("a").total(), 0);
  EXPECT_DOUBLE_EQ(Of.use("b").Writes, 3);
}

TEST(StaticEvidence, PointerStoredIntoTheStructAimsAtItsField) {
  // As fdtable.fd, which points at files_struct.fd_array.
  Analysed Of({R"c(
    struct table { int *slots; };
    struct s { struct table *cur; int array[8]; int other; };
    void setup_table(struct s *p, struct table *t) { t->slots = &p->array[0]; p->cur = t; }
    int f(struct s *p, int i) { p->other = 1; return p->cur->slots[i]; }
  )c"});
  const FieldTouch *Array = Of.touch("f", "array");
  ASSERT_TRUE(Array);
  EXPECT_DOUBLE_EQ(Array->Reads, 1);
  EXPECT_TRUE(Of.touch("f", "other"));
}

TEST(StaticEvidence, VariableSetFromTwoLocalInstancesIsLocal) {
  Analysed Of({R"c(
#include "percpu.h"
    void f(int again) {
      struct s *p = this_cpu_ptr(&instances);
      p->running = 1;
      if (again) p = this_cpu_ptr(&instances);
      p->clock = 1;
    }
  )c"});
  const CoAccessSet *Set = Of.set("f");
  ASSERT_TRUE(Set);
  EXPECT_EQ(Set->Cpu, CpuRelation::Local);
}

TEST(StaticEvidence, StackAndThisCpuHaveOneUser) {
  Analysed Stack({R"c(
struct s { int a, b; };
static void work(struct s *p) { p->a++; p->b++; }
void start(void) { struct s local = {0}; work(&local); }
)c"});
  EXPECT_TRUE(Stack.Evidence.Users.Exclusive);
  EXPECT_FALSE(Stack.Evidence.Users.Source.empty());
  for (const CoAccessSet &Set : Stack.Evidence.Sets)
    EXPECT_EQ(Set.Cpu, CpuRelation::Local);
  Analysed Own({R"c(
struct s { int a, b; };
extern struct s *mine __percpu_section;
void work(void) { struct s *p = *this_cpu_ptr(&mine); p->a++; p->b++; }
)c"});
  EXPECT_TRUE(Own.Evidence.Users.Exclusive);
}

TEST(StaticEvidence, WhoConfiguresAnObjectDoesNotShareIt) {
  const std::string Own = R"c(
struct s { int a, b; };
extern struct s *mine __percpu_section;
void work(void) { struct s *p = *this_cpu_ptr(&mine); p->a++; p->b++; }
)c";
  EXPECT_TRUE(Analysed({Own + "static struct s *held;\n"
                              "__attribute__((section(\".init.text\"))) "
                              "void start(void) { held->a = 0; }\n"})
                  .Evidence.Users.Exclusive);
  EXPECT_FALSE(Analysed({Own + "static struct s *held;\n"
                               "void look(void) { held->a = 0; }\n"})
                   .Evidence.Users.Exclusive);
}

TEST(StaticEvidence, AThreadsOwnVariableHasOneUser) {
  const std::string Use =
      "struct s { int a, b; };"
      "KIND struct s data; KIND struct s *held;"
      "void f(void) { data.a++; } void g(void) { held->b++; }";
  auto With = [&](const std::string &Kind) {
    std::string Text = Use;
    for (size_t At; (At = Text.find("KIND")) != std::string::npos;)
      Text.replace(At, 4, Kind);
    return Text;
  };
  EXPECT_TRUE(Analysed({With("extern __thread")}).Evidence.Users.Exclusive);
  EXPECT_FALSE(Analysed({With("extern")}).Evidence.Users.Exclusive);
}

TEST(StaticEvidence, WhoeverFindsAnObjectElsewhereMayShareIt) {
  const std::string Stack = R"c(
struct s { int a, b; struct list_head node; };
struct list_head all;
void start(void) { struct s local = {0}; local.a++; list_add(&local.node, &all); }
)c";
  Analysed List({Stack + R"c(
void walk(void) {
  for (struct list_head *n = all.next; n != &all; n = n->next)
    container_of(n, struct s, node)->b++;
}
)c"});
  EXPECT_FALSE(List.Evidence.Users.Exclusive);
  // Handed to a function that runs elsewhere.
  Analysed Handed({R"c(
struct s { int a, b; };
void run_on(int cpu, void (*what)(void *), void *with);
static void body(void *with) { struct s *p = with; p->b++; }
void start(void) { struct s local = {0}; local.a++; run_on(1, body, &local); }
)c"});
  EXPECT_FALSE(Handed.Evidence.Users.Exclusive);
  Analysed Allocated({R"c(
struct s { int a, b; };
void *kmalloc(unsigned long n);
void start(void) { struct s *p = kmalloc(sizeof *p); p->a++; p->b++; }
)c"});
  EXPECT_FALSE(Allocated.Evidence.Users.Exclusive);
  Analysed Loop({R"c(
#include "percpu.h"
void all(void) { int cpu; for_each_cpu(cpu) instance(cpu)->running++; }
void own(void) { this_cpu_ptr(&instances)->idle++; }
)c"});
  EXPECT_FALSE(Loop.Evidence.Users.Exclusive);
}

TEST(StaticEvidence, ProgramsThatStartNoThread) {
  const std::string Main = R"c(
struct s { int a, b; } *p;
int main(void) { p->a++; p->b++; return 0; }
)c";
  EXPECT_TRUE(Analysed({Main}).Evidence.Users.StartsNoThread);
  EXPECT_FALSE(Analysed({Main}).Evidence.Users.Exclusive); // a question only
  EXPECT_FALSE(Analysed({Main, R"c(
int pthread_create(void *, void *, void *(*)(void *), void *);
static void *body(void *x) { return x; }
void start(void) { pthread_create(0, 0, body, 0); }
)c"})
                   .Evidence.Users.StartsNoThread);
  EXPECT_FALSE(Analysed({R"c(
struct s { int a; } *p;
void library(void) { p->a++; }
)c"})
                   .Evidence.Users.StartsNoThread);
}

TEST(StaticEvidence, CallsThatAreNotSeenAreAsThoseThatAre) {
  // Of four calls that are seen one is for a struct s; one more comes from
  // elsewhere.
  const std::string Code = R"c(
    struct part { int n, more[8]; };
    struct s { struct part mine; int cold; };
    struct other { struct part theirs; int x; };
    void touch(struct part *p) { p->n = 1; }
    void a(struct s *p) { touch(&p->mine); }
  )c";
  const std::string Others = R"c(
    void b(struct other *p) { touch(&p->theirs); }
    void c(struct other *p) { touch(&p->theirs); touch(&p->theirs); }
  )c";
  auto Guessed = [](const Analysed &Of) {
    const CoAccessSet *Set = Of.set("touch");
    return Set ? Set->Weight : 0;
  };
  const Analysed Alone({Code}), Known({Code + Others});
  EXPECT_GT(Guessed(Alone), 0);
  EXPECT_DOUBLE_EQ(Guessed(Known), Guessed(Alone) / 4);
}

TEST(StaticEvidence, LinksInOthersLeadToOthers) {
  Analysed Of({R"c(
    struct link { struct link *next, *prev; };
    struct queue { struct link ends; int length; };
    struct s { struct queue mine; int cold; };
    struct other { struct queue theirs; };
    static void add(struct queue *to, struct link *e) { to->ends.prev->next = e; }
    void put(struct other *p, struct link *e) { add(&p->theirs, e); }
    void count(struct s *p) { p->mine.length++; }
  )c"});
  EXPECT_EQ(Of.writers("mine"), std::vector<std::string>{"count"});
}

TEST(StaticEvidence, VariablesOfAMembersTypeAreNoPartOfAStruct) {
  Analysed Of({R"c(
    struct limits { int most, least; };
    struct s { struct limits limits; int uses; };
    static int wrong(struct limits *l) { l->least = 0; return l->most < 0; }
    static struct limits copied(struct s *p) { return p->limits; }
    int change(struct s *p, int most) {
      struct limits l = copied(p);
      l.most = most;
      if (wrong(&l)) return 1;
      p->limits = l;
      return 0;
    }
    int check(struct s *p) { return wrong(&p->limits); }
  )c"});
  EXPECT_EQ(Of.readers("limits"),
            (std::vector<std::string>{"copied", "wrong"}));
  EXPECT_EQ(Of.writers("limits"),
            (std::vector<std::string>{"change", "wrong"}));
  for (const CoAccessSet &Set : Of.Evidence.Sets)
    if (Set.Where.Function == "change") {
      for (const FieldTouch &Touch : Set.Touches)
        for (const AccessSite &Site : Touch.Sites)
          EXPECT_NE(Site.Where.Function, "wrong");
    }
}

TEST(StaticEvidence, ACpuIsChosenByANumberAndNoLock) {
  Analysed Of({R"c(
#include "percpu.h"
    int peek(int cpu) { return instance(cpu)->idle; }
    void lock(int cpu) {
      _raw_spin_lock(&instance(cpu)->lock);
      instance(cpu)->idle++;
    }
    int pointed(struct s *p) { return p->idle; }
  )c"});
  EXPECT_EQ(Of.set("peek")->Cpu, CpuRelation::Chosen);
  EXPECT_EQ(Of.set("lock")->Cpu, CpuRelation::Unknown);
  EXPECT_EQ(Of.set("pointed")->Cpu, CpuRelation::Unknown);
}

TEST(StaticEvidence, WhatAListOnTheStackHoldsIsSomewhereElse) {
  Analysed Of({R"c(
    struct s { int uses; struct list_head tasks; };
    struct list_head *waiting(struct list_head *);
    void run(void) {
      struct list_head own = { &own, &own };
      waiting(&own);
      while (own.next != &own) {
        struct s *p = container_of(own.next, struct s, tasks);
        p->uses++;
        p->tasks.next = 0;
      }
    }
  )c"});
  ASSERT_TRUE(Of.set("run"));
  EXPECT_EQ(Of.set("run")->Cpu, CpuRelation::Unknown);
  EXPECT_EQ(Of.use("tasks").Reads, 0); // own.next is not a task's
  EXPECT_GT(Of.use("tasks").Writes, 0);
}

TEST(StaticEvidence, ASmallMemberIsNoStructThatAVoidPointerMayBe) {
  Analysed Of({R"c(
    struct s { int a, b; long c[9]; };
    struct path { struct s *at; };
    struct big { long first; struct path path; struct s own; };
    static int tell(const void *data, int what) {
      if (what) return ((const struct s *)data)->a;
      return ((const struct path *)data)->at->b;
    }
    int of_path(struct big *p) { return tell(&p->path, 0); }
    int of_own(struct big *p) { return tell(&p->own, 1); }
  )c"});
  for (const CoAccessSet &Set : Of.Evidence.Sets)
    if (Set.Where.Function == "of_path") {
      for (const FieldTouch &Touch : Set.Touches)
        EXPECT_EQ(Touch.Field, Of.field("b"));
    }
  EXPECT_TRUE(Of.touch("of_own", "a"));
}

TEST(StaticEvidence, RareNamesAndReachWeighTheWaysIn) {
  // entry(f) = 2 reached functions, entry(show_f) = 0.01 * 1.
  Analysed Of({R"c(
    struct s { int a, b; };
    static void g(struct s *p) { p->a = 1; }
    void f(struct s *p) { g(p); }
    void show_f(struct s *p) { p->b = 1; }
  )c"});
  EXPECT_DOUBLE_EQ(Of.use("a").Writes, 2);
  EXPECT_DOUBLE_EQ(Of.use("b").Writes, 0.01);
}

TEST(StaticEvidence, BodiesWithoutAGraphAreCountedAndTheirCalleesEntered) {
  // clang gives no graph for a `break` in the condition of a loop.
  Analysed A({R"c(
    struct s { int in_body; int in_callee; int size_only; };
    static void helper(struct s *p) { p->in_callee++; }
    void odd(struct s *p) {
      while (({ if (p->in_body) break; sizeof(p->size_only); }))
        helper(p);
    })c"});
  std::map<std::string, uint64_t> Expected{{"no-control-flow", 1}};
  EXPECT_EQ(A.Evidence.Covered.AccessesDropped, Expected);
  EXPECT_EQ(A.use("in_body").Reads, 0);
  EXPECT_GT(A.use("in_callee").Writes, 0);
}

TEST(StaticEvidence, UnknownStructProposesNames) {
  TestTU Unit = TestTU::withCode(
      "struct request { int a; }; int f(struct request *r) { return r->a; }");
  llvm::Expected<TuFacts> Facts = Unit.build();
  ASSERT_TRUE(bool(Facts));
  std::vector<TuFacts> Units{*Facts};
  Program Whole(Units);
  Result<AffinityEvidence> Found =
      staticEvidence(Whole, estimateFrequencies(Whole, {}), "reqest");
  ASSERT_FALSE(bool(Found));
  EXPECT_NE(Found.error().find("did you mean 'request'"), std::string::npos);
}

TEST(StaticEvidence, TwoDefinitionsAreNamed) {
  std::vector<TuFacts> Units;
  for (const char *Code :
       {"struct s { int a; }; int f(struct s *p) { return p->a; }",
        "struct s { long b, c; }; long g(struct s *p) { return p->b; }"}) {
    TestTU Unit = TestTU::withCode(Code);
    Unit.File = "u" + std::to_string(Units.size()) + ".c";
    llvm::Expected<TuFacts> Facts = Unit.build();
    ASSERT_TRUE(bool(Facts));
    Units.push_back(*Facts);
  }
  Program Whole(Units);
  Result<AffinityEvidence> Found =
      staticEvidence(Whole, estimateFrequencies(Whole, {}), "s");
  ASSERT_FALSE(bool(Found));
  EXPECT_NE(Found.error().find("u0.c:1"), std::string::npos);
  EXPECT_NE(Found.error().find("u1.c:1"), std::string::npos);
}

/// Twelve others hold the lock, so it is a building block; what is inside of it
/// is in two places only.
static const char *LockInALock = R"c(
typedef struct { int counter; } word;
struct queued { union { word val; unsigned char locked; }; };
struct raw { struct queued q; };
struct waiters { struct queued q; };
#define HOLDER(n) struct holder##n { struct raw lock; };
HOLDER(1) HOLDER(2) HOLDER(3) HOLDER(4) HOLDER(5) HOLDER(6)
HOLDER(7) HOLDER(8) HOLDER(9) HOLDER(10) HOLDER(11) HOLDER(12)
struct s { long a; struct raw lock; };
static void set(word *w) { w->counter = 1; }
static void queue(struct queued *q) { set(&q->val); }
void lock(struct raw *r) { queue(&r->q); }
void work(struct s *p) { lock(&p->lock); p->a++; }
void other(struct holder1 *p) { lock(&p->lock); }
)c";

TEST(StaticEvidence, PartsOfABuildingBlockAreSeenInItsCallers) {
  const Analysed Of({LockInALock});
  EXPECT_EQ(Of.probability(Of.set("work"), "lock"), 1);
  // Who else locks is nobody's guess.
  EXPECT_FALSE(Of.set("lock"));
}

static const char *Callbacks = R"c(
struct head { struct head *next; void (*func)(struct head *); };
struct s { long a; struct head rcu; };
struct other { long b; struct head rcu; };
struct third { long b; struct head rcu; };
static void freeS(struct head *h) { container_of(h, struct s, rcu)->a = 0; }
static void freeO(struct head *h) { container_of(h, struct other, rcu)->b = 0; }
static void freeT(struct head *h) { container_of(h, struct third, rcu)->b = 0; }
void dropS(struct s *p) { p->rcu.func = freeS; }
void dropO(struct other *p) { p->rcu.func = freeO; }
void dropT(struct third *p) { p->rcu.func = freeT; }
struct head *pop(void);
void batch(void) {
  struct head *h;
  while ((h = pop())) {
    h->next = 0;
    h->func(h);
  }
}
)c";

TEST(StaticEvidence, WhatOneCallbackOfThreeTakesItForIsAThirdOfTheVisits) {
  const Analysed Of({Callbacks});
  const CoAccessSet *Batch = Of.set("batch");
  ASSERT_TRUE(Batch);
  EXPECT_EQ(Of.probability(Batch, "rcu"), 1);
  EXPECT_NEAR(Of.probability(Batch, "a"), 1, 1e-9);
  // Two rounds a call, of which a third finds an s.
  const Analysed Hot({Callbacks}, {{"batch", 1}});
  ASSERT_TRUE(Hot.set("batch"));
  EXPECT_NEAR(Hot.set("batch")->Weight, 2 / 3., 0.01);
}

TEST(StaticEvidence, ACallerOfTheCallIsAsSureAsTheCallItself) {
  std::string Code = Callbacks;
  const std::string Body = "h->func(h);";
  Code.replace(Code.find(Body), Body.size(), "one(h);");
  const std::string Pop = "struct head *pop(void);";
  Code.insert(Code.find(Pop),
              "static void one(struct head *h) { h->func(h); }\n");
  const Analysed Direct({Callbacks}), Nested({Code});
  EXPECT_NEAR(Nested.use("rcu").Writes / Nested.use("a").Writes,
              Direct.use("rcu").Writes / Direct.use("a").Writes, 0.1);
}

static const char *Nodes = R"c(
struct node { struct node *next; };
struct s { long a; struct node link; };
struct other { long b; struct node link; };
long walk(struct node *n) {
  long sum = 0;
  for (; n; n = n->next)
    sum += container_of(n, struct OF, link)->MEMBER;
  return sum;
}
)c";

static Analysed walkOver(const std::string &Of, const std::string &Member) {
  std::string Code = Nodes;
  Code.replace(Code.find("OF"), 2, Of);
  Code.replace(Code.find("MEMBER"), 6, Member);
  return Analysed({Code});
}

TEST(StaticEvidence, APartThatIsTakenForAnothersIsNot) {
  EXPECT_GT(walkOver("s", "a").use("link").Reads, 0);
  EXPECT_EQ(walkOver("other", "b").use("link").Reads, 0);
}
