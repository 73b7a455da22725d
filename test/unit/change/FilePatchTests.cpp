// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/change/FilePatch.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

/// One line for each part: names, what is said of it, lines of hunks.
std::string shown(llvm::StringRef Patch) {
  auto Parts = parsePatch(Patch);
  if (!Parts)
    return llvm::toString(Parts.takeError());
  std::string Text;
  for (const FilePatch &P : *Parts) {
    Text += P.Old + "|" + P.New;
    if (!P.Index.empty())
      Text += " index=" + P.Index;
    for (auto [Is, Word] : {std::pair(P.Git, "git"),
                            {P.Bare, "bare"},
                            {P.Renames, "renames"},
                            {P.Copies, "copies"},
                            {P.Opaque, "opaque"},
                            {P.NoFile, "nofile"},
                            {P.NoContext, "nocontext"},
                            {P.Inserts, "inserts"}})
      if (Is)
        Text += std::string(" ") + Word;
    Text += " " + std::to_string(P.Hunks.size()) + "\n";
  }
  return Text;
}

constexpr const char *Hunk = "@@ -1,2 +1,3 @@ x\n a\n+b\n c\n";

TEST(FilePatch, NamesOfManyPrograms) {
  auto Heads = [](llvm::StringRef Above) {
    return shown((Above + Hunk).str());
  };
  EXPECT_EQ(Heads("--- a/s.h\n+++ b/s.h\n"), "a/s.h|b/s.h 4\n");
  EXPECT_EQ(Heads("--- a/my s.h\t\n+++ b/my s.h\t\n"), "a/my s.h|b/my s.h 4\n");
  EXPECT_EQ(Heads("--- \"a/\\303\\251\\t.h\"\n+++ \"b/\\303\\251\\t.h\"\n"),
            "a/\xc3\xa9\t.h|b/\xc3\xa9\t.h 4\n");
  EXPECT_EQ(Heads("--- s.h.orig\t2026-01-01 10:00:00.0 +0000\n"
                  "+++ s.h 2026-01-01 10:00:00.0 +0000\n"),
            "s.h.orig|s.h 4\n");
  EXPECT_EQ(Heads("Index: s.h\n====\n--- s.h\t(revision 1)\n+++ s.h\t(b)\n"),
            "s.h|s.h index=s.h 4\n");
  EXPECT_EQ(Heads("diff --git s.h s.h\nindex 1..2 100644\n--- s.h\n+++ s.h\n"),
            "s.h|s.h git bare 4\n");
  EXPECT_EQ(Heads("--- a/s.h\r\n+++ b/s.h\r\n"), "a/s.h|b/s.h 4\n");
}

TEST(FilePatch, PartsWithoutHunks) {
  EXPECT_EQ(shown("diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n"
                  "diff --git i/p w/p\nGIT binary patch\nliteral 1\nzc\n"),
            "a/x y|b/x y git opaque 0\ni/p|w/p git opaque 0\n");
  EXPECT_EQ(shown("diff --git a/d/x.h b/e/y.h\nsimilarity index 100%\n"
                  "rename from d/x.h\nrename to e/y.h\n"),
            "a/d/x.h|b/e/y.h git renames 0\n");
  EXPECT_EQ(shown("diff --git a/n.h b/n.h\nnew file mode 100644\n"
                  "index 0000000..e69de29\n"
                  "diff --git a/o.h b/o.h\ndeleted file mode 100644\n"),
            "|b/n.h git 0\na/o.h| git 0\n");
}

TEST(FilePatch, LinksAreNoFiles) {
  EXPECT_EQ(shown("diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n"
                  "@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n"
                  "\\ No newline at end of file\n"),
            "a/l|b/l git nofile nocontext 5\n");
}

TEST(FilePatch, AddedAndRemoved) {
  EXPECT_EQ(shown("--- /dev/null\n+++ b/n.h\n@@ -0,0 +1 @@\n+x\n"),
            "|b/n.h 2\n");
  EXPECT_EQ(shown("--- old/n.h\t1970-01-01 00:00:00\n+++ new/n.h\t2026-01-01 "
                  "00:00:00\n@@ -0,0 +1 @@\n+x\n"),
            "|new/n.h 2\n");
  EXPECT_EQ(shown("--- a/n.h\n+++ b/n.h\n@@ -1 +0,0 @@\n-x\n"), "a/n.h| 2\n");
}

TEST(FilePatch, LinesOfHunksAreCounted) {
  // The removed line looks like a head, the text behind like hunks.
  EXPECT_EQ(shown("--- a/s.h\n+++ b/s.h\n@@ -1,3 +1,2 @@\n a\n--- x\n\n"
                  "-- \n+++ no\n@@ -1 +1 @@\n"),
            "a/s.h|b/s.h 4\n");
  EXPECT_EQ(
      shown("--- a/s.h\n+++ b/s.h\n@@ -4,0 +5 @@\n+a\n@@ -9 +9,0 @@\n-b\n"),
      "a/s.h|b/s.h nocontext inserts 4\n");
}

TEST(FilePatch, TextAroundIsNoPatch) {
  EXPECT_EQ(shown("--- one\n+++ two\nthree\n"), "");
  EXPECT_EQ(shown("Only in a: s.h\n"), "");
}

TEST(FilePatch, OtherFormsAreNamed) {
  EXPECT_EQ(shown("Subject: x\ncontent-transfer-encoding: base64\n\nLS0t\n"),
            "line 2: an encoded mail; git mailinfo takes the patch out of it");
  EXPECT_EQ(shown("*** a\n--- b\n***************\n*** 1 ****\n"),
            "line 1: a context diff; make it with diff -u");
  EXPECT_EQ(shown("diff --cc s.h\n--- a/s.h\n+++ b/s.h\n@@@ -1 -1 +1 @@@\n"),
            "line 2: the diff of a merge; give one against a single parent");
}

TEST(FilePatch, DirectoriesAreTakenOff) {
  EXPECT_EQ(strippedName("a/inc/s.h", 0), "a/inc/s.h");
  EXPECT_EQ(strippedName("a/inc/s.h", 1), "inc/s.h");
  EXPECT_EQ(strippedName("./inc//s.h", 0), "inc/s.h");
  EXPECT_EQ(strippedName("s.h", 1), "");
  EXPECT_EQ(strippedName("../s.h", 0), "");
  EXPECT_EQ(strippedName("/tmp/s.h", 0), "");
  EXPECT_EQ(strippedName("/tmp/s.h", 1), "s.h");
}

} // namespace
