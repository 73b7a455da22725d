// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Declarators.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace kst {

namespace {

llvm::StringRef spell(const BodyToken &T, llvm::StringRef Text) {
  return Text.slice(T.Begin, T.End);
}

bool isName(const BodyToken &T, llvm::StringRef Text) {
  return T.Kind == tok::raw_identifier && !isTypeWord(spell(T, Text));
}

bool opens(const BodyToken &T) {
  return T.Kind == tok::l_paren || T.Kind == tok::l_square ||
         T.Kind == tok::l_brace;
}

bool closes(const BodyToken &T) {
  return T.Kind == tok::r_paren || T.Kind == tok::r_square ||
         T.Kind == tok::r_brace;
}

} // namespace

std::vector<llvm::StringRef> possibleNames(const Piece &Declaration,
                                           llvm::StringRef Text) {
  std::vector<llvm::StringRef> Names;
  const std::vector<BodyToken> &Tokens = Declaration.Tokens;
  int Parens = 0;
  for (size_t I = 0; I != Tokens.size(); ++I) {
    const BodyToken &T = Tokens[I];
    if (T.Kind == tok::l_paren || T.Kind == tok::l_square)
      ++Parens;
    if (T.Kind == tok::r_paren || T.Kind == tok::r_square)
      --Parens;
    if (!isName(T, Text) || I + 1 == Tokens.size())
      continue;
    tok::TokenKind Next = Tokens[I + 1].Kind;
    bool Pointer = I > 1 && Tokens[I - 1].Kind == tok::star &&
                   Tokens[I - 2].Kind == tok::l_paren && Next == tok::r_paren &&
                   Parens == 1;
    bool Plain = Parens == 0 && (Next == tok::semi || Next == tok::comma ||
                                 Next == tok::l_square || Next == tok::colon ||
                                 Next == tok::raw_identifier);
    // An attribute macro is no name; a type before the name is, of little harm.
    bool Attribute = isA(NameKind::AttributeMacro, spell(T, Text));
    bool Type = Next == tok::raw_identifier &&
                !spell(Tokens[I + 1], Text).starts_with("__");
    if (Pointer || (Plain && !Attribute && !Type))
      Names.push_back(spell(T, Text));
  }
  return Names;
}

bool isBitField(const Piece &Declaration) {
  int Depth = 0;
  for (const BodyToken &T : Declaration.Tokens) {
    Depth += opens(T);
    Depth -= closes(T);
    if (T.Kind == tok::colon && Depth == 0)
      return true;
  }
  return false;
}

/// The words of an enumeration that begin a constant; Brace is its '{'.
static void addConstants(llvm::ArrayRef<BodyToken> Tokens, size_t Brace,
                         llvm::StringRef Text,
                         std::vector<llvm::StringRef> &Names) {
  int Depth = 0;
  for (size_t I = Brace; I + 1 < Tokens.size(); ++I) {
    Depth += opens(Tokens[I]);
    Depth -= closes(Tokens[I]);
    if (Depth == 0)
      return;
    if (Depth == 1 && (I == Brace || Tokens[I].Kind == tok::comma) &&
        isName(Tokens[I + 1], Text))
      Names.push_back(spell(Tokens[I + 1], Text));
  }
}

std::vector<llvm::StringRef> definedNames(const Piece &Declaration,
                                          llvm::StringRef Text) {
  std::vector<llvm::StringRef> Names;
  for (size_t I = 0; I + 1 < Declaration.Tokens.size(); ++I) {
    llvm::StringRef Word = spell(Declaration.Tokens[I], Text);
    if (Word != "struct" && Word != "union" && Word != "enum")
      continue;
    // Attributes may stand between the tag and the brace.
    size_t Brace = I + 1;
    llvm::StringRef Tag;
    for (; Brace < Declaration.Tokens.size(); ++Brace) {
      const BodyToken &T = Declaration.Tokens[Brace];
      if (T.Kind == tok::l_brace || T.Kind == tok::semi ||
          T.Kind == tok::star || T.Kind == tok::comma)
        break;
      if (Tag.empty() && isName(T, Text))
        Tag = spell(T, Text);
    }
    if (Brace >= Declaration.Tokens.size() ||
        Declaration.Tokens[Brace].Kind != tok::l_brace)
      continue;
    if (!Tag.empty())
      Names.push_back(Tag);
    if (Word == "enum")
      addConstants(Declaration.Tokens, Brace, Text, Names);
  }
  return Names;
}

bool mentions(const Piece &Declaration, llvm::StringRef Text,
              llvm::StringRef Name) {
  return llvm::any_of(Declaration.Tokens, [&](const BodyToken &T) {
    return T.Kind == tok::raw_identifier && spell(T, Text) == Name;
  });
}

