// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/unit/support/TempTree.h"

#include "analyzer/run/RunUnits.h"
#include "hybrid/facts/FactsFile.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

using namespace kst;

namespace {

/// A parser of a made-up language: the first line of a unit names a header,
/// which is looked for in first/ and inc/; the facts are the header's text.
/// "crash", "hang", "fail" and "interrupt" are commands.
llvm::Expected<TuFacts>
extractFake(const RunUnit &Unit,
            llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  auto Fail = [](const llvm::Twine &Text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), Text);
  };
  auto Source = Files->getBufferForFile(Unit.File);
  if (!Source)
    return Fail("cannot read: " + Source.getError().message());
  llvm::StringRef Text = (*Source)->getBuffer().rtrim();
  if (Text == "crash")
    raise(SIGSEGV);
  if (Text == "hang")
    sleep(100);
  if (Text == "fail")
    return Fail("does not parse");
  if (Text == "interrupt")
    kill(getppid(), SIGINT), sleep(100);
  TuFacts F;
  F.Strings.push_back(Unit.Relative);
  F.MainFile = 1;
  if (Text == "inconsistent")
    F.MainFile = 17;
  for (llvm::StringRef Directory : {"first", "inc"})
    if (auto Header = Files->getBufferForFile(Directory + "/" + Text)) {
      F.Strings.push_back((*Header)->getBuffer().str());
      return F;
    }
  F.Strings.push_back("no header");
  return F;
}

struct Fixture : testing::Test {
  TempTree Tree;
  std::vector<RunUnit> Units;
  RunOptions Options;
  RunStatistics Stats;

  Fixture() {
    Options.Cache = {Tree.path("cache"), "tool", 1 << 20};
    Tree.file("inc/a.h", "text of a");
    Tree.file("inc/b.h", "text of b");
  }
  void add(const char *Name, const char *Text) {
    Units.push_back({Tree.file(Name, Text), Name, Tree.Root, {}});
  }
  /// One line per unit: "* name: header" ("*" from cache) or "! reason".
  std::vector<std::string> run() {
    std::vector<std::string> Lines;
    Stats = runUnits(Units, extractFake, Options,
                     [&](size_t I, UnitOutcome Outcome) {
                       EXPECT_EQ(I, Lines.size());
                       if (Outcome.Facts)
                         Lines.push_back((Outcome.FromCache ? "* " : "") +
                                         Outcome.Facts->Strings[1] + ": " +
                                         Outcome.Facts->Strings[2]);
                       else
                         Lines.push_back("! " + Outcome.Reason);
                     });
    for (const std::string &Name : Tree.files("cache/facts"))
      EXPECT_FALSE(llvm::StringRef(Name).ends_with(".tmp")) << Name;
    return Lines;
  }
  using Lines = std::vector<std::string>;
};

TEST_F(Fixture, SecondRunIsServedFromTheCache) {
  add("1.c", "a.h");
  add("2.c", "b.h");
  EXPECT_EQ(run(), (Lines{"1.c: text of a", "2.c: text of b"}));
  EXPECT_EQ(Stats.Parsed, 2u);
  EXPECT_GT(Stats.PeakRssKb, 0u);
  EXPECT_EQ(run(), (Lines{"* 1.c: text of a", "* 2.c: text of b"}));
  EXPECT_EQ(Stats.CacheHits, 2u);
  EXPECT_EQ(Stats.Parsed, 0u);
  EXPECT_EQ(Stats.Forks, 0u);
}

TEST_F(Fixture, ChangedHeaderTouchesOnlyItsUnits) {
  add("1.c", "a.h");
  add("2.c", "b.h");
  add("3.c", "a.h");
  run();
  Tree.file("inc/b.h", "TEXT OF B"); // same size
  EXPECT_EQ(run(),
            (Lines{"* 1.c: text of a", "2.c: TEXT OF B", "* 3.c: text of a"}));
  Tree.file("1.c", "b.h");
  EXPECT_EQ(run(),
            (Lines{"1.c: TEXT OF B", "* 2.c: TEXT OF B", "* 3.c: text of a"}));
}

TEST_F(Fixture, HeaderThatAppearsEarlierInThePathIsNoticed) {
  add("1.c", "a.h");
  add("2.c", "b.h");
  run();
  Tree.file("first/a.h", "earlier");
  EXPECT_EQ(run(), (Lines{"1.c: earlier", "* 2.c: text of b"}));
  unlink(Tree.path("first/a.h").c_str());
  EXPECT_EQ(run(), (Lines{"1.c: text of a", "* 2.c: text of b"}));
}

