// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ProjectRoot.h"

#include "test/unit/support/TempTree.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kst {
namespace {

/// Nothing above the tree is looked at.
struct Project : TempTree {
  Project() { setenv("GIT_CEILING_DIRECTORIES", path("").c_str(), 1); }
  ~Project() { unsetenv("GIT_CEILING_DIRECTORIES"); }

  void source(const std::string &Name) {
    file(Name);
    Clues.Sources.push_back(path(Name));
  }

  /// The root as a name in the tree.
  std::string root(const std::string &BuildDir) {
    Clues.BuildDir = Clues.Cwd = path(BuildDir);
    auto Found = findProject(Clues);
    if (!Found)
      return llvm::toString(Found.takeError());
    Tree = *Found;
    llvm::StringRef Root = Found->SourceRoot;
    return Root.consume_front(llvm::StringRef(path("")).rtrim('/'))
               ? Root.ltrim('/').str()
               : Root.str();
  }

  ProjectClues Clues;
  SourceTree Tree;
};

TEST(ProjectRoot, CommonDirectoryOfSourcesAndDatabase) {
  Project P;
  P.source("p/src/a.c");
  P.source("p/lib/b.c");
  P.file("p/build/compile_commands.json");
  EXPECT_EQ(P.root("p/build"), "p");
  EXPECT_EQ(P.Tree.relative(P.path("p/src/a.c")), "src/a.c");
  EXPECT_EQ(P.Tree.relative(P.path("p/build/gen.h")), "build/gen.h");
  EXPECT_TRUE(P.Tree.isGenerated(P.path("p/build/gen.h")));
  EXPECT_FALSE(P.Tree.isGenerated(P.path("p/src/a.c")));
}

TEST(ProjectRoot, VersionControlAroundTheSources) {
  for (const char *Mark : {".git", ".hg", ".svn"}) {
    Project P;
    P.file(std::string("p/") + Mark + "/config");
    P.source("p/a/src/a.c");
    P.file("b/x");
    EXPECT_EQ(P.root("b"), "p") << Mark;
    EXPECT_TRUE(P.Tree.isGenerated(P.path("b/gen.h")));
  }
  Project Linked; // a work tree or submodule: .git is a file
  Linked.file("p/.git", "gitdir: elsewhere\n");
  Linked.source("p/a/src/a.c");
  EXPECT_EQ(Linked.root("p/a"), "p");
}

TEST(ProjectRoot, SourcesOfOthersDoNotMoveIt) {
  Project P;
  P.file("home/p/.git/config");
  P.source("home/p/a.c");
  P.source("home/p/b.c");
  P.source("usr/googletest/gtest.cc"); // in no repository
  P.source("home/p/build/_deps/x/x.c");
  P.file("home/p/build/_deps/x/.git/config");
  EXPECT_EQ(P.root("home/p/build"), "home/p");
  P.file("usr/googletest/.git/config"); // in one with fewer sources
  EXPECT_EQ(P.root("home/p/build"), "home/p");
}

TEST(ProjectRoot, WhatTheBuildSystemNoted) {
  Project P;
  P.source("p/src/a.c");
  P.file("b/CMakeCache.txt",
         "CMAKE_HOME_DIRECTORY:INTERNAL=" + P.path("p") + "\n");
  EXPECT_EQ(P.root("b"), "p");
  Project M;
  M.source("p/src/a.c");
  M.file("b/meson-info/meson-info.json",
         R"({"directories": {"source": ")" + M.path("p") + R"("}})");
  EXPECT_EQ(M.root("b"), "p");
  M.file("b/meson-info/meson-info.json", "{");
  EXPECT_EQ(M.root("b"), "");
}

TEST(ProjectRoot, BuildDirectoriesBesideTheDatabase) {
  Project P;
  P.source("p/a.c");
  P.source("p/sub/out/gen.c");
  P.file("p/sub/out/CMakeCache.txt");
  P.file("p/sub/out/x/f");
  P.Clues.Directories = {P.path("p"), P.path("p/sub/out/x")};
  EXPECT_EQ(P.root("p"), "p");
  EXPECT_TRUE(P.Tree.isGenerated(P.path("p/sub/out/gen.h")));
  EXPECT_FALSE(P.Tree.isGenerated(P.path("p/sub/b.h")));
  // Built where it lies: nothing tells what is generated.
  P.file("p/CMakeCache.txt");
  EXPECT_EQ(P.root("p"), "p");
  EXPECT_FALSE(P.Tree.isGenerated(P.path("p/b.h")));
}

TEST(ProjectRoot, UnityBuildsIncludeTheirSources) {
  Project P;
  P.file("p/src/a.c");
  P.Clues.Sources = {
      P.file("p/build/unity.c",
             "#include \"" + P.path("p/src/a.c") + "\"\n#include <x.h>\n")};
  EXPECT_EQ(P.root("p/build"), "p");
}

TEST(ProjectRoot, InsideOfAnotherProjectsBuild) {
  Project P;
  P.file("outer/CMakeCache.txt");
  P.source("outer/ext/src/a.c");
  P.file("outer/ext/build/x");
  P.Clues.Directories = {P.path("outer/ext/build")};
  EXPECT_EQ(P.root("outer/ext/build"), "outer/ext");
  EXPECT_TRUE(P.Tree.isGenerated(P.path("outer/ext/build/gen.h")));
  EXPECT_FALSE(P.Tree.isGenerated(P.path("outer/ext/src/a.h")));
}

TEST(ProjectRoot, KernelsAreFoundByTheirSource) {
  Project P;
  P.file("src/Kbuild");
  P.file("src/Kconfig");
  P.file("src/include/linux/x.h");
  P.file("obj/x");
  P.link("src", "obj/source");
  EXPECT_EQ(P.root("obj"), "src");
  EXPECT_TRUE(P.Tree.Kernel);
  EXPECT_EQ(P.Tree.relative(P.path("obj/gen.h")), "gen.h");
}

TEST(ProjectRoot, TheUsersWordAndNone) {
  Project P;
  P.file("p/.git/config");
  P.source("p/src/a.c");
  P.Clues.Root = P.path("p/src");
  EXPECT_EQ(P.root("p"), "p/src");
  Project None;
  None.Clues.Sources = {"/usr/a.c", None.path("p/a.c"), None.path("p/b.c")};
  EXPECT_EQ(None.root("p"), "p");
  None.Clues.Sources = {"/usr/a.c", "/opt/b.c"};
  EXPECT_NE(None.root("p").find("--root"), std::string::npos);
}

TEST(ProjectRoot, LinksToSourcesAreFollowed) {
  Project P;
  P.file("real/p/.git/config");
  P.file("real/p/a.c");
  P.link("real/p", "home");
  P.Clues.Sources = {P.path("home/a.c")};
  EXPECT_EQ(P.root("real/p"), "real/p");
}

} // namespace
} // namespace kst