/// The declarators of one declaration, if it is a list of plain ones; the
/// tokens end with its ';'.
static std::vector<DeclaredPart> declarators(llvm::ArrayRef<BodyToken> Tokens,
                                             llvm::StringRef Text) {
  // The first comma ends the first declarator; that begins at its first star
  // or, without one, at its name.
  size_t Comma = 0, Start = 0;
  int Depth = 0;
  for (size_t I = 0; I != Tokens.size() && !Comma; ++I) {
    if (Tokens[I].Kind == tok::l_brace || Tokens[I].Kind == tok::l_paren ||
        Tokens[I].Kind == tok::r_paren || Tokens[I].Kind == tok::colon)
      return {};
    Depth += opens(Tokens[I]);
    Depth -= closes(Tokens[I]);
    if (!Start && Tokens[I].Kind == tok::star)
      Start = I;
    if (Depth == 0 && Tokens[I].Kind == tok::comma)
      Comma = I;
  }
  if (!Comma)
    return {};
  if (!Start) {
    // The name is the last word, or the one before '['. Attributes without
    // parentheses cannot be told from names: one word only after the type.
    size_t I = Comma;
    for (size_t J = 0; J != Comma; ++J)
      if (Tokens[J].Kind == tok::l_square) {
        I = J;
        break;
      }
    Start = I - 1;
  }
  if (Start == 0 || Start >= Comma)
    return {};
  for (size_t I = 0; I != Start; ++I)
    if (Tokens[I].Kind != tok::raw_identifier)
      return {};
  const std::string Specifiers =
      Text.slice(Tokens[0].Begin, Tokens[Start].Begin).str();
  if (Specifiers.find_first_of("/\n") != std::string::npos)
    return {};
  std::vector<DeclaredPart> Parts;
  size_t First = Start;
  for (size_t I = Start; I != Tokens.size(); ++I) {
    Depth += opens(Tokens[I]);
    Depth -= closes(Tokens[I]);
    if (Tokens[I].Kind == tok::colon)
      return {};
    if (Depth != 0 ||
        (Tokens[I].Kind != tok::comma && Tokens[I].Kind != tok::semi))
      continue;
    if (I == First)
      return {};
    std::string Declarator =
        Text.slice(Tokens[First].Begin, Tokens[I - 1].End).str();
    if (Declarator.find_first_of("\n/{") != std::string::npos)
      return {};
    const uint32_t Begin =
        Parts.empty() ? Tokens[0].Begin : Tokens[First].Begin;
    Parts.push_back({Specifiers + Declarator + ";", Begin, Tokens[I].End});
    First = I + 1;
  }
  return First == Tokens.size() ? Parts : std::vector<DeclaredPart>();
}

std::vector<DeclaredPart> partsOf(const Piece &Declaration,
                                  llvm::StringRef Text) {
  const std::vector<BodyToken> &Tokens = Declaration.Tokens;
  if (Declaration.Block || Declaration.Kind != PieceKind::Member ||
      Tokens.empty() || Tokens.back().Kind != tok::semi)
    return {};
  // What stands between two tokens is white space, a comment or a directive.
  for (size_t I = 1; I != Tokens.size(); ++I)
    if (Text.slice(Tokens[I - 1].End, Tokens[I].Begin).find_first_of("#\\") !=
        llvm::StringRef::npos)
      return {};
  std::vector<DeclaredPart> Parts;
  size_t First = 0;
  int Depth = 0;
  for (size_t I = 0; I != Tokens.size(); ++I) {
    Depth += opens(Tokens[I]);
    Depth -= closes(Tokens[I]);
    if (Depth != 0 || Tokens[I].Kind != tok::semi)
      continue;
    llvm::ArrayRef<BodyToken> One =
        llvm::ArrayRef(Tokens).slice(First, I + 1 - First);
    std::vector<DeclaredPart> Listed = declarators(One, Text);
    if (Listed.empty())
      Listed.push_back({Text.slice(One[0].Begin, Tokens[I].End).str(),
                        One[0].Begin, Tokens[I].End});
    llvm::append_range(Parts, Listed);
    First = I + 1;
  }
  return Parts;
}

void joinAlternatives(Body &Declaration, llvm::StringRef Text) {
  // Innermost blocks come last in the list of blocks, outer ones first; an
  // outer one that must be joined takes the inner ones along.
  for (uint32_t Index = 0; Index != Declaration.Blocks.size(); ++Index) {
    if (Declaration.Blocks[Index].Branches.size() < 2)
      continue;
    llvm::StringMap<uint32_t> BranchOf;
    bool Shared = false;
    size_t First = Declaration.Pieces.size(), Last = 0;
    std::vector<BranchRef> Outer;
    for (size_t I = 0; I != Declaration.Pieces.size(); ++I) {
      const Piece &P = Declaration.Pieces[I];
      auto Where = llvm::find_if(
          P.Path, [&](const BranchRef &R) { return R.Block == Index; });
      if (Where == P.Path.end())
        continue;
      First = std::min(First, I);
      Last = I;
      Outer.assign(P.Path.begin(), Where);
      if (P.Kind != PieceKind::Member)
        continue;
      for (llvm::StringRef Name : possibleNames(P, Text)) {
        auto [It, New] = BranchOf.try_emplace(Name, Where->Branch);
        Shared |= !New && It->second != Where->Branch;
      }
    }
    if (!Shared)
      continue;
    Piece Whole;
    Whole.Block = true;
    Whole.Path = Outer;
    // From the line of the #if to that of the #endif.
    const CondBlock &Block = Declaration.Blocks[Index];
    Whole.Begin = Block.Begin;
    Whole.End = Block.End;
    Whole.Line = Block.Line;
    Whole.EndLine = Block.EndLine;
    for (size_t I = First; I <= Last; ++I)
      if (Declaration.Pieces[I].Kind == PieceKind::Member ||
          Declaration.Pieces[I].Kind == PieceKind::Macro)
        Whole.Tokens.insert(Whole.Tokens.end(),
                            Declaration.Pieces[I].Tokens.begin(),
                            Declaration.Pieces[I].Tokens.end());
    Declaration.Pieces.erase(Declaration.Pieces.begin() + First,
                             Declaration.Pieces.begin() + Last + 1);
    Declaration.Pieces.insert(Declaration.Pieces.begin() + First,
                              std::move(Whole));
  }
}

} // namespace kst
