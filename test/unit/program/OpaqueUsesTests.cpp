// SPDX-License-Identifier: GPL-2.0-or-later
//
// From C text to the opaque uses of one record, over several units.

#include "hybrid/program/OpaqueUses.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

using Lines = std::vector<std::string>;

/// "function file:line: what" for struct s.
Lines uses(std::vector<std::string> Codes) {
  std::vector<TuFacts> Units;
  for (size_t I = 0; I != Codes.size(); ++I) {
    TestTU Unit = TestTU::withCode("#include \"s.h\"\n" + Codes[I]);
    Unit.Headers["s.h"] = "struct s { int a, b; long c; };\n"
                          "struct outer { struct s in; int more; };\n"
                          "struct entry { int at; };\n"
                          "int get(void *any, int at);\n"
                          "int code(const char *bytes);\n";
    Unit.File = "unit" + std::to_string(I) + ".c";
    llvm::Expected<TuFacts> Facts = Unit.build();
    if (!Facts)
      return {llvm::toString(Facts.takeError())};
    Units.push_back(std::move(*Facts));
  }
  Program Whole(Units);
  Lines Found;
  for (const OpaqueUse &Use :
       opaqueUses(RuleBasis(Whole), Whole.recordsNamed("s").at(0)))
    Found.push_back(Use.Where.Function + " " + Use.Where.File + ":" +
                    std::to_string(Use.Where.Line) + ": " + Use.What);
  return Found;
}

const char *Get = "int get(void *any, int at) {\n"
                  "  return *(int *)((char *)any + at);\n}";

TEST(OpaqueUses, InAnotherUnit) {
  EXPECT_EQ(uses({Get, "int f(struct s *p) { return get(p, 4); }"}),
            Lines{"get unit0.c:3: uses bytes at an offset that varies"});
}

TEST(OpaqueUses, OfARecordThatBeginsWithIt) {
  EXPECT_EQ(uses({Get, "struct s *k(struct s *p) { return p; }\n"
                       "int f(struct outer *p) { return get(p, 4); }"}),
            Lines{"get unit0.c:3: uses bytes at an offset that varies"});
}

TEST(OpaqueUses, NotWithOffsetsOfTheCompiler) {
  EXPECT_EQ(uses({Get, "int f(struct s *p) {\n"
                       "return get(p, __builtin_offsetof(struct s, b)); }"}),
            Lines{});
  EXPECT_EQ(uses({"int f(struct s *p, struct entry *e) {\n"
                  "return *(int *)((char *)p + e->at); }",
                  "struct entry e = {__builtin_offsetof(struct s, b)};"}),
            Lines{});
}

TEST(OpaqueUses, NotInAFunctionThatGetsEverything) {
  std::string Many = "int f(struct s *p) { return get(p, 4); }\n";
  for (char Name = 'a'; Name != 'h'; ++Name)
    Many += std::string("struct x") + Name + " { int n; };\nint f" + Name +
            "(struct x" + Name + " *p) { return get(p, 0); }\n";
  EXPECT_EQ(uses({Get, Many}), Lines{});
}

TEST(OpaqueUses, BytesFromElsewhere) {
  const char *Code = "int code(const char *bytes) {\n"
                     "  return ((const struct s *)bytes)->b;\n}";
  EXPECT_EQ(uses({Code}), Lines{"code unit0.c:3: takes bytes for it that come "
                                "from elsewhere"});
  EXPECT_EQ(uses({Code, "int f(struct s *p) { return code((char *)p); }"}),
            Lines{});
}

} // namespace
