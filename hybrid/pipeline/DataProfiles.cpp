// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/DataProfiles.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/run/Progress.h"
#include "hybrid/core/EditDistance.h"
#include "hybrid/dprof/Dprof.h"
#include "hybrid/dprof/SharingView.h"
#include "hybrid/dprof/TypeTable.h"
#include "hybrid/fieldorder/JsonReport.h"
#include "hybrid/pipeline/Analyze.h"
#include "hybrid/pipeline/TraceBytes.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/trace/SampledTrace.h"
#include "passes/readers/DebugFacts.h"
#include "passes/readers/DebugMembers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cmath>

namespace kst {
namespace {

constexpr double MostLatency = 1e9;

llvm::Expected<std::array<double, Servers>>
latencies(const DprofRequest &Asked) {
  const Machine &On = Asked.On;
  std::array<double, Servers> Out = {
      On.L1, On.L2, transferCycles(On, Asked.Cpus), On.Llc, On.Memory};
  llvm::StringRef Words = Asked.Latency;
  while (!Words.empty()) {
    auto [Word, Rest] = Words.split(',');
    auto [Name, Number] = Word.split('=');
    size_t By = 0;
    while (By < Servers && Name != spelling(ServedBy(By)))
      ++By;
    double Cycles = 0;
    if (By == Servers || Number.getAsDouble(Cycles) ||
        !(Cycles >= 0 && Cycles <= MostLatency))
      return usageError("--latency: '" + Word +
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
        return usageError("--level " + Word + ": --cache has no such level");
      return Level;
    }
  return usageError("--level takes l1, l2 or llc, not '" + Word + "'");
}

llvm::Expected<DprofOptions> optionsOf(const DprofRequest &Asked) {
  DprofOptions Out;
  Out.Geometry = Asked.Caches;
  auto Level = levelOf(Asked.Level, Asked.Caches);
  if (!Level)
    return Level.takeError();
  Out.Level = *Level;
  if (Asked.Sharing != "at-miss" && Asked.Sharing != "lifetime")
    return usageError("--sharing takes at-miss or lifetime, not '" +
                      Asked.Sharing + "'");
  Out.Sharing =
      Asked.Sharing == "lifetime" ? ClassRule::Lifetime : ClassRule::AtMiss;
  auto Cycles = latencies(Asked);
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
      return usageError(llvm::toString(Found.takeError()));
    for (TypeRow &Of : P.Types)
      if (auto At = Found->find({Of.Name, Of.SizeBytes});
          At != Found->end() && Of.Members.empty())
        Of.Members = At->second;
  }
  return llvm::Error::success();
}

MemberNames membersOf(const RecordInfo &Record) {
  MemberNames Out;
  for (const FieldInfo &F : Record.Fields)
    Out.push_back({F.OffsetBits, F.SizeBits, F.Name});
  return Out;
}

/// The reports' names of fields, of types that have none.
void nameMembers(DataProfile &P, const std::vector<ReportedOrder> &Orders) {
  for (const ReportedOrder &Order : Orders)
    for (TypeRow &Of : P.Types)
      if (Of.Name == Order.Record.Name && Of.Members.empty())
        Of.Members = membersOf(Order.Record);
}

/// Members of the structs whose fields the trace only names.
llvm::Expected<StructMembers>
membersByName(const Profile &About, const std::vector<std::string> &Binaries,
              std::span<const ReportedOrder> Reported) {
  StructMembers Out;
  DebugQuestion Asked;
  Asked.Structs = structsByName(About);
  for (const std::string &File : Binaries) {
    if (Asked.Structs.empty())
      break;
    auto Facts = debugFacts(File, Asked);
    if (!Facts)
      return usageError(llvm::toString(Facts.takeError()));
    if (!Facts->Problem.empty())
      return usageError(Facts->Problem);
    for (auto &[Name, Of] : Facts->Structs) {
      Asked.Structs.erase(Name);
      Out[Name] = std::move(Of.Members);
    }
  }
  for (const ReportedOrder &Order : Reported)
    if (Asked.Structs.count(Order.Record.Name))
      Out[Order.Record.Name] = membersOf(Order.Record);
  return Out;
}

/// Before the trace is read: whether it can have such a type at all.
llvm::Error checkType(const std::string &Type, const TraceTables &Tables,
                      const std::string &File) {
  const TypeTable Known(Tables);
  if (Type.empty() || Known.named(Type))
    return llvm::Error::success();
  constexpr unsigned Farthest = 2;
  unsigned Least = Farthest + 1;
  std::string Like;
  for (const DataType &Of : Known.types())
    if (const unsigned Far = editDistance(Type, Of.Name, Farthest);
        Far < Least) {
      Least = Far;
      Like = "; did you mean '" + Of.Name + "'?";
    }
  return usageError("--type " + Type + ": " + File + " knows no such type" +
                    Like);
}

/// The same for files that are asked when all else is done.
llvm::Error checkBinaries(const std::vector<std::string> &Binaries) {
  for (const std::string &File : Binaries)
    if (auto Wrong = debugMembers(File, {}); !Wrong)
      return usageError(llvm::toString(Wrong.takeError()));
  return llvm::Error::success();
}

llvm::Expected<DataProfile> profileOf(const std::string &File,
                                      DprofOptions Options,
                                      const DprofRequest &Asked) {
  auto Buffer = traceBytes(File);
  if (!Buffer)
    return Buffer.takeError();
  auto Trace = orFailure(TraceReader::open(bytesOf(**Buffer)), File + ": ");
  if (!Trace)
    return Trace.takeError();
  if (accessesAreSamples(Trace->about()))
    return failure(File + ": " + NoOrderInSamples);
  if (llvm::Error E = checkType(Asked.Views.Type, Trace->tables(), File))
    return E;
  auto Members = membersByName(Trace->about(), Asked.Binaries, Options.Orders);
  if (!Members)
    return Members.takeError();
  Options.Members = std::move(*Members);
  Progress Bar(llvm::errs(), progressStyle(llvm::errs(), Asked.Quiet));
  Trace->watch([&](uint64_t Done, uint64_t All) { Bar.show(Done, All, File); });
  auto Data = orFailure(dprof(*Trace, Options), File + ": ");
  Bar.clear();
  if (!Data)
    return Data.takeError();
  Data->File = File;
  const std::string &Type = Asked.Views.Type;
  if (!Type.empty() && llvm::none_of(Data->Types, [&](const TypeRow &Of) {
        return Of.Name == Type;
      }))
    return usageError("--type " + Type + ": " + File +
                      " has no access to such a type");
  return Data;
}

/// Orders, each of another struct, and where they come from.
struct OrdersFrom {
  std::vector<ReportedOrder> Orders;
  std::vector<std::string> Names;

