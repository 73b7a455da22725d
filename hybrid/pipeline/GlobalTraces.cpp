// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/GlobalTraces.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/run/Progress.h"
#include "hybrid/pipeline/TraceBytes.h"
#include "hybrid/trace/LoadedImage.h"
#include "hybrid/trace/SampledTrace.h"
#include "hybrid/trace/TraceLimits.h"
#include "hybrid/trace/TraceReader.h"

#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

namespace kst {
namespace {

/// Of variables that the trace names, those where the image has a symbol of
/// that size, and all.
std::pair<size_t, size_t> matching(const TraceTables &Tables,
                                   const LoadedImage &Loaded,
                                   const ObjectFile &Image) {
  std::set<std::pair<uint64_t, uint64_t>> Known;
  for (const ObjectSymbol &Of : Image.Symbols)
    if (Of.SizeBytes)
      Known.insert({Of.Value, Of.SizeBytes});
  std::pair<size_t, size_t> Out;
  for (const TraceObject &Of : Tables.Objects)
    if (Of.Cpu == NoCpu && Of.Address >= Loaded.Begin &&
        Of.Address < Loaded.End) {
      ++Out.second;
      Out.first += Known.count(
          {Of.Address - Loaded.Bias, uint64_t(Of.SizeBytes) * Of.Number});
    }
  return Out;
}

} // namespace

llvm::Expected<GlobalTrace> GlobalTrace::open(const std::string &File,
                                              const std::string &ImagePath,
                                              const ObjectFile &Image,
                                              bool Quiet) {
  GlobalTrace Out;
  Out.File = File;
  Out.Quiet = Quiet;
  auto Buffer = traceBytes(File);
  if (!Buffer)
    return Buffer.takeError();
  Out.Bytes = std::move(*Buffer);
  auto Trace = orFailure(TraceReader::open(bytesOf(*Out.Bytes)), File + ": ");
  if (!Trace)
    return Trace.takeError();
  if (accessesAreSamples(Trace->about()))
    return failure(File + ": " + NoOrderInSamples);
  Out.Cpus = std::max<unsigned>(1, unsigned(Trace->streams().size()));
  if (Out.Cpus > MaxCacheCpus)
    return failure(File + ": more than " + llvm::Twine(MaxCacheCpus) +
                   " CPUs cannot be replayed");
  const LoadedImage Anywhere{0, ~uint64_t(0), 0};
  const auto Loaded = loadedImage(Trace->about(), ImagePath);
  if (!Loaded && Image.AnyAddress && !isKernel(Image))
    return usageError(File + " does not say where " + ImagePath +
                      " was loaded, which is position-independent");
  Out.Limits = traceLimits(Trace->about());
  Out.Bias = Loaded.value_or(Anywhere).Bias;
  const auto [Fit, All] =
      matching(Trace->tables(), Loaded.value_or(Anywhere), Image);
  if (All && Fit * 10 < All * 9)
    return usageError(File + " is of another link: " + llvm::Twine(All - Fit) +
                      " of " + llvm::Twine(All) +
                      " variables that it names are elsewhere in the image");
  return Out;
}

llvm::Expected<uint64_t>
GlobalTrace::replay(const std::vector<GlobalReplay *> &To) const {
  auto Trace = orFailure(TraceReader::open(bytesOf(*Bytes)), File + ": ");
  if (!Trace)
    return Trace.takeError();
  Progress Bar(llvm::errs(), progressStyle(llvm::errs(), Quiet));
  Trace->watch([&](uint64_t Done, uint64_t All) { Bar.show(Done, All, File); });
  std::map<uint32_t, unsigned> Cpu;
  for (const TraceStream &S : Trace->streams())
    Cpu.emplace(S.Stream, unsigned(Cpu.size()));
  uint64_t Accesses = 0;
  TraceEvent E;
  while (Trace->next(E)) {
    if (E.Kind != EventKind::Access || !E.Access)
      continue;
    ++Accesses;
    const AccessKind Kind = E.Access == AccessLoad    ? AccessKind::Load
                            : E.Access == AccessStore ? AccessKind::Store
                                                      : AccessKind::Modify;
    for (GlobalReplay *Of : To)
      Of->access(E.Address - Bias, E.SizeBytes, Cpu[E.Stream], Kind);
  }
  Bar.clear();
  if (Trace->failure())
    return failure(File + ": " + Trace->failure()->Message);
  return Accesses;
}

} // namespace kst
