// SPDX-License-Identifier: GPL-2.0-or-later

#include "GoldenFile.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace kst::test {

void expectGolden(const std::string &Name, const std::string &Text) {
  std::string Path = std::string(KST_INPUTS) + "/report/" + Name;
  const char *Update = std::getenv("KST_UPDATE_GOLDENS");
  if (Update && *Update) {
    std::ofstream(Path, std::ios::binary) << Text;
    return;
  }
  std::ifstream In(Path, std::ios::binary);
  std::stringstream Content;
  Content << In.rdbuf();
  ASSERT_TRUE(In) << Name << " is missing: run with KST_UPDATE_GOLDENS=1";
  EXPECT_EQ(Content.str(), Text)
      << Name << ": run with KST_UPDATE_GOLDENS=1 if this is meant";
}

} // namespace kst::test
