// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Markers.h"

#include "passes/counters/Compat.h"

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

static void mark(Instruction &Before, Value *Pointer, uint32_t Segment) {
  Module &M = *Before.getModule();
  LLVMContext &Context = M.getContext();
  Type *Ptr = PointerType::getUnqual(Context);
  if (!Pointer)
    Pointer = ConstantPointerNull::get(cast<PointerType>(Ptr));
  Function *Callee =
      intrinsic(M, Intrinsic::var_annotation, {Pointer->getType(), Ptr});
  GlobalVariable *Tag = tag(M);
  IRBuilder<> B(&Before);
  CallInst *Call =
      B.CreateCall(Callee, {Pointer, Tag, Tag, B.getInt32(Segment),
                            ConstantPointerNull::get(cast<PointerType>(Ptr))});
  Call->addFnAttr(Attribute::NoMerge);
  addNoCapture(*Call, 0);
}

void kst::counters::placeMarkers(Function &F, const FunctionAccesses &Accesses,
                                 bool CallsReturn, SiteTable &Table) {
  DenseMap<const Instruction *, SmallVector<const Access *, 2>> At;
  for (const Access &A : Accesses)
    At[A.Where].push_back(&A);
  const bool HasStruct = any_of(Accesses, [&](const Access &A) {
    return !isByAddress(Table.Sites[A.Site].Kind);
  });
  auto Add = [&](Instruction &Before, Value *Pointer, Segment Sites) {
    mark(Before, Pointer, Table.Segments.size());
    Table.Segments.push_back(std::move(Sites));
  };
  for (BasicBlock &BB : F) {
    Segment Open;
    Instruction *First = nullptr; // of the open segment
    if (&BB == &F.getEntryBlock() && HasStruct) {
      Site Enter = siteAt(F, nullptr, Table);
      Enter.Kind = Entry;
      Open[Table.site(Enter)] = 1;
      First = &*BB.getFirstNonPHIOrDbgOrAlloca();
    }
    auto Close = [&] {
      if (!Open.empty())
        Add(*First, nullptr, std::move(Open));
      Open.clear();
      First = nullptr;
    };
    for (Instruction &I : make_early_inc_range(BB)) {
      if (auto Found = At.find(&I); Found != At.end()) {
        for (const Access *A : Found->second) {
          if (A->Pointer && !isa<AllocaInst>(A->Pointer)) {
            Add(I, A->Pointer, {{A->Site, A->Learns ? 0 : 1}});
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

Value *kst::counters::markedPointer(const Instruction &I) {
  Value *Pointer = cast<CallBase>(I).getArgOperand(0);
  return isa<ConstantPointerNull>(Pointer) ? nullptr : Pointer;
}

Instruction *kst::counters::behindMarkers(Instruction &Marker) {
  Instruction *Next = Marker.getNextNode();
  while (markedSegment(*Next) >= 0 || isa<AllocaInst>(Next))
    Next = Next->getNextNode();
  return Next;
}

static void setPointer(Instruction &I, Value *Pointer) {
  cast<CallBase>(I).setArgOperand(0, Pointer);
}

void kst::counters::resolveMarker(Instruction &I, uint32_t Segment) {
  auto &Call = cast<CallBase>(I);
  setPointer(I, Constant::getNullValue(Call.getArgOperand(0)->getType()));
  Call.setArgOperand(
      3, ConstantInt::get(Type::getInt32Ty(I.getContext()), Segment));
}

bool kst::counters::releaseLocals(Function &F) {
  if (!F.getParent()->getGlobalVariable(TagName))
    return false;
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    if (markedSegment(I) < 0)
      continue;
    Value *Pointer = markedPointer(I);
    if (!Pointer || !isa<AllocaInst>(getUnderlyingObject(Pointer)))
      continue;
    setPointer(I, Constant::getNullValue(Pointer->getType()));
    Changed = true;
  }
  return Changed;
}

// The metadata: one node for each list, each of nodes of strings and numbers.

namespace {

class Writer {
public:
  explicit Writer(LLVMContext &Context) : Context(Context) {}
  Writer &number(uint32_t N) {
    Row.push_back(ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt32Ty(Context), N)));
    return *this;
  }
  Writer &text(StringRef S) {
    Row.push_back(MDString::get(Context, S));
    return *this;
  }
  void end() {
    Rows.push_back(MDNode::get(Context, Row));
    Row.clear();
  }
  MDNode *list() {
    MDNode *Result = MDNode::get(Context, Rows);
    Rows.clear();
    return Result;
  }

private:
  LLVMContext &Context;
  SmallVector<Metadata *> Row, Rows;
};

class Reader {
public:
  explicit Reader(const MDNode *Row) : Row(Row) {}
  bool more() const { return Next != Row->getNumOperands(); }
  uint32_t number() {
    return mdconst::extract<ConstantInt>(Row->getOperand(Next++))
        ->getZExtValue();
  }
  std::string text() {
    return cast<MDString>(Row->getOperand(Next++))->getString().str();
  }
  Reader row() { return Reader(cast<MDNode>(Row->getOperand(Next++))); }

private:
  const MDNode *Row;
  unsigned Next = 0;
};

} // namespace

void kst::counters::writeTable(Module &M, const SiteTable &Table) {
  Writer W(M.getContext());
  NamedMDNode *Lists = M.getOrInsertNamedMetadata(TableName);
  W.text(Table.MainFile).end();
  Lists->addOperand(W.list());
  for (const kst::counters::StructLayout &S : Table.Structs) {
    W.text(S.Name).number(S.Size);
    for (const auto &E : S.Elements)
      W.number(E.Offset).number(E.Size);
    W.end();
  }
  Lists->addOperand(W.list());
  for (const SourceFunction &F : Table.Functions)
    W.text(F.Name).text(F.File).number(F.Line).end();
  Lists->addOperand(W.list());
  for (const Site &S : Table.Sites)
    W.number(S.Struct)
        .number(S.Function)
        .text(S.File)
        .number(S.Line)
        .number(S.Column)
        .number(S.Offset)
        .number(S.Size)
        .number(S.FirstBit)
        .number(S.Bits)
        .number(S.Kind)
        .number(S.Marks)
        .end();
  Lists->addOperand(W.list());
  for (const Segment &Sites : Table.Segments) {
    for (auto [Number, Times] : Sites)
      W.number(Number).number(Times);
    W.end();
  }
  Lists->addOperand(W.list());
}

bool kst::counters::takeTable(Module &M, SiteTable &Table) {
  NamedMDNode *Lists = M.getNamedMetadata(TableName);
  if (!Lists)
    return false;
  unsigned Next = 0;
  auto List = [&] { return Reader(Lists->getOperand(Next++)); };
  Table.MainFile = List().row().text();
  for (Reader R = List(); R.more();) {
    Reader Row = R.row();
    kst::counters::StructLayout S;
    S.Name = Row.text();
    S.Size = Row.number();
    while (Row.more()) {
      uint32_t Offset = Row.number();
      S.Elements.push_back({Offset, Row.number()});
    }
    Table.Structs.push_back(std::move(S));
  }
  for (Reader R = List(); R.more();) {
    Reader Row = R.row();
    std::string Name = Row.text(), File = Row.text();
    Table.function(Name, File, Row.number());
  }
  for (Reader R = List(); R.more();) {
    Reader Row = R.row();
    Site S;
    S.Struct = Row.number();
    S.Function = Row.number();
    S.File = Row.text();
    for (uint32_t *Field : {&S.Line, &S.Column, &S.Offset, &S.Size, &S.FirstBit,
                            &S.Bits, &S.Kind, &S.Marks})
      *Field = Row.number();
    Table.site(S);
  }
  for (Reader R = List(); R.more();) {
    Reader Row = R.row();
    Segment Sites;
    while (Row.more()) {
      uint32_t Number = Row.number();
      Sites[Number] = Row.number();
    }
    Table.Segments.push_back(std::move(Sites));
  }
  Lists->eraseFromParent();
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
