// SPDX-License-Identifier: GPL-2.0-or-later
//
// From C text to the rules for one record.

#include "hybrid/program/SourceRules.h"
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
/// header.h defines, that is (Closed) or is not about new fields. A soft one
/// has a question mark.
std::vector<std::string> rules(const std::string &Definition,
                               std::vector<std::string> Codes,
                               const std::string &Header = "header.h",
                               bool Closed = false) {
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
    if ((Rule.Kind == RuleKind::Closed) != Closed)
      continue;
    const char *Kinds[] = {"fence", "barrier", "join", "all", "closed"};
    std::string Line = Kinds[size_t(Rule.Kind)];
    Line += Rule.Strength == RuleStrength::Soft ? "?" : "";
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

/// "first last" of each range of places where no new field may go.
Lines closed(const std::string &Definition, const std::string &Code) {
  Lines Places;
  for (const std::string &Rule : rules(Definition, {Code}, "header.h", true))
    Places.push_back(Rule.substr(0, Rule.find(':')));
  return Places;
}
const char *Four = "struct s { int a, b, c, d; };\n";

TEST(SourceRules, NoneWithoutDemand) {
  EXPECT_EQ(rules(Four, {"int f(struct s *p) { return p->a; }"}), Lines{});
}

TEST(SourceRules, BlockImmovableFieldsItsEnd) {
  EXPECT_EQ(rules(Four, {"void f(struct s *p) {\n"
                         "__builtin_memset(p, 0, offsetof(struct s, c)); }"}),
            Lines{"fence 2: the bytes up to it are handled as one block; "
                  "f unit0.c:3"});
}

TEST(SourceRules, DistanceImmovableFieldsBothEnds) {
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

TEST(SourceRules, AssertedOrderNeedsOneImmovableField) {
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

TEST(SourceRules, MarkersAreImmovableFieldsAnyway) {
  EXPECT_EQ(rules("struct s { int a; char begin[0]; int b; char end[0]; int c;"
                  "};\n",
                  {"void f(void) { BUILD_BUG_ON(offsetof(struct s, b) < "
                   "offsetof(struct s, begin)); BUILD_BUG_ON(offsetof(struct s,"
                   " b) + 4 > offsetof(struct s, end)); }"}),
            Lines{});
}

/// The common start of a list's head and its elements.
const char *Alike = "struct head { struct s *next, *prev; int count; };\n"
                    "struct s { struct s *next, *prev; int x, y; };\n";

Lines taken(const std::string &For, const std::string &Where,
            std::vector<int> Fields = {0, 1}) {
  Lines Rules;
  for (int Field : Fields)
    Rules.push_back("fence " + std::to_string(Field) + ": code takes it for '" +
                    For + "', which begins in the same way; " + Where);
  return Rules;
}

TEST(SourceRules, CastImmovableFieldsTheFirstMember) {
  EXPECT_EQ(rules("struct s { struct base base; int x; };\n",
                  {"struct s *f(struct base *p) { return (struct s *)p; }"}),
            taken("struct base", "f unit0.c:2", {0}));
}

TEST(SourceRules, CastOfContainersImmovableFieldsInside) {
  const char *Records = "struct s { struct base base; int x; };\n"
                        "struct outer { struct s s; int y; };\n";
  EXPECT_EQ(
      rules(Records,
            {"struct outer *f(struct base *p) { return (struct outer *)p; }"}),
      taken("struct base", "f unit0.c:2", {0}));
  EXPECT_EQ(rules(Records, {"struct outer *f(struct s *p) { return (struct "
                            "outer *)p; }"}),
            Lines{});
}

TEST(SourceRules, CastOfRecordsThatBeginAlike) {
  const char *Cast = "struct s *f(struct head *p) { return (struct s *)p; }";
  EXPECT_EQ(rules(Alike, {Cast}), taken("struct head", "f unit0.c:2"));
  EXPECT_EQ(closed(Alike, Cast), Lines{"closed 0 1"});
  // The head as well, whichever is asked about.
  EXPECT_EQ(rules("struct e { struct e *next, *prev; int x; };\n"
                  "struct s { struct e *next, *prev; int count; };\n",
                  {"struct e *f(struct s *p) { return (struct e *)p; }"}),
            taken("struct e", "f unit0.c:2"));
}

TEST(SourceRules, CommonStartThroughEmbeddedAndAnonymous) {
  EXPECT_EQ(rules("struct links { struct s *next, *prev; };\n"
                  "struct head { struct links links; int count; };\n"
                  "struct s { union { struct { struct s *next, *prev; };\n"
                  "long word; }; int x, y; };\n",
                  {"struct s *f(struct head *p) { return (struct s *)p; }"}),
            taken("struct head", "f unit0.c:2", {0}));
}

TEST(SourceRules, CastOfElementOfArray) {
  EXPECT_EQ(rules(Alike, {"extern struct head heads[4];\n"
                          "struct s *f(int i) { return (struct s *)&heads[i];"
                          " }"}),
            taken("struct head", "f unit0.c:3"));
}

TEST(SourceRules, UnrelatedCastIsNoRule) {
  EXPECT_EQ(rules("struct s { int a, b; };\nstruct other { long c; int a; };\n",
                  {"struct s *f(struct other *p) { return (struct s *)p; }"}),
            Lines{});
}

TEST(SourceRules, ConversionAcrossUnits) {
  const char *User = "int use(void *any) { struct s *p = any; return p->x; }";
  EXPECT_EQ(rules(Alike, {"int use(void *any);\n"
                          "int f(struct head *p) { return use(p); }",
                          User}),
            taken("struct head", "use unit1.c:2"));
  // Only elements come: no conversion, but the members are the same.
  Lines Soft;
  for (const char *Field : {"0", "1"})
    Soft.push_back(std::string("fence? ") + Field +
                   ": 'struct head' begins with the same members; no "
                   "conversion was seen;  header.h:7");
  EXPECT_EQ(rules(Alike, {"int use(void *any);\n"
                          "int f(struct s *p) { return use(p); }",
                          User}),
            Soft);
}

TEST(SourceRules, ConversionByReturnValue) {
  EXPECT_EQ(rules(Alike, {"struct head h; void *get(void) { return &h; }",
                          "void *get(void);\n"
                          "int f(void) { struct s *p = get(); return p->x; }"}),
            taken("struct head", "f unit1.c:3"));
}

TEST(SourceRules, ConversionByMember) {
  std::string Holder = std::string(Alike) + "struct box { void *any; };\n";
  EXPECT_EQ(rules(Holder,
                  {"void f(struct box *b, struct head *p) { b->any = p; }",
                   "int g(struct box *b) { return ((struct s *)b->any)->x; }"}),
            taken("struct head", "g unit1.c:2"));
}

TEST(SourceRules, ConversionByTable) {
  std::string Table =
      std::string(Alike) + "struct ops { int (*run)(void *); };\n";
  EXPECT_EQ(
      rules(Table,
            {"static int go(void *any) { return ((struct s *)any)->x; }\n"
             "struct ops ops = { .run = go };",
             "int f(struct ops *o, struct head *h) { return o->run(h); }"}),
      taken("struct head", "go unit0.c:2"));
}

TEST(SourceRules, ConversionByUnion) {
  for (const char *Stars : {"", "*"})
    EXPECT_EQ(rules(std::string(Alike) + "union either { struct head " + Stars +
                        "h; struct s " + Stars + "s; };\n",
                    {"union either e;"}),
              taken("struct head", " header.h:9"));
}

TEST(SourceRules, UnionOfPointersSaysNothingOfOtherNames) {
  const char *Others = "struct s { long count; int lock, z; };\n"
                       "struct buffer { long start; int size; };\n";
  const std::string Before = std::string(Others) + "union either { struct s ";
  EXPECT_EQ(rules(Before + "*s; struct buffer *b; };\n", {"union either e;"}),
            Lines{});
  EXPECT_EQ(
      rules(Before + "s; struct buffer b; };\n", {"union either e;"}).size(),
      2u); // C11 6.5.2.3
}

TEST(SourceRules, SameNameOfATypeWithTwoNames) {
  const char *Two = "typedef unsigned refs_t;\n"
                    "struct s { refs_t refs; long kind, z; };\n"
                    "struct h { unsigned refs; long kind; };\n";
  EXPECT_EQ(rules(Two, {"struct h *f(void *p) { return p; }\n"
                        "struct h *g(struct s *p) { return f(p); }"})
                .size(),
            2u);
}

TEST(SourceRules, CastOfRecordsWithOtherNames) {
  const char *Two = "struct s { int kind; long in_port, z; };\n"
                    "struct h { int family; char text[20]; };\n"
                    "struct n { long family; char text[20]; };\n";
  EXPECT_EQ(rules(Two, {"struct h *f(struct s *p) { return (void *)p; }\n"
                        "struct h *g(struct s *p) {\n"
                        "return (struct h *)p; }"}),
            Lines{"fence 0: code takes it for 'struct h', which begins in the "
                  "same way; f unit0.c:2"});
  EXPECT_EQ(rules(Two, {"struct n *g(struct s *p) { return (struct n *)p; }"}),
            Lines{});
  // A way through other functions may be that of another record.
  EXPECT_EQ(rules(Two, {"struct h *f(void *p) { return p; }\n"
                        "struct h *g(struct s *p) { return f(p); }"}),
            Lines{});
}

TEST(SourceRules, StartTakenForANumber) {
  const char *Sort = "void sort(void *v, int (*compare)(const void *));\n"
                     "static int compare(const void *a) {\n"
                     "return *(const int *)a; }\n"
                     "void f(struct s *p) { sort(p, compare); }";
  EXPECT_EQ(rules("struct s { int key; long z; };\n", {Sort}),
            Lines{"fence? 0: code takes its start for a number; compare "
                  "unit0.c:4"});
  EXPECT_EQ(rules("struct s { long key; long z; };\n", {Sort}), Lines{});
}

TEST(SourceRules, FreedByItsFirstMember) {
  const char *Records =
      "struct source { void *ops; int fd; };\n"
      "struct s { struct source base; int slot; };\n"
      "void *malloc(unsigned long); void free(void *); void use(void *);\n";
  const char *Made = "struct source *make(void) {\n"
                     "  struct s *s = malloc(sizeof *s);\n"
                     "  if (s->slot) { free(s); return 0; }\n"
                     "  return &s->base; }\n";
  const char *Freed = "void f(struct source *b) { free(b); }";
  EXPECT_EQ(rules(Records, {Made, Freed}),
            Lines{"fence? 0: 'struct source' at its start is freed by free(), "
                  "which may end the whole object; f unit1.c:2"});
  EXPECT_EQ(rules(Records, {Freed}), Lines{}) << "no object of its own";
  EXPECT_EQ(rules(Records, {Made, "void f(struct source *b) { use(b); }"}),
            Lines{});
  EXPECT_EQ(rules(Records, {"void g(struct s *s) { free(s); }", Made, Freed}),
            Lines{})
      << "freed as what it is";
}

TEST(SourceRules, ObjectsLongerThanTheRecord) {
  EXPECT_EQ(rules("struct open { int n; char text[]; };\n"
                  "struct s { int a, b; struct open last; };\n",
                  {"struct s *p; int f(void) { return p->a; }"}),
            Lines{"fence 2: ends in a flexible array: stays last;  "
                  "header.h:8"});
  EXPECT_EQ(
      rules("struct s { int a, b; char text[1]; };\n",
            {"struct s *p; int f(void) { return p->a; }"}),
      Lines{"fence? 2: an array of one element at the end: objects may be "
            "longer;  header.h:7"});
  EXPECT_EQ(rules("struct s { int a, b; char text[2]; };\n",
                  {"struct s *p; int f(void) { return p->a; }"}),
            Lines{});
}

TEST(SourceRules, BytesInOneUnionIfNamed) {
  const char *Frame = "struct s { int a, b; };\n"
                      "union frame { struct s s; unsigned char raw[8]; };\n";
  EXPECT_EQ(rules(Frame, {"int f(union frame *u) { return u->raw[3]; }"}),
            Lines{"all?: shares a union with numbers that cover its members;  "
                  "header.h:8"});
  EXPECT_EQ(rules(Frame, {"int f(union frame *u) { return u->s.a; }"}),
            Lines{});
}

TEST(SourceRules, WritersOfManyRecords) {
  std::string Many, Code = "long write(int fd, const void *from, long n);\n"
                           "void keep(const void *p);\n"
                           "void put(const void *p) { write(1, p, 8); }\n"
                           "void f(struct s *p) { put(p); keep(p); }\n";
  for (char C = 'a'; C != 'k'; ++C) {
    std::string Name = std::string("t_") + C;
    Many += "struct " + Name + " { long " + C + "; };\n";
    Code += "void f_" + std::string(1, C) + "(struct " + Name +
            " *p) { put(p); keep(p); }\n";
  }
  Many += Four;
  EXPECT_EQ(rules(Many, {Code}),
            Lines{"all?: its bytes go to or come from a file or socket by "
                  "write(); put unit0.c:4"});
  Code.replace(Code.find("write(1, p, 8)"), 14, "keep(p)");
  EXPECT_EQ(rules(Many, {Code}), Lines{});
}

TEST(SourceRules, VectorsAndMappedFiles) {
  EXPECT_EQ(rules(Four, {"struct iovec { void *iov_base; long iov_len; };\n"
                         "void f(struct s *p, struct iovec *v) {\n"
                         "v->iov_base = p; }"}),
            Lines{"all?: its bytes go to or come from a file or socket by "
                  "iovec.iov_base; f unit0.c:4"});
  EXPECT_EQ(rules(Four, {"void *mmap(void *at, long n);\n"
                         "struct s *f(void) { return mmap(0, 9); }"}),
            Lines{"all?: its bytes go to or come from mapped memory by mmap(); "
                  "f unit0.c:3"});
}

TEST(SourceRules, SlotForEverythingSaysNothing) {
  std::string Many, Calls = "void drop(const void *any);\n";
  for (char C = 'a'; C != 'k'; ++C) {
    std::string Name = std::string("t_") + C;
    Many += "struct " + Name + " { long " + C + "; int z; };\n";
    Calls += "void f_" + std::string(1, C) + "(struct " + Name +
             " *p) { drop(p); }\n";
  }
  Lines Found =
      rules(Many + Alike,
            {Calls + "void f(struct head *p) { drop(p); }",
             "void drop(const void *any) { const struct s *p = any; }"});
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[0].substr(0, 7), "fence? ");
}

TEST(SourceRules, OneEqualMemberIsAccident) {
  EXPECT_EQ(rules("struct list { struct list *next, *prev; };\n"
                  "struct other { struct list list; int n; };\n"
                  "struct s { struct list list; long m; };\n",
                  {"struct other o; struct s s;"}),
            Lines{});
}

TEST(SourceRules, ComputedSizeClosesWhatIsBehind) {
  const char *Code = "void make(struct s *p, unsigned long size);\n"
                     "void f(struct s *p, int n) { make(p, offsetof(struct s, "
                     "d) + n * 4); }";
  EXPECT_EQ(closed(Four, Code), Lines{"closed 4 4"});
  EXPECT_EQ(closed(Four, "void f(struct s *p) { __builtin_memset(p, 0, "
                         "offsetof(struct s, d)); }"),
            Lines{});
}

TEST(SourceRules, AssertedOffsetClosesWhatIsBefore) {
  EXPECT_EQ(closed(Four, "void f(void) { BUILD_BUG_ON(offsetof(struct s, c) "
                         "!= 8); }"),
            Lines{"closed 0 2"});
}

TEST(SourceRules, MirrorHoldsBothRecords) {
  const char *Mirror = "_Static_assert(offsetof(struct s, c) == "
                       "offsetof(struct mirror, z), \"\");";
  const char *Records = "struct mirror { int x, y, z; };\n"
                        "struct s { int a, b, c, d; };\n";
  std::string Why = "a build-time assertion needs the offset of 'c';  "
                    "unit0.c:2";
  EXPECT_EQ(rules(Records, {Mirror}),
            (Lines{"fence 0: " + Why, "fence 1: " + Why, "fence 2: " + Why}));
  const char *Swapped = "struct mirror { int a, b, c, d; };\n"
                        "struct s { int x, y, z, w; };\n";
  EXPECT_EQ(rules(Swapped, {"_Static_assert(offsetof(struct mirror, c) == "
                            "offsetof(struct s, z), \"\");"})
                .size(),
            3u);
}

TEST(SourceRules, WholeRecordToUserSpace) {
  const char *Copy = "unsigned long copy_to_user(void *to, const void *from, "
                     "unsigned long n);\n";
  EXPECT_EQ(
      rules(Four, {std::string(Copy) + "void f(void *u, struct s *p) {"
                                       "copy_to_user(u, p, sizeof(*p)); }"}),
      Lines{"all: its bytes go to or come from user space by "
            "copy_to_user(); f unit0.c:3"});
  EXPECT_EQ(rules(Four, {std::string(Copy) +
                         "void f(void *u, struct s *p) {"
                         "copy_to_user(u, &p->b, sizeof(p->b)); }"}),
            Lines{});
}

TEST(SourceRules, MemoryOfDevices) {
  EXPECT_EQ(rules(Four, {"void *dma_alloc_coherent(int n);\n"
                         "int f(void) { struct s *p = dma_alloc_coherent(9); "
                         "return p->a; }"}),
            Lines{"all: its bytes go to or come from a device by "
                  "dma_alloc_coherent(); f unit0.c:3"});
  EXPECT_EQ(rules(Four, {"void *kmalloc(int n);\n"
                         "int f(void) { struct s *p = kmalloc(9); "
                         "return p->a; }"}),
            Lines{});
}

TEST(SourceRules, FilesAndSocketsMayBeInternal) {
  EXPECT_EQ(rules(Four, {"long write(int fd, const void *from, long n);\n"
                         "void f(struct s *p) { write(1, p, sizeof(*p)); }"}),
            Lines{"all?: its bytes go to or come from a file or socket by "
                  "write(); f unit0.c:3"});
}

TEST(SourceRules, NumbersInOneUnion) {
  EXPECT_EQ(rules("struct s { int a, b; };\n"
                  "union both { struct s s; unsigned long word; };\n"
                  "union pad { struct s s; char space[64]; };\n",
                  {"union both b;"}),
            Lines{"all?: shares a union with numbers that cover its members; "
                  " header.h:8"});
  EXPECT_EQ(rules("struct s { int a, b; };\n"
                  "union pad { struct s s; char space[64]; int kind; };\n"
                  "union stack { struct s s; unsigned long room[64]; };\n",
                  {"union pad b; union stack c;"}),
            Lines{});
}

TEST(SourceRules, FixedByteOrder) {
  const char *Types = "typedef unsigned int __le32; typedef unsigned short "
                      "__be16;\n";
  auto Fields = [&](const char *Definition) {
    Lines Found = rules(std::string(Types) + Definition, {"struct s x;"});
    return Found.empty() ? "" : Found[0].substr(0, Found[0].find(':'));
  };
  EXPECT_EQ(Fields("struct s { char kind; __le32 a[2]; __be16 b; };\n"), "all");
  EXPECT_EQ(Fields("struct s { __le32 a, b; int c; };\n"), "all?");
  EXPECT_EQ(Fields("struct s { __le32 a; int b, c; };\n"), "");
  EXPECT_EQ(Fields("struct s { __le32 a, b; struct s *next; };\n"), "");
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

TEST(SourceRules, PackedMembersStayAligned) {
  const std::string Event =
      "struct event { int mask; long data; } __attribute__((packed));\n";
  const std::vector<std::string> Use = {
      "long f(struct s *p) { return p->e.data; }"};
  // The pointer in front of it aligns it; a flag would not.
  EXPECT_EQ(
      rules(Event + "struct s { void *ws; struct event e; char flag; };\n",
            Use),
      Lines{"join? 0 1: it is packed, and only what is in front of it aligns "
            "it to 8 bytes;  :0"});
  EXPECT_EQ(
      rules(Event + "struct s { int a, b; struct event e; char flag; };\n",
            Use),
      Lines{"fence? 2: it is packed, and only what is in front of it aligns it "
            "to 8 bytes;  :0"});
  // It is not aligned now.
  EXPECT_EQ(rules(Event + "struct s { char flag; struct event e; };\n", Use),
            Lines{});
}