  bool has(llvm::StringRef Struct) const {
    return llvm::any_of(Orders, [&](const ReportedOrder &Order) {
      return Order.Record.Name == Struct;
    });
  }
  void add(ReportedOrder Order, const std::string &From) {
    Orders.push_back(std::move(Order));
    Names.push_back(From);
  }
  llvm::Error read(const std::string &File, const std::string &Struct);
  llvm::Error analyze(const DataProfile &Hot, const DprofRequest &Asked,
                      DprofReport &R);
};

/// Of the struct, or of all if it is empty.
llvm::Error OrdersFrom::read(const std::string &File,
                             const std::string &Struct) {
  auto Bytes = inputBytes(File);
  if (!Bytes)
    return usageError("--what-if " + llvm::toString(Bytes.takeError()));
  auto Read =
      orMistake(ReportedOrder::read(bytesOf(**Bytes), Struct), File + ": ");
  if (!Read)
    return Read.takeError();
  for (ReportedOrder &Order : *Read) {
    const std::string Name = Order.Record.Name;
    if (has(Name))
      return usageError("--what-if " + File + ": another report on struct " +
                        Name + "; one order of a struct can be replayed");
    add(std::move(Order), File);
  }
  return llvm::Error::success();
}

/// Types that source is asked about: the hottest come first in a profile.
std::vector<std::string> hottest(const DataProfile &Hot,
                                 const DprofRequest &Asked,
                                 const OrdersFrom &Given) {
  std::vector<std::string> Out;
  for (const TypeRow &Of : Hot.Types)
    if (Out.size() < Asked.Hottest && Of.Kind == TypeKind::Struct &&
        Of.Counts.misses(Hot.Level) && !Given.has(Of.Name) &&
        !llvm::is_contained(Out, Of.Name) &&
        (Asked.Views.Type.empty() || Of.Name == Asked.Views.Type))
      Out.push_back(Of.Name);
  return Out;
}

/// Orders of the source, those that fit the trace.
llvm::Error OrdersFrom::analyze(const DataProfile &Hot,
                                const DprofRequest &Asked, DprofReport &R) {
  AnalyzeRequest Request = *Asked.Source;
  if (Request.Structs.empty())
    for (const std::string &Name : hottest(Hot, Asked, *this))
      Request.Structs.emplace_back().Name = Name;
  if (Request.Structs.empty())
    return llvm::Error::success();
  std::vector<std::string> Wanted;
  for (const StructRequest &Struct : Request.Structs)
    Wanted.push_back(Struct.Name);
  auto Answer = kst::analyze(std::move(Request));
  if (!Answer)
    return Answer.takeError();
  for (const AnalyzedStruct &Struct : Answer->Structs) {
    auto Read = orFailure(ReportedOrder::read(toJson(Struct.Proposed), ""));
    if (!Read)
      return Read.takeError();
    ReportedOrder &Order = Read->front();
    const std::string Name = Order.Record.Name;
    llvm::erase(Wanted, Struct.Asked->Name);
    if (has(Name))
      return usageError("--what-if has an order of struct " + Name +
                        " already; leave it out of --struct");
    if (rowOf(Hot, Order))
      add(std::move(Order), "the analyzed source");
    else
      R.NotAnalyzed.push_back(
          {Name, "the trace has no access to such a struct of " +
                     std::to_string(Order.Record.SizeBytes) +
                     " bytes, as the analyzed source lays it out"});
  }
  for (const std::string &Name : Wanted)
    R.NotAnalyzed.push_back({Name, "the analyzed source says nothing of it"});
  return llvm::Error::success();
}

} // namespace

llvm::Expected<DprofReport> dataProfile(const DprofRequest &Asked) {
  auto Options = optionsOf(Asked);
  if (!Options)
    return Options.takeError();
  if (llvm::Error E = checkBinaries(Asked.Binaries))
    return E;
  DprofReport R;
  R.Tool = thisTool();
  R.Views = Asked.Views;
  OrdersFrom Orders;
  for (const std::string &File : Asked.WhatIf)
    if (llvm::Error E = Orders.read(File, Asked.Views.Type))
      return E;
  Options->Orders = Orders.Orders;
  if (Asked.Source) {
    auto Hot = profileOf(Asked.Trace, *Options, Asked);
    if (!Hot)
      return Hot.takeError();
    if (llvm::Error E = Orders.analyze(*Hot, Asked, R))
      return E;
    Options->Orders = Orders.Orders;
  }
  auto Data = profileOf(Asked.Trace, *Options, Asked);
  if (!Data)
    return Data.takeError();
  R.Data = std::move(*Data);
  if (!Asked.Diff.empty()) {
    Options->Orders = {};
    DprofRequest Plain = Asked;
    Plain.Views.Type.clear(); // the other one need not have it
    auto Other = profileOf(Asked.Diff, *Options, Plain);
    if (!Other)
      return Other.takeError();
    R.Other = std::move(*Other);
  }
  if (llvm::Error E = nameMembers(R.Data, Asked.Binaries))
    return E;
  nameMembers(R.Data, Orders.Orders);
  for (size_t Which = 0; Which < Orders.Names.size(); ++Which)
    R.Data.Orders[Which].Order = Orders.Names[Which];
  R.Orders = std::move(Orders.Orders);
  return R;
}

} // namespace kst
