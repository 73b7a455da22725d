// SPDX-License-Identifier: GPL-2.0-or-later
//
// Definitions in another order: text in, order, text out.

#include "TestRecord.h"
#include "analyzer/rewrite/Rewrite.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

struct Case {
  const char *Name;
  const char *Fields; ///< of the text, in order
  const char *Order;
  const char *Text;
  const char *Wanted;
};

std::string body(const char *Text) {
  return std::string("struct s {\n") + Text + "};\n";
}

class RewriteTable : public ::testing::TestWithParam<Case> {};

TEST_P(RewriteTable, GivesTheText) {
  const Case &C = GetParam();
  std::string Text = body(C.Text);
  RecordInfo Record = recordOf(Text, C.Fields);
  auto Of = Definition::parse(Text, Record);
  ASSERT_TRUE(bool(Of)) << llvm::toString(Of.takeError());
  auto Made = rewrite(*Of, orderOf(Record, C.Order));
  ASSERT_TRUE(bool(Made)) << llvm::toString(Made.takeError());
  EXPECT_EQ(Made->Text, body(C.Wanted));
}

const Case Table[] = {
    {"members of an anonymous struct move inside of it", "a { b c d } e",
     "a d b c e",
     "\tint a;\n\tstruct {\n\t\tint b;\t/* of b */\n\n\t\tint c;\n"
     "\t\tint d;\t/* of d */\n\t};\n\tint e;\n",
     "\tint a;\n\tstruct {\n\t\tint d;\t/* of d */\n\t\tint b;\t/* of b */"
     "\n\n\t\tint c;\n\t};\n\tint e;\n"},
    {"an anonymous struct moves with all that is in it", "a { b c } d",
     "b c a d",
     "\tint a;\n\n\t/* about it */\n\tstruct {\n\t\tint b;\n#ifdef X\n"
     "\t\tint c;\n#endif\n\t} __aligned;\t/* end */\n\tint d;\n",
     "\t/* about it */\n\tstruct {\n\t\tint b;\n#ifdef X\n"
     "\t\tint c;\n#endif\n\t} __aligned;\t/* end */\n\n\tint a;\n\tint d;\n"},
    {"both at once, conditions inside stay inside", "a { b c d }", "d c b a",
     "\tint a;\n\tstruct {\n\t\tint b;\n#ifdef X\n\t\tint c;\n\t\tint d;\n"
     "#endif\n\t};\n",
     "\tstruct {\n#ifdef X\n\t\tint d;\n\t\tint c;\n#endif\n\t\tint b;\n"
     "\t};\n\tint a;\n"},
    {"structs in structs", "{ { a } b { c d } }", "b d c a",
     "\tstruct {\n\t\tstruct {\n\t\t\tint a;\n\t\t} __hot;\n\n\t\tint b;\n"
     "\t\tstruct {\n\t\t\tint c;\n\t\t\tint d;\n\t\t};\n\t};\n",
     "\tstruct {\n\t\tint b;\n"
     "\t\tstruct {\n\t\t\tint d;\n\t\t\tint c;\n\t\t};\n"
     "\t\tstruct {\n\t\t\tint a;\n\t\t} __hot;\n\t};\n"},
    {"a member goes up with its trailing comment", "a b c", "a c b",
     "\tint a;\n\tint b;\t/* of b */\n\tint c;\t/* of c,\n\t\t\t * still */\n",
     "\tint a;\n\tint c;\t/* of c,\n\t\t\t * still */\n\tint b;\t/* of b "
     "*/\n"},
    {"to the front", "a b c", "c a b", "\tint a;\n\tint b;\n\tint c;\n",
     "\tint c;\n\tint a;\n\tint b;\n"},
    {"its own comment goes along", "a b c", "b c a",
     "\t/* about a */\n\tint a;\n\n\tint b;\n\tint c;\n",
     "\tint b;\n\tint c;\n\n\t/* about a */\n\tint a;\n"},
    {"a group's comment stays", "a b c", "b c a",
     "\t/* read-mostly fields */\n\tint a;\n\tint b;\n\n\tint c;\n",
     "\t/* read-mostly fields */\n\tint b;\n\n\tint c;\n\tint a;\n"},
    {"a group's comment goes with the whole group", "a b c", "c a b",
     "\t/* these are hot */\n\tint a;\n\tint b;\n\n\tint c;\n\tint d;\n",
     "\tint c;\n\n\t/* these are hot */\n\tint a;\n\tint b;\n\n\tint d;\n"},
    {"a paragraph that is left vanishes", "b a c", "b c a",
     "\tint b;\n\n\tint a;\n\n\tint c;\n", "\tint b;\n\n\tint c;\n\tint a;\n"},
    {"a comment deeper than its member is of the member above", "a b c",
     "b a c",
     "\tint a;\n\t\t\t/* of a,\n\t\t\t * below */\n\tint b;\n\tint c;\n",
     "\tint b;\n\tint a;\n\t\t\t/* of a,\n\t\t\t * below */\n\tint c;\n"},
    {"out of an #if with its own", "a b c", "a c b",
     "\tint a;\n#ifdef X\n\tint b;\n#endif\n\tint c;\n\tint d;\n",
     "\tint a;\n\tint c;\n#ifdef X\n\tint b;\n#endif\n\tint d;\n"},
    {"one of two leaves its #if", "a b c d", "a c d b",
     "\tint a;\n#ifdef X\n\tint b;\n\tint c;\n#endif /* X */\n\tint d;\n",
     "\tint a;\n#ifdef X\n\tint c;\n#endif /* X */\n\tint d;\n#ifdef X\n\tint "
     "b;\n#endif /* X */\n"},
    {"two that follow share a wrapper", "a b c d", "d b c a",
     "\tint a;\n#ifdef X\n\tint b;\n\tint c;\n#endif\n\tint d;\n",
     "\tint d;\n#ifdef X\n\tint b;\n\tint c;\n#endif\n\tint a;\n"},
    {"into an #if of its own condition", "a b c d e", "a b e c d",
     "\tint a;\n#ifdef X\n\tint b;\n#endif\n\tint c;\n\tint d;\n"
     "#if defined(X)\n\tint e;\n#endif\n",
     "\tint a;\n#ifdef X\n\tint b;\n\tint e;\n#endif\n\tint c;\n\tint "
     "d;\n"},
    {"into the #if behind it", "a b c d e", "a e b c d",
     "\tint a;\n\n#ifdef X\n\tint b;\n#endif\n\tint c;\n\tint d;\n"
     "#if defined(X)\n\tint e;\n#endif\n",
     "\tint a;\n\n#ifdef X\n\tint e;\n\tint b;\n#endif\n\tint c;\n\tint "
     "d;\n"},
    {"a block is closed and opened around it", "a b e c", "a c b e",
     "#ifdef X\n\tint a;\n\tint b;\n\tint e;\n#endif\n\tint c;\n",
     "#ifdef X\n\tint a;\n#endif\n\tint c;\n#ifdef X\n\tint "
     "b;\n\tint e;\n#endif\n"},
    {"out of an #else", "a b c", "a c b",
     "#ifdef X\n\tint a;\n#else\n\tint b;\n#endif\n\tint c;\n",
     "#ifdef X\n\tint a;\n#endif\n\tint c;\n#ifndef X\n\tint b;\n#endif\n"},
    {"out of an #elif", "a b c", "a c b",
     "#if A > 1\n\tint a;\n#elif defined(B)\n\tint b;\n#endif\n\tint c;\n",
     "#if A > 1\n\tint a;\n#endif\n\tint c;\n#if !(A > 1) && "
     "defined(B)\n\tint b;\n#endif\n"},
    {"nested conditions are both kept", "a b c", "a c b",
     "#ifdef X\n\tint a;\n#ifdef Y\n\tint b;\n#endif\n#endif\n\tint c;\n",
     "#ifdef X\n\tint a;\n#endif\n\tint c;\n#ifdef X\n#ifdef Y\n\tint "
     "b;\n#endif\n#endif\n"},
    {"a comment above an #if of one goes along", "a b c d", "a c d b",
     "\tint a;\n\n\t/* about b */\n#ifdef X\n\tint b;\n#endif\n\n\tint "
     "c;\n\tint d;\n",
     "\tint a;\n\n\tint c;\n\tint d;\n\n#ifdef X\n\t/* about b */\n\tint "
     "b;\n#endif\n"},
    {"a list of declarators is taken apart", "a b c", "b c a",
     "\tunsigned char\t*a,\n\t\t\t*b;\n\tint c;\n",
     "\tunsigned char\t*b;\n\tint c;\n\tunsigned char\t*a;\n"},
    {"a list of declarators moves whole", "a b c", "c a b",
     "\tint a, b;\n\tint c;\n", "\tint c;\n\tint a, b;\n"},
    {"pointers to functions and attributes", "f g h", "h f g",
     "\tint (*f)(int,\n\t\t int);\n\tint g __attribute__((aligned(8)));\n"
     "\tvoid *h __attribute__((unused));\n",
     "\tvoid *h __attribute__((unused));\n\tint (*f)(int,\n\t\t int);\n"
     "\tint g __attribute__((aligned(8)));\n"},
    {"an anonymous union is one", "a|b@2 c d", "c a|b d",
     "\tunion {\n\t\tint a;\n#ifdef X\n\t\tint b;\n#endif\n\t};\n\tint "
     "c;\n\tint d;\n",
     "\tint c;\n\tunion {\n\t\tint a;\n#ifdef X\n\t\tint "
     "b;\n#endif\n\t};\n\tint d;\n"},
    {"a #define stays, and above its user", "a b", "b a",
     "\tint a;\n#define N 3\n\tint b[N];\n",
     "#define N 3\n\tint b[N];\n\tint a;\n"},
    {"alternatives move as one", "a x c", "a c x",
     "\tint a;\n#ifdef X\n\tint x;\n#else\n\tlong x;\n#endif\n\tint c;\n",
     "\tint a;\n\tint c;\n#ifdef X\n\tint x;\n#else\n\tlong x;\n#endif\n"},
    {"members of other configurations stay", "a b c d", "a d b c",
     "\tint a;\n\tint b;\n#ifndef X\n\tint other;\n#endif\n\tint c;\n\tint "
     "d;\n",
     "\tint a;\n\tint d;\n\tint b;\n#ifndef X\n\tint "
     "other;\n#endif\n\tint c;\n"},
    {"bit-fields of other configurations stay in their run", "a b c d e",
     "c d e a b",
     "\tint a:1;\n#ifdef X\n\tint x:1;\n#endif\n\tint b:1;\n#ifdef "
     "Y\n\tint y:1;\n#endif\n\tint c[2];\n\tlong\n\t\td;\n\tint e;\n",
     "\tint c[2];\n\tlong\n\t\td;\n\tint e;\n\tint a:1;\n#ifdef X\n\tint "
     "x:1;\n#endif\n\tint b:1;\n#ifdef Y\n\tint y:1;\n#endif\n"},
    {"several members of a line get lines of their own", "a b c", "c a b",
     "\tint a; char b; /* of b */ int c;\t/* of c */\n",
     "\tint c;\t/* of c */\n\tint a;\n\tchar b; /* of b */\n"},
    {"comments before members of a line", "a b c", "b c a",
     "\t/* A */ int a; /* B */ int b; /* C */ int c;\n",
     "\t/* B */ int b;\n\t/* C */ int c;\n\t/* A */ int a;\n"},
    {"a line whose members stay together moves as it is", "a b c", "c a b",
     "\tint a; char b;\n\tint c;\n", "\tint c;\n\tint a; char b;\n"},
    {"lists and others on a line", "a b f c", "f b c a",
     "\tint a, *b; int (*f)(int, int); char c[2];\n",
     "\tint (*f)(int, int);\n\tint *b;\n\tchar c[2];\n\tint a;\n"},
    {"an anonymous struct on one line", "a { b c } d", "a c b d",
     "\tint a;\n\tstruct { int b; char c; };\n\tint d;\n",
     "\tint a;\n\tstruct {\n\t\tchar c;\n\t\tint b;\n\t};\n\tint d;\n"},
    {"an #error goes with the alternatives that it ends", "a x b", "a b x",
     "\tint a;\n#ifdef X\n\tint x;\n#elif Y\n\tlong x;\n#else\n"
     "#error which?\n#endif\n\tint b;\n",
     "\tint a;\n\tint b;\n#ifdef X\n\tint x;\n#elif Y\n\tlong x;\n#else\n"
     "#error which?\n#endif\n"},
    {"an #error stays under its conditions", "a x b c", "a b c x",
     "\tint a;\n#ifdef X\n\tint x;\n#else\n#error which?\n#endif\n\tint b;\n"
     "\tint c;\n",
     "\tint a;\n#ifndef X\n#error which?\n#endif\n\tint b;\n\tint c;\n"
     "#ifdef X\n\tint x;\n#endif\n"},
    {"no block is cut through for want of directives", "a x b c d", "a x d b c",
     "\tint a;\n#ifdef X\n#ifdef X\n\tint x;\n#endif\n#endif\n#ifdef Z\n"
     "\tint z;\n\tint y;\n#endif\n\tint b;\n\tint c;\n\tint d;\n",
     "\tint a;\n#ifdef X\n#ifdef X\n\tint x;\n#endif\n#endif\n\tint d;\n"
     "#ifdef Z\n\tint z;\n\tint y;\n#endif\n\tint b;\n\tint c;\n"},
    {"a static assertion is in nobody's way", "a b", "b a",
     "\tint a;\n\t_Static_assert(sizeof(int) == 4, \"\");\n\tint b;\n",
     "\t_Static_assert(sizeof(int) == 4, \"\");\n\tint b;\n\tint a;\n"},
    {"bytes that are no UTF-8", "a b", "b a",
     "\tint a; /* gr\xf6\xdf"
     "e */\n\tint b;\t// \x83\x5c\x95\n",
     "\tint b;\t// \x83\x5c\x95\n\tint a; /* gr\xf6\xdf"
     "e */\n"},
    {"lines end as they do", "a b", "b a", "\tint a;\r\n\tint b;\r\n",
     "\tint b;\r\n\tint a;\r\n"},
};

