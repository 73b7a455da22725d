// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/RuntimeCalls.h"

#include "passes/counters/Markers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace kst::counters;

/// Of the place of an access to an element: one for each array and function.
static Site placeSite(const Site &Of) {
  Site S;
  S.Struct = Of.Struct;
  S.Function = Of.Function;
  S.Offset = Of.Offset;
  S.Kind = Address;
  S.Marks = PlaceOfArray;
  return S;
}

/// What a call does to threads: a mark, or 0.
static uint32_t threadMark(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return 0;
  const StringRef Name = Callee->getName();
  if (Name == "pthread_create" || Name == "thrd_create" ||
      Name.starts_with("_ZNSt6thread15_M_start_thread"))
    return StartsThread;
  if (Name == "pthread_join" || Name == "thrd_join" ||
      Name == "_ZNSt6thread4joinEv")
    return JoinsThread;
  return 0;
}

/// Before a start, behind a join.
static void addThreads(Function &F, SiteTable &Table,
                       std::vector<Event> &Events) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const uint32_t Mark = Call ? threadMark(*Call) : 0;
    if (!Mark)
      continue;
    Instruction *Before = Call;
    if (Mark == JoinsThread) {
      auto *Invoke = dyn_cast<InvokeInst>(Call);
      Before = Invoke ? &*Invoke->getNormalDest()->getFirstInsertionPt()
                      : Call->getNextNode();
      while (markedSegment(*Before) >= 0) // they will be gone
        Before = Before->getNextNode();
    }
    Site S = siteAt(F, Call, Table);
    S.Kind = Address;
    S.Marks = Mark;
    Events.push_back(
        {Before,
         ConstantPointerNull::get(PointerType::getUnqual(F.getContext())),
         Table.site(S)});
  }
}

std::vector<Event> kst::counters::findEvents(Function &F, SiteTable &Table,
                                             bool ByAddress) {
  std::vector<Event> Events;
  for (Instruction &I : instructions(F)) {
    int64_t Number = markedSegment(I);
    Value *Pointer = Number < 0 ? nullptr : markedPointer(I);
    if (!Pointer)
      continue;
    for (auto [Site, Times] : Table.Segments[Number])
      if (Times && (ByAddress || !isByAddress(Table.Sites[Site].Kind))) {
        if (Value *Place = markedPlace(I))
          Events.push_back({behindMarkers(I), Place,
                            Table.site(placeSite(Table.Sites[Site]))});
        Events.push_back({behindMarkers(I), Pointer, Site});
      }
  }
  if (ByAddress)
    addThreads(F, Table, Events);
  return Events;
}

void kst::counters::callTrace(Instruction &Before, Value *Pointer,
                              uint32_t Site, GlobalVariable &Unit) {
  IRBuilder<> B(&Before);
  // Pointers of other address spaces keep their number.
  if (Pointer->getType() != B.getPtrTy())
    Pointer = B.CreateIntToPtr(B.CreatePtrToInt(Pointer, B.getInt64Ty()),
                               B.getPtrTy());
  FunctionCallee Trace = Before.getModule()->getOrInsertFunction(
      "__kst_trace",
      FunctionType::get(B.getVoidTy(),
                        {B.getPtrTy(), B.getInt32Ty(), B.getPtrTy()}, false));
  CallInst *Call = B.CreateCall(Trace, {&Unit, B.getInt32(Site), Pointer});
  Call->setDoesNotThrow();
  if (!Before.getDebugLoc())
    if (DISubprogram *Sub = Before.getFunction()->getSubprogram())
      Call->setDebugLoc(DILocation::get(Unit.getContext(), 0, 0, Sub));
}

void kst::counters::insertEvents(const std::vector<Event> &Events,
                                 GlobalVariable &Unit) {
  for (const Event &E : Events)
    callTrace(*E.Before, E.Pointer, E.Site, Unit);
}

bool kst::counters::insertFlushes(Module &M, bool HasRuntime) {
  static constexpr StringLiteral Names[] = {
      "execve",  "execv",   "execvp",   "execl", "execlp", "execle",
      "execvpe", "fexecve", "execveat", "_exit", "_Exit",  "quick_exit"};
  SmallVector<CallBase *> Calls;
  for (Function &F : M) {
    if (!F.isDeclaration() || !is_contained(Names, F.getName()))
      continue;
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U))
        if (Call->getCalledOperand() == &F)
          Calls.push_back(Call);
  }
  if (Calls.empty())
    return false;
  LLVMContext &C = M.getContext();
  FunctionCallee Flush =
      M.getOrInsertFunction("__kst_rt_flush", Type::getVoidTy(C));
  auto *Callee = cast<Function>(Flush.getCallee());
  if (!HasRuntime)
    Callee->setLinkage(GlobalValue::ExternalWeakLinkage);
  for (CallBase *Call : Calls) {
    IRBuilder<> B(Call);
    if (!HasRuntime)
      B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNotNull(Callee),
                                                 Call->getIterator(), false));
    CallInst *New = B.CreateCall(Flush);
    New->setDoesNotThrow();
    New->setDebugLoc(Call->getDebugLoc());
  }
  return true;
}
