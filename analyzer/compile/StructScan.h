// SPDX-License-Identifier: GPL-2.0-or-later
//
// Does this text define struct S? A whole tree has tens of thousands of
// files, a struct is defined in one or two of them; looking at the text first
// saves parsing every unit that cannot see the definition.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <set>
#include <string>
#include <vector>

namespace kst {

/// True when Text holds, outside of comments and literals, a definition of
/// record Name: `struct Name {`, `union Name {` (attribute macros between the
/// keyword and the tag allowed), a class of C++, `} Name;`, or the tag argument
/// of the kernel's struct_group_tagged() and __struct_group(). May also be true
/// for a variable declared as `} Name;`. Configuration is not looked at. Of a
/// name in a namespace only its last part is looked for.
bool definesStruct(llvm::StringRef Text, llvm::StringRef Name);

/// What `typedef struct TAG NAME;` and `typedef struct TAG { ... } NAME;` (or
/// union, or one of several names) say about a name.
struct ScannedTypedef {
  std::string Tag;
  bool Pointer = false; ///< the name is a pointer to the record, or an array
  bool operator==(const ScannedTypedef &) const = default;
};

/// The typedefs of Name to a tagged record in Text, outside of comments and
/// literals. Configuration is not looked at.
std::vector<ScannedTypedef> typedefsOf(llvm::StringRef Text,
                                       llvm::StringRef Name);

/// True when a macro of Text defines records whose names it pastes together,
/// and Name could be one: `struct PREFIX##x {`, `struct x##SUFFIX {`.
bool mayPaste(llvm::StringRef Text, llvm::StringRef Name);

/// True when Name stands in Text as a whole word, be it in a comment.
bool mentions(llvm::StringRef Text, llvm::StringRef Name);

/// Adds the tags of all `struct X {` and `union X {` of Text, for suggestions.
void collectStructs(llvm::StringRef Text, std::set<std::string> &Into);

} // namespace kst
