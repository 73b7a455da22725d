// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/RunUnits.h"

#include "analyzer/run/RecordingFileSystem.h"
#include "hybrid/facts/FactsCheck.h"
#include "hybrid/facts/FactsFile.h"

#include <algorithm>
#include <cstring>

using namespace llvm;

namespace kst {
namespace {

enum AnswerKind : uint32_t { IsFacts, IsFailure, IsEntry };

/// What a child sends: the tag, the length of the text, the text (padded to 8
/// bytes), then the facts, or a cache entry that has them. Text is the reason
/// of a failure, or a warning.
struct AnswerTag {
  AnswerKind Kind;
  uint32_t TextBytes;
};

std::string encodeAnswer(AnswerKind Kind, StringRef Text, StringRef Facts) {
  AnswerTag Tag = {Kind, static_cast<uint32_t>(Text.size())};
  std::string Bytes(reinterpret_cast<const char *>(&Tag), sizeof(Tag));
  Bytes.reserve(sizeof(Tag) + Text.size() + 8 + Facts.size());
  Bytes += Text;
  Bytes.resize((Bytes.size() + 7) & ~size_t(7));
  Bytes += Facts;
  return Bytes;
}

class Run {
public:
  Run(ArrayRef<RunUnit> Units, const Extractor &Extract,
      const RunOptions &Options, function_ref<void(size_t, UnitOutcome)> Sink)
      : Units(Units), Extract(Extract), Options(Options), Sink(Sink),
        Cache(Options.Cache), Hits(Units.size()) {}

  RunStatistics run();

private:
  void lookUp();
  void parse(ArrayRef<size_t> Which);
  std::string work(const RunUnit &Unit) const;
  UnitOutcome decode(const JobResult &Result);
  void deliverHitsBelow(size_t Unit);
  void deliver(size_t Unit, UnitOutcome Outcome);
  void warn(StringRef Text);

  ArrayRef<RunUnit> Units;
  const Extractor &Extract;
  const RunOptions &Options;
  function_ref<void(size_t, UnitOutcome)> Sink;

