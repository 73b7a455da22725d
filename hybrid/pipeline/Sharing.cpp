// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Sharing.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/run/Progress.h"
#include "hybrid/pipeline/ProfileFiles.h"
#include "hybrid/pipeline/SharingPatch.h"
#include "hybrid/pipeline/StructSharing.h"
#include "hybrid/pipeline/TraceBytes.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/sharing/CountedUses.h"
#include "hybrid/sharing/SourceSharing.h"
#include "hybrid/sharing/TraceSharing.h"
#include "hybrid/trace/LoadedImage.h"
#include "hybrid/trace/SampledTrace.h"
#include "passes/readers/DebugGlobals.h"
#include "passes/readers/DebugMembers.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Path.h"

namespace kst {

namespace {

/// Variables of the files where they were, and members of the structs.
llvm::Error nameByDebug(TraceNames &Names, SharingReport &To,
                        const SharingRequest &Asked, const Profile &About,
                        const DiagnosticConsumer &Diags) {
  std::set<SizedStruct> Structs;
  for (const MeasuredStruct &S : About.Structs)
    if (S.SizeBytes)
      Structs.insert({About.Strings[S.Name], S.SizeBytes});
  for (const std::string &File : Asked.Binaries) {
    auto Debug = DebugInfo::open(File);
    if (!Debug)
      return usageError(llvm::toString(Debug.takeError()));
    if (!Debug->problem().empty())
      Diags.warn(Debug->problem());
    const auto Loaded = loadedImage(About, File);
    const auto *Elf =
        llvm::dyn_cast<llvm::object::ELFObjectFileBase>(&Debug->image());
    if (!Loaded && Elf && Elf->getEType() == llvm::ELF::ET_DYN) {
      To.Limits.push_back("variables of " + File +
                          ": the trace does not say where it was loaded");
      continue;
    }
    for (GlobalVariable Of : debugGlobals(*Debug, /*WithMembers=*/true)) {
      Of.Address += Loaded ? Loaded->Bias : 0;
      Names.Variables.push_back(std::move(Of));
    }
    auto Found = debugMembers(File, Structs);
    if (!Found)
      return usageError(llvm::toString(Found.takeError()));
    for (const auto &[Of, Members] : *Found)
      Names.Members.try_emplace({Of.first, uint32_t(Of.second)}, Members);
  }
  llvm::sort(Names.Variables,
             [](const GlobalVariable &A, const GlobalVariable &B) {
               return A.Address < B.Address;
             });
  return llvm::Error::success();
}

/// What code of a line accesses through pointers, as its source says.
class PointerNames {
public:
  void add(const ThreadWalk &Walk) {
    for (const RoleUse &Use : Walk.Uses)
      if (Use.At.Root != MemoryPlace::Variable && !Use.At.Name.empty())
        Of.try_emplace(
            {llvm::sys::path::filename(Use.Where.File).str(), Use.Where.Line},
            Use.At.Name);
  }
  std::string at(const std::string &File, uint32_t Line) const {
    auto It = Of.find({llvm::sys::path::filename(File).str(), Line});
    return It == Of.end() ? std::string() : It->second;
  }

private:
  std::map<std::pair<std::string, uint32_t>, std::string> Of;
};

llvm::Expected<CountedLines> countsOf(const std::vector<std::string> &Files) {
  CountedLines Out;
  for (const std::string &File : Files) {
    auto Read = loadProfile(File);
    if (!Read)
      return Read.takeError();
    const Profile &Of = Read->What;
    for (const MeasuredSite &Site : Of.Sites) {
      auto &[Reads, Writes] = Out[{
          llvm::sys::path::filename(Of.Strings[Site.File]).str(), Site.Line}];
      const uint8_t Bits = accessBits(Site.Kind);
      Reads += Bits & AccessLoad ? double(Site.Count) : 0;
      Writes += Bits & AccessStore ? double(Site.Count) : 0;
    }
  }
  return Out;
}

llvm::Error lookAtTrace(SharingReport &To, const SharingRequest &Asked,
                        const PointerNames &Pointers) {
  To.Evidence = "trace";
  auto Buffer = traceBytes(Asked.Trace);
  if (!Buffer)
    return Buffer.takeError();
  auto Trace =
      orFailure(TraceReader::open(bytesOf(**Buffer)), Asked.Trace + ": ");
  if (!Trace)
    return Trace.takeError();
  if (accessesAreSamples(Trace->about()))
    return failure(Asked.Trace + ": " + NoOrderInSamples);
  TraceNames Names;
  if (llvm::Error E =
          nameByDebug(Names, To, Asked, Trace->about(), Asked.Source.Diags))
    return E;
  Names.Pointer = [&](const std::string &File, uint32_t Line) {
    return Pointers.at(File, Line);
  };
  Progress Bar(llvm::errs(), progressStyle(llvm::errs(), Asked.Quiet));
  Trace->watch(
      [&](uint64_t Done, uint64_t All) { Bar.show(Done, All, Asked.Trace); });
  auto Done =
      orFailure(addTraceSharing(To, *Trace, Names, Asked.Source.Layout.On),
                Asked.Trace + ": ");
  Bar.clear();
  return Done.takeError();
}

/// What the source says, and the session that it was read in. `Structs`: what
/// was looked at, as addStructSharing() gives and takes it.
llvm::Error lookAtSource(SharingReport &To, const SharingRequest &Asked,
                         const Session &Opened, PointerNames &Pointers,
                         StructsLookedAt &Structs,
                         const StructsLookedAt *Before = nullptr) {
  const Config &First = *Opened.All.each().front();
  const Coverage &Read = First.Session.Covered;
  if (Read.UnitsParsed < Read.UnitsSelected)
    To.Limits.push_back(counted(Read.UnitsSelected - Read.UnitsParsed, "unit") +
                        " of " + std::to_string(Read.UnitsSelected) +
                        " that could not be parsed");
  ThreadWalk Walk = walkThreads(*First.Whole, First.Often->Code);
  if (!Asked.Trace.empty()) {
    Pointers.add(Walk);
    return llvm::Error::success();
  }
  To.Evidence = Asked.Counts.empty() ? "source" : "counts";
  if (!Asked.Counts.empty()) {
    auto Counts = countsOf(Asked.Counts);
    if (!Counts)
      return Counts.takeError();
    useCounts(Walk, *Counts, threadsOf(Walk));
  }
  addSourceSharing(To, *First.Whole, Walk, Asked.Source.Layout.On);
  const bool NoThreads = Walk.Roles.empty();
  if (!Asked.Counts.empty())
    To.Limits.push_back(
        NoThreads ? "counts: nothing starts threads, so findings are of "
                    "structs, and as the source has them"
                  : "objects behind pointers: counts do not say whose they "
                    "are; without --profile their structs are looked at");
  if (!NoThreads && !Asked.Counts.empty())
    return llvm::Error::success();
  auto Looked = addStructSharing(To, Opened, Asked.Source, Before);
  if (!Looked)
    return Looked.takeError();
  Structs = std::move(*Looked);
  return llvm::Error::success();
}

SharingReport emptyReport(const SharingRequest &Asked) {
  SharingReport To;
  To.Tool = thisTool();
  To.LineBytes = Asked.Source.Layout.LineBytes;
  To.Machine = Asked.Source.Layout.On.Name;
  return To;
}

/// The same question about a changed source, which must compile as before.
llvm::Expected<SharingReport> askAgain(SharingRequest Asked,
                                       const FileOverlay &Over,
                                       const Coverage &Before,
                                       const StructsLookedAt &Structs) {
  Asked.Source.Run.Cache.Over = &Over;
  Asked.Source.Diags = {};
  auto Opened = Session::open(Asked.Source);
  if (!Opened)
    return Opened.takeError();
  const Coverage &Now = Opened->All.each().front()->Session.Covered;
  if (Now.UnitsParsed < Before.UnitsParsed) {
    for (const FailedUnit &Unit : Now.UnitsFailed)
      if (llvm::none_of(Before.UnitsFailed, [&](const FailedUnit &Old) {
            return Old.File == Unit.File;
          }))
        return failure(Unit.File + ": " + Unit.Reason);
    return failure("some unit does not compile");
  }
  SharingReport To = emptyReport(Asked);
  PointerNames None;
  StructsLookedAt Same;
  if (llvm::Error E = lookAtSource(To, Asked, *Opened, None, Same, &Structs))
    return std::move(E);
  return To;
}

} // namespace

llvm::Expected<SharingAnswer> findSharing(SharingRequest Asked) {
  SharingAnswer Answer;
  SharingReport &To = Answer.What;
  To = emptyReport(Asked);
  PointerNames Pointers;
  StructsLookedAt Structs;
  if (Asked.HasSource) {
    auto Opened = Session::open(Asked.Source);
    if (!Opened)
      return Opened.takeError();
    Answer.Status = Opened->Status;
    if (Opened->All.each().size() > 1)
      return usageError("sharing looks at one configuration: one -p");
    if (llvm::Error E = lookAtSource(To, Asked, *Opened, Pointers, Structs))
      return E;
    if (Asked.WithPatch) {
      const Coverage &Read = Opened->All.each().front()->Session.Covered;
      auto Patch = makeSharingPatch(
          To, Opened->All, Asked.Source.Run, [&](const FileOverlay &Over) {
            return askAgain(Asked, Over, Read, Structs);
          });
      if (!Patch)
        return Patch.takeError();
      Answer.Patch = std::move(*Patch);
    }
  }
  if (!Asked.Trace.empty())
    if (llvm::Error E = lookAtTrace(To, Asked, Pointers))
      return E;
  return Answer;
}

} // namespace kst
