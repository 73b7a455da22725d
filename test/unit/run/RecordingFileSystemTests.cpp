// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/unit/support/TempTree.h"

#include "analyzer/run/FileStates.h"
#include "analyzer/run/RecordingFileSystem.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <map>
#include <sys/stat.h>
#include <unistd.h>

using namespace kst;

namespace {

std::map<std::string, Dependency> byPath(const RecordingFileSystem &Files) {
  std::map<std::string, Dependency> Map;
  for (const Dependency &D : Files.dependencies())
    Map[D.Path] = D;
  return Map;
}

bool holds(const RecordingFileSystem &Files) {
  FileStates Now;
  for (const Dependency &D : Files.dependencies())
    if (!Now.holds(D.Path, D.Kind, D.SizeBytes, D.Hash))
      return false;
  return true;
}

TEST(RecordingFileSystem, RemembersEveryKindOfAnswer) {
  TempTree Tree;
  Tree.file("inc/a.h", "int a;\n");
  Tree.file("inc/b.h", "int b;\n");
  RecordingFileSystem Files(Tree.Root);
  EXPECT_FALSE(Files.status("first/a.h"));
  EXPECT_TRUE(Files.status("inc"));
  EXPECT_TRUE(Files.status("./inc/b.h"));
  auto Buffer = Files.getBufferForFile("inc/./a.h");
  ASSERT_TRUE(Buffer);
  EXPECT_EQ((*Buffer)->getBuffer(), "int a;\n");
  EXPECT_EQ(*(*Buffer)->getBufferEnd(), '\0');

  auto Seen = byPath(Files);
  EXPECT_EQ(Seen.size(), 4u);
  EXPECT_EQ(Seen[Tree.path("first/a.h")].Kind, DependencyKind::Missing);
  EXPECT_EQ(Seen[Tree.path("inc")].Kind, DependencyKind::Directory);
  EXPECT_EQ(Seen[Tree.path("inc/b.h")].Kind, DependencyKind::File);
  EXPECT_EQ(Seen[Tree.path("inc/b.h")].SizeBytes, 7u);
  EXPECT_EQ(Seen[Tree.path("inc/a.h")].Kind, DependencyKind::Contents);
  EXPECT_EQ(Seen[Tree.path("inc/a.h")].Hash, hash128("int a;\n"));
  EXPECT_TRUE(Files.exact());
  EXPECT_TRUE(holds(Files));
}

TEST(RecordingFileSystem, StatusLooksLikeTheRealOne) {
  TempTree Tree;
  std::string Path = Tree.file("a.h", "12345");
  RecordingFileSystem Files("/");
  auto Ours = Files.status(Path);
  auto Real = llvm::vfs::getRealFileSystem()->status(Path);
  ASSERT_TRUE(Ours && Real);
  EXPECT_EQ(Ours->getName(), Real->getName());
  EXPECT_EQ(Ours->getUniqueID(), Real->getUniqueID());
  EXPECT_EQ(Ours->getSize(), Real->getSize());
  EXPECT_EQ(Ours->getType(), Real->getType());
  EXPECT_EQ(Ours->getPermissions(), Real->getPermissions());
  EXPECT_EQ(Ours->getLastModificationTime(), Real->getLastModificationTime());
  EXPECT_EQ(Files.status("/no/such").getError(),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(Files.status(Path + "/x").getError(), std::errc::not_a_directory);
}

TEST(RecordingFileSystem, ChangesEndTheValidity) {
  struct Case {
    const char *Name;
    std::function<void(const TempTree &)> Change;
    bool StillHolds;
  };
  const Case Cases[] = {
      {"nothing", [](const TempTree &) {}, true},
      {"same contents written anew",
       [](const TempTree &T) { T.file("inc/a.h", "int a;\n"); }, true},
      {"other contents of the same size",
       [](const TempTree &T) { T.file("inc/a.h", "int x;\n"); }, false},
      {"longer", [](const TempTree &T) { T.file("inc/a.h", "int a;\n\n"); },
       false},
      {"gone", [](const TempTree &T) { unlink(T.path("inc/a.h").c_str()); },
       false},
      {"a header that comes earlier in the path",
       [](const TempTree &T) { T.file("first/a.h", ""); }, false},
      {"a file nobody asked about",
       [](const TempTree &T) { T.file("first/other.h", ""); }, false},
      {"an unrelated file",
       [](const TempTree &T) { T.file("inc/other.h", ""); }, true},
      {"only looked at, other size",
       [](const TempTree &T) { T.file("inc/b.h", "int bbbb;\n"); }, false},
      {"a file where a directory was",
       [](const TempTree &T) {
         rmdir(T.path("dir").c_str());
         T.file("dir", "");
       },
       false},
  };
  for (const Case &C : Cases) {
    TempTree Tree;
    Tree.file("inc/a.h", "int a;\n");
    Tree.file("inc/b.h", "int b;\n");
    mkdir(Tree.path("dir").c_str(), 0777);
    RecordingFileSystem Files(Tree.Root);
    (void)Files.status("first"); // clang asks for the directory first
    (void)Files.status("first/a.h");
    (void)Files.status("dir");
    (void)Files.status("inc/b.h");
    (void)Files.getBufferForFile("inc/a.h");
    ASSERT_TRUE(holds(Files));
    C.Change(Tree);
    EXPECT_EQ(holds(Files), C.StillHolds) << C.Name;
  }
}

TEST(RecordingFileSystem, OpensOnlyRegularFiles) {
  TempTree Tree;
  std::string Fifo = Tree.path("fifo.c");
  ASSERT_EQ(mkfifo(Fifo.c_str(), 0666), 0);
  RecordingFileSystem Files(Tree.Root);
  EXPECT_EQ(Files.openFileForRead("fifo.c").getError(),
            std::errc::no_such_device); // at once: nobody writes to it
  EXPECT_EQ(Files.openFileForRead("/dev/zero").getError(),
            std::errc::no_such_device);
  EXPECT_EQ(Files.openFileForRead(Tree.Root).getError(),
            std::errc::is_a_directory);
  EXPECT_EQ(byPath(Files)[Fifo].Kind, DependencyKind::Special);
  EXPECT_TRUE(holds(Files));
  unlink(Fifo.c_str());
  Tree.file("fifo.c", "");
  EXPECT_FALSE(holds(Files));
}

TEST(RecordingFileSystem, HasADirectoryOfItsOwn) {
  TempTree Tree;
  Tree.file("one/x.h", "1");
  Tree.file("two/x.h", "22");
  RecordingFileSystem One(Tree.path("one")), Two(Tree.path("two"));
  EXPECT_EQ(One.status("x.h")->getSize(), 1u);
  EXPECT_EQ(Two.status("x.h")->getSize(), 2u);
  EXPECT_FALSE(One.setCurrentWorkingDirectory("../two"));
  EXPECT_EQ(One.status("x.h")->getSize(), 2u);
  EXPECT_TRUE(bool(One.setCurrentWorkingDirectory("nowhere")));
  EXPECT_EQ(*Two.getCurrentWorkingDirectory(), Tree.path("two"));
}

TEST(RecordingFileSystem, DotDotIsLeftToTheSystem) {
  TempTree Tree;
  Tree.file("real/sub/x", "");
  Tree.file("real/found.h", "here");
  ASSERT_EQ(symlink("real/sub", Tree.path("link").c_str()), 0);
  RecordingFileSystem Files(Tree.Root);
  EXPECT_TRUE(Files.status("link/../found.h")); // not Root/found.h
}

TEST(RecordingFileSystem, ListingsAndLinksAreAnswersToo) {
  TempTree Tree;
  Tree.file("gcc/12/x", "");
  ASSERT_EQ(symlink("gcc", Tree.path("link").c_str()), 0);
  RecordingFileSystem Files(Tree.Root);
  std::error_code EC;
  auto First = Files.dir_begin("gcc", EC);
  EXPECT_EQ(First->path(), Tree.path("gcc/12"));
  Files.dir_begin("absent", EC);
  EXPECT_EQ(EC, std::errc::no_such_file_or_directory);
  llvm::SmallString<128> Real;
  EXPECT_FALSE(Files.getRealPath("link/12", Real));
  EXPECT_TRUE(Files.exact());
  EXPECT_TRUE(holds(Files));
  mkdir(Tree.path("gcc/13").c_str(), 0777);
  EXPECT_FALSE(holds(Files));
  rmdir(Tree.path("gcc/13").c_str());
  EXPECT_TRUE(holds(Files));
  mkdir(Tree.path("absent").c_str(), 0777);
  EXPECT_FALSE(holds(Files));
  rmdir(Tree.path("absent").c_str());
  rename(Tree.path("gcc").c_str(), Tree.path("other").c_str());
  mkdir(Tree.path("gcc").c_str(), 0777);
  mkdir(Tree.path("gcc/12").c_str(), 0777);
  EXPECT_TRUE(holds(Files)); // same names, same resolved path
  unlink(Tree.path("link").c_str());
  ASSERT_EQ(symlink("other", Tree.path("link").c_str()), 0);
  EXPECT_FALSE(holds(Files));
}

TEST(RecordingFileSystem, AdmitsWhatItCannotTell) {
  TempTree Tree;
  Tree.file("a.h", "int a;\n");
  RecordingFileSystem Changed(Tree.Root);
  (void)Changed.getBufferForFile("a.h");
  (void)Changed.getBufferForFile("a.h");
  EXPECT_TRUE(Changed.exact());
  Tree.file("a.h", "int b;\n");
  (void)Changed.getBufferForFile("a.h");
  EXPECT_FALSE(Changed.exact());
}

} // namespace
