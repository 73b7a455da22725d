// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/PageColours.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/run/Progress.h"
#include "hybrid/pipeline/Errors.h"
#include "hybrid/pipeline/TraceBytes.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/trace/SampledTrace.h"
#include "hybrid/trace/TraceLimits.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <bit>

namespace kst {
namespace {

constexpr uint64_t MostMemoryMiB = uint64_t(1) << 20; ///< 1 TiB
constexpr double UsualSizes[] = {0.25, 0.5,  0.75, 1, 1.25,
                                 1.5,  1.69, 1.75, 2, 2.5};
constexpr double MostSize = 64;
/// What counts by colour or set may take some hundred MB.
constexpr uint64_t MostColours = 1 << 24, MostSets = 1 << 25;

/// The bytes of a trace, and readers of them.
class TraceFile {
public:
  static llvm::Expected<TraceFile> open(const std::string &File) {
    auto Buffer = traceBytes(File);
    if (!Buffer)
      return Buffer.takeError();
    auto Trace = orFailure(TraceReader::open(bytesOf(**Buffer)), File + ": ");
    if (!Trace)
      return Trace.takeError();
    TraceFile Out;
    Out.Name = File;
    Out.Bytes = std::move(*Buffer);
    Out.Limits = traceLimits(Trace->about());
    Out.Lost = Trace->lost();
    Out.Complete = Trace->complete();
    Out.Samples = accessesAreSamples(Trace->about());
    return Out;
  }
  Result<TraceReader> read(Progress &Bar) const {
    auto Out = TraceReader::open(bytesOf(*Bytes));
    if (Out)
      Out->watch([&Bar, Name = Name](uint64_t Done, uint64_t All) {
        Bar.show(Done, All, Name);
      });
    return Out;
  }

