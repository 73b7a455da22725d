// SPDX-License-Identifier: GPL-2.0-or-later
//
// The conditions of #if branches: the directive that stands for one alone, and
// a form in which equal ones compare equal.

#include "analyzer/rewrite/Body.h"

#include "llvm/ADT/StringExtras.h"

namespace kst {

namespace {

std::vector<std::string> words(llvm::StringRef Expr) {
  std::vector<std::string> Found;
  for (const BodyToken &T : lexTokens(Expr, 0, Expr.size()))
    Found.push_back(Expr.slice(T.Begin, T.End).str());
  return Found;
}

/// `defined X`, `defined(X)` and their negations in one form; else the tokens.
std::string canonical(llvm::StringRef Word, llvm::StringRef Expr) {
  std::vector<std::string> W = words(Expr);
  if (Word == "ifdef" || Word == "elifdef")
    return (llvm::Twine("defined(") + llvm::join(W, " ") + ")").str();
  if (Word == "ifndef" || Word == "elifndef")
    return (llvm::Twine("!defined(") + llvm::join(W, " ") + ")").str();
  size_t At = !W.empty() && W[0] == "!" ? 1 : 0;
  llvm::StringRef Not = At ? "!" : "";
  if (W.size() == At + 2 && W[At] == "defined")
    return (Not + "defined(" + W[At + 1] + ")").str();
  if (W.size() == At + 4 && W[At] == "defined" && W[At + 1] == "(" &&
      W[At + 3] == ")")
    return (Not + "defined(" + W[At + 2] + ")").str();
  return llvm::join(W, " ");
}

bool plainlyDefined(llvm::StringRef Canonical, std::string &Name) {
  Canonical.consume_front("!");
  if (!Canonical.consume_front("defined(") || !Canonical.consume_back(")"))
    return false;
  Name = Canonical.str();
  return Canonical.find_first_of("()!&|") == llvm::StringRef::npos;
}

} // namespace

std::string CondBlock::directive(size_t N) const {
  if (N == 0)
    return Branches[0].Text;
  auto Part = [](const CondBranch &Branch, bool Negate) {
    std::string Form = canonical(Branch.Word, Branch.Expr), Name;
    if (plainlyDefined(Form, Name)) {
      bool Not = (Form[0] == '!') != Negate;
      return (llvm::Twine(Not ? "!" : "") + "defined(" + Name + ")").str();
    }
    return (llvm::Twine(Negate ? "!(" : "(") + Branch.Expr + ")").str();
  };
  std::vector<std::string> Parts;
  for (size_t I = 0; I != N; ++I)
    Parts.push_back(Part(Branches[I], /*Negate=*/true));
  if (Branches[N].Word != "else")
    Parts.push_back(Part(Branches[N], /*Negate=*/false));
  std::string Name;
  if (Parts.size() == 1 && plainlyDefined(Parts[0], Name))
    return (llvm::Twine(Parts[0][0] == '!' ? "#ifndef " : "#ifdef ") + Name)
        .str();
  return (llvm::Twine("#if ") + llvm::join(Parts, " && ")).str();
}

std::string CondBlock::key(size_t N) const {
  if (N == 0)
    return canonical(Branches[0].Word, Branches[0].Expr);
  std::string Line = directive(N);
  auto [Word, Expr] = llvm::StringRef(Line).drop_front(1).split(' ');
  return canonical(Word, Expr);
}

} // namespace kst
