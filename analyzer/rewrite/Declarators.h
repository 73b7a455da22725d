// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a member declaration declares, as far as its tokens tell without a
// symbol table: enough to find bit-fields, names that two branches share, and
// lists of declarators that can be taken apart.

#pragma once

#include "analyzer/rewrite/Body.h"

#include <string>
#include <vector>

namespace kst {

/// Identifiers that may be names of members at any depth of braces; some may
/// be attributes. For comparing branches, where one too many does no harm.
std::vector<llvm::StringRef> possibleNames(const Piece &Declaration,
                                           llvm::StringRef Text);

/// `type name : 3;` and lists of such.
bool isBitField(const Piece &Declaration);

/// What the piece defines besides members: tags (`struct X {`, `enum X {`) and
/// constants of enumerations.
std::vector<llvm::StringRef> definedNames(const Piece &Declaration,
                                          llvm::StringRef Text);

/// True if an identifier of that spelling is among the tokens.
bool mentions(const Piece &Declaration, llvm::StringRef Text,
              llvm::StringRef Name);

/// A declaration that can stand by itself: one of several on a line, or one
/// declarator of a list (`int a, *b;`) with the type it needs.
struct DeclaredPart {
  std::string Text;            ///< "int *b;"
  uint32_t Begin = 0, End = 0; ///< its own text, up to the ',' or ';' included
};

/// The parts of a piece, in order. None when it must stay whole: what is no
/// member, alternatives, directives or a backslash inside. A list with anything
/// but plain declarators (bit-fields, braces, parentheses before the first
/// comma) is one part.
std::vector<DeclaredPart> partsOf(const Piece &Declaration,
                                  llvm::StringRef Text);

} // namespace kst
