// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/JsonDatabase.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

std::string problemOf(const std::string &Text) {
  auto Database = parseJsonDatabase(Text);
  return Database ? "" : llvm::toString(Database.takeError());
}

TEST(JsonDatabase, ReadsArgumentsAndCommand) {
  auto Database = parseJsonDatabase(R"([
    {"directory":"/o","file":"a.c","arguments":["cc","-DX=a b","a.c"],"output":"a.o"},
    {"directory":"/o","file":"b.c","command":"cc -DX='\"y\"' b.c"}])");
  ASSERT_TRUE(bool(Database));
  ASSERT_EQ(Database->Commands.size(), 2u);
  EXPECT_EQ(Database->Commands[0].Directory, "/o");
  EXPECT_EQ(Database->Commands[0].Output, "a.o");
  EXPECT_EQ(Database->Commands[0].Args, (Words{"cc", "-DX=a b", "a.c"}));
  EXPECT_EQ(Database->Commands[1].Args, (Words{"cc", "-DX=\"y\"", "b.c"}));
  EXPECT_TRUE(Database->Broken.empty());
}

TEST(JsonDatabase, ArgumentsWinOverCommand) {
  auto Database = parseJsonDatabase(
      R"([{"command":"a","arguments":["b"],"file":"f","directory":"/"}])");
  ASSERT_TRUE(bool(Database));
  ASSERT_EQ(Database->Commands.size(), 1u);
  EXPECT_EQ(Database->Commands[0].Args, Words{"b"});
}

TEST(JsonDatabase, BrokenEntriesAreNamedAndSiblingsLive) {
  auto File =
      llvm::MemoryBuffer::getFile(KST_INPUTS "/compile/broken-entries.json");
  ASSERT_TRUE(bool(File));
  auto Database = parseJsonDatabase((*File)->getBuffer());
  ASSERT_TRUE(bool(Database));
  std::vector<std::string> Good, Bad;
  for (const JsonCommand &Command : Database->Commands)
    Good.push_back(Command.File);
  for (const BrokenEntry &Entry : Database->Broken)
    Bad.push_back(Entry.Name + ": " + Entry.Reason);
  EXPECT_EQ(Good, (Words{"good1.c", "extra.c", "good2.c"}));
  EXPECT_EQ(
      Bad,
      (Words{"entry 2: compile command: the entry is null, not an object",
             "entry 3: compile command: the entry is a number, not an object",
             "entry 4: compile command: the entry is a string, not an object",
             "entry 5: compile command: the entry is an array, not an object",
             "no-directory.c: compile command: it has no \"directory\"",
             "entry 7: compile command: it has no \"file\"",
             "no-command.c: compile command: it has neither \"command\" nor "
             "\"arguments\"",
             "number.c: compile command: \"command\" is a number",
             "ill-typed.c: compile command: \"arguments\" holds a number",
             "empty.c: compile command: its command is empty"}));
}

TEST(JsonDatabase, DeepNestingIsAnErrorNotAnOverflow) {
  std::string Arrays(300000, '[');
  EXPECT_NE(problemOf(Arrays).find("levels deep"), std::string::npos);
  std::string Objects;
  for (int I = 0; I < 300000; ++I)
    Objects += "{\"a\":";
  EXPECT_NE(problemOf("[" + Objects).find("levels deep"), std::string::npos);
  EXPECT_NE(problemOf("[{\"x\":" + Arrays).find("levels deep"),
            std::string::npos);
}

TEST(JsonDatabase, OtherTextIsAnError) {
  for (const char *Text : {"", "{}", "5", "null", "\"x\"", "[", "[{]", "[}",
                           "[1,]", "{\"a\":", "[1e999999]",
                           "\x7f"
                           "ELF"})
    EXPECT_NE(problemOf(Text), "") << Text;
  EXPECT_EQ(problemOf("[]"), "");
  EXPECT_EQ(problemOf("\xEF\xBB\xBF[]"), "");
}

TEST(JsonDatabase, BytesThatAreNoUtf8StayAsTheyAre) {
  auto Read =
      parseJsonDatabase("[{\"directory\":\"/d\xe9\",\"file\":\"\xff "
                        "\xc3\xa9.c\",\"arguments\":[\"cc\",\"-D\xe9\"]}]");
  ASSERT_TRUE(bool(Read)) << llvm::toString(Read.takeError());
  ASSERT_EQ(Read->Commands.size(), 1u);
  EXPECT_EQ(Read->Commands[0].Directory, "/d\xe9");
  EXPECT_EQ(Read->Commands[0].File, "\xff \xc3\xa9.c");
  EXPECT_EQ(Read->Commands[0].Args[1], "-D\xe9");
}

} // namespace
} // namespace kst
