// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/IncludeGraph.h"

#include "test/unit/support/TempTree.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

CompileUnit unit(const TempTree &Tree, const std::string &Source,
                 std::vector<std::string> Args = {}) {
  Args.push_back(Tree.path(Source));
  return {Tree.path(Source), Source, Tree.Root, std::move(Args), 0};
}

uint32_t fileNamed(const IncludeGraph &Graph, const std::string &Path) {
  auto At = llvm::find_if(Graph.files(),
                          [&](const auto &File) { return File.Path == Path; });
  return At == Graph.files().end() ? ~0u : At - Graph.files().begin();
}

TEST(IncludeGraph, FollowsIncludesWhateverTheirConditions) {
  TempTree Tree;
  Tree.file("a.c", "#if 0\n#  include <x.h>\n#endif\nint include;\n"
                   "#include \"sub/q.h\"\n#include MACRO\n");
  Tree.file("inc/x.h", "#include \"y.h\"\n");
  Tree.file("inc/y.h", "#include <x.h>\n");
  Tree.file("sub/q.h", "");
  Tree.file("forced.h", "");
  Tree.file("inc/unused.h", "");
  IncludeGraph Graph(std::vector<CompileUnit>{
      unit(Tree, "a.c", {"-I", "inc", "-include", "forced.h"})});
  EXPECT_EQ(Graph.files().size(), 5u);
  EXPECT_EQ(fileNamed(Graph, Tree.path("inc/unused.h")), ~0u);
  for (const char *Name : {"inc/x.h", "inc/y.h", "sub/q.h", "forced.h"}) {
    uint32_t File = fileNamed(Graph, Tree.path(Name));
    ASSERT_NE(File, ~0u) << Name;
    EXPECT_EQ(Graph.unitsReading(File, 9), (std::vector<uint32_t>{0})) << Name;
  }
}

TEST(IncludeGraph, NamesTheNearestUnitsFirst) {
  TempTree Tree;
  Tree.file("far.c", "#include \"step.h\"\n");
  Tree.file("step.h", "#include \"x.h\"\n");
  Tree.file("near.c", "#include \"x.h\"\n");
  Tree.file("none.c", "");
  Tree.file("x.h", "");
  IncludeGraph Graph({unit(Tree, "far.c"), unit(Tree, "near.c"),
                      unit(Tree, "none.c"), unit(Tree, "gone.c")});
  uint32_t File = fileNamed(Graph, Tree.path("x.h"));
  EXPECT_EQ(Graph.unitsReading(File, 9), (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(Graph.unitsReading(File, 1), (std::vector<uint32_t>{1}));
}

} // namespace
