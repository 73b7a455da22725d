// SPDX-License-Identifier: GPL-2.0-or-later

#include "GoldenFile.h"
#include "ReportSamples.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/JsonReport.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <locale>

namespace kst {
namespace {

using nlohmann::json;

json parsed(const std::string &Text) {
  return json::parse(Text, nullptr, /*allow_exceptions=*/false);
}

TEST(JsonReport, Goldens) {
  test::expectGolden("queue.json", toJson(test::queueSample()));
  test::expectGolden("silent.json", toJson(test::silentSample()));
  test::expectGolden("odd.json", toJson(test::oddSample()));
  test::expectGolden("several.json",
                     toJson({test::silentSample(), test::oddSample()}));
  test::expectGolden("none.json", toJson(std::vector<Report>()));
}

TEST(JsonReport, OneReportIsNotWrapped) {
  Report R = test::oddSample();
  EXPECT_EQ(toJson(std::vector<Report>{R}), toJson(R));
}

TEST(JsonReport, BriefLeavesOutWhatIsWeak) {
  Report R = test::queueSample();
  ASSERT_FALSE(R.Evidence.Sets.empty());
  EXPECT_FALSE(parsed(toJson(R, false)).contains("sets_left_out"));
  const size_t Strong = R.Evidence.Sets.size();
  CoAccessSet Weak = R.Evidence.Sets.front();
  Weak.Weight = 5e-4 * totalWeight(R.Evidence);
  R.Evidence.Sets.insert(R.Evidence.Sets.end(), 3, Weak);
  EXPECT_EQ(parsed(toJson(R))["sets"].size(), Strong + 3);
  const json Brief = parsed(toJson(R, false));
  EXPECT_EQ(Brief["sets"].size(), Strong);
  EXPECT_EQ(Brief["sets_left_out"]["number"], 3);
  EXPECT_NEAR(Brief["sets_left_out"]["share"].get<double>(), 0.0015, 1e-5);
}

TEST(JsonReport, HotnessSumsToOne) {
  for (const Report &R :
       {test::queueSample(), test::oddSample(), test::wideSample()}) {
    double Sum = 0;
    json J = parsed(toJson(R));
    for (const json &Field : J["fields"])
      Sum += Field["hotness"].get<double>();
    EXPECT_NEAR(Sum, 1, 1e-4);
  }
}

TEST(JsonReport, FieldsKeepTheOrderOfDeclaration) {
  Report R = test::wideSample();
  json J = parsed(toJson(R));
  ASSERT_EQ(J["fields"].size(), 150u);
  for (size_t I = 0; I < 150; ++I)
    EXPECT_EQ(J["fields"][I]["name"], "f" + std::to_string(I));
  EXPECT_NE(J["layouts"]["proposed"]["order"],
            J["layouts"]["current"]["order"]);
}

/// A locale as in much of Europe; made here, so that it need not be installed.
struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(JsonReport, LocaleDoesNotMatter) {
  std::string Before = toJson(test::wideSample());
  std::locale Old =
      std::locale::global(std::locale(std::locale(), new CommaPoint));
  std::string After = toJson(test::wideSample());
  std::locale::global(Old);
  EXPECT_EQ(Before, After);
}

TEST(JsonReport, HostileValuesStillGiveValidJson) {
  Report R = test::queueSample();
  R.Evidence.Sets[0].Where.Function = "bad\xff\xfe\"\n\x01";
  R.Evidence.Sets[0].Weight = std::numeric_limits<double>::infinity();
  R.Evidence.Sets[0].Touches[0].Field = 999;
  R.Edges[0].B = 999;
  R.Evidence.Fields.resize(2);
  json J = parsed(toJson(R));
  ASSERT_FALSE(J.is_discarded());
  EXPECT_EQ(J["sets"][0]["weight"], 0);
  EXPECT_EQ(J["sets"][0]["fields"][0]["name"], "");
}

TEST(JsonReport, BitFieldsSayWhichBits) {
  json J = parsed(toJson(test::oddSample()));
  for (const json &F : J["fields"]) {
    if (F["name"] == "mode") {
      EXPECT_EQ(F["bits"]["size"], 3);
      EXPECT_EQ(F["bits"]["offset"], 1);
    } else if (F["name"] != "busy") {
      EXPECT_FALSE(F.contains("bits")) << F;
    }
  }
}

} // namespace
} // namespace kst