  InterruptGuard Interrupts;
  FactsCache Cache;
  std::vector<std::optional<CachedFacts>> Hits;
  std::vector<size_t> Misses;
  size_t NextUnit = 0; ///< to deliver
  size_t Ended = 0;
  RunStatistics Stats;
};

void Run::warn(StringRef Text) {
  if (!Text.empty() && !is_contained(Stats.Warnings, Text))
    Stats.Warnings.push_back(Text.str());
}

void Run::lookUp() {
  for (size_t I = 0; I < Units.size() && !Interrupts.interrupted(); ++I) {
    Hits[I] = Cache.find(Units[I]);
    if (Hits[I])
      ++Ended;
    else
      Misses.push_back(I);
  }
}

/// In the child.
std::string Run::work(const RunUnit &Unit) const {
  auto Files = makeIntrusiveRefCnt<RecordingFileSystem>(Unit.Directory,
                                                        Options.Cache.Over);
  Expected<TuFacts> Facts = Extract(Unit, Files);
  bool Keep = Cache.enabled() && Files->exact();
  if (!Facts) {
    std::string Reason = toString(Facts.takeError());
    if (Keep && !Reason.empty()) // a cache that cannot be written costs time
      consumeError(Cache.storeFailure(Unit, Files->dependencies(), Reason));
    return encodeAnswer(IsFailure, Reason, "");
  }
  if (auto Broken = checkFacts(*Facts))
    return encodeAnswer(IsFailure, "internal error: " + Broken->Message, "");
  std::string Bytes = writeFacts(*Facts);
  std::string Warning;
  if (Keep)
    if (Error E = Cache.store(Unit, Files->dependencies(), Bytes))
      Warning = toString(std::move(E));
  if (Options.WithDependencies && Files->exact())
    return encodeAnswer(IsEntry, Warning,
                        encodeCacheEntry({}, Files->dependencies(), Bytes));
  return encodeAnswer(IsFacts, Warning, Bytes);
}

std::vector<Dependency> dependenciesOf(const CacheEntry &Entry) {
  std::vector<Dependency> All;
  Entry.forEachDependency([&](StringRef Path, DependencyKind Kind,
                              uint64_t SizeBytes, const Hash128 &Hash) {
    All.push_back({Path.str(), Kind, SizeBytes, Hash});
    return true;
  });
  return All;
}

UnitOutcome Run::decode(const JobResult &Result) {
  if (!Result.Ok)
    return {std::nullopt, Result.Reason, false};
  AnswerTag Tag;
  if (Result.Bytes.size() < sizeof(Tag))
    return {std::nullopt, "internal error: answer cut short", false};
  memcpy(&Tag, Result.Bytes.data(), sizeof(Tag));
  StringRef Rest = StringRef(Result.Bytes).drop_front(sizeof(Tag));
  StringRef Text = Rest.take_front(Tag.TextBytes);
  if (Tag.Kind == IsFailure)
    return {std::nullopt, Text.str(), false};
  warn(Text);
  StringRef Bytes = Rest.drop_front((Tag.TextBytes + 7) & ~size_t(7));
  UnitOutcome Outcome;
  SmallVector<uint8_t, 0> Room;
  if (Tag.Kind == IsEntry) {
    auto Entry = CacheEntry::open(Bytes, {});
    auto Packed = Entry ? Entry->facts(Room) : std::nullopt;
    if (!Packed)
      return {std::nullopt, "internal error: answer cut short", false};
    Bytes = *Packed;
    Outcome.Dependencies = dependenciesOf(*Entry);
  }
  auto Facts = readFacts(Bytes);
  if (!Facts)
    return {std::nullopt, "internal error: " + Facts.error(), false};
  Outcome.Facts = std::move(*Facts);
  return Outcome;
}

void Run::deliver(size_t Unit, UnitOutcome Outcome) {
  if (Outcome.FromCache)
    ++Stats.CacheHits;
  if (!Outcome.Facts)
    ++Stats.Failed;
  else if (!Outcome.FromCache)
    ++Stats.Parsed;
  NextUnit = Unit + 1;
  Sink(Unit, std::move(Outcome));
}

void Run::deliverHitsBelow(size_t Unit) {
  while (NextUnit < Unit && !Interrupts.interrupted()) {
    std::string Reason;
    UnitOutcome Known{Hits[NextUnit]->load(Reason), "", true};
    if (Known.Facts && Options.WithDependencies)
      Known.Dependencies = dependenciesOf(Hits[NextUnit]->Entry);
    Hits[NextUnit].reset();
    Known.Reason = std::move(Reason);
    if (Known.Facts || !Known.Reason.empty())
      deliver(NextUnit, std::move(Known));
    else
      parse(size_t(
          NextUnit)); // the checksum held and the facts do not: make new ones
  }
}

void Run::parse(ArrayRef<size_t> Which) {
  auto Show = [&](size_t Job) {
    if (Options.Shown)
      Options.Shown->show(Ended, Units.size(), Units[Which[Job]].Relative);
  };
  PoolEvents Events;
  Events.Started = Show;
  Events.Ended = [&](size_t Job) {
    Ended = std::min(Ended + 1, Units.size());
    Show(Job);
  };
  Events.Done = [&](size_t Job, JobResult Result) {
    deliverHitsBelow(Which[Job]);
    if (NextUnit == Which[Job])
      deliver(Which[Job], decode(Result));
  };
  PoolReport Report = runJobs(
      Which.size(), Options.Workers,
      [&](size_t Job) { return work(Units[Which[Job]]); }, Options.Limits,
      Interrupts, Events);
  Stats.Forks += Report.Forks;
  Stats.PeakRssKb = std::max(Stats.PeakRssKb, Report.PeakRssKb);
  Stats.ChildCpuSeconds += Report.CpuSeconds;
}

RunStatistics Run::run() {
  Stats.Units = Units.size();
  lookUp();
  parse(Misses);
  deliverHitsBelow(Units.size());
  Stats.Interrupted = Interrupts.interrupted();
  if (Stats.Forks) {
    Cache.removeTemporaries();
    Cache.trim();
  }
  if (Options.Shown)
    Options.Shown->clear();
  return std::move(Stats);
}

} // namespace

RunStatistics runUnits(ArrayRef<RunUnit> Units, const Extractor &Extract,
                       const RunOptions &Options,
                       function_ref<void(size_t, UnitOutcome)> Sink) {
  return Run(Units, Extract, Options, Sink).run();
}

} // namespace kst
