// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Globals.h"

#include "hybrid/isolation/FunctionHeat.h"
#include "hybrid/isolation/ModuleLayout.h"
#include "hybrid/pipeline/GlobalTraces.h"
#include "hybrid/pipeline/LinkedImages.h"
#include "hybrid/pipeline/ProfileFiles.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/report/Numbers.h"
#include "passes/readers/DataUses.h"
#include "passes/readers/DebugGlobals.h"
#include "passes/readers/ObjectFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace kst {
namespace {

llvm::Error wrong(llvm::Error E) {
  return usageError(llvm::toString(std::move(E)));
}

/// Heat by symbol; without a profile all functions run alike.
llvm::Expected<std::vector<double>> heatOf(const GlobalsRequest &Asked,
                                           const ObjectFile &File,
                                           std::string &Words) {
  // The reference that ships is of kernels.
  if (!Asked.Heat.empty() && (Asked.HeatGiven || isKernel(File))) {
    std::vector<std::string> Sources;
    for (const ObjectSymbol &Of : File.Symbols)
      Sources.push_back(Of.File < File.Files.size() ? File.Files[Of.File] : "");
    auto Counts = loadProfile(Asked.Heat);
    if (!Counts)
      return Counts.takeError();
    FunctionHeat Found = functionHeat(File, Sources, Counts->What);
    if (Found.Named) {
      Words = llvm::sys::path::filename(Asked.Heat).str() + ", " +
              counted(Found.Named, "function") + " of the image";
      return std::move(Found.OfSymbol);
    }
  }
  std::vector<double> Out(File.Symbols.size());
  const double All =
      double(llvm::count_if(File.Symbols, [](const ObjectSymbol &Of) {
        return Of.Function && Of.SizeBytes;
      }));
  for (size_t S = 0; S < Out.size(); ++S)
    if (File.Symbols[S].Function && File.Symbols[S].SizeBytes)
      Out[S] = 1 / All;
  Words = Asked.Heat.empty() || !(Asked.HeatGiven || isKernel(File))
              ? "none: all functions run alike"
              : llvm::sys::path::filename(Asked.Heat).str() +
                    " has no function of the image: all run alike";
  return Out;
}

/// Whether the names of the path end or go on with a directory behind it.
bool goesOn(llvm::StringRef File, size_t Behind) {
  return Behind == File.size() || File[Behind] == '/';
}

bool beginsWith(const Global &G, llvm::StringRef Path) {
  return llvm::StringRef(G.Is.File).starts_with(Path) &&
         goesOn(G.Is.File, Path.size());
}

bool hasInside(const Global &G, llvm::StringRef Path) {
  const llvm::StringRef File = G.Is.File;
  for (size_t At = 0; (At = File.find(Path, At)) != llvm::StringRef::npos; ++At)
    if ((At == 0 || File[At - 1] == '/') && goesOn(File, At + Path.size()))
      return true;
  return false;
}

/// How many CPUs the kernel is built for: the offsets of their areas.
uint64_t mostCpus(const ObjectFile &File) {
  for (const ObjectSymbol &Of : File.Symbols)
    if (Of.Name == "__per_cpu_offset")
      return Of.SizeBytes / 8;
  return 0;
}

/// Only what has to do with files that are asked for.
llvm::Error select(GlobalsReport &R, const GlobalsRequest &Asked) {
  if (Asked.Within.empty())
    return llvm::Error::success();
  // `mm` of a kernel is not arch/x86/mm; of a tree whose files have longer
  // names it is somewhere inside.
  const llvm::StringRef Path = llvm::StringRef(Asked.Within).rtrim('/');
  const auto Within =
      llvm::any_of(R.Globals,
                   [&](const Global &G) { return beginsWith(G, Path); })
          ? beginsWith
          : hasInside;
  if (llvm::none_of(R.Globals,
                    [&](const Global &G) { return Within(G, Path); }))
    return usageError("--within " + Asked.Within + ": no global of " +
                      Asked.Image + " is defined there" +
                      (R.Debug
                           ? ""
                           : "; without debug information only the files of "
                             "static ones are known"));
  llvm::erase_if(R.Lines, [&](const GlobalsLine &Line) {
    return llvm::none_of(Line.Members, [&](const LineMember &M) {
      return M.Role != LineRole::Quiet && Within(R.Globals[M.Global], Path);
    });
  });
  llvm::erase_if(R.Arrays, [&](const SharedArray &A) {
    return !Within(R.Globals[A.Global], Path);
  });
  return llvm::Error::success();
}

} // namespace