INSTANTIATE_TEST_SUITE_P(All, RewriteTable, ::testing::ValuesIn(Table),
                         [](const auto &Info) {
                           std::string Name;
                           for (char C : std::string(Info.param.Name))
                             Name += llvm::isAlnum(C) ? C : '_';
                           return Name;
                         });

/// The whole text in an order, or why not.
std::string reordered(const std::string &Text, const char *Fields,
                      const char *Order, uint32_t Line, uint32_t EndLine) {
  RecordInfo Record;
  Record.Name = "s";
  Record.File = "s.h";
  Record.Line = Line;
  Record.EndLine = EndLine;
  llvm::SmallVector<llvm::StringRef> Names;
  llvm::StringRef(Fields).split(Names, ' ');
  for (llvm::StringRef Name : Names) {
    FieldInfo Field;
    auto [Plain, At] = Name.split('@');
    Field.Name = Plain.str();
    Field.Line = At.empty() ? Line : std::stoul(At.str());
    Record.Fields.push_back(Field);
  }
  auto Of = Definition::parse(Text, Record);
  if (!Of)
    return llvm::toString(Of.takeError());
  auto Made = rewrite(*Of, orderOf(Record, Order));
  return Made ? Made->Text : llvm::toString(Made.takeError());
}

TEST(Rewrite, MembersOnTheLinesOfTheBraces) {
  EXPECT_EQ(reordered("struct s { int a; char b[120]; };", "a b", "b a", 1, 1),
            "struct s {\n\tchar b[120];\n\tint a;\n};");
  EXPECT_EQ(reordered("\xef\xbb\xbfstruct s{int a;int b;} x, *p;\r\n", "a b",
                      "b a", 1, 1),
            "\xef\xbb\xbfstruct s{\r\n\tint b;\r\n\tint a;\r\n} x, *p;\r\n");
  EXPECT_EQ(reordered("  struct s { int a;\n             int b; } x;\n",
                      "a@1 b@2", "b a", 1, 2),
            "  struct s {\n             int b;\n             int a;\n  } x;\n");
  EXPECT_EQ(
      reordered("typedef struct { int a; int b; } s;\n", "a b", "b a", 1, 1),
      "typedef struct {\n\tint b;\n\tint a;\n} s;\n");
  EXPECT_EQ(
      reordered("struct s <% int a; int b<:2:>; %>;\n", "a b", "b a", 1, 1),
      "struct s <%\n\tint b<:2:>;\n\tint a;\n%>;\n");
  // Another word of that name is no definition.
  EXPECT_EQ(
      reordered("struct t { struct s *p; }; struct s { int a; int b; };\n",
                "a b", "b a", 1, 1),
      "struct t { struct s *p; }; struct s {\n\tint b;\n\tint a;\n};\n");
}

