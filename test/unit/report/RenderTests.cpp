// SPDX-License-Identifier: GPL-2.0-or-later

#include "DocumentSample.h"
#include "hybrid/report/Render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

namespace kst {
namespace {

const TextOptions Full{.Color = false, .Full = true};

size_t times(const std::string &Text, const std::string &What) {
  size_t Count = 0;
  for (size_t At = Text.find(What); At != std::string::npos;
       At = Text.find(What, At + 1))
    ++Count;
  return Count;
}

bool has(const std::string &Text, const std::string &What) {
  return times(Text, What) > 0;
}

/// What a browser shows of Html, tooltips included.
std::string shownHtml(std::string Html) {
  Html =
      std::regex_replace(Html, std::regex("<(style|script)>[^]*?</\\1>"), "");
  Html = std::regex_replace(Html, std::regex("title=\"([^\"]*)\""), "> $1 <");
  Html = std::regex_replace(Html, std::regex("<[^>]*>"), " ");
  for (auto [From, To] : {std::pair("&lt;", "<"),
                          {"&gt;", ">"},
                          {"&quot;", "\""},
                          {"&#39;", "'"},
                          {"&amp;", "&"}})
    Html = std::regex_replace(Html, std::regex(From), To);
  return Html;
}

/// What a reader of rendered Markdown sees.
std::string shownMarkdown(std::string Text) {
  Text =
      std::regex_replace(Text, std::regex("\\\\([\\\\`*_\\[\\]<>|~#])"), "$1");
  return std::regex_replace(Text, std::regex("&amp;"), "&");
}

/// Everything that is said, word by word: "s-..." up to a blank.
std::set<std::string> said(const std::string &Text) {
  std::set<std::string> Found;
  std::regex Word("s-[^\\s`]+");
  for (std::sregex_iterator It(Text.begin(), Text.end(), Word), End; It != End;
       ++It) {
    std::string One = It->str();
    One.resize(One.find_last_not_of(",;*") + 1);
    Found.insert(One);
  }
  return Found;
}

TEST(Render, WhatOneFormShowsAllShow) {
  Document Doc = test::sampleDocument();
  std::set<std::string> Text = said(toText(Doc, Full));
  EXPECT_EQ(Text.size(), 33u);
  EXPECT_EQ(Text, said(shownMarkdown(toMarkdown(Doc, true))));
  std::set<std::string> Html = said(shownHtml(toHtml({Doc})));
  EXPECT_EQ(Html.erase("s-tip"), 1u); // the listing says what tips do
  EXPECT_EQ(Text, Html);
}

TEST(Render, ShortFormsSayHowMuchTheyLeaveOut) {
  Document Doc = test::sampleDocument();
  for (const std::string &Short : {toText(Doc), toMarkdown(Doc)}) {
    for (const char *Hidden : {"s-hidden", "s-folded", "s-two", "s-three",
                               "s-weak", "s-cold", "s-only", "s-last"})
      EXPECT_FALSE(has(Short, Hidden)) << Hidden;
    for (const char *Instead : {"b-and more bullets", "b-1 more row",
                                "s-one and 2 more", "b-1 more entry"})
      EXPECT_TRUE(has(Short, Instead)) << Instead << "\n" << Short;
  }
  for (const std::string &Long : {toText(Doc, Full), toMarkdown(Doc, true)})
    EXPECT_FALSE(has(Long, "b-") || has(Long, "2 more")) << Long;
}

TEST(Render, TablesWithoutRowsAreNotShown) {
  Document Doc = test::sampleDocument();
  for (const std::string &Form :
       {toText(Doc, Full), toMarkdown(Doc, true), toHtml({Doc})})
    EXPECT_FALSE(has(Form, "n-empty"));
}

TEST(TextForm, NumbersStandRightAndTheLastColumnIsWrapped) {
  Document Doc;
  Table T{{{"who"}, {"count", true}, {"why"}}};
  T.Rows = {{{"a", "7",
              "one two three four five six seven eight nine ten "
              "eleven twelve thirteen fourteen"}},
            {{"longer", "1234567", "x"}}};
  Doc.Sections = {{"", {T}}};
  EXPECT_EQ(toText(Doc, {.Width = 72}),
            "\n\n"
            "  who       count  why\n"
            "  a             7  one two three four five six seven eight nine "
            "ten\n"
            "                   eleven twelve thirteen fourteen\n"
            "  longer  1234567  x\n");
}

TEST(TextForm, NumbersInTheLastColumnStandRight) {
  Table T{{{"who"}, {"count", true}}};
  T.Rows = {{{"a", "7"}}, {{"b", "1234567"}}};
  EXPECT_EQ(toText(T, {}, 1), " who    count\n a          7\n b    1234567\n");
}

TEST(TextForm, KeepsToTheWidth) {
  Document Doc = test::sampleDocument();
  Doc.Sections.push_back({"",
                          {Paragraph{std::string(500, 'x').replace(
                              0, 400, std::string(200, ' ') + "y z")}}});
  Document Long;
  std::string Words;
  for (int I = 0; I < 100; ++I)
    Words += "word" + std::to_string(I) + " ";
  Long.Head = {Paragraph{Words}, Bullets{{{Words}}},
               Entry{"9.9%", Words, {Paragraph{Words, "because "}}}};
  for (unsigned Width : {40u, 72u, 100u, 160u}) {
    std::istringstream Lines(toText(Long, {.Width = Width}));
    size_t Longest = 0;
    for (std::string Line; std::getline(Lines, Line);)
      Longest = std::max(Longest, Line.size());
    EXPECT_LE(Longest, std::max(72u, Width));
    EXPECT_GE(Longest, std::max(72u, Width) - 8);
  }
}

TEST(TextForm, ColorAddsNothingButEscapes) {
  Document Doc = test::sampleDocument();
  for (bool All : {false, true}) {
    std::string Plain = toText(Doc, {.Color = false, .Full = All});
    std::string Colored = toText(Doc, {.Color = true, .Full = All});
    EXPECT_FALSE(has(Plain, "\033"));
    EXPECT_TRUE(has(Colored, "\033[1;31m25.0%\033[0m")) << Colored;
    EXPECT_EQ(std::regex_replace(Colored, std::regex("\033\\[[0-9;]*m"), ""),
              Plain);
    EXPECT_FALSE(has(Plain, " \n"));
  }
}

TEST(HtmlForm, EscapesAndFolds) {
  std::string Html = toHtml({test::sampleDocument()});
  EXPECT_TRUE(has(Html, "a|b&lt;c&gt; &amp; *stars* [x]"));
  EXPECT_TRUE(has(Html, "<code>s-a|b&lt;c&gt;</code>"));
  EXPECT_FALSE(has(Html, "b<c>"));
  EXPECT_TRUE(has(Html, "<details class=\"in\"><summary> and 2 more</summary>, "
                        "s-two, s-three</details>"));
  EXPECT_TRUE(has(Html, "<tr class=\"more\"><td>s-folded"));
  EXPECT_TRUE(has(Html, "<details><summary>b-1 more entry</summary>"));
}

TEST(HtmlForm, ASwitchNeedsNoOption) {
  Table T{{{"a"}}};
  T.Rows.push_back({.Cells = {"s-row"}, .When = Shown::Full});
  T.Rest = "3 rows with --full";
  Document Doc;
  Doc.Sections.push_back({.Title = "s-title", .Body = {T}});
  EXPECT_TRUE(has(toHtml({Doc}), "<summary>3 rows</summary>"));
  EXPECT_TRUE(has(toText(Doc, TextOptions()), "... 3 rows with --full"));
}

TEST(HtmlForm, EachLineOfABoxHasItsOwnColor) {
  std::string Html = toHtml({test::sampleDocument()});
  EXPECT_TRUE(has(Html, "<div class=\"f h5\" style=\"left:0.0000%;width:12.5000"
                        "%\" data-f=\"0\""));
  // Not known of the first of its lines, hot and written on the second.
  EXPECT_EQ(times(Html, "<div class=\"f unknown\""), 1u);
  EXPECT_EQ(times(Html, "<div class=\"f h5 w\""), 1u);
  EXPECT_TRUE(has(Html, ">1 &middot; ?</div>"));
  EXPECT_TRUE(has(Html, "not known on which of its lines"));
}

TEST(HtmlForm, APlotHasADotForEachRow) {
  Document Doc;
  Table T{{{"moves", true}, {"cost", true}}};
  for (int I = 0; I < 4; ++I)
    T.Rows.push_back({{std::to_string(I), std::to_string(9 - I)},
                      Shown::Always,
                      I == 2,
                      double(I),
                      9.0 - I});
  T.Shape = Table::Picture::Plot;
  T.BarColumn = 1;
  Doc.Sections = {{"plot", {T}}};
  std::string Html = toHtml({Doc});
  EXPECT_EQ(times(Html, "<circle"), 4u);
  EXPECT_TRUE(has(Html, ">cost against moves</text>"));
  EXPECT_EQ(times(Html, "class=\"chosen\"><title>2: 7</title>"), 1u);
  T.Shape = Table::Picture::Bars;
  Doc.Sections = {{"bars", {T}}};
  Html = toHtml({Doc});
  EXPECT_EQ(times(Html, "<circle"), 0u);
  EXPECT_TRUE(has(Html, "width:60px"));
}

TEST(HtmlForm, LinesHaveOneForEachColumn) {
  Document Doc;
  Table T{{{"time", true}, {"all", true}, {"a<b", true}}};
  for (int I = 0; I < 3; ++I) {
    Table::Row Row{{std::to_string(I), std::to_string(10 * I), "1"}};
    Row.X = I;
    Row.Ys = {10.0 * I, 1};
    T.Rows.push_back(Row);
  }
  T.Shape = Table::Picture::Lines;
  Doc.Sections = {{"lines", {T}}};
  const std::string Html = toHtml({Doc});
  EXPECT_EQ(times(Html, "<polyline"), 2u);
  // From the floor to the ceiling, which has the largest value in words.
  EXPECT_TRUE(has(Html, "points=\"20.0,200.0 360.0,110.0 700.0,20.0\""));
  EXPECT_TRUE(has(Html, "y=\"14\">20</text>"));
  // What both ways are.
  EXPECT_TRUE(has(Html, "y=\"214\">time</text>"));
  EXPECT_TRUE(has(Html, "y=\"204\">0</text>"));
  EXPECT_EQ(times(Html, "a&lt;b"), 3u); // line, legend, table
  EXPECT_FALSE(has(Html, "a<b"));
}

TEST(HtmlForm, TreesAreBoxesBehindTheirParents) {
  Document Doc;
  Table T{{{"objects", true}, {"step"}, {"bytes"}}};
  for (auto [Depth, Objects] : {std::pair(0, 10), {1, 6}, {2, 6}, {1, 4}}) {
    Table::Row Row{
        {std::to_string(Objects), "f<" + std::to_string(Depth), "all"}};
    Row.X = Depth;
    Row.Y = Objects;
    Row.Strong = Objects == 4;
    T.Rows.push_back(Row);
  }
  T.Shape = Table::Picture::Tree;
  T.BarColumn = 1;
  Doc.Sections = {{"tree", {T}}};
  const std::string Html = toHtml({Doc});
  EXPECT_EQ(times(Html, "<rect class=\"node\""), 3u);
  EXPECT_EQ(times(Html, "<rect class=\"set\""), 1u);
  // Ten objects are as high as the thinnest box makes them: 45.
  EXPECT_TRUE(
      has(Html, "<svg x=\"320\" y=\"0.0\" width=\"160\" height=\"27.0\""));
  EXPECT_TRUE(
      has(Html, "<svg x=\"160\" y=\"27.0\" width=\"160\" height=\"18.0\""));
  EXPECT_FALSE(has(Html, "f<"));
  EXPECT_TRUE(has(toText(Doc), "6    f<2")) << toText(Doc);
  EXPECT_TRUE(has(toMarkdown(Doc), "| 6 | . . f"));
}

TEST(MarkdownForm, EscapesNames) {
  std::string Text = toMarkdown(test::sampleDocument());
  EXPECT_TRUE(has(Text, "a\\|b\\<c\\> &amp; \\*stars\\* \\[x\\]")) << Text;
  // In a table a bar ends the cell, even in code.
  EXPECT_TRUE(has(Text, "| `s-a\\|b<c>` | s-7 | **25.0%** |")) << Text;
  EXPECT_TRUE(has(Text, "`` s-co`de ``")) << Text;
}

TEST(MarkdownForm, UnderscoresWithinWordsStay) {
  EXPECT_EQ(toMarkdown({"", "task_struct __lock x_", {}, {}}),
            "# task_struct \\_\\_lock x\\_\n");
}

TEST(MarkdownForm, Shape) {
  std::string Text = toMarkdown(test::sampleDocument());
  EXPECT_EQ(Text.rfind("# s-title s-file.c:3\n\n", 0), 0u) << Text;
  EXPECT_TRUE(has(Text, "\n## s-verdict\n\n- s-first\n- b-and more"));
  EXPECT_TRUE(has(Text, "\n| s-name | s-count | s-words |\n| --- | ---: | --- "
                        "|\n"));
  EXPECT_TRUE(has(Text, "\n- **25.0%** s-entry"));
  EXPECT_TRUE(has(Text, "\n\n  s-lead s-inside\n"));
  EXPECT_TRUE(has(Text, "\n```c\ns-struct box {\n"));
  EXPECT_EQ(times(Text, "```") % 2, 0u);
}

} // namespace
TEST(TextForm, TablesKeepWithinThePage) {
  const std::string Long = "kmalloc-cg-1k@a_function_that_allocates_much";
  Table T{{{"type"}, {"a_name_over_numbers_" + Long, true}, {"why"}}};
  T.Rows.push_back({{Long, "12.5 KiB", "one two three four five six seven"}});
  TextOptions Options;
  Options.Width = 72;
  const std::string Text = toText(Block(T), Options, 0);
  EXPECT_NE(Text.find("kmalloc-cg-1k@a_func..  "), std::string::npos) << Text;
  for (size_t Begin = 0, End; (End = Text.find('\n', Begin)) != Text.npos;
       Begin = End + 1)
    EXPECT_LE(End - Begin, 72u);
  Table Numbers{{{"time", true}, {Long, true}, {Long, true}}};
  Numbers.Rows.push_back({{"1", "2", "3"}});
  for (const char *Line : {"time", "1"})
    EXPECT_NE(toText(Block(Numbers), Options, 0).find(Line), std::string::npos);
  EXPECT_LE(toText(Block(Numbers), Options, 0).find('\n'), 72u);
}

TEST(TextForm, WordsThatFitNoColumnFollowBelow) {
  const std::string Name(20, 'n');
  Table T{{{"global"}, {"file"}, {"by"}, {"bytes", true}, {"of"}}};
  T.Rows.push_back({{Name, Name, "f_one, f_two, f_three, f_four", "8", Name}});
  T.Rows.push_back({{Name, Name, "-", "4", "short"}});
  TextOptions Options;
  Options.Width = 72;
  for (bool Full : {false, true}) {
    Options.Full = Full;
    EXPECT_EQ(toText(Block(T), Options, 0),
              "global                file                  bytes  of\n" + Name +
                  "  " + Name + "      8  " + Name + "\n" +
                  "  by: f_one, f_two, f_three, f_four\n" + Name + "  " + Name +
                  "      4  short\n");
  }
}

TEST(TextForm, TheOnlyColumnOfWordsStays) {
  Table T;
  Table::Row Row;
  for (const char *Name : {"a", "b", "c", "d", "e", "f"}) {
    T.Columns.push_back({Name, true});
    Row.Cells.push_back("123456789012");
  }
  T.Columns.push_back({"struct"});
  Row.Cells.push_back("part");
  T.Rows.push_back(Row);
  TextOptions Options;
  Options.Width = 72;
  EXPECT_EQ(toText(Block(T), Options, 0).find("struct:"), std::string::npos);
  T.Columns.back() = {"bytes", true};
  T.Rows[0].Cells.back() = "12.5 KiB"; // no line of its own for KiB
  EXPECT_NE(toText(Block(T), Options, 0).find("12.5 KiB\n"), std::string::npos);
}

TEST(TextForm, ATreeInTheLastColumnStaysSetIn) {
  Table T{{{"objects", true}, {"step"}}};
  T.Shape = Table::Picture::Tree;
  T.BarColumn = 1;
  T.Rows.push_back({.Cells = {"2", "root"}});
  T.Rows.push_back({.Cells = {"1", "child"}});
  T.Rows.back().X = 3;
  EXPECT_EQ(toText(Block(T), TextOptions(), 0), "objects  step\n"
                                                "      2  root\n"
                                                "      1     child\n");
}

} // namespace kst