TEST_F(Fixture, DamagedEntriesAreMadeAnew) {
  add("1.c", "a.h");
  add("2.c", "b.h");
  Lines Cold = run(), Warm = run();
  for (const std::string &Name : Tree.files("cache/facts"))
    Tree.file("cache/facts/" + Name, "rubbish");
  EXPECT_EQ(run(), Cold);
  EXPECT_EQ(Stats.Parsed, 2u);
  EXPECT_EQ(run(), Warm);
}

// A checksum that is right does not make facts right.
TEST_F(Fixture, EntryWithGoodChecksumAndBadFactsIsMadeAnew) {
  add("1.c", "a.h");
  add("2.c", "b.h");
  FactsCache Cache(Options.Cache);
  TuFacts Bad;
  Bad.MainFile = 99;
  for (const RunUnit &Unit : Units)
    ASSERT_FALSE(bool(Cache.store(Unit, {}, writeFacts(Bad))));
  EXPECT_EQ(run(), (Lines{"1.c: text of a", "2.c: text of b"}));
  EXPECT_EQ(run(), (Lines{"* 1.c: text of a", "* 2.c: text of b"}));
}

TEST_F(Fixture, BadUnitsAreNamedAndCostNoSibling) {
  Options.Limits.Timeout = std::chrono::milliseconds(500);
  add("1.c", "a.h");
  add("2.c", "crash");
  add("3.c", "hang");
  add("4.c", "fail");
  add("5.c", "inconsistent");
  Units.push_back({Tree.path("6.c"), "6.c", Tree.Root, {}});
  Units.push_back({Tree.path("7.c"), "7.c", Tree.Root, {}});
  ASSERT_EQ(mkfifo(Tree.path("7.c").c_str(), 0666), 0);
  add("8.c", "b.h");
  const Lines Expected = {
      "1.c: text of a",
      "! crashed (signal 11)",
      "! took longer than 500 ms",
      "! does not parse",
      "! internal error: inconsistent facts: name of the unit",
      "! cannot read: No such file or directory",
      "! cannot read: No such device",
      "8.c: text of b"};
  for (unsigned Workers : {1u, 2u, 8u}) {
    Options.Workers = Workers;
    Options.Cache.Directory = "";
    EXPECT_EQ(run(), Expected);
    EXPECT_EQ(Stats.Failed, 6u);
    EXPECT_EQ(Stats.Parsed, 2u);
  }
  // What the parser itself refused need not be tried again; a crash or a
  // timeout is.
  Options.Cache.Directory = Tree.path("cache");
  EXPECT_EQ(run(), Expected);
  Lines Warm = run();
  EXPECT_EQ(Warm[0], "* 1.c: text of a");
  EXPECT_EQ(Warm[7], "* 8.c: text of b");
  for (size_t I = 1; I < 7; ++I)
    EXPECT_EQ(Warm[I], Expected[I]);
  EXPECT_EQ(Stats.CacheHits, 5u); // 1, 4, 6, 7, 8
  EXPECT_EQ(Stats.Failed, 6u);
  Tree.file("4.c", "a.h"); // a failure holds only as long as its files
  Tree.file("6.c", "b.h");
  Warm = run();
  EXPECT_EQ(Warm[3], "4.c: text of a");
  EXPECT_EQ(Warm[5], "6.c: text of b");
}

TEST_F(Fixture, ACacheThatCannotBeWrittenIsOneWarning) {
  Tree.file("blocked", "");
  Options.Cache.Directory = Tree.path("blocked");
  add("1.c", "a.h");
  add("2.c", "b.h");
  EXPECT_EQ(run(), (Lines{"1.c: text of a", "2.c: text of b"}));
  ASSERT_EQ(Stats.Warnings.size(), 1u);
  EXPECT_NE(Stats.Warnings[0].find("while writing to the cache"),
            std::string::npos);
}

TEST_F(Fixture, InterruptKeepsWhatIsDone) {
  add("1.c", "a.h");
  run();
  add("2.c", "interrupt");
  add("3.c", "hang");
  Options.Workers = 2;
  Lines Got = run();
  EXPECT_TRUE(Stats.Interrupted);
  EXPECT_LT(Got.size(), 3u);
  EXPECT_EQ(Tree.files("cache/facts").size(), 1u);
}

TEST_F(Fixture, NoUnits) {
  EXPECT_TRUE(run().empty());
  EXPECT_FALSE(Stats.Interrupted);
}

TEST_F(Fixture, ProgressIsShown) {
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  Progress Shown(Out, ProgressStyle::Overprint, 80, [] { return 0; });
  Options.Shown = &Shown;
  add("dir/1.c", "a.h");
  run();
  EXPECT_EQ(Out.str(), "\r[0/1] dir/1.c\x1b[K\r\x1b[K");
}

} // namespace
