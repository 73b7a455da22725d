// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/ValidText.h"
#include "hybrid/report/JsonText.h"

#include "nlohmann/json.hpp"

#include <gtest/gtest.h>

using namespace kst;

namespace {

TEST(ValidText, CharactersStay) {
  for (std::string Text : {"", "plain",
                           "gr\xc3\xb6\xc3\x9f"
                           "e",
                           "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbd"})
    EXPECT_EQ(validText(Text), Text);
}

TEST(ValidText, OtherBytesAreEscaped) {
  EXPECT_EQ(validText("gr\xf6\xdf"
                      "e"),
            "gr\\xf6\\xdfe");
  EXPECT_EQ(validText("\x95\x5c"), "\\x95\\");             // Shift-JIS
  EXPECT_EQ(validText("a\xc3"), "a\\xc3");                 // cut off
  EXPECT_EQ(validText("\xc0\xaf"), "\\xc0\\xaf");          // overlong
  EXPECT_EQ(validText("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
  EXPECT_EQ(validText("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(JsonText, IsUtf8) {
  using Json = nlohmann::ordered_json;
  const Json Value = {{"b\xf6", {1, "\xe9", "\xc3\xa9"}}, {"a", nullptr}};
  EXPECT_EQ(jsonText(Value, -1),
            "{\"b\\\\xf6\":[1,\"\\\\xe9\",\"\xc3\xa9\"],\"a\":null}");
}

} // namespace
