// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes down where in the text of a unit edits go, and why they must not.

#pragma once

#include "analyzer/facts/FactsBuilder.h"
#include "analyzer/rewrite/PlacedEdits.h"

namespace kst {

/// One for a walk over a unit. Edits are known by number.
class EditText {
public:
  EditText(clang::ASTContext &Context, const std::string &SourceRoot,
           const std::string &Directory, llvm::ArrayRef<LineEdit> Edits,
           std::vector<PlacedEdit> &Placed)
      : Edits(Edits), Context(Context), Manager(Context.getSourceManager()),
        Builder(Context, SourceRoot, Directory), Placed(Placed) {}

  const llvm::ArrayRef<LineEdit> Edits;
  clang::ASTContext &context() const { return Context; }

  /// Whether that is the edit's place.
  bool isAt(clang::SourceLocation Loc, const LineEdit &Edit);
  /// Whether any declaration of the variable is the edit's.
  bool isMeant(const clang::VarDecl *Var, const LineEdit &Edit);
  /// Whether the record is the edit's.
  bool isMeant(const clang::RecordDecl *Record, const LineEdit &Edit);
  bool isDefinedHere(const clang::VarDecl *Var, const LineEdit &Edit);

  /// Says why, with the place; of several reasons the first.
  void refuse(size_t Edit, clang::SourceLocation Loc, const llvm::Twine &Why);
  /// Puts text in, or in place of Length bytes. No text: the place was found,
  /// and nothing is to be done.
  void put(size_t Edit, clang::SourceLocation Loc, const llvm::Twine &Text,
           unsigned Length = 0);
  /// An attribute that aligns to the edit's bytes, or to so many.
  void align(size_t Edit, const clang::DeclaratorDecl *Of, uint64_t Bytes);
  /// The whole of an expression in its file, also where a macro has all of it;
  /// else invalid.
  clang::CharSourceRange written(const clang::Expr *Of) const;
  /// The text of its line in front of a place.
  llvm::StringRef lineTo(clang::SourceLocation Loc) const;

private:
  clang::ASTContext &Context;
  clang::SourceManager &Manager;
  FactsBuilder Builder;
  std::vector<PlacedEdit> &Placed;
};

} // namespace kst
