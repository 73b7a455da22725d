// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/FunctionTraits.h"

#include "hybrid/facts/Facts.h"

#include "clang/AST/Attr.h"

using namespace clang;

namespace kst {

uint32_t functionFlags(const FunctionDecl *Function) {
  uint32_t Flags = 0;
  if (Function->getFormalLinkage() == Linkage::Internal)
    Flags |= FnStatic;
  if (Function->isInlineSpecified())
    Flags |= FnInline;
  if (Function->hasAttr<ColdAttr>())
    Flags |= FnCold;
  if (Function->isNoReturn())
    Flags |= FnNoReturn;
  if (Function->hasAttr<WeakAttr>())
    Flags |= FnWeak;
  if (Function->isVariadic())
    Flags |= FnVariadic;
  if (const auto *Section = Function->getAttr<SectionAttr>()) {
    llvm::StringRef Name = Section->getName();
    // .init.text, .exit.text, .meminit.text
    if (Name.contains("init.text") || Name.contains("exit.text"))
      Flags |= FnInit;
    if (Name.contains("noinstr") || Name.starts_with(".entry.text"))
      Flags |= FnNoInstr;
    if (Name.contains("unlikely"))
      Flags |= FnCold;
  }
  if (const IdentifierInfo *Name = Function->getIdentifier())
    if (Name->getName().starts_with("__do_sys_") ||
        Name->getName().starts_with("__do_compat_sys_"))
      Flags |= FnSyscall;
  return Flags;
}

bool isColdCallee(const FunctionDecl *Function) {
  return Function->hasAttr<ColdAttr>() || Function->isNoReturn();
}

bool isExportAnchor(const VarDecl *Variable) {
  const auto *Section = Variable->getAttr<SectionAttr>();
  return Section && Section->getName().starts_with(".discard.addressable");
}

} // namespace kst
