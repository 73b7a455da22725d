// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which caches the machine has that this runs on, out of sysfs.

#include "hybrid/cache/CacheGeometry.h"

#include <filesystem>
#include <fstream>
#include <vector>

namespace kst {
namespace {

/// One directory `index*`.
struct CacheEntry {
  unsigned Level = 0;
  std::string Type, Size, Ways, LineBytes, Cpus;

  bool shared() const { return Cpus.find_first_of(",-") != Cpus.npos; }
};

std::string word(const std::filesystem::path &File) {
  std::ifstream Stream(File);
  std::string Word;
  Stream >> Word;
  return Word;
}

/// The data and unified caches in this directory, in any order.
std::vector<CacheEntry> entries(const std::filesystem::path &Directory) {
  std::vector<CacheEntry> Found;
  std::error_code Ignored;
  for (const auto &Entry :
       std::filesystem::directory_iterator(Directory, Ignored)) {
    const std::filesystem::path &Path = Entry.path();
    CacheEntry Cache{0,
                     word(Path / "type"),
                     word(Path / "size"),
                     word(Path / "ways_of_associativity"),
                     word(Path / "coherency_line_size"),
                     word(Path / "shared_cpu_list")};
    std::string Level = word(Path / "level");
    if (Level.size() == 1 && Level[0] >= '1' && Level[0] <= '9')
      Cache.Level = Level[0] - '0';
    if (Cache.Level && (Cache.Type == "Data" || Cache.Type == "Unified"))
      Found.push_back(Cache);
  }
  return Found;
}

} // namespace

Result<CacheGeometry> machineCacheGeometry(const std::string &CpuRoot) {
  const std::filesystem::path Directory =
      std::filesystem::path(CpuRoot) / "cpu0" / "cache";
  std::array<const CacheEntry *, CacheLevels> Levels{};
  const std::vector<CacheEntry> Found = entries(Directory);
  const CacheEntry *Last = nullptr;
  for (const CacheEntry &Entry : Found) {
    if (Entry.Level <= 2)
      Levels[Entry.Level - 1] = &Entry;
    if (!Last || Entry.Level > Last->Level)
      Last = &Entry;
  }
  if (!Last)
    return Failure{Directory.string() +
                   ": this machine does not say which caches it has; give "
                   "them, as in l1=32K/8,l2=1M/16,llc=16M/16"};
  if (Last->Level > 2 || (Last->Level == 2 && Last->shared()))
    Levels[size_t(CacheLevel::Llc)] = Last;
  if (Last->Level == 2 && Last->shared())
    Levels[size_t(CacheLevel::L2)] = nullptr;
  std::string Text;
  for (size_t Level = 0; Level < CacheLevels; ++Level) {
    const CacheEntry *Entry = Levels[Level];
    if (!Entry)
      continue;
    if (Entry->LineBytes != Last->LineBytes)
      return Failure{Directory.string() +
                     ": levels with lines of different sizes are beyond this "
                     "model; give one geometry"};
    // 0: the kernel does not know, or the cache is fully associative.
    Text += std::string(spelling(CacheLevel(Level))) + "=" + Entry->Size + "/" +
            (Entry->Ways == "0" ? "full" : Entry->Ways) + ",";
  }
  Result<CacheGeometry> Geometry =
      parseCacheGeometry(Text + "line=" + Last->LineBytes);
  if (!Geometry)
    return Geometry.within(Directory.string());
  return Geometry;
}

} // namespace kst
