// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/DataProfiles.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/run/Progress.h"
#include "hybrid/dprof/Dprof.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/trace/SampledTrace.h"
#include "passes/readers/DebugFacts.h"
#include "passes/readers/DebugMembers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cmath>

namespace kst {
namespace {

/// Traces are mapped and walked, never held.
constexpr uint64_t MaxTraceBytes = uint64_t(256) << 30;

/// Cycles by ServedBy where the user says nothing. Weights of a usual size, of
/// no machine in particular.
constexpr std::array<double, Servers> UsualLatency = {4, 14, 80, 50, 200};
constexpr double MostLatency = 1e9;

llvm::Expected<std::array<double, Servers>> latencies(llvm::StringRef Words) {
  auto Out = UsualLatency;
  while (!Words.empty()) {
    auto [Word, Rest] = Words.split(',');
    auto [Name, Number] = Word.split('=');
    size_t By = 0;
    while (By < Servers && Name != spelling(ServedBy(By)))
      ++By;
    double Cycles = 0;
    if (By == Servers || Number.getAsDouble(Cycles) ||
        !(Cycles >= 0 && Cycles <= MostLatency))
      return mistake("--latency: '" + Word +
                     "' is no l1=N, l2=N, remote=N, llc=N or memory=N");
    Out[By] = Cycles;
    Words = Rest;
  }
  return Out;
}

llvm::Expected<CacheLevel> levelOf(const std::string &Word,
                                   const CacheGeometry &Caches) {
  if (Word.empty()) {
    for (CacheLevel Level : {CacheLevel::L2, CacheLevel::L1})
      if (Caches[Level].exists())
        return Level;
    return CacheLevel::Llc;
  }
  for (CacheLevel Level : {CacheLevel::L1, CacheLevel::L2, CacheLevel::Llc})
    if (Word == spelling(Level)) {
      if (!Caches[Level].exists())
        return mistake("--level " + Word + ": --cache has no such level");
      return Level;
    }
  return mistake("--level takes l1, l2 or llc, not '" + Word + "'");
}

llvm::Expected<DprofOptions> optionsOf(const DprofRequest &Asked) {
  DprofOptions Out;
  Out.Geometry = Asked.Caches;
  auto Level = levelOf(Asked.Level, Asked.Caches);
  if (!Level)
    return Level.takeError();
  Out.Level = *Level;
  if (Asked.Sharing != "at-miss" && Asked.Sharing != "lifetime")
    return mistake("--sharing takes at-miss or lifetime, not '" +
                   Asked.Sharing + "'");
  Out.Sharing =
      Asked.Sharing == "lifetime" ? ClassRule::Lifetime : ClassRule::AtMiss;
  auto Cycles = latencies(Asked.Latency);
  if (!Cycles)
    return Cycles.takeError();
  Out.Latency = *Cycles;
  return Out;
}

llvm::Error nameMembers(DataProfile &P,
                        const std::vector<std::string> &Binaries) {
  std::set<SizedStruct> Structs;
  for (const TypeRow &Of : P.Types)
    if (Of.Kind == TypeKind::Struct && Of.SizeBytes && !Of.Places.empty())
      Structs.insert({Of.Name, Of.SizeBytes});
  for (const std::string &File : Binaries) {
    auto Found = debugMembers(File, Structs);
    if (!Found)
      return mistake(llvm::toString(Found.takeError()));
    for (TypeRow &Of : P.Types)
      if (auto At = Found->find({Of.Name, Of.SizeBytes});
          At != Found->end() && Of.Members.empty())
        Of.Members = At->second;
  }
  return llvm::Error::success();
}

/// The report's names of the fields of the type that it is about.
void nameMembers(DataProfile &P, const RecordInfo &Record) {
  for (TypeRow &Of : P.Types)
    if (Of.Name == Record.Name && Of.Members.empty())
      for (const FieldInfo &F : Record.Fields)
        Of.Members.push_back({F.OffsetBits, F.SizeBits, F.Name});
}

/// Members of the structs whose fields the trace only names.
llvm::Expected<StructMembers>
membersByName(const Profile &About, const std::vector<std::string> &Binaries,
              const RecordInfo *Reported) {
  StructMembers Out;
  DebugQuestion Asked;
  Asked.Structs = structsByName(About);
  for (const std::string &File : Binaries) {
    if (Asked.Structs.empty())
      break;
    auto Facts = debugFacts(File, Asked);
    if (!Facts)
      return mistake(llvm::toString(Facts.takeError()));
    for (auto &[Name, Of] : Facts->Structs) {
      Asked.Structs.erase(Name);
      Out[Name] = std::move(Of.Members);
    }
  }
  if (Reported && Asked.Structs.count(Reported->Name))
    for (const FieldInfo &F : Reported->Fields)
      Out[Reported->Name].push_back({F.OffsetBits, F.SizeBits, F.Name});
  return Out;
}

llvm::Expected<DataProfile> profileOf(const std::string &File,
                                      DprofOptions Options,
                                      const DprofRequest &Asked) {
  auto Buffer = inputBytes(File, MaxTraceBytes);
  if (!Buffer)
    return Buffer.takeError();
  auto Trace = orFailure(TraceReader::open(bytesOf(**Buffer)), File + ": ");
  if (!Trace)
    return Trace.takeError();
  if (accessesAreSamples(Trace->about()))
    return failure(File + ": " + NoOrderInSamples);
  auto Members =
      membersByName(Trace->about(), Asked.Binaries,
                    Options.Order ? &Options.Order->Record : nullptr);
  if (!Members)
    return Members.takeError();
  Options.Members = std::move(*Members);
  Progress Bar(llvm::errs(), progressStyle(llvm::errs(), Asked.Quiet));
  Options.Progress = [&](uint64_t Events) {
    Bar.show(Events, Trace->events(), File);
  };
  auto Data = orFailure(dprof(*Trace, Options), File + ": ");
  Bar.clear();
  if (!Data)
    return Data.takeError();
  Data->File = File;
  const std::string &Type = Asked.Views.Type;
  if (!Type.empty() && llvm::none_of(Data->Types, [&](const TypeRow &Of) {
        return Of.Name == Type;
      }))
    return mistake("--type " + Type + ": " + File +
                   " has no access to such a type");
  return Data;
}

} // namespace

llvm::Expected<DprofReport> dataProfile(const DprofRequest &Asked) {
  auto Options = optionsOf(Asked);
  if (!Options)
    return Options.takeError();
  DprofReport R;
  R.Tool = thisTool();
  R.Views = Asked.Views;
  std::optional<ReportedOrder> Order;
  if (!Asked.WhatIf.empty()) {
    auto Bytes = inputBytes(Asked.WhatIf);
    if (!Bytes)
      return Bytes.takeError();
    auto Read =
        orMistake(ReportedOrder::read(bytesOf(**Bytes), Asked.Views.Type),
                  Asked.WhatIf + ": ");
    if (!Read)
      return Read.takeError();
    Order = std::move(*Read);
    Options->Order = &*Order;
  }
  auto Data = profileOf(Asked.Trace, *Options, Asked);
  if (!Data)
    return Data.takeError();
  R.Data = std::move(*Data);
  if (!Asked.Diff.empty()) {
    Options->Order = nullptr;
    DprofRequest Plain = Asked;
    Plain.Views.Type.clear(); // the other one need not have it
    auto Other = profileOf(Asked.Diff, *Options, Plain);
    if (!Other)
      return Other.takeError();
    R.Other = std::move(*Other);
  }
  if (llvm::Error E = nameMembers(R.Data, Asked.Binaries))
    return E;
  if (Order) {
    R.Data.Other->Order = Asked.WhatIf;
    nameMembers(R.Data, Order->Record);
  }
  return R;
}

} // namespace kst
