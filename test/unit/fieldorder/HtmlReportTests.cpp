// SPDX-License-Identifier: GPL-2.0-or-later
//
// The report on a struct as HTML.

#include "GoldenFile.h"
#include "ReportSamples.h"
#include "hybrid/fieldorder/Describe.h"
#include "hybrid/report/Render.h"

#include <gtest/gtest.h>

#include <regex>
#include <vector>

namespace kst {
namespace {

/// The first tag that closes another element than the innermost open one, or
/// that stays open; "" when all match.
std::string unbalanced(const std::string &Html) {
  static const std::regex Tag("<(/?)([a-z][a-z0-9]*)[^>]*>");
  std::vector<std::string> Open;
  for (std::sregex_iterator It(Html.begin(), Html.end(), Tag), End; It != End;
       ++It) {
    std::string Name = (*It)[2];
    if (Name == "br" || Name == "meta")
      continue;
    if ((*It)[1].length() == 0) {
      Open.push_back(Name);
      continue;
    }
    if (Open.empty() || Open.back() != Name)
      return "/" + Name;
    Open.pop_back();
  }
  return Open.empty() ? "" : Open.back();
}

TEST(HtmlReport, Golden) {
  test::expectGolden("odd.html", toHtml({describe(test::oddSample())}));
  test::expectGolden("queue.html", toHtml({describe(test::queueSample())}));
}

TEST(HtmlReport, ElementsAreBalanced) {
  for (const Report &R : {test::queueSample(), test::silentSample(),
                          test::oddSample(), test::wideSample()})
    EXPECT_EQ(unbalanced(toHtml({describe(R)})), "");
  EXPECT_EQ(unbalanced("<b><i></b></i>"), "/b");
}

TEST(HtmlReport, EscapesWhatComesFromSource) {
  std::string Html = toHtml({describe(test::oddSample())});
  EXPECT_EQ(Html.find("operator<script>"), std::string::npos);
  EXPECT_EQ(Html.find("<odd>"), std::string::npos);
  EXPECT_NE(Html.find("operator&lt;script&gt;&amp;&quot;&#39;"),
            std::string::npos);
}

TEST(HtmlReport, LoadsNothing) {
  std::string Html =
      toHtml({describe(test::queueSample()), describe(test::wideSample())});
  for (const char *What :
       {"http:", "https:", "src=", "<link", "url(", "@import"})
    EXPECT_EQ(Html.find(What), std::string::npos) << What;
}

TEST(HtmlReport, SeveralReportsHaveLinks) {
  std::string Html =
      toHtml({describe(test::queueSample()), describe(test::oddSample())});
  EXPECT_NE(Html.find("<a href=\"#r1\">odd</a>"), std::string::npos);
  EXPECT_NE(Html.find("id=\"r1\""), std::string::npos);
  EXPECT_EQ(unbalanced(Html), "");
}

TEST(HtmlReport, EveryFieldIsInBothLayouts) {
  std::string Html = toHtml({describe(test::wideSample())});
  for (int F = 0; F < 150; ++F) {
    std::string Attribute = "data-f=\"" + std::to_string(F) + "\"";
    size_t First = Html.find(Attribute);
    ASSERT_NE(First, std::string::npos) << F;
    EXPECT_NE(Html.find(Attribute, First + 1), std::string::npos) << F;
  }
}

} // namespace
} // namespace kst
