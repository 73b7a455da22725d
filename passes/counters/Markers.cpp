// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Markers.h"

#include "passes/counters/Compat.h"
#include "passes/counters/PointerPath.h"
#include "passes/counters/Table.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace kst::counters;

static constexpr const char *TagName = "__kst_marker";
static constexpr const char *TableName = "kst.table";

bool kst::counters::comesBack(const Instruction &I, bool CallsReturn) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return true;
  if (Call->doesNotReturn())
    return false;
  if (CallsReturn || Call->isInlineAsm())
    return true;
  return !Call->mayThrow() && Call->willReturn();
}

static GlobalVariable *tag(Module &M) {
  if (GlobalVariable *Tag = M.getGlobalVariable(TagName))
    return Tag;
  return new GlobalVariable(M, Type::getInt8Ty(M.getContext()), false,
                            GlobalValue::ExternalLinkage, nullptr, TagName);
}

static void mark(Instruction &Before, Value *Pointer, Value *Place,
                 uint32_t Segment) {
  Module &M = *Before.getModule();
  LLVMContext &Context = M.getContext();
  Type *Ptr = PointerType::getUnqual(Context);
  if (!Pointer)
    Pointer = ConstantPointerNull::get(cast<PointerType>(Ptr));
  if (!Place || Place->getType() != Ptr)
    Place = ConstantPointerNull::get(cast<PointerType>(Ptr));
  Function *Callee =
      intrinsic(M, Intrinsic::var_annotation, {Pointer->getType(), Ptr});
  GlobalVariable *Tag = tag(M);
  IRBuilder<> B(&Before);
  CallInst *Call =
      B.CreateCall(Callee, {Pointer, Tag, Tag, B.getInt32(Segment), Place});
  Call->addFnAttr(Attribute::NoMerge);
  addNoCapture(*Call, 0);
  if (!isa<ConstantPointerNull>(Place))
    addNoCapture(*Call, 4);
}

void kst::counters::placeMarkers(Function &F, const FunctionAccesses &Accesses,
                                 bool CallsReturn, bool Trace,
                                 SiteTable &Table) {
  DenseMap<const Instruction *, SmallVector<const Access *, 2>> At;
  for (const Access &A : Accesses)
    At[A.Where].push_back(&A);
  const bool Counted = any_of(Accesses, [&](const Access &A) {
    return !A.Pointer || !isByAddress(Table.Sites[A.Site].Kind);
  });
  auto Add = [&](Instruction &Before, Value *Pointer, Value *Place,
                 Segment Sites) {
    mark(Before, Pointer, Place, Table.Segments.size());
    Table.Segments.push_back(std::move(Sites));
  };
  for (BasicBlock &BB : F) {
    Segment Open;
    Instruction *First = nullptr; // of the open segment
    if (&BB == &F.getEntryBlock() && Counted) {
      Site Enter = siteAt(F, nullptr, Table);
      Enter.Kind = Entry;
      Open[Table.site(Enter)] = 1;
      First = &*BB.getFirstNonPHIOrDbgOrAlloca();
    }
    auto Close = [&] {
      if (!Open.empty())
        Add(*First, nullptr, nullptr, std::move(Open));
      Open.clear();
      First = nullptr;
    };
    for (Instruction &I : make_early_inc_range(BB)) {
      if (auto Found = At.find(&I); Found != At.end()) {
        for (const Access *A : Found->second) {
          if (A->Pointer &&
              !(Trace ? isOwnLocal(A->Pointer) : isa<AllocaInst>(A->Pointer))) {
            Add(I, A->Pointer, A->Place, {{A->Site, A->Learns ? 0 : 1}});
            continue;
          }
          if (A->Learns)
            continue;
          if (!First)
            First = &I;
          ++Open[A->Site];
        }
      }
      if (!comesBack(I, CallsReturn))
        Close();
    }
    Close();
  }
}

int64_t kst::counters::markedSegment(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call || Call->getIntrinsicID() != Intrinsic::var_annotation)
    return -1;
  auto *Tag = dyn_cast<GlobalVariable>(Call->getArgOperand(1));
  auto *Number = dyn_cast<ConstantInt>(Call->getArgOperand(3));
  if (!Tag || !Number || Tag->getName() != TagName)
    return -1;
  return Number->getZExtValue();
}

static Value *argument(const Instruction &I, unsigned Number) {
  Value *Pointer = cast<CallBase>(I).getArgOperand(Number);
  return isa<ConstantPointerNull>(Pointer) ? nullptr : Pointer;
}

Value *kst::counters::markedPointer(const Instruction &I) {
  return argument(I, 0);
}

Value *kst::counters::markedPlace(const Instruction &I) {
  return argument(I, 4);
}

Instruction *kst::counters::behindMarkers(Instruction &Marker) {
  Instruction *Next = Marker.getNextNode();
  while (markedSegment(*Next) >= 0 || isa<AllocaInst>(Next))
    Next = Next->getNextNode();
  return Next;
}

static void forgetPointers(Instruction &I) {
  auto &Call = cast<CallBase>(I);
  for (unsigned Number : {0u, 4u})
    Call.setArgOperand(
        Number, Constant::getNullValue(Call.getArgOperand(Number)->getType()));
}

void kst::counters::resolveMarker(Instruction &I, uint32_t Segment) {
  auto &Call = cast<CallBase>(I);
  forgetPointers(I);
  Call.setArgOperand(
      3, ConstantInt::get(Type::getInt32Ty(I.getContext()), Segment));
}

bool kst::counters::releaseLocals(Function &F, bool Trace) {
  if (!F.getParent()->getGlobalVariable(TagName))
    return false;
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    if (markedSegment(I) < 0)
      continue;
    Value *Pointer = markedPointer(I);
    const Value *Object = Pointer ? getUnderlyingObject(Pointer) : nullptr;
    if (!Object || !(Trace ? isOwnLocal(Object) : isa<AllocaInst>(Object)))
      continue;
    forgetPointers(I);
    Changed = true;
  }
  return Changed;
}

void kst::counters::writeTable(Module &M, const SiteTable &Table) {
  std::vector<Region> Segments;
  for (const Segment &Sites : Table.Segments)
    Segments.push_back({0, Sites, {}});
  LLVMContext &Context = M.getContext();
  M.getOrInsertNamedMetadata(TableName)->addOperand(MDNode::get(
      Context, MDString::get(Context, makeBlob(Table, Segments, 0).Bytes)));
}

bool kst::counters::takeTable(Module &M, SiteTable &Table) {
  NamedMDNode *Node = M.getNamedMetadata(TableName);
  if (!Node)
    return false;
  Table =
      readBlob(cast<MDString>(Node->getOperand(0)->getOperand(0))->getString());
  Node->eraseFromParent();
  return true;
}

void kst::counters::removeMarkerDeclarations(Module &M) {
  GlobalVariable *Tag = M.getGlobalVariable(TagName);
  if (!Tag)
    return;
  // A constant expression that nothing uses any more may still name it.
  Tag->removeDeadConstantUsers();
  if (Tag->use_empty())
    Tag->eraseFromParent();
  for (Function &F : make_early_inc_range(M))
    if (F.getIntrinsicID() == Intrinsic::var_annotation && F.use_empty())
      F.eraseFromParent();
}
