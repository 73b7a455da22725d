// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/GlobalTraces.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/run/Progress.h"
#include "hybrid/pipeline/TraceBytes.h"
#include "hybrid/trace/SampledTrace.h"
#include "hybrid/trace/TraceReader.h"

#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

namespace kst {
namespace {

/// Of variables that the trace names, those where the image has a symbol of
/// that size, and all.
std::pair<size_t, size_t> matching(const TraceTables &Tables,
                                   const ObjectFile &Image) {
  std::set<std::pair<uint64_t, uint64_t>> Known;
  for (const ObjectSymbol &Of : Image.Symbols)
    if (Of.SizeBytes)
      Known.insert({Of.Value, Of.SizeBytes});
  std::pair<size_t, size_t> Out;
  for (const TraceObject &Of : Tables.Objects)
    if (Of.Cpu == NoCpu) {
      ++Out.second;
      Out.first +=
          Known.count({Of.Address, uint64_t(Of.SizeBytes) * Of.Number});
    }
  return Out;
}

} // namespace

llvm::Expected<GlobalTrace> GlobalTrace::open(const std::string &File,
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
  const auto [Fit, All] = matching(Trace->tables(), Image);
  if (All && Fit * 10 < All * 9)
    return mistake(File + " is of another link: " + llvm::Twine(All - Fit) +
                   " of " + llvm::Twine(All) +
                   " variables that it names are elsewhere in the image");
  return Out;
}

llvm::Error GlobalTrace::replay(const std::vector<GlobalReplay *> &To) const {
  auto Trace = orFailure(TraceReader::open(bytesOf(*Bytes)), File + ": ");
  if (!Trace)
    return Trace.takeError();
  Progress Bar(llvm::errs(), progressStyle(llvm::errs(), Quiet));
  Trace->watch([&](uint64_t Done, uint64_t All) { Bar.show(Done, All, File); });
  std::map<uint32_t, unsigned> Cpu;
  for (const TraceStream &S : Trace->streams())
    Cpu.emplace(S.Stream, unsigned(Cpu.size()));
  TraceEvent E;
  while (Trace->next(E)) {
    if (E.Kind != EventKind::Access || !E.Access)
      continue;
    const AccessKind Kind = E.Access == AccessLoad    ? AccessKind::Load
                            : E.Access == AccessStore ? AccessKind::Store
                                                      : AccessKind::Modify;
    for (GlobalReplay *Of : To)
      Of->access(E.Address, E.SizeBytes, Cpu[E.Stream], Kind);
  }
  Bar.clear();
  if (Trace->failure())
    return failure(File + ": " + Trace->failure()->Message);
  return llvm::Error::success();
}

} // namespace kst
