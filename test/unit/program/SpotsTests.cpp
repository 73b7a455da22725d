// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where in a large field accesses go.

#include "test/unit/program/Analysed.h"

#include "llvm/Support/FormatVariadic.h"

using namespace kst;

namespace {

const char *Large = R"c(
  struct inner { char pad[24]; int warm; };
  struct part { char pad[100]; int hot; struct inner in; char rest[40]; };
  struct s { int head; struct part large; struct inner small; };
)c";

/// "OFFSET:PROBABILITY:WRITES ..." of what Body, with `struct s *p`, does.
std::string spots(const std::string &Body, const std::string &Name = "large",
                  const std::string &Before = "") {
  Analysed Of({Large + Before + "long f(struct s *p, int n) {" + Body + "}"});
  const FieldTouch *Touch = Of.touch("f", Name);
  if (!Touch)
    return "untouched";
  std::string Out;
  for (const Spot &At : Touch->Spots)
    Out += (Out.empty() ? "" : " ") + std::to_string(At.OffsetBytes) + ":" +
           llvm::formatv("{0:F1}:{1:F1}", At.Probability, At.Writes).str();
  return Out;
}

TEST(Spots, MembersOfALargeField) {
  EXPECT_EQ(spots("return p->large.hot;"), "100:1.0:0.0");
  EXPECT_EQ(spots("return p->large.in.warm = 1;"), "128:1.0:1.0");
  EXPECT_EQ(spots("return p->large.pad[0];"), ""); // at its start
  EXPECT_EQ(spots("p->large.hot = 1; return p->large.in.warm;"),
            "100:1.0:1.0 128:1.0:0.0");
  EXPECT_EQ(spots("p->large.hot++; return p->large.pad[n];"),
            "0:1.0:0.0 100:1.0:1.0");
}

TEST(Spots, SmallFieldsHaveNone) {
  EXPECT_EQ(spots("return p->small.warm;", "small"), "");
}

TEST(Spots, ThroughCallees) {
  EXPECT_EQ(spots("set(&p->large); return 0;", "large",
                  "static void set(struct part *q) { q->hot = 1; }"),
            "100:1.0:1.0");
  EXPECT_EQ(spots("set(&p->large.in); return 0;", "large",
                  "static void set(struct inner *q) { q->warm = 1; }"),
            "128:1.0:1.0");
}

/// Bytes 60 and 64 of a field that is aligned to 4.
TEST(Spots, RoundedAsTheFieldIsAligned) {
  const char *Odd = "struct odd { int j, k; };"
                    "struct big { char pad[60]; struct odd sub; int rest[9]; };"
                    "struct s { int head; struct big large; };"
                    "static int getk(struct odd *o) { return o->k; }"
                    "int f(struct s *p) { return p->large.sub.j; }"
                    "int g(struct s *p) { return getk(&p->large.sub); }";
  Analysed Of({Odd});
  const FieldTouch *F = Of.touch("f", "large"), *G = Of.touch("g", "large");
  ASSERT_TRUE(F && G);
  EXPECT_EQ(F->Spots, (std::vector<Spot>{{60, 1, 0}}));
  EXPECT_EQ(G->Spots, (std::vector<Spot>{{64, 1, 0}}));
}

TEST(Spots, ThroughContainers) {
  const char *Get = "void g(struct part *q) { struct s *p = "
                    "container_of(q, struct s, large); p->head = q->hot; }";
  Analysed Of({std::string(Large) + Get});
  const FieldTouch *Touch = Of.touch("g", "large");
  ASSERT_TRUE(Touch);
  ASSERT_EQ(Touch->Spots.size(), 1u);
  EXPECT_EQ(Touch->Spots[0].OffsetBytes, 100u);
}

TEST(Spots, OnlyTheMostProbableAreKept) {
  std::vector<Spot> All;
  for (uint32_t I = 0; I != 2 * MaxSpots; ++I)
    addSpots(All, {{8 * I, I % 2 ? 0.5 : 0.25, 0}}, 1, 1);
  ASSERT_EQ(All.size(), MaxSpots);
  for (const Spot &At : All)
    EXPECT_EQ(At.Probability, 0.5);
  EXPECT_TRUE(std::ranges::is_sorted(All, {}, &Spot::OffsetBytes));
}

} // namespace
