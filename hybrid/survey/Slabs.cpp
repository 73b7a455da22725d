// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/survey/Slabs.h"

#include <charconv>
#include <regex>
#include <vector>

namespace kst {

namespace {

/// The words of a line.
std::vector<std::string_view> words(std::string_view Line) {
  std::vector<std::string_view> Found;
  constexpr const char *Blank = " \t\r";
  for (size_t At = Line.find_first_not_of(Blank);
       At != std::string_view::npos;) {
    const size_t End = Line.find_first_of(Blank, At);
    Found.push_back(Line.substr(At, End - At));
    At = Line.find_first_not_of(Blank, End);
  }
  return Found;
}

bool parse(std::string_view Word, uint64_t &Into) {
  auto [End, Wrong] =
      std::from_chars(Word.data(), Word.data() + Word.size(), Into);
  return Wrong == std::errc() && End == Word.data() + Word.size();
}

/// Objects are aligned to lines where the cache asks for it; that shows in a
/// size that is whole lines.
uint64_t alignmentOf(uint64_t ObjectBytes, uint64_t SizeBytes) {
  constexpr uint64_t Line = 64, Word = 8;
  return ObjectBytes % Line == 0 && ObjectBytes >= SizeBytes &&
                 ObjectBytes - SizeBytes < Line && ObjectBytes != SizeBytes
             ? Line
             : Word;
}

constexpr uint64_t KmallocSizes[] = {8,   16,  32,   64,   96,   128, 192,
                                     256, 512, 1024, 2048, 4096, 8192};

} // namespace

Result<std::map<std::string, SlabRow>> readSlabinfo(std::string_view Text) {
  std::map<std::string, SlabRow> Caches;
  size_t Number = 0;
  while (!Text.empty()) {
    const size_t End = Text.find('\n');
    const std::string_view Line = Text.substr(0, End);
    Text = End == std::string_view::npos ? "" : Text.substr(End + 1);
    ++Number;
    if (Number == 1) {
      if (!Line.starts_with("slabinfo - version: 2."))
        return Failure{"line 1: not a copy of /proc/slabinfo, version 2.x"};
      continue;
    }
    const std::vector<std::string_view> Words = words(Line);
    if (Words.empty() || Words[0].starts_with('#'))
      continue;
    SlabRow Cache;
    uint64_t All = 0;
    if (Words.size() < 6 || !parse(Words[1], Cache.Objects) ||
        !parse(Words[2], All) || !parse(Words[3], Cache.ObjectBytes) ||
        !parse(Words[4], Cache.PerSlab) ||
        !parse(Words[5], Cache.PagesPerSlab) || !Cache.ObjectBytes ||
        !Cache.PerSlab || !Cache.PagesPerSlab)
      return Failure{"line " + std::to_string(Number) +
                     ": no numbers of a cache"};
    Caches[std::string(Words[0])] = Cache;
  }
  if (!Number)
    return Failure{"empty"};
  return Caches;
}

std::map<std::string, std::string> cachesMade(std::string_view Source) {
  static const std::regex Created(
      R"re(\bkmem_cache_create\w*\s*\(\s*"([^"]+)"\s*,\s*sizeof\s*\(\s*struct\s+(\w+)\s*\))re");
  static const std::regex Short(
      R"re(\bKMEM_CACHE(_USERCOPY)?\s*\(\s*(\w+)\s*,)re");
  static const std::regex Protocol(
      R"re(\.name\s*=\s*"([^"]+)"[^{}]*?\.obj_size\s*=\s*sizeof\s*\(\s*struct\s+(\w+)\s*\))re");
  std::map<std::string, std::string> Found;
  using Matches = std::cregex_iterator;
  const char *Begin = Source.data(), *End = Begin + Source.size();
  if (Source.find("kmem_cache_create") != std::string_view::npos)
    for (Matches It(Begin, End, Created), Last; It != Last; ++It)
      Found.emplace((*It)[1].str(), (*It)[2].str());
  if (Source.find("KMEM_CACHE") != std::string_view::npos)
    for (Matches It(Begin, End, Short), Last; It != Last; ++It)
      Found.emplace((*It)[2].str(), (*It)[2].str());
  // The gap between the two lines may be long: only near the second one.
  constexpr size_t Reach = 4096;
  for (size_t At = Source.find(".obj_size"); At != std::string_view::npos;
       At = Source.find(".obj_size", At + 1)) {
    const size_t From = Source.rfind('{', At);
    if (From == std::string_view::npos || At - From > Reach)
      continue;
    const size_t To = std::min(Source.size(), At + 200);
    std::cmatch Match;
    if (std::regex_search(Begin + From, Begin + To, Match, Protocol))
      Found.emplace(Match[1].str(), Match[2].str());
  }
  return Found;
}

Result<MemoryPrice> priceInCache(uint64_t SizeBytes, uint64_t Unused,
                                 const SlabRow &Cache, uint64_t PageBytes) {
  if (Cache.ObjectBytes < SizeBytes)
    return Failure{"its objects have " + std::to_string(Cache.ObjectBytes) +
                   " bytes, the struct has " + std::to_string(SizeBytes) +
                   ": another configuration"};
  MemoryPrice Price;
  Price.Objects = Cache.Objects;
  Price.OwnCache = true;
  Price.ObjectBytes = Cache.ObjectBytes;
  Price.PerSlab = Cache.PerSlab;
  Price.SlabBytes = Cache.PagesPerSlab * PageBytes;
  const uint64_t Align = alignmentOf(Cache.ObjectBytes, SizeBytes);
  const uint64_t Smaller =
      Price.SlabBytes / (Cache.PerSlab + 1) / Align * Align;
  // What the allocator adds to an object, beyond the alignment, stays.
  const uint64_t Aligned = (SizeBytes + Align - 1) / Align * Align;
  const uint64_t Added =
      Cache.ObjectBytes - std::min(Cache.ObjectBytes, Aligned);
  if (Smaller > Added && Smaller - Added < SizeBytes) {
    Price.Shrink = SizeBytes - (Smaller - Added);
    Price.SmallerObjectBytes = Smaller;
    Price.SmallerPerSlab = Price.SlabBytes / Smaller;
    Price.InReach = Price.Shrink <= Unused;
  }
  return Price;
}

MemoryPrice priceByKmalloc(uint64_t SizeBytes, uint64_t Unused,
                           uint64_t Objects, uint64_t PageBytes) {
  MemoryPrice Price;
  Price.Objects = Objects;
  uint64_t Below = 0;
  for (uint64_t Size : KmallocSizes) {
    Price.ObjectBytes = Size;
    if (SizeBytes <= Size)
      break;
    Below = Size;
  }
  if (SizeBytes > Price.ObjectBytes) { // pages, a power of two of them
    for (Price.ObjectBytes = PageBytes; Price.ObjectBytes < SizeBytes;)
      Price.ObjectBytes *= 2;
    Below = std::max(Below, Price.ObjectBytes / 2);
  }
  if (Below) {
    Price.Shrink = SizeBytes - Below;
    Price.SmallerObjectBytes = Below;
    Price.InReach = Price.Shrink <= Unused;
  }
  return Price;
}

} // namespace kst
