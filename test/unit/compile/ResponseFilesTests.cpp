// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ResponseFiles.h"

#include "test/unit/support/TempTree.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

struct ResponseFiles : TempTree, testing::Test {
  std::string expanded(const Words &Given, bool Windows = false) const {
    auto Out = expandResponseFiles(Given, path(""), Windows);
    if (!Out)
      return toString(Out.takeError());
    std::string Text;
    for (const std::string &Word : *Out)
      Text += (Text.empty() ? "" : "|") + Word;
    return Text;
  }
};

TEST_F(ResponseFiles, StandForTheirWords) {
  file("a.rsp", "-DA='x y' \"-I b\"\n-DC=\\\"c\\\"");
  file("sub/b.rsp", "-DB @a.rsp\r\n-DE");
  file("w.rsp", "/DX=\"a b\" /IC:\\inc");
  EXPECT_EQ(expanded({"cc", "@a.rsp", "-c"}), "cc|-DA=x y|-I b|-DC=\"c\"|-c");
  EXPECT_EQ(expanded({"cc", "@sub/b.rsp"}),
            "cc|-DB|-DA=x y|-I b|-DC=\"c\"|-DE");
  EXPECT_EQ(expanded({"cc", "@" + path("sub/b.rsp")}),
            "cc|-DB|-DA=x y|-I b|-DC=\"c\"|-DE");
  EXPECT_EQ(expanded({"cl", "@w.rsp"}, true), "cl|/DX=a b|/IC:\\inc");
  EXPECT_EQ(expanded({"cc", "@", "a@b", "-DX=@a.rsp"}), "cc|@|a@b|-DX=@a.rsp");
}

TEST_F(ResponseFiles, ReachThePreprocessor) {
  file("p.rsp", "-DA -DB");
  EXPECT_EQ(expanded({"-Wp,-DX,@p.rsp,-DY"}),
            "-Wp,-DX|-Wp,-DA|-Wp,-DB|-Wp,-DY");
}

TEST_F(ResponseFiles, ReadsUtf16) {
  const char Text[] = "\xff\xfe-\0D\0A\0";
  file("u.rsp", std::string(Text, sizeof(Text) - 1));
  EXPECT_EQ(expanded({"cl", "@u.rsp"}, true), "cl|-DA");
}

TEST_F(ResponseFiles, WhatCannotBeReadIsAnError) {
  file("loop.rsp", "@loop2.rsp");
  file("loop2.rsp", "-DA @loop.rsp");
  file("dir/x", "");
  EXPECT_EQ(expanded({"cc", "@gone.rsp", "-Wp,-DX,@gone.rsp"}),
            "cc|@gone.rsp|-Wp,-DX|@gone.rsp");
  EXPECT_NE(expanded({"cc", "@loop.rsp"}).find("includes itself"),
            std::string::npos);
  EXPECT_NE(expanded({"cc", "@dir"}).find("is a directory"), std::string::npos);
}

} // namespace
} // namespace kst
