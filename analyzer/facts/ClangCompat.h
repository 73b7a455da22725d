// SPDX-License-Identifier: GPL-2.0-or-later
//
// The few places where clang 19 and 22 spell the same thing differently.

#ifndef KST_ANALYZER_FACTS_CLANGCOMPAT_H
#define KST_ANALYZER_FACTS_CLANGCOMPAT_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/Version.h"

namespace kst {

inline unsigned bitFieldWidth(const clang::FieldDecl *Field,
                              const clang::ASTContext &Context) {
#if CLANG_VERSION_MAJOR >= 20
  return Field->getBitWidthValue();
#else
  return Field->getBitWidthValue(Context);
#endif
}

} // namespace kst

#endif
