// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Validate.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/profile/ProfileFit.h"
#include "hybrid/trace/SampledTrace.h"

namespace kst {

static std::string contextOf(const ValidateRequest &Asked) {
  return "--validate " + Asked.Trace + ": ";
}

llvm::Expected<Validation> Validation::open(const ValidateRequest &Asked,
                                            Progress *Shown) {
  Validation Opened;
  Opened.Shown = Shown;
  Opened.Asked = Asked;
  if (Asked.Trace.empty())
    return Opened;
  auto Bytes = inputBytes(Asked.Trace);
  if (!Bytes)
    return usageError("--validate " + llvm::toString(Bytes.takeError()));
  if (!looksLikeTrace(bytesOf(**Bytes)))
    return usageError(contextOf(Asked) + "not a trace (.kstt)");
  if (auto Trace =
          orFailure(TraceReader::open(bytesOf(**Bytes)), contextOf(Asked));
      !Trace)
    return Trace.takeError();
  else if (accessesAreSamples(Trace->about()))
    return failure(contextOf(Asked) + NoOrderInSamples);
  Opened.Bytes = std::move(*Bytes);
  return Opened;
}

/// The orders that the report prices for one of its configurations.
static std::vector<OrderToReplay> ordersOf(const Report &R, size_t Config) {
  const Advice &A = R.Layouts;
  const ConfigScore &Where = A.Configs[Config];
  std::vector<OrderToReplay> Orders{{"current", Where.Current}};
  if (A.What == Verdict::Reorder)
    Orders.push_back({"proposed", Where.Proposed});
  if (Config)
    return Orders;
  if (A.Best)
    Orders.push_back({A.Best->Name, A.Best->Plan});
  for (const std::vector<OrderScore> *Scores : {&A.Compared, &A.Asked})
    for (const OrderScore &Score : *Scores)
      Orders.push_back({Score.Name, Score.Plan});
  return Orders;
}

llvm::Error Validation::judge(Report &R) const {
  if (!Bytes)
    return llvm::Error::success();
  auto Trace = orFailure(TraceReader::open(bytesOf(*Bytes)), contextOf(Asked));
  if (!Trace)
    return Trace.takeError();
  if (Shown)
    Trace->watch([&](uint64_t Done, uint64_t All) {
      Shown->show(Done, All, Asked.Trace);
    });
  std::string Misfit;
  for (size_t I = 0; I != R.Layouts.Configs.size(); ++I) {
    const RecordInfo &Record = R.Layouts.Configs[I].Record;
    auto Structs = measuredStructs(Trace->about(), Record);
    if (!Structs) {
      Misfit = Misfit.empty() ? Structs.error() : Misfit;
      continue;
    }
    auto Replayed =
        orFailure(replayOrders(*Trace, *Structs, Record, ordersOf(R, I),
                               {.Geometry = Asked.Geometry}),
                  contextOf(Asked));
    if (Shown)
      Shown->clear();
    if (!Replayed)
      return Replayed.takeError();
    R.Replay = std::move(*Replayed);
    return llvm::Error::success();
  }
  return failure(contextOf(Asked) +
                 "does not fit the analyzed source: " + Misfit);
}

} // namespace kst
