// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pass plugin: its two halves and where they stand in the pipeline.
//
//   kst-sites     at the start: what the front end emitted -> markers, table
//   kst-counters  at the end: markers -> regions, counters, table section

#include "passes/counters/Accesses.h"
#include "passes/counters/AddressMode.h"
#include "passes/counters/Compat.h"
#include "passes/counters/Counters.h"
#include "passes/counters/Markers.h"
#include "passes/counters/Refusals.h"
#include "passes/counters/Regions.h"
#include "passes/counters/RuntimeCalls.h"
#include "passes/counters/Shadow.h"
#include "passes/counters/Table.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace kst::counters;

namespace {

/// Options as given to this compilation, or none after a message.
std::optional<Options> options(Module &M) {
  Expected<Options> O = Options::get();
  Error E = O ? checkTarget(M, *O) : O.takeError();
  if (!E)
    return std::move(*O);
  M.getContext().emitError("kst: " + toString(std::move(E)));
  return std::nullopt;
}

/// The end of both ways: counters and table of this unit.
class Finish {
public:
  Finish(Module &M, const Options &O, SiteTable &Table,
         FunctionAnalysisManager &FAM)
      : M(M), Table(Table), FAM(FAM), Counts(M, O.Kernel), Promote(!O.Naive) {}

  GlobalVariable *unit() { return Counts.unit(); }

  /// Not Counted: the regions are in the table, without terms.
  void add(Function &F, FunctionRegions Found, bool Counted) {
    if (!Counted) {
      Found.Increments.clear();
      for (Region &R : Found.Regions)
        R.Terms.clear();
    }
    uint32_t First = Counts.count(F, std::move(Found.Increments), FAM, Promote);
    FAM.invalidate(F, PreservedAnalyses::none());
    uint32_t Number = siteAt(F, nullptr, Table).Function;
    for (Region &R : Found.Regions) {
      R.Function = Number;
      for (Region::Term &T : R.Terms)
        T.Counter += First;
      Regions.push_back(std::move(R));
    }
  }

  /// Sites that were counted nowhere and refused nowhere never run: the
  /// optimiser found them unreachable.
  void addUnreachable(const DenseSet<uint32_t> &Refused) {
    std::vector<bool> Seen(Table.Sites.size());
    for (const Region &R : Regions)
      for (auto [Site, Times] : R.Sites)
        Seen[Site] = true;
    std::map<uint32_t, Segment> Rest;
    for (uint32_t I = 0; I != Table.Sites.size(); ++I)
      if (!Seen[I] && !Refused.contains(I))
        Rest[Table.Sites[I].Function][I] = 1;
    for (auto &[Function, Sites] : Rest)
      Regions.push_back({Function, std::move(Sites), {}});
  }

  void write() {
    Blob B = makeBlob(Table, Regions, Counts.number());
    Counts.finish(B.Hash, Table.Sites.size());
    M.appendModuleInlineAsm(blobAsm(B));
  }

private:
  Module &M;
  SiteTable &Table;
  FunctionAnalysisManager &FAM;
  Counters Counts;
  const bool Promote;
  std::vector<Region> Regions;
};

FunctionAnalysisManager &functions(Module &M, ModuleAnalysisManager &MAM) {
  return MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
}

/// The reference for tests: every site its own counter, stepped right before
/// the access, before anything optimises.
void countNaively(
    Module &M, const Options &O, SiteTable &Table,
    const std::vector<std::pair<Function *, FunctionAccesses>> &All,
    FunctionAnalysisManager &FAM) {
  Finish End(M, O, Table, FAM);
  Refusals No(M, O);
  DenseSet<uint32_t> Refused;
  for (const auto &[F, Accesses] : All) {
    Site Enter = siteAt(*F, nullptr, Table);
    Enter.Kind = Entry;
    FunctionRegions Found;
    auto Add = [&](Instruction *Before, uint32_t Site) {
      Region R;
      R.Sites[Site] = 1;
      R.Terms.push_back({uint32_t(Found.Increments.size()), 1});
      Found.Regions.push_back(std::move(R));
      Found.Increments.push_back(Before);
    };
    Add(&*F->getEntryBlock().getFirstNonPHIOrDbgOrAlloca(), Table.site(Enter));
    for (const Access &A : Accesses)
      Add(A.Where, A.Site);
    if (!No.function(*F)) {
      End.add(*F, std::move(Found), true);
      continue;
    }
    for (const Region &R : Found.Regions)
      for (auto [Site, Times] : R.Sites)
        Refused.insert(Site);
  }
  End.addUnreachable(Refused);
  End.write();
}

class SitesPass : public PassInfoMixin<SitesPass> {
public:
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    std::optional<Options> O = options(M);
    if (!O || O->idle())
      return PreservedAnalyses::all();
    SiteTable Table;
    Table.MainFile = M.getSourceFileName();
    auto All = findAccesses(M, *O, Table);
    if (All.empty())
      return PreservedAnalyses::all();
    if (O->Naive) {
      countNaively(M, *O, Table, All, functions(M, MAM));
      return PreservedAnalyses::none();
    }
    if (!Refusals(M, *O).unit())
      for (const auto &[F, Accesses] : All)
        placeMarkers(*F, Accesses, O->CallsReturn, O->Trace, Table);
    writeTable(M, Table);
    return PreservedAnalyses::none();
  }
};

