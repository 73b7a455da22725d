// SPDX-License-Identifier: GPL-2.0-or-later
//
// The few places where clang 19 and 22 spell the same thing differently.

#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace kst {

inline unsigned bitFieldWidth(const clang::FieldDecl *Field,
                              const clang::ASTContext &Context) {
#if CLANG_VERSION_MAJOR >= 20
  return Field->getBitWidthValue();
#else
  return Field->getBitWidthValue(Context);
#endif
}

/// The type that a definition defines.
inline clang::QualType recordType(const clang::ASTContext &Context,
                                  const clang::RecordDecl *Record) {
#if CLANG_VERSION_MAJOR >= 22
  return Context.getCanonicalTagType(Record);
#else
  return Context.getRecordType(Record);
#endif
}

/// The statement that gives a statement expression its value, if one does;
/// clang 19's CompoundStmt::getStmtExprResult(), which 22 no longer has. Null
/// if there is none but `;`.
inline const clang::Stmt *lastStatement(const clang::StmtExpr *Block) {
  for (const clang::Stmt *S : llvm::reverse(Block->getSubStmt()->body()))
    if (!llvm::isa<clang::NullStmt>(S))
      return S;
  return nullptr;
}

inline std::string asmText(const clang::GCCAsmStmt &Asm) {
#if CLANG_VERSION_MAJOR >= 22
  return Asm.getAsmString();
#else
  return Asm.getAsmString()->getString().str();
#endif
}

/// Path as seen from Directory.
inline void makeAbsolute(const llvm::Twine &Directory,
                         llvm::SmallVectorImpl<char> &Path) {
#if LLVM_VERSION_MAJOR >= 22
  llvm::sys::path::make_absolute(Directory, Path);
#else
  llvm::sys::fs::make_absolute(Directory, Path);
#endif
}

} // namespace kst