TEST(Rewrite, WhatCannotBeMovedIsNamed) {
  struct {
    const char *Inside, *Why;
  } const Refused[] = {
      {"\tint a;\n#pragma pack(1)\n\tint b;\n",
       "line 3: #pragma pack among the members"},
      {"\tint a;\n#include \"x.h\"\n\tint b;\n",
       "line 3: #include among the members"},
      {"\tint a; \\\n\n\tint b;\n",
       "line 2: a backslash joins this line to what follows"},
      {"\tint a;\n\f\n\tint b;\n", "line 3: a form feed between the members"},
      {"\tint a;\n%:define N 3\n\tint b;\n",
       "line 3: a directive that does not begin with '#'"},
      {"\t_Pragma(\"pack(1)\") int a;\n\tint b;\n",
       "line 2: a _Pragma among the members"},
  };
  for (const auto &[Inside, Why] : Refused) {
    std::string Text = body(Inside);
    RecordInfo Record = recordOf(Text, "a b");
    auto Of = Definition::parse(Text, Record);
    if (!Of) {
      EXPECT_EQ(llvm::toString(Of.takeError()), Why);
      continue;
    }
    auto Made = rewrite(*Of, orderOf(Record, "b a"));
    ASSERT_FALSE(bool(Made)) << Text;
    EXPECT_EQ(llvm::toString(Made.takeError()), Why);
  }
}