class CountersPass : public PassInfoMixin<CountersPass> {
public:
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    // Wrong options were reported at the start.
    Expected<Options> O = Options::get();
    if (!O) {
      consumeError(O.takeError());
      return PreservedAnalyses::all();
    }
    SiteTable Table;
    const bool Sites = takeTable(M, Table);
    bool Changed = Sites;
    if (Sites)
      count(M, *O, Table, functions(M, MAM));
    if (O->ByAddress == Options::On && !O->idle() && !Refusals(M, *O).unit())
      Changed |= emitObjects(M, *O);
    if (!O->Kernel && !O->idle())
      Changed |= insertFlushes(M, Sites);
    if (O->StripDebug)
      Changed |= StripDebugInfo(M);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

private:
  void count(Module &M, const Options &O, SiteTable &Table,
             FunctionAnalysisManager &FAM) {
    Refusals No(M, O);
    Finish End(M, O, Table, FAM);
    DenseSet<uint32_t> Refused;
    for (Function &F : M) {
      if (F.isDeclaration())
        continue;
      std::vector<TypeObservation> TypeObservations;
      if (O.Kernel && O.ByAddress == Options::On)
        TypeObservations =
            observeTypes(F, Table, FAM.getResult<DominatorTreeAnalysis>(F));
      std::vector<Check> Checks;
      if (O.ByAddress != Options::Off)
        Checks = resolvePointers(F, O, Table);
      std::vector<Event> Events;
      if (O.Trace)
        Events = findEvents(F, Table, O.all());
      FunctionRegions Found =
          takeRegions(F, Table.Segments,
                      FAM.getResult<BlockFrequencyAnalysis>(F), O.CallsReturn,
                      /*Between=*/!O.Kernel);
      if (Found.Regions.empty())
        continue;
      if (F.hasAvailableExternallyLinkage())
        continue; // no code: another unit has the function
      if (!No.function(F)) {
        GlobalVariable *Unit = O.Trace ? End.unit() : nullptr;
        End.add(F, std::move(Found), O.Count);
        if (Unit)
          insertEvents(Events, *Unit);
        // First told of, then looked up.
        insertTypeObservations(F, TypeObservations, Table);
        if (!O.Kernel)
          insertChecks(F, Checks, O.Count, Unit);
        else
          insertShadowChecks(F, Checks, O.Count, Unit);
        continue;
      }
      for (const Region &R : Found.Regions)
        for (auto [Site, Times] : R.Sites)
          Refused.insert(Site);
    }
    removeMarkerDeclarations(M);
    if (No.unit())
      for (uint32_t I = 0; I != Table.Sites.size(); ++I)
        Refused.insert(I);
    End.addUnreachable(Refused);
    End.write();
  }
};

/// Between the halves: see releaseLocals().
class ReleasePass : public PassInfoMixin<ReleasePass> {
public:
  explicit ReleasePass(bool Trace) : Trace(Trace) {}

  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    return releaseLocals(F, Trace) ? PreservedAnalyses::none()
                                   : PreservedAnalyses::all();
  }

private:
  bool Trace;
};

bool byName(StringRef Name, ModulePassManager &PM,
            ArrayRef<PassBuilder::PipelineElement>) {
  if (Name == "kst-sites")
    PM.addPass(SitesPass());
  else if (Name == "kst-counters")
    PM.addPass(CountersPass());
  else
    return false;
  return true;
}

void registerCallbacks(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(byName);
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &PM, OptimizationLevel) {
        PM.addPass(SitesPass());
      });
  PB.registerPeepholeEPCallback([](FunctionPassManager &PM, OptimizationLevel) {
    Expected<Options> O = Options::get();
    PM.addPass(ReleasePass(O && O->Trace));
    if (!O) // reported at the start
      consumeError(O.takeError());
  });
#if LLVM_VERSION_MAJOR >= 20
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &PM, OptimizationLevel, ThinOrFullLTOPhase) {
        PM.addPass(CountersPass());
      });
#else
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &PM, OptimizationLevel) {
        PM.addPass(CountersPass());
      });
#endif
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK
    __attribute__((visibility("default"))) PassPluginLibraryInfo
    llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "KstCounters", "1", registerCallbacks};
}
