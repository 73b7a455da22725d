// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/LibraryCalls.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace kst {
namespace {

/// `__builtin___memcpy_chk` is a memcpy.
llvm::StringRef plainName(llvm::StringRef Name) {
  Name.consume_front("__builtin_");
  if (Name.ends_with("_chk") && Name.consume_front("__"))
    Name = Name.drop_back(4);
  return Name;
}

llvm::SmallVector<ArgumentAccess, 4> libraryAccesses(const CallExpr &Call,
                                                     llvm::StringRef Name) {
  llvm::SmallVector<ArgumentAccess, 4> Found;
  for (unsigned I = 0, E = Call.getNumArgs(); I != E; ++I) {
    QualType Type = Call.getArg(I)->getType();
    if (!Type->isPointerType() || Type->getPointeeType()->isFunctionType())
      continue;
    if (!I && isA(NameKind::WritesFirst, Name))
      Found.push_back({I, AccessForm::BulkWrite});
    else if (!I && isA(NameKind::ExtendsFirst, Name))
      Found.push_back({I, AccessForm::ReadWrite});
    else if (Type->getPointeeType().isConstQualified() ||
             isPrinted(*Call.getDirectCallee(), I))
      Found.push_back({I, AccessForm::BulkRead});
    else
      Found.push_back({I, AccessForm::ReadWrite, QualAssumed});
  }
  return Found;
}

} // namespace

bool makesOrFrees(const FunctionDecl &Callee) {
  const IdentifierInfo *Name = Callee.getIdentifier();
  if (!Name)
    return false;
  llvm::StringRef Plain = plainName(Name->getName());
  return isA(NameKind::Allocates, Plain) ||
         isA(NameKind::AllocatesCleared, Plain) || isA(NameKind::Frees, Plain);
}

bool isPrinted(const FunctionDecl &Callee, unsigned Argument) {
  for (const auto *Format : Callee.specific_attrs<FormatAttr>())
    if (Format->getType()->getName().contains("printf") &&
        Format->getFirstArg() > 0 &&
        Argument + 1 >= unsigned(Format->getFirstArg()))
      return true;
  return false;
}

llvm::SmallVector<ArgumentAccess, 4>
builtinAccesses(const CallExpr &Call, const ASTContext &Context) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  const IdentifierInfo *Identifier = Callee ? Callee->getIdentifier() : nullptr;
  if (!Identifier)
    return {};
  llvm::StringRef Name = Identifier->getName();
  if (Name.starts_with("__sync_")) {
    if (Call.getNumArgs() == 0)
      return {};
    bool Release = Name.starts_with("__sync_lock_release");
    return {
        {0, Release ? AccessForm::Write : AccessForm::ReadWrite, QualAtomic}};
  }
  if (Name.starts_with("__builtin_") && Name.ends_with("_overflow"))
    return {{2, AccessForm::Write}};
  unsigned Builtin = Callee->getBuiltinID();
  if (!Context.BuiltinInfo.isLibFunction(Builtin) &&
      !Context.BuiltinInfo.isPredefinedLibFunction(Builtin))
    return {};
  return libraryAccesses(Call, plainName(Name));
}

const Expr *atomicStored(const AtomicExpr &Atomic) {
  llvm::StringRef Name = Atomic.getOpAsString();
  // The others are given the address of what they store.
  if (!Name.starts_with("__c11_") && !Name.ends_with("_n"))
    return nullptr;
  if (Name.contains("compare_exchange"))
    return Atomic.getVal2();
  if (Name.contains("atomic_store") || Name.contains("atomic_exchange"))
    return Atomic.getVal1();
  return nullptr;
}

const Expr *syncStored(const CallExpr &Call) {
  llvm::StringRef Name = Call.getDirectCallee()->getName();
  if (Name.contains("compare_and_swap") && Call.getNumArgs() > 2)
    return Call.getArg(2);
  if (Name.contains("lock_test_and_set") && Call.getNumArgs() > 1)
    return Call.getArg(1);
  return nullptr;
}

AccessForm atomicAccess(const AtomicExpr &Atomic) {
  llvm::StringRef Name = Atomic.getOpAsString();
  if (Name.contains("atomic_load"))
    return AccessForm::Read;
  if (Name.contains("atomic_store") || Name.ends_with("atomic_init"))
    return AccessForm::Write;
  return AccessForm::ReadWrite;
}

} // namespace kst
