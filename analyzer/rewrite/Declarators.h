// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a member declaration declares, as far as its tokens tell without a
// symbol table: enough to find bit-fields, names that two branches share, and
// lists of declarators that can be taken apart.

#pragma once

#include "analyzer/rewrite/Body.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

/// Identifiers that may be names of members at any depth of braces; some may
/// be attributes. For comparing branches, where one too many does no harm.
std::vector<llvm::StringRef> possibleNames(const Piece &Declaration,
                                           llvm::StringRef Text);

/// `type name : 3;` and lists of such.
bool isBitField(const Piece &Declaration);

/// Tags that the piece defines: `struct X {`, `enum X {`.
std::vector<llvm::StringRef> definedTags(const Piece &Declaration,
                                         llvm::StringRef Text);

/// True if an identifier of that spelling is among the tokens.
bool mentions(const Piece &Declaration, llvm::StringRef Text,
              llvm::StringRef Name);

/// `int a, *b;` as one text for each declarator.
struct SplitDeclaration {
  std::string Specifiers; ///< "int", with what separates it from the first
  std::vector<std::string> Declarators; ///< "a", "*b"
  std::vector<uint32_t> Ends;           ///< offset past each one's ',' or ';'
};

/// Nothing when the list is not one of plain declarators: bit-fields, braces,
/// directives inside, parentheses before the first name.
std::optional<SplitDeclaration> splitDeclaration(const Piece &Declaration,
                                                 llvm::StringRef Text);

} // namespace kst
