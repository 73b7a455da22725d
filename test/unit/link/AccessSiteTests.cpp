// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who reads and who writes: the sites of a field.

#include "hybrid/link/Effects.h"
#include "hybrid/model/StrongestSites.h"
#include "test/unit/link/Analysed.h"

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

TEST(StrongestSites, KeepsTheStrongestOfBothKinds) {
  std::vector<EffectSite> Sites;
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
  std::vector<EffectSite> Sites;
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
