// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who reads and who writes: the sites of a field.

#include "hybrid/core/StrongestSites.h"
#include "hybrid/program/Effects.h"
#include "test/unit/program/Analysed.h"

using namespace kst;
using Names = std::vector<std::string>;

TEST(AccessSites, AReaderIsNoWriter) {
  Analysed Of({R"c(
    struct s { int a, b; };
    static long rd(struct s *p) { return p->a; }
    static void wr(struct s *p) { p->a = 1; }
    static void both(struct s *p) { p->a++; }
    long f(struct s *p) { wr(p); both(p); return rd(p); }
  )c"});
  EXPECT_EQ(Of.readers("a"), (Names{"both", "rd"}));
  EXPECT_EQ(Of.writers("a"), (Names{"both", "wr"}));
  EXPECT_EQ(Of.readers("b"), Names());
  EXPECT_EQ(Of.writers("b"), Names());
}

TEST(AccessSites, AReaderThroughAPartIsNoWriter) {
  Analysed Of({R"c(
    struct s { int a; struct list_head list; };
    // So many lists that a pointer to one does not tell whose it is.
    struct t { struct list_head b, c, d, e, f, g, h, i; } *lists;
    void clear(void) { lists->b.next = 0; }
    static inline int list_empty(const struct list_head *l) {
      return READ_ONCE(l->next) == l;
    }
    int idle(struct s *p) { return list_empty(&p->list); }
    void add(struct s *p, struct list_head *n) { list_add(n, &p->list); }
  )c"});
  EXPECT_EQ(Of.readers("list"), (Names{"list_add", "list_empty"}));
  EXPECT_EQ(Of.writers("list"), (Names{"list_add"}));
}

TEST(AccessSites, AnUnseenCalleeIsAssumed) {
  Analysed Of({R"c(
    struct part { int x; };
    struct s { struct part in, out; };
    void peek(const struct part *), poke(struct part *);
    void f(struct s *p) { peek(&p->in); poke(&p->out); p->in.x++; }
  )c"});
  EXPECT_EQ(Of.readers("in"), (Names{"f", "f?"}));
  EXPECT_EQ(Of.writers("in"), (Names{"f"}));
  EXPECT_EQ(Of.readers("out"), (Names{"f?"}));
  EXPECT_EQ(Of.writers("out"), (Names{"f?"}));
}

TEST(AccessSites, AnUnseenCalleeThatAsksReads) {
  Analysed Of({R"c(
    struct part { int x; };
    struct s { struct part map, lock, set; };
    void *map_load(struct part *, int);
    int lock_is_held(struct part *);
    void set_active(struct part *);
    void f(struct s *p) {
      map_load(&p->map, 1); lock_is_held(&p->lock); set_active(&p->set);
    }
  )c"});
  EXPECT_EQ(Of.readers("map"), (Names{"f?"}));
  EXPECT_EQ(Of.writers("map"), (Names{}));
  EXPECT_EQ(Of.writers("lock"), (Names{}));
  EXPECT_EQ(Of.writers("set"), (Names{"f?"}));
}

TEST(AccessSites, AmountsAddUpToTheTouch) {
  Analysed Of({R"c(
    struct s { int a; };
    static long rd(struct s *p) { return p->a; }
    long f(struct s *p, int n) {
      if (n < 0) p->a = n;
      return rd(p);
    }
  )c"});
  const FieldTouch *Touch = Of.touch("f", "a");
  ASSERT_TRUE(Touch);
  double Reads = 0, Writes = 0;
  for (const AccessSite &At : Touch->Sites) {
    Reads += At.Reads;
    Writes += At.Writes;
  }
  EXPECT_DOUBLE_EQ(Reads, Touch->Reads);
  EXPECT_DOUBLE_EQ(Writes, Touch->Writes);
  EXPECT_LT(Writes, 0.2);
  EXPECT_EQ(Of.use("a").Sites, 2u);
}

TEST(AccessSites, ManyReadersDoNotPushOutTheWriter) {
  std::string Code = "struct s { int a; };\n";
  std::string Calls;
  for (int I = 0; I != 3 * int(MaxSites); ++I) {
    std::string Name = "rd" + std::to_string(I);
    Code += "static int " + Name + "(struct s *p) { return p->a; }\n";
    Calls += "n += " + Name + "(p);";
  }
  Analysed Of({Code + "int f(struct s *p, int n) {" + Calls +
               " if (n < 0) p->a = n; return n; }"});
  EXPECT_EQ(Of.readers("a").size(), MaxSites);
  EXPECT_EQ(Of.writers("a"), (Names{"f"}));
}

namespace {

/// A statement on a field `f` of *p, and what is done to it in which functions.
struct Form {
  const char *Type, *Statement;
  Names Readers, Writers;
};

} // namespace

TEST(AccessSites, Forms) {
  const Form Forms[] = {
      {"int f", "if (p->f++ > v) v = 0;", {"f"}, {"f"}},
      {"int f", "v = sizeof(p->f) + offsetof(struct s, f);", {}, {}},
      {"int f", "v = __builtin_constant_p(p->f);", {}, {}},
      {"int f", "int *a = &p->f; v = a == 0;", {}, {}},
      {"int f", "*(int *)((char *)p + offsetof(struct s, f)) = v;", {}, {"f"}},
      {"int f", "v = __atomic_load_n(&p->f, 0);", {"f"}, {}},
      {"int f", "__atomic_store_n(&p->f, v, 0);", {}, {"f"}},
      {"int f", "__sync_fetch_and_add(&p->f, v);", {"f"}, {"f"}},
      {"int f", "__builtin_add_overflow(v, 1, &p->f);", {}, {"f"}},
      {"unsigned f : 3", "p->f = v;", {}, {"f"}},
      {"unsigned f : 3", "p->f |= v;", {"f"}, {"f"}},
      {"unsigned long f", "set_bit(v, &p->f);", {"set_bit"}, {"set_bit"}},
      {"unsigned long f", "v = test_bit(v, &p->f);", {"test_bit"}, {}},
      {"unsigned long f", "set_byte(v, &p->f);", {"set_byte"}, {"set_byte"}},
      {"int f[4]", "move(p->f, &v);", {"move?"}, {"move?"}},
      {"int f[4]", "move(&v, p->f);", {"move?"}, {}},
      {"int f[4]", "barrier_data(p->f);", {}, {}},
      {"int f[4]", "clear(p->f, v);", {}, {"clear"}},
      {"int *f", "*p->f = v;", {"f"}, {}},
      {"char f[8]", "say(\"%s\", p->f);", {"f?"}, {}},
      {"char f[8]", "strcpy(p->f, \"x\");", {}, {"f"}},
      {"char f[8]", "v = strlen(p->f);", {"f"}, {}},
      {"char f[8]", "*(p->f + v) = 0;", {}, {"f"}},
      {"struct part f", "hand_on(&p->f);", {"hand_on?"}, {"hand_on?"}},
      {"struct part f", "p->f = (struct part){v};", {}, {"f"}},
      {"struct part f", "struct part a = p->f; v = a.x;", {"f"}, {}},
      {"struct part f", "(v ? &p->f : &p->g)->x = v;", {}, {"f"}},
  };
  for (const Form &Of : Forms) {
    SCOPED_TRACE(Of.Statement);
    Analysed Found({std::string(R"c(
      typedef unsigned long size_t;
      struct part { int x; };
      char *strcpy(char *, const char *);
      size_t strlen(const char *);
      void say(const char *, ...) __attribute__((format(printf, 1, 2)));
      void poke(struct part *);
      static inline void hand_on(struct part *x) { poke(x); }
      static inline void clear(int *x, int n) { while (n--) *x++ = 0; }
      static inline void move(void *to, const void *from) {
        asm volatile("movsl" : "+D"(to), "+S"(from) : : "memory");
      }
      static inline void barrier_data(void *p) {
        asm volatile("" : : "r"(p) : "memory");
      }
      static inline void set_bit(long nr, volatile unsigned long *addr) {
        asm volatile("lock; btsq %1,%0" : : "m"(*(volatile long *)addr),
                     "Ir"(nr) : "memory");
      }
      static inline int test_bit(long nr, const volatile unsigned long *addr) {
        char old;
        asm volatile("btq %2,%1" : "=@ccc"(old)
                     : "m"(*(unsigned long *)addr), "Ir"(nr) : "memory");
        return old;
      }
      static inline void set_byte(long nr, volatile unsigned long *addr) {
        asm volatile("orb $1,%0" : "+m"(*(volatile char *)((void *)(addr) +
                     (nr >> 3))) : : "memory");
      }
      struct s { int other; )c") +
                    Of.Type +
                    "; struct part g; };\nvoid f(struct s *p, int v) {" +
                    Of.Statement + "}"});
    EXPECT_EQ(Found.readers("f"), Of.Readers);
    EXPECT_EQ(Found.writers("f"), Of.Writers);
    EXPECT_EQ(Found.writers("other"), Names());
  }
}

TEST(AccessSites, BlocksOfBytesCoverEachField) {
  Analysed Of({R"c(
    struct s { int a, b, c, d; };
    void *memset(void *, int, unsigned long);
    void f(struct s *p) { memset(&p->b, 0, offsetof(struct s, d) - offsetof(struct s, b)); }
    void g(struct s *p) { memset(p, 0, offsetof(struct s, b)); }
    void h(struct s *p) { memset(p, 0, sizeof(*p)); }
  )c"});
  EXPECT_EQ(Of.writers("a"), Names{"g"});
  EXPECT_EQ(Of.writers("b"), Names{"f"});
  EXPECT_EQ(Of.writers("c"), Names{"f"});
  EXPECT_EQ(Of.writers("d"), Names());
  EXPECT_EQ(Of.readers("b"), Names());
}

TEST(AccessSites, APartThatMayBeAnothersIsAssumed) {
  Analysed Of({R"c(
    struct part { int x; };
    struct s { int a; struct part part; };
    void f(struct part *x) { x->x = 1; }
  )c"});
  EXPECT_EQ(Of.writers("part"), Names{"f?"});
}

TEST(StrongestSites, KeepsTheStrongestOfBothKinds) {
  std::vector<Effect::Site> Sites;
  for (uint32_t I = 1; I != 2 * MaxSites + 1; ++I) {
    Sites.push_back({0, I, 0, false, double(I), 0});
    Sites.push_back({0, 100 + I, 0, false, 0, 0.01 * I});
  }
  keepStrongest(Sites);
  ASSERT_EQ(Sites.size(), 2 * MaxSites);
  for (size_t I = 0; I != MaxSites; ++I) {
    EXPECT_EQ(Sites[I].Line, 2 * MaxSites - I);
    EXPECT_EQ(Sites[MaxSites + I].Line, 100 + 2 * MaxSites - I);
  }
}

TEST(StrongestSites, TiesAreBrokenByPlace) {
  std::vector<Effect::Site> Sites;
  for (uint32_t I = 3 * MaxSites; I != 0; --I)
    Sites.push_back({0, I, 0, false, 1, 1});
  keepStrongest(Sites);
  ASSERT_EQ(Sites.size(), MaxSites);
  EXPECT_EQ(Sites.front().Line, 1u);
}

TEST(Effects, ScaleKeepsSharesAndSites) {
  Effect Of;
  Of.Reads = Of.Writes = 2;
  Of.Lock = 2;
  Of.Sites = {{0, 1, 0, false, 2, 2}};
  Of.scale(0.5, 1.5);
  EXPECT_DOUBLE_EQ(Of.Reads, 1);
  EXPECT_DOUBLE_EQ(Of.Writes, 3);
  EXPECT_DOUBLE_EQ(Of.Lock, 2);
  EXPECT_DOUBLE_EQ(Of.Sites[0].Reads, 1);
  EXPECT_DOUBLE_EQ(Of.Sites[0].Writes, 3);
}
