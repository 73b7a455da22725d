// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/PrecompiledHeaders.h"

#include "test/unit/support/TempTree.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

struct PrecompiledHeaders : TempTree, testing::Test {
  std::string text(const Words &Args) const {
    std::string Text;
    for (const std::string &Word : withHeaderText(Args, path("")))
      Text += (Text.empty() ? "" : " ") + Word;
    return Text;
  }
};

TEST_F(PrecompiledHeaders, AreReadAsText) {
  using namespace std::string_literals;
  file("p.h", "");
  file("src/q.h", "");
  file("obj/q.h.gch", "gpchC\0\0src/q.h\0more"s);
  file("obj/bad.h.gch", "gpchC\0\0gone/bad.h\0"s);
  file("p.h.gch", "gpchC");
  const std::pair<Words, const char *> Cases[] = {
      {{"-include-pch", "p.h.pch", "-c"}, "-include p.h -c"},
      // As CMake has it.
      {{"-Xclang", "-include-pch", "-Xclang", "p.h.pch", "-Xclang", "-include",
        "-Xclang", "p.h", "-c"},
       "-Xclang -include -Xclang p.h -c"},
      {{"-include", "p.h", "-include-pch", "p.h.gch"}, "-include p.h"},
      {{"-Xclang", "-include-pch", "-Xclang", "p.h.pch"}, "-include p.h"},
      // gcc's, whose text is elsewhere.
      {{"-include", "q.h", "-I", "obj"}, "-include ROOT/src/q.h -I obj"},
      {{"-include", "p.h", "-Iobj"}, "-include p.h -Iobj"},
      {{"-include", "q.h", "-Iobj", "-Isrc"}, "-include q.h -Iobj -Isrc"},
      // What nobody can find stays.
      {{"-include", "bad.h", "-Iobj"}, "-include bad.h -Iobj"},
      {{"-include-pch", "gone.pch"}, "-include-pch gone.pch"},
      {{"-include-pch"}, "-include-pch"},
      {{"-Xclang", "-include-pch", "-Xclang"}, "-Xclang -include-pch -Xclang"},
  };
  for (const auto &[Args, Expected] : Cases) {
    std::string Want = Expected;
    if (size_t At = Want.find("ROOT"); At != std::string::npos)
      Want.replace(At, 5, path(""));
    EXPECT_EQ(text(Args), Want);
  }
}

} // namespace
} // namespace kst
