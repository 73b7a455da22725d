// SPDX-License-Identifier: GPL-2.0-or-later
//
// From C text to the rules for one record.

#include "hybrid/link/SourceRules.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

const char *Common = R"c(
#define offsetof(T, m) __builtin_offsetof(T, m)
#define BUILD_BUG_ON(c) do { \
  extern void broken(void) __attribute__((error("broken"))); \
  if (c) broken(); } while (0)
struct base { int first; };
)c";

/// "kind fields: why; function file:line" of each rule for struct s, which
/// header.h defines.
std::vector<std::string> rules(const std::string &Definition,
                               std::vector<std::string> Codes,
                               const std::string &Header = "header.h") {
  std::vector<TuFacts> Units;
  for (size_t I = 0; I != Codes.size(); ++I) {
    TestTU Unit = TestTU::withCode("#include \"" + Header + "\"\n" + Codes[I]);
    Unit.Headers[Header] = Common + Definition;
    Unit.File = "unit" + std::to_string(I) + ".c";
    llvm::Expected<TuFacts> Facts = Unit.build();
    if (!Facts)
      return {llvm::toString(Facts.takeError())};
    Units.push_back(std::move(*Facts));
  }
  Program Whole(Units);
  std::vector<RecordId> Named = Whole.recordsNamed("s");
  if (Named.size() != 1)
    return {"no single struct s"};
  std::vector<std::string> Lines;
  for (const SourceRule &Rule : sourceRules(Whole, Named[0])) {
    const char *Kinds[] = {"fence", "barrier", "join", "all"};
    std::string Line = Kinds[size_t(Rule.Kind)];
    for (uint32_t Field : Rule.Fields)
      Line.append(" ").append(std::to_string(Field));
    Line.append(": ").append(Rule.Why).append("; ");
    Line.append(Rule.Where.Function).append(" ").append(Rule.Where.File);
    Line.append(":").append(std::to_string(Rule.Where.Line));
    Lines.push_back(Line);
  }
  return Lines;
}

using Lines = std::vector<std::string>;
const char *Four = "struct s { int a, b, c, d; };\n";

TEST(SourceRules, NoneWithoutDemand) {
  EXPECT_EQ(rules(Four, {"int f(struct s *p) { return p->a; }"}), Lines{});
}

TEST(SourceRules, BlockFencesItsEnd) {
  EXPECT_EQ(rules(Four, {"void f(struct s *p) {\n"
                         "__builtin_memset(p, 0, offsetof(struct s, c)); }"}),
            Lines{"fence 2: the bytes up to it are handled as one block; "
                  "f unit0.c:3"});
}

TEST(SourceRules, DistanceFencesBothEnds) {
  EXPECT_EQ(
      rules(Four, {"unsigned long f(void) { return offsetof(struct s, d) - "
                   "offsetof(struct s, b); }"}),
      (Lines{"fence 1: its distance from 'd' is used; f unit0.c:2",
             "fence 3: its distance from 'b' is used; f unit0.c:2"}));
}

TEST(SourceRules, OneForEachFieldTheFirstPlaceOfTheStrongest) {
  std::string Clear = "__builtin_memset(p, 0, offsetof(struct s, c)); }";
  EXPECT_EQ(rules(Four, {"void late(struct s *p) {\n\n" + Clear,
                         "void other(struct s *p) {" + Clear,
                         "int length(unsigned n) { return n < "
                         "offsetof(struct s, c); }"}),
            Lines{"fence 2: the bytes up to it are handled as one block; "
                  "late unit0.c:4"});
}

TEST(SourceRules, AssertedOffsetFixesAllBefore) {
  std::string Why = "a build-time assertion needs the offset of 'c'; f "
                    "unit0.c:2";
  EXPECT_EQ(
      rules(Four,
            {"void f(void) { BUILD_BUG_ON(offsetof(struct s, c) != 8); }"}),
      (Lines{"fence 0: " + Why, "fence 1: " + Why, "fence 2: " + Why}));
}

TEST(SourceRules, AssertedSpanFixesAllBetween) {
  std::string Why = "a build-time assertion counts the bytes from 'b' to 'd';"
                    "  unit0.c:2";
  EXPECT_EQ(rules(Four, {"_Static_assert(offsetof(struct s, d) - "
                         "offsetof(struct s, b) == 8, \"\");"}),
            (Lines{"fence 1: " + Why, "fence 2: " + Why, "fence 3: " + Why}));
}