llvm::Expected<GlobalsReport>
isolationGlobals(const GlobalsRequest &Asked, const DiagnosticConsumer &Diags) {
  auto File = openImage(Asked.Image);
  if (!File)
    return File.takeError();
  GlobalsReport R;
  R.Tool = thisTool();
  R.Image = llvm::sys::path::filename(Asked.Image).str();
  R.Within = Asked.Within;
  R.LineBytes = Asked.LineBytes;
  R.Module = File->Module;
  std::vector<uint64_t> Places;
  if (R.Module) {
    if (!Asked.Trace.empty())
      return usageError("--trace: where " + Asked.Image +
                        " was loaded, no trace says");
    Places = moduleAddresses(*File);
    layOut(*File, Places);
  }
  auto Debug = DebugInfo::open(Asked.Image, Places);
  if (!Debug)
    return wrong(Debug.takeError());
  const std::vector<GlobalVariable> Described = debugGlobals(*Debug);
  R.Debug = !Described.empty();
  if (!Debug->problem().empty())
    Diags.warn(Debug->problem());
  std::optional<ObjectFile> Inputs;
  if (!R.Module && (!Asked.Relocatable.empty() ||
                    llvm::sys::fs::exists(Asked.Image + ".o"))) {
    auto Read = readObjectFile(Asked.Relocatable.empty() ? Asked.Image + ".o"
                                                         : Asked.Relocatable);
    if (!Read)
      return wrong(Read.takeError());
    Inputs = std::move(*Read);
  }
  R.InputSections = R.Module || Inputs;
  R.Globals = globalsOf(*File, Described, Inputs ? &*Inputs : nullptr);
  if (R.Globals.empty())
    return usageError(Asked.Image + " has no data that can be written");
  R.Kernel = isKernel(*File);
  auto Instructions = readDataUses(Asked.Image, *File, Places, !R.Kernel);
  if (!Instructions)
    return wrong(Instructions.takeError());
  if (Instructions->Data.empty() && Asked.Trace.empty())
    return failure(Asked.Image + ": no instruction that names data is known: "
                                 "code of x86-64 is read, of others only a "
                                 "trace tells who writes (--trace)");
  const ThreadPhases Phases =
      R.Kernel ? ThreadPhases() : ThreadPhases(*File, Instructions->Edges);
  R.Threads = Phases.makesThreads();
  const GlobalUses Uses = globalUses(*File, Instructions->Data, Phases);
  R.Uses = Uses.Instructions;
  R.UsesOutside = Uses.Outside;
  auto Heat = heatOf(Asked, *File, R.HeatOf);
  if (!Heat)
    return Heat.takeError();
  SharedLinesAsked How{Asked.LineBytes, nullptr, R.Kernel};
  std::optional<GlobalReplay> Now;
  std::optional<GlobalTrace> Trace;
  uint64_t TraceAccesses = 0;
  if (!Asked.Trace.empty()) {
    auto Opened =
        GlobalTrace::open(Asked.Trace, Asked.Image, *File, Asked.Quiet);
    if (!Opened)
      return Opened.takeError();
    Trace.emplace(std::move(*Opened));
    static const std::vector<GlobalPlace> InPlace;
    Now.emplace(R.Globals, InPlace, Trace->cpus(), uint32_t(Asked.LineBytes));
    auto Seen = Trace->replay({&*Now});
    if (!Seen)
      return Seen.takeError();
    TraceAccesses = *Seen;
    How.Trace = &*Now;
  }
  R.Lines = sharedLines(R.Globals, *File, Uses, *Heat, How);
  R.Arrays = sharedArrays(R.Globals, *File, Uses, *Heat, mostCpus(*File), How);
  if (llvm::Error E = select(R, Asked))
    return E;
  if (Now) {
    std::vector<uint32_t> Padded;
    for (const SharedArray &A : R.Arrays)
      if (A.False)
        Padded.push_back(A.Global);
    const std::vector<GlobalPlace> Advised =
        advisedPlaces(R.Globals, R.Lines, Padded, Asked.LineBytes);
    GlobalReplay Then(R.Globals, Advised, Trace->cpus(),
                      uint32_t(Asked.LineBytes));
    if (auto Again = Trace->replay({&Then}); !Again)
      return Again.takeError();
    ReplayedGlobals &To = R.Replay.emplace();
    To.Trace = llvm::sys::path::filename(Asked.Trace).str();
    To.Cpus = Trace->cpus();
    To.OfAccesses = TraceAccesses;
    To.Limits = Trace->limits();
    for (const GlobalCounts &Of : Now->counts())
      To.Accesses += Of.Loads + Of.Stores;
    for (const auto &[Pair, Count] : Now->pairs())
      if (Pair.first == Pair.second)
        To.FalseWithin += Count;
    To.False = Now->falseMisses();
    To.True = Now->trueMisses();
    To.FalseAdvised = Then.falseMisses();
    To.TrueAdvised = Then.trueMisses();
    To.Counts = Now->counts();
    To.CountsAdvised = Then.counts();
  }
  return R;
}

} // namespace kst
