// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ContextReports.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/run/Progress.h"
#include "hybrid/contexts/SourceTypes.h"
#include "hybrid/pipeline/FactsSession.h"
#include "hybrid/pipeline/TraceBytes.h"
#include "hybrid/report/Numbers.h"
#include "passes/readers/DebugLinks.h"

namespace kst {

llvm::Expected<TypeGraph> graphOfBinary(const std::string &File) {
  auto Read = debugLinks(File);
  if (!Read)
    return usageError(llvm::toString(Read.takeError()));
  TypeGraph Out;
  for (const LinkedStruct &Of : *Read) {
    const uint32_t Row = Out.type(Of.Name);
    Out.Types[Row].SizeBytes = Of.SizeBytes;
    for (const DebugLink &Link : Of.Links) {
      const uint32_t To = Out.type(Link.To);
      Out.Types[Row].Links.push_back(
          {Link.Member, Link.OffsetBytes, To, Link.Held});
    }
  }
  return Out;
}

namespace {

/// A trace that stays mapped, and the types of the kernel that it is of.
struct OpenedTrace {
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  TypeGraph Graph;
};

llvm::Error checkNames(const OwnerOptions &Asked, const TypeGraph &Graph,
                       const std::string &Where) {
  for (const std::string &Name : Asked.Skipped)
    if (!Graph.canSkip(Name))
      return usageError("--skip " + Name + ": " + Where + " has no such " +
                        (Name.find('.') == Name.npos ? "struct" : "pointer"));
  for (const std::string &Anchor : Asked.Anchors)
    if (Graph.find(Anchor) == NoType)
      return usageError("--anchor " + Anchor + ": " + Where +
                        " has no such struct");
  return llvm::Error::success();
}

llvm::Expected<OpenedTrace> openTrace(const std::string &File,
                                      const std::string &Binary,
                                      const OwnerOptions &Types) {
  OpenedTrace Out;
  auto Buffer = traceBytes(File);
  if (!Buffer)
    return Buffer.takeError();
  Out.Buffer = std::move(*Buffer);
  auto Graph = graphOfBinary(Binary);
  if (!Graph)
    return Graph.takeError();
  Out.Graph = std::move(*Graph);
  if (llvm::Error E = checkNames(Types, Out.Graph, Binary))
    return E;
  return Out;
}

} // namespace

llvm::Expected<ContextsReport> reportContexts(const ContextsRequest &Asked) {
  auto Opened = openTrace(Asked.Trace, Asked.Binary, Asked.Options.Types);
  if (!Opened)
    return Opened.takeError();
  auto Trace = orFailure(TraceReader::open(bytesOf(*Opened->Buffer)),
                         Asked.Trace + ": ");
  if (!Trace)
    return Trace.takeError();
  Progress Bar(llvm::errs(), progressStyle(llvm::errs(), Asked.Quiet));
  Trace->watch(
      [&](uint64_t Done, uint64_t All) { Bar.show(Done, All, Asked.Trace); });
  auto Report = orFailure(contextsReport(*Trace, Opened->Graph, Asked.Options),
                          Asked.Trace + ": ");
  Bar.clear();
  if (Report)
    Report->File = Asked.Trace;
  return Report;
}

llvm::Expected<TierReport> replayContexts(const ContextTiersRequest &Asked) {
  auto Opened = openTrace(Asked.Trace, Asked.Binary, Asked.Options.Types);
  if (!Opened)
    return Opened.takeError();
  Progress Bar(llvm::errs(), progressStyle(llvm::errs(), Asked.Quiet));
  auto Open = [&]() -> Result<TraceReader> {
    auto Trace = TraceReader::open(bytesOf(*Opened->Buffer));
    if (Trace)
      Trace->watch([&](uint64_t Done, uint64_t All) {
        Bar.show(Done, All, Asked.Trace);
      });
    return Trace;
  };
  auto Report = orFailure(tierReplay(Open, Opened->Graph, Asked.Options),
                          Asked.Trace + ": ");
  Bar.clear();
  if (Report)
    Report->File = Asked.Trace;
  return Report;
}

llvm::Expected<ContextGraph> graphContexts(const ContextGraphRequest &Asked) {
  ContextGraph Out;
  if (!Asked.Binary.empty()) {
    auto Graph = graphOfBinary(Asked.Binary);
    if (!Graph)
      return Graph.takeError();
    Out.Graph = std::move(*Graph);
    Out.Source = Asked.Binary;
  } else {
    auto List = loadUnits(Asked.Source.Units);
    if (!List)
      return usageError(llvm::toString(List.takeError()));
    const FactsSession Session = collectFacts(Asked.Source, *List);
    if (Session.Statistics.Interrupted)
      return interrupted();
    if (Session.Units.empty())
      return failure("no file could be analysed");
    SourceTypes Read = typesOfSource(Program(Session.Units));
    Out.Graph = std::move(Read.Graph);
    Out.UnknownPointers = Read.UnknownPointers;
    Out.HasStores = true;
    Out.Source =
        counted(Session.Units.size(), "unit") + " of " + Session.SourceRoot;
  }
  if (llvm::Error E = checkNames(Asked.Types, Out.Graph, Out.Source))
    return E;
  std::vector<uint32_t> Anchors;
  for (const std::string &Name : Asked.Types.Anchors)
    Anchors.push_back(Out.Graph.find(Name));
  for (const std::string &Name : Asked.Only)
    if (Out.Graph.find(Name) == NoType)
      return usageError("--type " + Name + ": " + Out.Source +
                        " has no such struct");
  Out.Anchors = Asked.Types.Anchors;
  Out.Only = Asked.Only;
  Out.MostPointers = Asked.Types.MostPointers;
  Out.Skipped = Asked.Types.skipped();
  Out.Paths = Out.Graph.paths(Anchors, Out.MostPointers, Out.Skipped);
  return Out;
}

} // namespace kst