TEST(Rewrite, APragmaThatIsNoLayoutIsNotCrossed) {
  std::string Text = body("\tint a;\n#pragma GCC diagnostic push\n\tint b;\n");
  RecordInfo Record = recordOf(Text, "a b");
  std::vector<SourceRule> Rules = rulesOfText(Text, Record);
  ASSERT_EQ(Rules.size(), 1u);
  EXPECT_EQ(Rules[0].Kind, RuleKind::Barrier);
  EXPECT_EQ(Rules[0].Where.Line, 3u);
}

TEST(Rewrite, ConstantsOfAnEnumerationHoldTheirMember) {
  std::string Text = body("\tenum { N = 2 } a;\n\tint b[N];\n");
  RecordInfo Record = recordOf(Text, "a b");
  std::vector<SourceRule> Rules = rulesOfText(Text, Record);
  ASSERT_EQ(Rules.size(), 1u);
  EXPECT_EQ(Rules[0].Kind, RuleKind::ImmovableField);
  EXPECT_EQ(Rules[0].Fields, std::vector<uint32_t>{0});
}

TEST(Rewrite, NothingLeavesAnAnonymousStruct) {
  std::string Text =
      body("\tint a;\n\tstruct {\n\t\tint b;\n\t\tint c;\n\t};\n");
  RecordInfo Record = recordOf(Text, "a { b c }");
  auto Of = Definition::parse(Text, Record);
  ASSERT_TRUE(bool(Of)) << llvm::toString(Of.takeError());
  EXPECT_TRUE(Of->rules().empty());
  auto Made = rewrite(*Of, orderOf(Record, "b a c"));
  ASSERT_FALSE(bool(Made));
  EXPECT_EQ(llvm::toString(Made.takeError()),
            "c would leave the anonymous struct that it is in");
}

