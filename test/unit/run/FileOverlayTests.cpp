// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/FileOverlay.h"
#include "analyzer/run/FileStates.h"
#include "analyzer/run/RecordingFileSystem.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

FileOverlay sample() {
  FileOverlay Over;
  Over.add("/no/such/tree/a.h", "int a;\n");
  Over.add("/no/such/tree/gone.h", std::nullopt);
  return Over;
}

TEST(FileOverlay, HidesTheDisk) {
  const FileOverlay Over = sample();
  RecordingFileSystem Files("/no/such/tree", &Over);
  auto Text = Files.getBufferForFile("a.h");
  ASSERT_TRUE(Text);
  EXPECT_EQ((*Text)->getBuffer(), "int a;\n");
  EXPECT_FALSE(Files.getBufferForFile("gone.h"));
  EXPECT_TRUE(Files.status("/no/such/tree")->isDirectory());
}

TEST(FileOverlay, ThroughDots) {
  const FileOverlay Over = sample();
  EXPECT_TRUE(Over.find("/no/such/tree/sub/../a.h"));
  EXPECT_FALSE(Over.find("/no/such/a.h"));
}

TEST(FileOverlay, WhatWasSeenHoldsUnderTheSameContentsOnly) {
  const FileOverlay Over = sample();
  RecordingFileSystem Files("/no/such/tree", &Over);
  ASSERT_TRUE(Files.getBufferForFile("a.h"));
  (void)Files.status("gone.h");
  auto Holds = [&](const FileOverlay &Under) {
    FileStates Now(&Under);
    for (const Dependency &D : Files.dependencies())
      if (!Now.holds(D.Path, D.Kind, D.SizeBytes, D.Hash))
        return false;
    return true;
  };
  EXPECT_TRUE(Files.exact());
  EXPECT_TRUE(Holds(Over));
  FileOverlay Other = sample();
  Other.add("/no/such/tree/a.h", "int b;\n");
  EXPECT_FALSE(Holds(Other));
  EXPECT_FALSE(Holds(FileOverlay()));
}

} // namespace
