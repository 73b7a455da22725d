// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/change/PatchNames.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

/// The readings of one part in a tree of these files: "0: old|new; ...", or
/// what is missing.
std::string read(FilePatch Part, std::vector<std::string> Files) {
  std::string Text;
  for (const PatchReading &Reading : readingsOf(
           {Part},
           [&](llvm::StringRef Name) {
             return llvm::is_contained(Files, Name);
           },
           [&](llvm::StringRef Name) {
             return Name.empty() ||
                    llvm::any_of(Files, [&](llvm::StringRef File) {
                      return File.starts_with((Name + "/").str());
                    });
           })) {
    Text += std::to_string(Reading.Level) + ":";
    for (const NamedPart &File : Reading.Files)
      Text += " " + File.Old + "|" + File.New;
    Text += Reading.Missing.empty() ? ";" : " lacks " + Reading.Missing + ";";
  }
  return Text;
}

FilePatch part(std::string Old, std::string New) {
  FilePatch Part;
  Part.Old = std::move(Old);
  Part.New = std::move(New);
  return Part;
}

TEST(PatchNames, TheTreeSaysWhatIsAPrefix) {
  EXPECT_EQ(read(part("a/inc/s.h", "b/inc/s.h"), {"inc/s.h"}),
            "1: inc/s.h|inc/s.h;");
  EXPECT_EQ(read(part("inc/s.h", "inc/s.h"), {"inc/s.h"}),
            "0: inc/s.h|inc/s.h;");
  EXPECT_EQ(read(part("old/tree/s.h", "new/tree/s.h"), {"s.h"}), "2: s.h|s.h;");
  EXPECT_EQ(read(part("s.h.orig", "s.h"), {"s.h", "s.h.orig"}), "0: s.h|s.h;");
  EXPECT_EQ(read(part("../s.h", "./s.h"), {"s.h"}), "1: s.h|s.h;");
}

TEST(PatchNames, TwoThatFitAreBothTold) {
  const std::vector<std::string> Both = {"inc/s.h", "s.h"};
  EXPECT_EQ(read(part("inc/s.h", "inc/s.h"), Both),
            "1: s.h|s.h;0: inc/s.h|inc/s.h;");
  FilePatch Bare = part("inc/s.h", "inc/s.h");
  Bare.Git = Bare.Bare = true;
  EXPECT_EQ(read(Bare, Both), "0: inc/s.h|inc/s.h;1: s.h|s.h;");
  // Old and new agree only without the first directory.
  EXPECT_EQ(read(part("a/s.h", "b/s.h"), {"a/s.h", "s.h"}),
            "1: s.h|s.h;0: a/s.h|a/s.h;");
}

TEST(PatchNames, NewFilesNeedADirectory) {
  EXPECT_EQ(read(part("", "b/inc/n.h"), {"inc/s.h"}), "1: |inc/n.h;");
  EXPECT_EQ(read(part("a/inc/s.h", ""), {"inc/s.h"}), "1: inc/s.h|;");
}

TEST(PatchNames, WhatIsNotThereIsNamed) {
  EXPECT_EQ(read(part("a/t.h", "b/t.h"), {"s.h"}), "1: t.h|t.h lacks b/t.h;");
}

} // namespace
