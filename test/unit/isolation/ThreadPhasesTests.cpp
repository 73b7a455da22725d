// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/ThreadPhases.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

/// Functions of 0x100 bytes from 0x1000 on, by their names.
ObjectFile fileOf(std::vector<std::string> Names) {
  ObjectFile File;
  File.Sections.resize(3);
  File.Sections[1].Name = ".text";
  File.Sections[2].Name = ".init_array";
  File.Sections[2].Address = 0x9000;
  File.Sections[2].SizeBytes = 0x10;
  for (const std::string &Name : Names) {
    ObjectSymbol Of;
    Of.Name = Name;
    Of.Value = 0x1000 + 0x100 * File.Symbols.size();
    Of.SizeBytes = 0x100;
    Of.Section = 1;
    Of.Function = true;
    File.Symbols.push_back(Of);
  }
  return File;
}

CodeEdge imported(uint64_t Code, std::string Name) {
  return {Code, 0, CodeEdge::Call, std::move(Name)};
}
CodeEdge call(uint64_t Code, uint64_t To) {
  return {Code, To, CodeEdge::Call, {}};
}
CodeEdge taken(uint64_t Code, uint64_t To) {
  return {Code, To, CodeEdge::Taken, {}};
}

constexpr uint64_t Main = 0x1000, Second = 0x1100, Third = 0x1200;

TEST(ThreadPhases, BeforeTheFirstThread) {
  const ThreadPhases P(fileOf({"main", "worker"}),
                       {taken(Main + 0x30, Second),
                        imported(Main + 0x40, "pthread_create@GLIBC_2.34"),
                        imported(Main + 0x60, "pthread_join@GLIBC_2.34")});
  EXPECT_TRUE(P.makesThreads());
  EXPECT_TRUE(P.isAlone(Main + 0x3f));
  EXPECT_FALSE(P.isAlone(Main + 0x40));
  EXPECT_FALSE(P.isAlone(Main + 0x60));
  EXPECT_FALSE(P.isAlone(Main + 0x61)) << "others may run on";
  EXPECT_FALSE(P.isAlone(Second + 1)) << "its address is taken";
  EXPECT_TRUE(P.isOfMain(0));
  EXPECT_FALSE(P.isOfMain(1));
}

TEST(ThreadPhases, ALoopThatMakesThreadsIsParallelFromItsBeginning) {
  const ThreadPhases P(fileOf({"main"}),
                       {imported(Main + 0x40, "thrd_create"),
                        {Main + 0x50, Main + 0x20, CodeEdge::Jump, {}},
                        imported(Main + 0x70, "thrd_join"),
                        {Main + 0x90, Main + 0x68, CodeEdge::Jump, {}}});
  EXPECT_TRUE(P.isAlone(Main + 0x1f));
  EXPECT_FALSE(P.isAlone(Main + 0x20));
  EXPECT_FALSE(P.isAlone(Main + 0x91));
}

TEST(ThreadPhases, WhatIsCalledRunsWhereItsCallersDo) {
  // main(): parse(), start(), which makes threads, serve().
  const ThreadPhases P(fileOf({"main", "parse", "start", "serve", "helper"}),
                       {call(Main + 0x10, Second), call(Main + 0x20, Third),
                        call(Main + 0x30, 0x1300),
                        imported(Third + 8, "pthread_create"),
                        call(Second + 8, 0x1400), call(0x1308, 0x1400)});
  EXPECT_TRUE(P.isAlone(Main + 0x1f));
  EXPECT_TRUE(P.isAlone(Second + 1));
  EXPECT_FALSE(P.isAlone(Third + 1));
  EXPECT_FALSE(P.isAlone(0x1301));
  EXPECT_FALSE(P.isAlone(0x1401)) << "serve() calls it, too";
  EXPECT_TRUE(P.isOfMain(4));
}

TEST(ThreadPhases, ConstructorsRunAlone) {
  const ThreadPhases P(
      fileOf({"main", "setup"}),
      {imported(Main + 0x10, "pthread_create"), taken(0x9000, Second)});
  EXPECT_TRUE(P.isAlone(Second + 1));
}

TEST(ThreadPhases, AThreadThatAConstructorMakesIsThereAlready) {
  const ThreadPhases P(fileOf({"main", "setup"}),
                       {imported(Main + 0x10, "pthread_create"),
                        taken(0x9000, Second),
                        imported(Second + 8, "pthread_create")});
  EXPECT_FALSE(P.isAlone(Main + 1));
}

TEST(ThreadPhases, WhatOnlyCallsItselfIsOfNobodyKnown) {
  const ThreadPhases P(fileOf({"main", "ping", "pong"}),
                       {imported(Main + 0x10, "pthread_create"),
                        call(Second, Third), call(Third, Second)});
  EXPECT_FALSE(P.isAlone(Second + 1));
  EXPECT_FALSE(P.isOfMain(1));
}

TEST(ThreadPhases, AStaticProgramHasItsLibraryInside) {
  const ThreadPhases P(fileOf({"main", "pthread_create"}),
                       {call(Main + 0x40, Second)});
  EXPECT_TRUE(P.makesThreads());
  EXPECT_TRUE(P.isAlone(Main + 0x3f));
  EXPECT_FALSE(P.isAlone(Main + 0x40));
}

TEST(ThreadPhases, NothingIsKnownOfALibrary) {
  const ThreadPhases P(fileOf({"work"}), {imported(Main, "pthread_create")});
  EXPECT_TRUE(P.makesThreads());
  EXPECT_FALSE(P.isAlone(Main));
  EXPECT_FALSE(P.isOfMain(0));
}

} // namespace