  std::string Name;
  std::vector<std::string> Limits;
  uint64_t Lost = 0;
  bool Complete = true, Samples = false;

private:
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
};

template <typename Report> void tell(Report &R, const TraceFile &Of) {
  R.Tool = thisTool();
  R.File = Of.Name;
  R.Limits = Of.Limits;
  R.Lost = Of.Lost;
  R.Complete = Of.Complete;
}

llvm::Expected<std::vector<PagePolicy>>
policies(const std::vector<std::string> &Names) {
  std::vector<PagePolicy> Out;
  for (const std::string &Name : Names) {
    unsigned Of = 0;
    while (Of < PagePolicies && Name != spelling(PagePolicy(Of)))
      ++Of;
    if (Of == PagePolicies)
      return usageError("--policy takes stock, shuffle, colour-lists, "
                        "colour-tree, emptiest-bin or random, not '" +
                        Name + "'");
    if (std::find(Out.begin(), Out.end(), PagePolicy(Of)) == Out.end())
      Out.push_back(PagePolicy(Of));
  }
  for (unsigned Of = 0; Names.empty() && Of < PagePolicies; ++Of)
    Out.push_back(PagePolicy(Of));
  return Out;
}

llvm::Expected<std::vector<double>>
sizes(const std::vector<std::string> &Words) {
  std::vector<double> Out(std::begin(UsualSizes), std::end(UsualSizes));
  if (!Words.empty())
    Out.clear();
  for (const std::string &Word : Words) {
    double Size = 0;
    if (llvm::StringRef(Word).getAsDouble(Size) ||
        !(Size > 0 && Size <= MostSize))
      return usageError(
          "--working-set takes sizes in caches, above 0 and up to "
          "64, not '" +
          Word + "'");
    Out.push_back(Size);
  }
  std::sort(Out.begin(), Out.end());
  Out.erase(std::unique(Out.begin(), Out.end()), Out.end());
  return Out;
}

llvm::Expected<ColourReplayOptions> optionsOf(const ColourRequest &Asked) {
  ColourReplayOptions Out;
  auto Cache = orMistake(parseMemoryCache(Asked.Cache), "--cache: ");
  if (!Cache)
    return Cache.takeError();
  Out.Cache = *Cache;
  if (Out.Cache.colours() > MostColours)
    return usageError("--cache: at most " + std::to_string(MostColours) +
                      " pages in a way: 64G");
  auto Policies = policies(Asked.Policies);
  if (!Policies)
    return Policies.takeError();
  Out.Policies = *Policies;
  auto Sizes = sizes(Asked.Sizes);
  if (!Sizes)
    return Sizes.takeError();
  Out.Sizes = *Sizes;
  Out.Churn = Asked.Churn;
  Out.Seed = Asked.Seed;
  if (Asked.ColourOrder >= PageOrders)
    return usageError("--colour-order takes 0 to 10");
  uint64_t Covered = uint64_t(Out.Cache.colours()) * 4096;
  if (!Asked.ColourBytes.empty()) {
    auto Size =
        orMistake(parseMemoryCache(Asked.ColourBytes), "--colour-size: ");
    if (!Size)
      return Size.takeError();
    Covered = Size->Bytes;
    if (Covered / 4096 > MostColours)
      return usageError("--colour-size: at most 64G");
  }
  const uint64_t Number = Covered / 4096 >> Asked.ColourOrder;
  const bool ByColour =
      std::any_of(Out.Policies.begin(), Out.Policies.end(), [](PagePolicy Of) {
        return Of == PagePolicy::ColourLists || Of == PagePolicy::ColourTree ||
               Of == PagePolicy::EmptiestBin;
      });
  if (ByColour && (!Number || !std::has_single_bit(Number)))
    return usageError("policies that place by colour want a power of two as "
                      "number of colours, not " +
                      std::to_string(Number) + ": see --colour-size");
  Out.Colours = {ByColour ? uint32_t(Number) : 1, Asked.ColourOrder};
  return Out;
}

} // namespace

llvm::Expected<ReplayReport> replayColours(const ColourRequest &Asked) {
  auto Options = optionsOf(Asked);
  if (!Options)
    return Options.takeError();
  ReplayReport R;
  R.Tool = thisTool();
  R.Options = *Options;
  if (Asked.Trace.empty()) {
    constexpr uint64_t Least = 4; // a block of the largest order
    if (Asked.MemoryMiB < Least || Asked.MemoryMiB > MostMemoryMiB)
      return usageError("--memory takes MiB, from 4 to 1048576");
    R.Data = replayFresh(Asked.MemoryMiB << 8, *Options);
    return R;
  }
  auto File = TraceFile::open(Asked.Trace);
  if (!File)
    return File.takeError();
  tell(R, *File);
  Progress Bar(llvm::errs(), progressStyle(llvm::errs(), Asked.Quiet));
  auto Data = orFailure(replayPages([&] { return File->read(Bar); }, *Options),
                        Asked.Trace + ": ");
  Bar.clear();
  if (!Data)
    return Data.takeError();
  R.Data = std::move(*Data);
  if (Asked.Against.empty())
    return R;
  auto Other = TraceFile::open(Asked.Against);
  if (!Other)
    return Other.takeError();
  ColourReplayOptions Plain = *Options;
  Plain.Policies.clear();
  auto Beside = orFailure(replayPages([&] { return Other->read(Bar); }, Plain),
                          Asked.Against + ": ");
  Bar.clear();
  if (!Beside)
    return Beside.takeError();
  R.OtherFile = Asked.Against;
  R.OtherPages = std::move(Beside->RecordedPages);
  return R;
}

llvm::Expected<HeatReport> heatOfColours(const ColourRequest &Asked) {
  HeatOptions Options;
  if (Asked.LineBytes < 16 || Asked.LineBytes > 4096 ||
      !std::has_single_bit(Asked.LineBytes))
    return usageError("--line takes a power of two from 16 to 4096");
  auto Cache =
      orMistake(parseMemoryCache(Asked.Cache, Asked.LineBytes), "--cache: ");
  if (!Cache)
    return Cache.takeError();
  Options.Cache = *Cache;
  Options.Cache.LineBytes = Asked.LineBytes;
  if (Cache->Bytes / Cache->Ways / Asked.LineBytes > MostSets)
    return usageError("--cache: at most " + std::to_string(MostSets) +
                      " sets: 2G a way with lines of 64 bytes");
  auto File = TraceFile::open(Asked.Trace);
  if (!File)
    return File.takeError();
  if (File->Samples)
    return failure(Asked.Trace + ": " + NoOrderInSamples);
  HeatReport R;
  tell(R, *File);
  Progress Bar(llvm::errs(), progressStyle(llvm::errs(), Asked.Quiet));
  auto Trace = orFailure(File->read(Bar), Asked.Trace + ": ");
  if (!Trace)
    return Trace.takeError();
  auto Data = orFailure(colourHeat(*Trace, Options), Asked.Trace + ": ");
  Bar.clear();
  if (!Data)
    return Data.takeError();
  R.Data = std::move(*Data);
  return R;
}

llvm::Expected<GeometryReport> geometryOfColours(const std::string &NodeRoot) {
  if (!llvm::sys::fs::is_directory(NodeRoot))
    return usageError(NodeRoot + ": no such directory");
  auto Caches = orFailure(nodeCaches(NodeRoot));
  if (!Caches)
    return Caches.takeError();
  return GeometryReport{thisTool(), NodeRoot, std::move(*Caches)};
}

} // namespace kst
