// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/EditText.h"

#include "clang/Lex/Lexer.h"

using namespace clang;

namespace kst {

bool EditText::isAt(SourceLocation Loc, const LineEdit &Edit) {
  const auto [File, Line] = Builder.place(Loc);
  return Line == Edit.Line && Builder.Facts.Strings[File] == Edit.File;
}

bool EditText::isMeant(const VarDecl *Var, const LineEdit &Edit) {
  if (Var->getName() != Edit.Name)
    return false;
  if (Edit.Part.empty())
    return Var->hasGlobalStorage() && !Var->isStaticLocal() &&
           (Var->hasExternalFormalLinkage() ||
            Builder.Facts.Strings[Builder.place(Var->getLocation()).first] ==
                Edit.File);
  const auto *In =
      dyn_cast_or_null<FunctionDecl>(Var->getParentFunctionOrMethod());
  return In && Var->isLocalVarDecl() &&
         Builder.Facts.Strings[Builder.functionKey(In)] == Edit.Part;
}

bool EditText::isMeant(const RecordDecl *Record, const LineEdit &Edit) {
  return DeclNames::shown(Record) == Edit.Name &&
         isAt(Record->getLocation(), Edit);
}

bool EditText::isDefinedHere(const VarDecl *Var, const LineEdit &Edit) {
  if (!Edit.Line)
    return isMeant(Var, Edit);
  return Var->getName() == Edit.Name &&
         Var->isThisDeclarationADefinition() != VarDecl::DeclarationOnly &&
         isAt(Var->getLocation(), Edit);
}

void EditText::refuse(size_t Edit, SourceLocation Loc, const llvm::Twine &Why) {
  const auto [File, Line] = Builder.place(Loc);
  if (Placed[Edit].Refused.empty())
    Placed[Edit].Refused =
        (Builder.Facts.Strings[File] + ":" + llvm::Twine(Line) + ": " + Why)
            .str();
}

void EditText::put(size_t Edit, SourceLocation Loc, const llvm::Twine &Text,
                   unsigned Length) {
  if (Loc.isInvalid() || Loc.isMacroID())
    return refuse(Edit, Loc, "a macro makes it");
  const auto [File, Offset] = Manager.getDecomposedLoc(Loc);
  const auto Entry = Manager.getFileEntryRefForID(File);
  if (!Entry)
    return refuse(Edit, Loc, "it is in no file");
  const llvm::StringRef Path = Entry->getFileEntry().tryGetRealPathName();
  Placed[Edit].Text.insert({Path, Offset, Length, Text.str()});
}

void EditText::align(size_t Edit, const DeclaratorDecl *Of, uint64_t Bytes) {
  if (Of->getMaxAlignment() >= Bytes * Context.getCharWidth())
    return put(Edit, Of->getLocation(), ""); // it is
  const SourceLocation End = Of->DeclaratorDecl::getSourceRange().getEnd();
  put(Edit,
      End.isMacroID()
          ? End
          : Lexer::getLocForEndOfToken(End, 0, Manager, Context.getLangOpts()),
      " __attribute__((aligned(" + llvm::Twine(Bytes) + ")))");
}

CharSourceRange EditText::written(const Expr *Of) const {
  return Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(Of->getSourceRange()), Manager,
      Context.getLangOpts());
}

llvm::StringRef EditText::lineTo(SourceLocation Loc) const {
  const auto [File, Offset] = Manager.getDecomposedExpansionLoc(Loc);
  const llvm::StringRef Front = Manager.getBufferData(File).take_front(Offset);
  return Front.substr(Front.rfind('\n') + 1);
}

} // namespace kst
