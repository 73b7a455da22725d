// SPDX-License-Identifier: GPL-2.0-or-later
//
// How functions, variables and records are called: the name by which other
// units find them, and the one that people read.

#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Mangle.h"

#include <memory>
#include <string>

namespace kst {

/// One for a unit; not thread-safe.
class DeclNames {
public:
  explicit DeclNames(clang::ASTContext &Context);
  ~DeclNames();

  /// What the linker calls it, "" for an entity without a name. A name of C is
  /// as it is, also in a C++ unit. Constructors and destructors by their
  /// complete form.
  std::string linkName(const clang::NamedDecl *Decl);

  /// `f`, `ns::list<int>::push`, `f::lambda`.
  static std::string shown(const clang::FunctionDecl *Function);
  /// `s`, `ns::s`, `list<int>`, a typedef's name for a record without a tag;
  /// without either that of the first variable, or array, with static storage
  /// outside of functions which the declaration defines: `(ring)`; else "".
  static std::string shown(const clang::RecordDecl *Record);

private:
  clang::ASTContext &Context;
  std::unique_ptr<clang::MangleContext> Mangler; ///< null in C
};

} // namespace kst
