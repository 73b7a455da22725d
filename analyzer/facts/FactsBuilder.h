// SPDX-License-Identifier: GPL-2.0-or-later
//
// TuFacts under construction: interned strings and records, and the names by
// which functions, variables and files are known outside of this unit.

#pragma once

#include "analyzer/facts/CompilerConditions.h"
#include "analyzer/facts/DeclNames.h"

#include "hybrid/facts/Facts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <utility>

namespace kst {

/// Collects the tables that all functions of one unit share. Lives as long as
/// the ASTContext it was made for; not thread-safe.
class FactsBuilder {
public:
  /// Paths below SourceRoot are recorded relative to it, so that facts do not
  /// depend on where the tree lies or on the current directory.
  FactsBuilder(clang::ASTContext &Context, std::string SourceRoot,
               std::string Directory);

  TuFacts Facts;
  /// Variables with static storage, to be described when all else is: so their
  /// strings come last.
  std::vector<const clang::VarDecl *> Statics;
  clang::ASTContext &context() { return Context; }

  StrId string(llvm::StringRef Text);

  /// The record's index in Facts.Records, or None for an incomplete one. The
  /// same definition always gets the same index.
  uint32_t record(const clang::RecordDecl *Decl);

  /// A field by record, as above, and number; the record is None for a field
  /// of an incomplete one. Fields of opened structs are ones of the record
  /// around them (AnonymousStructs.h).
  struct Member {
    uint32_t Record = None, Number = 0;
  };
  Member member(const clang::FieldDecl *Field);

  /// The record that a pointer, reference or array type leads to, or None.
  uint32_t pointee(clang::QualType Type);

  /// The name under which other units know the function: its own name, mangled
  /// if it is one of C++, or "file:name" for a static one.
  StrId functionKey(const clang::FunctionDecl *Decl);
  StrId variableKey(const clang::VarDecl *Decl);
  /// The name that people read.
  StrId functionName(const clang::FunctionDecl *Decl) {
    return string(DeclNames::shown(Decl));
  }
  /// Calls Visit for every function that functionKey() was asked about, in no
  /// particular order.
  void forEachKeyed(
      llvm::function_ref<void(const clang::FunctionDecl *)> Visit) const;

  /// Where something is spelled; a macro's expansion counts as its place, and
  /// what a #line directive says as well.
  std::pair<StrId, uint32_t> place(clang::SourceLocation Loc);
  /// The column of that place, from 1; 0 if there is none.
  uint32_t column(clang::SourceLocation Loc) const;
  /// All complete records of the unit, whether or not anything uses them.
  void addAllRecords();

private:
  struct FileName {
    std::string Shown;
    std::optional<StrId> Id; ///< once something is placed there
  };
  std::string shownPath(llvm::StringRef Name) const;
  FileName &file(clang::FileID Id);
  uint32_t recordFlags(const clang::RecordDecl *Decl);
  void fillRecord(uint32_t Index, const clang::RecordDecl *Decl);
  FieldFact fieldFact(const clang::FieldDecl *Field, bool Last);
  void addGroups(const clang::RecordDecl *Decl, uint32_t Parent,
                 uint32_t &Number, std::vector<GroupFact> &Groups);

  clang::ASTContext &Context;
  DeclNames Names;
  std::string SourceRoot;
  std::string Directory;
  CompilerConditions Conditions;
  llvm::StringMap<StrId> Interned;
  llvm::DenseMap<const clang::RecordDecl *, uint32_t> RecordIndex;
  llvm::DenseMap<const clang::FieldDecl *, Member> Members;
  llvm::DenseMap<const clang::Decl *, StrId> Keys;
  llvm::DenseMap<clang::FileID, FileName> Files;
  llvm::DenseMap<const char *, StrId> Presumed; ///< files that directives name
};

} // namespace kst