TEST(SourceRules, AssertedOrderNeedsOneFence) {
  std::string Check = "void f(void) { BUILD_BUG_ON(offsetof(struct s, a) >= "
                      "offsetof(struct s, c)); }";
  EXPECT_EQ(rules(Four, {Check}),
            Lines{"fence 2: a build-time assertion needs it behind 'a'; f "
                  "unit0.c:2"});
  EXPECT_EQ(rules(Four, {Check, "void g(void) { BUILD_BUG_ON(offsetof(struct "
                                "s, a) != 0); }"}),
            Lines{"fence 0: a build-time assertion needs the offset of 'a'; g "
                  "unit1.c:2"});
}

TEST(SourceRules, MarkersAreFencesAnyway) {
  EXPECT_EQ(rules("struct s { int a; char begin[0]; int b; char end[0]; int c;"
                  "};\n",
                  {"void f(void) { BUILD_BUG_ON(offsetof(struct s, b) < "
                   "offsetof(struct s, begin)); BUILD_BUG_ON(offsetof(struct s,"
                   " b) + 4 > offsetof(struct s, end)); }"}),
            Lines{});
}

TEST(SourceRules, CastFencesTheFirstMember) {
  EXPECT_EQ(rules("struct s { struct base base; int x; };\n",
                  {"struct s *f(struct base *p) { return (struct s *)p; }"}),
            Lines{"fence 0: casts to and from 'struct base' rely on what comes "
                  "first; f unit0.c:2"});
}

TEST(SourceRules, PositionFixesAllUpToTheLast) {
  std::string Why = "an initialiser sets the fields up to 'b' by position;  "
                    "unit0.c:2";
  EXPECT_EQ(rules(Four, {"struct s x = { 1, 2 };"}),
            (Lines{"fence 0: " + Why, "fence 1: " + Why}));
}

TEST(SourceRules, OverrunFixesWhatItCovers) {
  std::string Why = "the bytes from 'b' to 'c' are handled as one block; f "
                    "unit0.c:2";
  EXPECT_EQ(rules(Four, {"void f(struct s *p) { __builtin_memset(&p->b, 0, 8);"
                         " }"}),
            (Lines{"fence 1: " + Why, "fence 2: " + Why}));
}

TEST(SourceRules, UserSpaceSeesAll) {
  const char *Code = "struct s x = { 1, 2 };";
  Lines Fixed{"all: defined in a header for user space, which sees this "
              "layout;  include/uapi/h.h:7"};
  EXPECT_EQ(rules(Four, {Code}, "include/uapi/h.h"), Fixed);
  EXPECT_EQ(rules(Four, {Code}, "arch/a/include/uapi/h.h").size(), 1u);
  EXPECT_NE(rules(Four, {Code}, "include/linux/uapi.h"), Fixed);
}

TEST(SourceRules, PackedIsAFormat) {
  EXPECT_EQ(rules("struct s { char a; int b; } __attribute__((packed));\n",
                  {"struct s x;"}),
            Lines{"all: packed: likely a format on the wire or of hardware;  "
                  "header.h:7"});
}

TEST(SourceRules, OrderOfUnitsDoesNotMatter) {
  std::string A = "void f(struct s *p) { __builtin_memset(p, 0, "
                  "offsetof(struct s, b)); }";
  std::string B = "int g(unsigned n) { return n < offsetof(struct s, b); }";
  auto Twice = [&](std::vector<size_t> Numbers) {
    std::vector<TuFacts> Units;
    for (size_t I : Numbers) {
      TestTU Unit = TestTU::withCode(std::string(Common) + Four + (I ? B : A));
      Unit.File = I ? "b.c" : "a.c";
      Units.push_back(llvm::cantFail(Unit.build()));
    }
    Program Whole(Units);
    std::string Text;
    for (RecordId Id : Whole.recordsNamed("s"))
      for (const SourceRule &Rule : sourceRules(Whole, Id))
        Text += Rule.Why + Rule.Where.File + "\n";
    return Text;
  };
  EXPECT_FALSE(Twice({0, 1}).empty());
  EXPECT_EQ(Twice({0, 1}), Twice({1, 0}));
}

} // namespace
