// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text of a struct's body cut into pieces that can be carried about:
// member declarations, comments, directives. Macros are not expanded, so every
// branch of every #if is seen, whatever the configuration.

#pragma once

#include "analyzer/rewrite/BodyTokens.h"
#include "hybrid/core/Record.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// One #if, #elif or #else.
struct CondBranch {
  std::string Word; ///< "if", "ifdef", "elif", "else", ...
  std::string Expr; ///< what follows, without comments, on one line
  std::string Text; ///< the directive's lines as written, without the last
                    ///< line's end
};

/// #if ... #endif at the depth of the members.
struct CondBlock {
  std::vector<CondBranch> Branches;
  std::string Endif;              ///< as written, without the line's end
  uint32_t Begin = 0, End = 0;    ///< whole lines, #if to #endif
  uint32_t Line = 0, EndLine = 0; ///< of these two

  /// The directive that begins branch N on its own: as written for the first,
  /// else made of the conditions of all before, negated, and its own.
  std::string directive(size_t N) const;
  /// A form of that in which equal conditions are equal strings, however they
  /// are spelled: `#ifdef X` and `#if defined(X)`.
  std::string key(size_t N) const;
};

/// Where a piece lies: branch `Branch` of block `Block`.
struct BranchRef {
  uint32_t Block = 0, Branch = 0;
  bool operator==(const BranchRef &) const = default;
};

enum class PieceKind {
  Member,    ///< one declaration, or several that share a line
  Comment,   ///< a comment on lines of its own
  Directive, ///< a directive that is not a condition
  Macro,     ///< a macro on a line of its own, without ';'
  Nothing    ///< an empty branch of an #if; no text
};

/// Whole lines of the body; on those of the braces, what is inside of them.
struct Piece {
  PieceKind Kind = PieceKind::Member;
  uint32_t Begin = 0, End = 0; ///< offsets; End is past the line's end
  uint32_t Line = 0;           ///< of Begin, from 1
  uint32_t EndLine = 0;        ///< last line
  std::vector<BranchRef> Path; ///< outermost first
  /// Of the declarations; comments and directives inside left out.
  std::vector<BodyToken> Tokens;
  bool SeveralDeclarations = false;
  bool Block = false; ///< a whole #if...#endif that must stay in one piece
};

/// The body of one definition. Text between two pieces is blank lines and
/// conditions only.
struct Body {
  /// Of the first line after that of the '{'; behind the '{' when a member
  /// begins on its line.
  uint32_t Begin = 0;
  /// Of the line of the '}'; the '}' when something else is on its line.
  uint32_t End = 0;
  std::vector<Piece> Pieces;
  std::vector<CondBlock> Blocks;
  /// Something inside that forbids every edit, with its line; 0: nothing.
  uint32_t ForeignLine = 0;
  std::string Foreign;
};

/// Finds the definition by Record's Name, Line and EndLine and cuts its body.
/// The error says with its line what cannot be understood: conditions that
/// cut through a declaration, lines that a backslash joins, a text that is not
/// the one that was compiled.
llvm::Expected<Body> parseBody(llvm::StringRef Text, const RecordInfo &Record);

/// Blocks of which two branches declare the same name become one piece.
void joinAlternatives(Body &Of, llvm::StringRef Text);

} // namespace kst
