// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code is a unit's own and which is of headers: of its own code every
// function counts, of headers what that can reach.

#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace kst {

/// Whether clang's driver would compile a file of that name by itself: `.c`,
/// `.cc`, `.i`; no header and nothing that it does not know.
bool isSourceName(llvm::StringRef Path);

/// The file that a place says it is from, if its text has #line directives or
/// the line markers of a preprocessor: what debug information has, and what
/// people edit. None where the physical place is all there is.
std::optional<clang::PresumedLoc>
presumedPlace(const clang::SourceManager &Sources,
              clang::SourceLocation Expansion);

/// Whether a place belongs to the main file, whatever that is called, or to a
/// source that it includes. In preprocessed text, lines of a header that a
/// marker enters do not; a plain #line directive, as parser generators write
/// it, enters nothing.
bool isOwnPlace(const clang::SourceManager &Sources,
                clang::SourceLocation Where);

/// Whether the unit itself defines the function: in its own text, or so that
/// the compiler emits it for others, wherever it stands. No templates; of
/// those, the instances.
bool isOwnFunction(clang::ASTContext &Context,
                   const clang::FunctionDecl *Definition);

} // namespace kst
