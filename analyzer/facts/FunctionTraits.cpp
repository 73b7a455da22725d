// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/FunctionTraits.h"

#include "hybrid/facts/Facts.h"
#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace kst {

uint32_t functionFlags(const FunctionDecl *Function) {
  uint32_t Flags = 0;
  // Other units that call a C++ inline function have a body of their own.
  const bool Discardable = Function->getASTContext().getLangOpts().CPlusPlus &&
                           Function->getASTContext().GetGVALinkageForFunction(
                               Function) <= GVA_DiscardableODR;
  if (!Function->isExternallyVisible() || Discardable)
    Flags |= FnStatic;
  if (Function->hasAttr<ColdAttr>())
    Flags |= FnCold;
  if (Function->isNoReturn())
    Flags |= FnNoReturn;
  if (Function->hasAttr<WeakAttr>())
    Flags |= FnWeak;
  if (const auto *Section = Function->getAttr<SectionAttr>()) {
    llvm::StringRef Name = Section->getName();
    if (isA(NameKind::OnceSection, Name))
      Flags |= FnInit;
    if (isA(NameKind::ColdSection, Name))
      Flags |= FnCold;
  }
  if (const IdentifierInfo *Name = Function->getIdentifier())
    if (isA(NameKind::SystemCall, Name->getName()))
      Flags |= FnSyscall;
  return Flags;
}

bool isExportAnchor(const VarDecl *Variable) {
  const auto *Section = Variable->getAttr<SectionAttr>();
  return Section && isA(NameKind::ExportSection, Section->getName());
}

bool isPerCpu(const VarDecl *Variable) {
  const auto *Section = Variable->getAttr<SectionAttr>();
  return (Section && isA(NameKind::PerCpuSection, Section->getName())) ||
         Variable->getTLSKind() != VarDecl::TLS_None;
}

} // namespace kst
