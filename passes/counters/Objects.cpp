// SPDX-License-Identifier: GPL-2.0-or-later
//
// The objects of address mode that exist without being allocated.

#include "passes/abi/kst_abi.h"
#include "passes/counters/AddressMode.h"
#include "passes/counters/DeclaredType.h"
#include "passes/counters/StructTypes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace kst::counters;

namespace {

class Emitter {
public:
  Emitter(Module &M, const Options &O)
      : M(M), C(M.getContext()), O(O), Types(M, O, Table) {}
  bool run();

private:
  Module &M;
  LLVMContext &C;
  const Options &O;
  SiteTable Table;
  StructTypes Types;
  std::map<uint32_t, std::pair<Constant *, Constant *>> PerStruct;
  SmallVector<GlobalValue *> Made;

  void descend(GlobalVariable &Global, Type *T, uint64_t Offset,
               uint64_t Number);
  void emit(GlobalVariable &Global, uint32_t Struct, uint64_t Offset,
            uint64_t Number);
};

} // namespace

void Emitter::emit(GlobalVariable &Global, uint32_t Struct, uint64_t Offset,
                   uint64_t Number) {
  Type *U64 = Type::getInt64Ty(C), *U32 = Type::getInt32Ty(C);
  const kst::counters::StructLayout &S = Table.Structs[Struct];
  auto &[Name, Counts] = PerStruct[Struct];
  if (!Name) {
    Constant *Text = ConstantDataArray::getString(C, S.Name);
    auto *TextGlobal =
        new GlobalVariable(M, Text->getType(), true,
                           GlobalValue::PrivateLinkage, Text, "__kst_name");
    Name = ConstantExpr::getPtrToInt(TextGlobal, U64);
    Counts = ConstantInt::get(U64, 0); // a kernel's runtime has them
  }
  if (!O.Kernel && Counts->isNullValue()) {
    Type *Array = ArrayType::get(U64, 2 * uint64_t(S.Size));
    auto *CountsGlobal = new GlobalVariable(
        M, Array, false, GlobalValue::InternalLinkage,
        ConstantAggregateZero::get(Array), "__kst_by_address");
    CountsGlobal->setAlignment(Align(8));
    Counts = ConstantExpr::getPtrToInt(CountsGlobal, U64);
  }
  bool PerCpu = O.Kernel && Global.getSection().starts_with(".data..percpu");
  Constant *Address = ConstantExpr::getAdd(
      ConstantExpr::getPtrToInt(&Global, U64), ConstantInt::get(U64, Offset));
  auto *T = StructType::get(C, {U64, U64, U64, U32, U32, U32, U32});
  auto *Object = new GlobalVariable(
      M, T, false, GlobalValue::PrivateLinkage,
      ConstantStruct::get(
          T, {Name, Address, Counts, ConstantInt::get(U32, S.Size),
              ConstantInt::get(U32, Number),
              ConstantInt::get(U32, PerCpu ? KST_OBJECT_PERCPU : 0),
              ConstantInt::get(U32, KST_ABI_VERSION)}),
      "__kst_object");
  Object->setSection(KST_OBJECTS_SECTION);
  Object->setAlignment(Align(8));
  Made.push_back(Object);
}

/// Number: objects of type T behind one another.
void Emitter::descend(GlobalVariable &Global, Type *T, uint64_t Offset,
                      uint64_t Number) {
  const DataLayout &Layout = M.getDataLayout();
  if (auto *Array = dyn_cast<ArrayType>(T)) {
    if (Array->getNumElements() && Number == 1)
      descend(Global, Array->getElementType(), Offset, Array->getNumElements());
    return;
  }
  auto *Struct = dyn_cast<StructType>(T);
  if (!Struct || !Struct->isSized())
    return;
  if (uint32_t Found = Types.number(Struct); Found != NoStruct) {
    emit(Global, Found, Offset, Number);
    if (!O.Kernel)
      return;
  }
  // Inside of elements of an array: each element by itself, if they are few.
  const llvm::StructLayout *L = Layout.getStructLayout(Struct);
  for (uint64_t I = 0; I != Number && Number <= 64; ++I)
    for (unsigned E = 0; E != Struct->getNumElements(); ++E)
      descend(Global, Struct->getElementType(E),
              Offset + I * Layout.getTypeAllocSize(Struct).getFixedValue() +
                  L->getElementOffset(E).getFixedValue(),
              1);
}

bool Emitter::run() {
  SmallVector<GlobalVariable *> All;
  for (GlobalVariable &Global : M.globals())
    if (!Global.isDeclarationForLinker() && !Global.isThreadLocal() &&
        !Global.getName().starts_with("__kst_") &&
        !Global.getName().starts_with("llvm."))
      All.push_back(&Global);
  for (GlobalVariable *Global : All)
    descend(*Global, declaredType(*Global), 0, 1);
  if (!Made.empty())
    appendToCompilerUsed(M, Made);
  return !Made.empty();
}

bool kst::counters::emitObjects(Module &M, const Options &O) {
  return Emitter(M, O).run();
}
