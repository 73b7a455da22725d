// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/HeaderScan.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

using Words = std::vector<llvm::StringRef>;

/// The bodies that may go, as text, one per line.
std::string removable(llvm::StringRef Text) {
  std::string Shown;
  for (const ScannedBody &Body : scanHeader(Text).Bodies)
    if (Body.Removable)
      Shown += Text.slice(Body.Begin, Body.End).str() + "\n";
  return Shown;
}

TEST(HeaderScan, FindsInlineBodies) {
  EXPECT_EQ(removable("static inline int f(int a) { return a; }\n"
                      "static __always_inline void g(void) { { f(1); } }\n"),
            "{ return a; }\n{ { f(1); } }\n");
}

TEST(HeaderScan, LeavesWhatIsNoFunction) {
  EXPECT_EQ(removable("struct __attribute__((packed)) inline_data { int a; };"
                      "struct __aligned(8) inline_data2 { int a; };"
                      "static int table[] = { sizeof(int) };"
                      "enum { A = X(1) };"
                      "typedef struct { int b; } inline_t;"),
            "");
}

TEST(HeaderScan, LeavesBodiesWithEffectsOutside) {
  EXPECT_EQ(removable("static inline int f(void) {\n#ifdef A\nreturn 1;\n"
                      "#endif\nreturn 0; }"),
            "");
  EXPECT_EQ(removable("static inline int f(void)\n#ifdef A\n{ return 1; }\n"
                      "#else\n{ return 0; }\n#endif\n"),
            "");
  EXPECT_EQ(removable("static inline int f(void) { extern int g(void) "
                      "__attribute__((cold)); return g(); }"),
            "");
}

TEST(HeaderScan, GoesOnBehindStructReturnedByFunction) {
  EXPECT_EQ(removable("static inline struct s *f(struct s *p) { return p; }"),
            "{ return p; }\n");
}

TEST(HeaderScan, BracesInLiteralsAndCommentsDoNotCount) {
  EXPECT_EQ(removable("static inline char f(void) { /* } */ g(\"}\"); return "
                      "'}'; // }\n}"),
            "{ /* } */ g(\"}\"); return '}'; // }\n}\n");
}

TEST(HeaderScan, BranchesOfAConditionOpenOneBlock) {
  for (const char *First :
       {"void f(void) {\n#ifdef A\nif (a) {\n#ifdef B\nx {\n#else\ny "
        "{\n#endif\n}\n"
        "#elif C\nif (c) {\n#else\nif (b) {\n#endif\n}\n}\n",
        "void f(void) {\n#ifdef A\nif (a)\n#else\nif (b) {\n#endif\nx();\n"
        "#ifndef A\n}\n#endif\n}\n",
        "#ifdef A\nvoid f(int a) {\n#else\nvoid f(void) {\n#endif\nx(); }\n"}) {
    const std::string Text = First + std::string("void g(void) { h(); }\n");
    HeaderScan Scan = scanHeader(Text);
    ASSERT_FALSE(Scan.Bodies.empty()) << First;
    EXPECT_EQ(Scan.Bodies.back().Names, Words{"g"}) << First;
  }
}

TEST(HeaderScan, BodyTellsNamesAndUses) {
  HeaderScan Scan = scanHeader("static inline __printf(1, 2) int f(int a) "
                               "__acquires(l) { return g(a); }");
  ASSERT_EQ(Scan.Bodies.size(), 1u);
  EXPECT_EQ(Scan.Bodies[0].Names, (Words{"__printf", "f", "__acquires"}));
  EXPECT_EQ(Scan.Bodies[0].Uses, (Words{"a", "g", "return"}));
}

TEST(HeaderScan, MacrosTellUsesAndPrefixes) {
  HeaderScan Scan = scanHeader("#define CALL(op, x) \\\n  raw_##op(x)\n"
                               "#define OBJECT (f)\nint after;\n");
  ASSERT_EQ(Scan.Macros.size(), 2u);
  EXPECT_EQ(Scan.Macros[0].Name, "CALL");
  EXPECT_EQ(Scan.Macros[0].Uses, (Words{"op", "raw_", "x"}));
  EXPECT_EQ(Scan.Macros[0].Prefixes, Words{"raw_"});
  EXPECT_EQ(Scan.Macros[1].Uses, Words{"f"});
}

TEST(HeaderScan, IncludesAndMacroCalls) {
  HeaderScan Scan = scanHeader("#include <a/b.h>\n#  include \"c.h\"\n"
                               "#include MACRO\nDEFINE_GUARD(lock, take(x))\n"
                               "static inline void f(void) { g(); }\n");
  ASSERT_EQ(Scan.Includes.size(), 2u);
  EXPECT_EQ(Scan.Includes[0].Name, "a/b.h");
  EXPECT_FALSE(Scan.Includes[0].Quoted);
  EXPECT_EQ(Scan.Includes[1].Name, "c.h");
  EXPECT_TRUE(Scan.Includes[1].Quoted);
  ASSERT_EQ(Scan.Calls.size(), 1u);
  EXPECT_EQ(Scan.Calls[0].FirstName, "lock");
}

TEST(HeaderScan, EndsOnTextThatDoesNot) {
  for (const char *Text :
       {"", "#", "#define", "#define A", "#include", "f(",
        "static inline int f(void) {", "\"", "/*", "'", "}", ")", "#include <",
        "#include \"", "#define A(", "struct {", "R\"(", "\\"})
    EXPECT_EQ(removable(Text), "") << Text;
}

} // namespace
} // namespace kst
