// SPDX-License-Identifier: GPL-2.0-or-later
//
// The short form of a document: at most so many lines.

#include "hybrid/report/Render.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kst;

namespace {

long lines(const std::string &Text) { return std::ranges::count(Text, '\n'); }

Document sample(size_t Rows) {
  Document Doc;
  Doc.Title = "struct rq";
  for (size_t I = 0; I != 8; ++I)
    Doc.Head.push_back(Paragraph{"head " + std::to_string(I)});
  for (size_t S = 0; S != 6; ++S) {
    Section &Part = Doc.Sections.emplace_back();
    Part.Title = "section " + std::to_string(S);
    Table T{{{"field"}, {"share", true}}};
    Bullets List;
    for (size_t R = 0; R != Rows; ++R) {
      T.Rows.push_back({{"f" + std::to_string(R), "1"}});
      List.Items.push_back({"item " + std::to_string(R)});
      Entry One;
      One.Head = "entry " + std::to_string(R);
      One.Body = {Paragraph{"first"}, Paragraph{"second"}};
      Part.Body.push_back(One);
    }
    Part.Body.push_back(T);
    Part.Body.push_back(List);
  }
  return Doc;
}

TEST(Summary, HasAtMostSoManyLines) {
  for (size_t Rows : {0, 1, 7, 300})
    for (size_t Count : {1, 2, 5, 60}) {
      const std::vector<Document> Docs(Count, sample(Rows));
      for (size_t Most : {1, 5, 40}) {
        const std::string Text = toSummary(Docs, Most);
        EXPECT_LE(lines(Text), static_cast<long>(Most)) << Rows << " " << Count;
        EXPECT_EQ(Text.substr(0, 11), "# struct rq");
      }
    }
}

TEST(Summary, WhatFitsIsWhole) {
  Document Doc;
  Doc.Title = "t";
  Doc.Head = {Paragraph{"all of it"}};
  Doc.Sections.push_back({"verdict", {Bullets{{{"one"}, {"two"}}}}});
  EXPECT_EQ(toSummary({Doc}), toMarkdown(Doc));
}

TEST(Summary, TheFrontStays) {
  const std::string Text = toSummary({sample(300)});
  EXPECT_NE(Text.find("section 0"), std::string::npos);
  EXPECT_NE(Text.find("The full report has more."), std::string::npos);
  EXPECT_EQ(Text.find("second"), std::string::npos);
}

} // namespace
