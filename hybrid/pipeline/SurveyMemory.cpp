// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/SurveyMemory.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/survey/Slabs.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

namespace {

constexpr uint64_t PageBytes = 4096;

llvm::Expected<std::map<std::string, SlabRow>>
slabinfoOf(const std::string &File) {
  if (File.empty())
    return std::map<std::string, SlabRow>();
  llvm::Expected<std::string> Text = readFile(File);
  if (!Text)
    return usageError("--slabinfo " + llvm::toString(Text.takeError()));
  return orMistake(readSlabinfo(*Text), "--slabinfo " + File + ": ");
}

/// Struct -> its caches, by the texts of the units.
std::multimap<std::string, std::string> cachesOf(const Configs &All) {
  std::map<std::string, std::string> Made;
  for (const auto &In : All.each())
    for (const RunUnit &Unit : In->Session.Commands)
      if (llvm::Expected<std::string> Text = readFile(Unit.File))
        Made.merge(cachesMade(*Text));
      else
        llvm::consumeError(Text.takeError()); // the front end has read it
  std::multimap<std::string, std::string> Caches;
  for (const auto &[Cache, Struct] : Made)
    Caches.emplace(Struct, Cache);
  return Caches;
}

} // namespace

llvm::Error checkSlabinfo(const std::string &File) {
  return slabinfoOf(File).takeError();
}

llvm::Error priceMemory(const SurveyRequest &Asked, const Configs &All,
                        Survey &To) {
  auto Slabs = slabinfoOf(Asked.Slabinfo);
  if (!Slabs)
    return Slabs.takeError();
  std::multimap<std::string, std::string> Caches;
  if (!Slabs->empty())
    Caches = cachesOf(All);
  std::set<std::string> Counted;
  for (SurveyRow &Row : To.Rows) {
    const std::string Name = parseRecordSpelling(Row.Name).Name;
    const uint64_t Unused = Row.HoleBits / 8 + Row.PaddingBytes;
    auto [Begin, End] = Caches.equal_range(Name);
    std::vector<std::string> Candidates;
    for (auto It = Begin; It != End; ++It)
      Candidates.push_back(It->second);
    const bool Other =
        llvm::any_of(Caches, [&](const auto &Of) { return Of.second == Name; });
    if (Candidates.empty() && !Other)
      Candidates.push_back(Name);
    for (const std::string &Cache : Candidates) {
      auto Found = Slabs->find(Cache);
      if (Found == Slabs->end())
        continue;
      Result<MemoryPrice> Price =
          priceInCache(Row.SizeBytes, Unused, Found->second, PageBytes);
      if (!Price) {
        Asked.Diags.warn("warning: --slabinfo: cache '" + Cache +
                         "' is not priced: " + Price.error());
        continue;
      }
      Row.Memory = *Price;
      Row.Memory.Source = "slabinfo: " + Cache;
    }
    auto Given = Asked.Objects.find(Row.Name);
    if (Given == Asked.Objects.end())
      Given = Asked.Objects.find(Name);
    if (Given == Asked.Objects.end())
      continue;
    Counted.insert(Given->first);
    if (!Row.Memory.Objects)
      Row.Memory =
          priceByKmalloc(Row.SizeBytes, Unused, Given->second, PageBytes);
    Row.Memory.Objects = Given->second;
    Row.Memory.Source = "--objects";
  }
  for (const auto &[Name, Number] : Asked.Objects)
    if (!Counted.count(Name))
      Asked.Diags.warn("warning: --objects " + Name +
                       ": no such struct in the survey");
  return llvm::Error::success();
}

} // namespace kst
