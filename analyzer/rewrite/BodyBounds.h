// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the body of a definition begins and ends, and where its lines do: what
// must be right before anything in it is cut.

#pragma once

#include "analyzer/rewrite/Body.h"

#include "llvm/ADT/ArrayRef.h"

namespace kst {

/// An error that says "line N: why".
llvm::Error refuse(uint32_t Line, const llvm::Twine &Why);

/// Indices of the two tokens.
struct BodyBraces {
  size_t Open = 0, Close = 0;
};

/// The braces of Record's definition; Tokens are those of Text from the line of
/// the record on. Fails where a macro makes it, and where the text is not the
/// one that was compiled.
llvm::Expected<BodyBraces> findBraces(llvm::ArrayRef<RawToken> Tokens,
                                      llvm::StringRef Text,
                                      const LineMap &Lines,
                                      const RecordInfo &Record);

/// Refuses what would not survive a move of lines: a backslash at the end of a
/// piece or a condition, which joins it to what follows; a form feed between
/// pieces.
llvm::Error checkJoints(const Body &Of, llvm::StringRef Text,
                        const LineMap &Lines);

} // namespace kst