TEST(Rewrite, BitFieldsOfOneDeclarationAreNotTakenApart) {
  std::string Text = body("\tint a : 3, b : 5;\n\tint c;\n");
  RecordInfo Record = recordOf(Text, "a b c");
  Record.Fields[0].BitField = Record.Fields[1].BitField = true;
  auto Of = Definition::parse(Text, Record);
  ASSERT_TRUE(bool(Of)) << llvm::toString(Of.takeError());
  auto Made = rewrite(*Of, orderOf(Record, "a c b"));
  ASSERT_FALSE(bool(Made));
  EXPECT_EQ(llvm::toString(Made.takeError()),
            "line 2: a and b cannot be taken apart");
  EXPECT_TRUE(bool(rewrite(*Of, orderOf(Record, "c a b"))));
}

TEST(Rewrite, AnAnonymousStructThatTheTextHidesStaysClosed) {
  // Made by a macro, beside another on its line.
  for (const char *Inside :
       {"\tPAIR(b, c)\n", "\tstruct { int b; int c; }; struct { int d; };\n"}) {
    std::string Text = body((std::string("\tint a;\n") + Inside).c_str());
    RecordInfo Record = recordOf(Text, "a b c");
    Record.Groups.resize(1);
    Record.Groups[0].Line = Record.Groups[0].EndLine = 3;
    Record.Fields[1].Group = Record.Fields[2].Group = 0;
    auto Of = Definition::parse(Text, Record);
    ASSERT_TRUE(bool(Of)) << llvm::toString(Of.takeError());
    ASSERT_EQ(Of->rules().size(), 1u) << Text;
    EXPECT_EQ(Of->rules()[0].Kind, RuleKind::Join);
    EXPECT_EQ(Of->rules()[0].Fields, (std::vector<uint32_t>{1, 2}));
  }
}

TEST(Rewrite, RulesInsideOfAnAnonymousStructNameItsFields) {
  std::string Text = body("\tint a;\n\tstruct {\n\t\tint b;\n"
                          "\t\tint c;\t/* must be last */\n\t};\n");
  RecordInfo Record = recordOf(Text, "a { b c }");
  std::vector<SourceRule> Rules = rulesOfText(Text, Record);
  ASSERT_FALSE(Rules.empty());
  EXPECT_EQ(Rules[0].Kind, RuleKind::ImmovableField);
  EXPECT_EQ(Rules[0].Fields, std::vector<uint32_t>{2});
}

} // namespace
