// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/unit/support/TempTree.h"

#include "analyzer/run/FactsCache.h"
#include "hybrid/facts/FactsFile.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/stat.h>
#include <utime.h>

using namespace kst;

namespace {

const RunUnit Unit = {"/src/a.c", "a.c", "/src", {"-I", "inc"}};

TuFacts factsNamed(const char *Name) {
  TuFacts F;
  F.Strings.push_back(Name);
  F.MainFile = 1;
  return F;
}

FactsCache cacheIn(const TempTree &Tree, std::string Tool = "tool 1",
                   uint64_t Cap = 1 << 20) {
  return FactsCache({Tree.path("cache"), std::move(Tool), Cap});
}

void put(const FactsCache &Cache, const RunUnit &U, const char *Name,
         std::vector<Dependency> Dependencies = {}) {
  llvm::Error E = Cache.store(U, Dependencies, writeFacts(factsNamed(Name)));
  EXPECT_EQ(llvm::toString(std::move(E)), "");
}

/// The name in the facts that the cache has for the unit, or "".
std::string get(FactsCache Cache, const RunUnit &U = Unit) {
  auto Found = Cache.find(U);
  if (!Found)
    return "";
  std::string Reason;
  auto Facts = Found->load(Reason);
  return Facts ? Facts->Strings[Facts->MainFile] : "";
}

TEST(FactsCache, KeepsFactsPerToolCommandAndDirectory) {
  TempTree Tree;
  EXPECT_EQ(get(cacheIn(Tree)), "");
  put(cacheIn(Tree), Unit, "kept");
  EXPECT_EQ(get(cacheIn(Tree)), "kept");
  EXPECT_EQ(get(cacheIn(Tree, "tool 2")), "");
  RunUnit Other = Unit;
  Other.Args = {"-Iinc"};
  EXPECT_EQ(get(cacheIn(Tree), Other), "");
  Other = Unit;
  Other.Directory = "/other";
  EXPECT_EQ(get(cacheIn(Tree), Other), "");
  Other = Unit;
  Other.File = "/src/b.c";
  EXPECT_EQ(get(cacheIn(Tree), Other), "");
  Other = Unit;
  Other.Relative = "x/a.c";
  EXPECT_EQ(get(cacheIn(Tree), Other), "");
  put(cacheIn(Tree), Unit, "newer");
  EXPECT_EQ(get(cacheIn(Tree)), "newer");
  EXPECT_EQ(Tree.files("cache/facts").size(), 1u);
}

TEST(FactsCache, WithoutADirectoryItKeepsNothing) {
  FactsCache Cache({"", "tool", 1});
  put(Cache, Unit, "kept");
  EXPECT_FALSE(Cache.enabled());
  EXPECT_FALSE(Cache.find(Unit));
  Cache.trim();
}

TEST(FactsCache, EveryDamageIsAMiss) {
  TempTree Tree;
  std::vector<Dependency> Dependencies = {
      {Tree.path("absent"), DependencyKind::Missing, 0, {}},
      {Tree.Root, DependencyKind::Directory, 0, {}}};
  std::sort(Dependencies.begin(), Dependencies.end(),
            [](auto &A, auto &B) { return A.Path < B.Path; });
  put(cacheIn(Tree), Unit, "kept", Dependencies);
  std::string Name = "cache/facts/" + Tree.files("cache/facts").at(0);
  std::string Good =
      (*llvm::MemoryBuffer::getFile(Tree.path(Name)))->getBuffer().str();
  for (size_t I = 0; I < Good.size(); ++I) {
    std::string Bad = Good;
    Bad[I] ^= 0x41;
    Tree.file(Name, Bad);
    EXPECT_EQ(get(cacheIn(Tree)), "") << "byte " << I;
    Tree.file(Name, Good.substr(0, I));
    EXPECT_EQ(get(cacheIn(Tree)), "") << "cut to " << I;
  }
  Tree.file(Name, Good + "x");
  EXPECT_EQ(get(cacheIn(Tree)), "");
  Tree.file(Name, Good);
  EXPECT_EQ(get(cacheIn(Tree)), "kept");
  Tree.file("absent", "");
  EXPECT_EQ(get(cacheIn(Tree)), "");
}

TEST(FactsCache, AnEntryThatIsNoFileIsAMiss) {
  TempTree Tree;
  put(cacheIn(Tree), Unit, "kept");
  std::string Path =
      Tree.path("cache/facts/" + Tree.files("cache/facts").at(0));
  unlink(Path.c_str());
  ASSERT_EQ(mkfifo(Path.c_str(), 0666), 0);
  EXPECT_EQ(get(cacheIn(Tree)), "");
  put(cacheIn(Tree), Unit, "again");
  EXPECT_EQ(get(cacheIn(Tree)), "again");
}

TEST(CacheEntry, DependenciesRoundTrip) {
  std::vector<Dependency> Given = {
      {"/", DependencyKind::Directory, 0, {}},
      {"/a", DependencyKind::Directory, 0, {}},
      {"/a/b.h", DependencyKind::Contents, 12, {3, 4}},
      {"/a/bc.h", DependencyKind::File, uint64_t(1) << 40, {}},
      {"/a/bc.h.gch", DependencyKind::Missing, 0, {}},
      {"/" + std::string(5000, 'x'), DependencyKind::Special, 0, {}}};
  Hash128 Key = {1, 2};
  std::string Bytes = encodeCacheEntry(Key, Given, "the facts");
  auto Entry = CacheEntry::open(Bytes, Key);
  ASSERT_TRUE(Entry);
  std::vector<Dependency> Got;
  EXPECT_TRUE(
      Entry->forEachDependency([&](llvm::StringRef Path, DependencyKind Kind,
                                   uint64_t SizeBytes, const Hash128 &Hash) {
        Got.push_back({Path.str(), Kind, SizeBytes, Hash});
        return true;
      }));
  EXPECT_EQ(Got, Given);
  llvm::SmallVector<uint8_t, 0> Room;
  EXPECT_EQ(Entry->facts(Room), llvm::StringRef("the facts"));
  EXPECT_FALSE(CacheEntry::open(Bytes, {2, 1}));
}

TEST(FactsCache, TrimRemovesWhatWasUsedLongestAgo) {
  TempTree Tree;
  RunUnit Units[3] = {Unit, Unit, Unit};
  for (int I = 0; I < 3; ++I) {
    Units[I].Args = {std::to_string(I)};
    put(cacheIn(Tree), Units[I], "kept");
    // The file of this unit is the one that is not yet old.
    for (const std::string &Name : Tree.files("cache/facts")) {
      std::string Path = Tree.path("cache/facts/" + Name);
      struct stat St;
      ASSERT_EQ(stat(Path.c_str(), &St), 0);
      if (time(nullptr) - St.st_mtime < 5000) {
        utimbuf Times = {time(nullptr) - 100000 + I * 10000,
                         time(nullptr) - 100000 + I * 10000};
        utime(Path.c_str(), &Times);
      }
    }
  }
  uint64_t Size = 0;
  ASSERT_FALSE(llvm::sys::fs::file_size(
      Tree.path("cache/facts/" + Tree.files("cache/facts")[0]), Size));
  EXPECT_EQ(get(cacheIn(Tree), Units[0]), "kept"); // now used last
  cacheIn(Tree, "tool 1", 3 * Size).trim();
  EXPECT_EQ(Tree.files("cache/facts").size(), 3u);
  cacheIn(Tree, "tool 1", 2 * Size).trim();
  EXPECT_EQ(get(cacheIn(Tree), Units[0]), "kept");
  EXPECT_EQ(get(cacheIn(Tree), Units[1]), "");
  EXPECT_EQ(get(cacheIn(Tree), Units[2]), "kept");
  cacheIn(Tree, "tool 1", 0).trim();
  EXPECT_TRUE(Tree.files("cache/facts").empty());
}

TEST(FactsCache, TrimRemovesOldHalfWrittenFilesOnly) {
  TempTree Tree;
  put(cacheIn(Tree), Unit, "kept");
  Tree.file("cache/facts/old.tmp", "x");
  Tree.file("cache/facts/new.tmp", "x");
  Tree.file("cache/facts/README", "not ours");
  utimbuf Times = {time(nullptr) - 7200, time(nullptr) - 7200};
  utime(Tree.path("cache/facts/old.tmp").c_str(), &Times);
  cacheIn(Tree).trim();
  auto Left = Tree.files("cache/facts");
  EXPECT_EQ(Left.size(), 3u);
  EXPECT_EQ(std::count(Left.begin(), Left.end(), "old.tmp"), 0);
}

TEST(FactsCache, FailureToWriteIsNamed) {
  TempTree Tree;
  Tree.file("cache", "a file where the directory should be");
  llvm::Error E = cacheIn(Tree).store(Unit, {}, "");
  std::string Text = llvm::toString(std::move(E));
  EXPECT_NE(Text.find("while writing to the cache in " + Tree.Root),
            std::string::npos)
      << Text;
}

TEST(FactsCache, DefaultDirectory) {
  std::string Home = getenv("HOME") ? getenv("HOME") : "";
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(defaultCacheDirectory(), "/home/someone/.cache/kstatic-affinity");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(defaultCacheDirectory(), "/x/kstatic-affinity");
  setenv("XDG_CACHE_HOME", "relative", 1); // the specification: ignore it
  EXPECT_EQ(defaultCacheDirectory(), "/home/someone/.cache/kstatic-affinity");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(defaultCacheDirectory(), "");
  setenv("HOME", Home.c_str(), 1);
}

} // namespace
