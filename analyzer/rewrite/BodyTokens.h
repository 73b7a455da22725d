// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tokens and lines of a text that no preprocessor has seen.

#pragma once

#include "clang/Basic/TokenKinds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace kst {

/// A token by its place: offsets into the file's text.
struct BodyToken {
  clang::tok::TokenKind Kind = clang::tok::unknown;
  uint32_t Begin = 0, End = 0;
};

struct RawToken : BodyToken {
  bool LineStart = false;
};

/// `Text` as tokens, comments too.
std::vector<RawToken> lexRaw(llvm::StringRef Text, uint32_t Begin,
                             uint32_t End);

/// `Text` as tokens, comments left out.
std::vector<BodyToken> lexTokens(llvm::StringRef Text, uint32_t Begin,
                                 uint32_t End);

/// True for words that begin or continue a type in C.
bool isTypeWord(llvm::StringRef Word);

/// A line of the text between two pieces is blank.
bool hasBlankLine(llvm::StringRef Gap);

/// Offsets of line starts.
class LineMap {
public:
  explicit LineMap(llvm::StringRef Text) : Size(Text.size()) {
    for (size_t I = 0; I != Text.size(); ++I)
      if (Text[I] == '\n')
        Starts.push_back(I + 1);
  }
  uint32_t line(uint32_t Offset) const {
    return llvm::upper_bound(Starts, Offset) - Starts.begin();
  }
  uint32_t begin(uint32_t Line) const {
    return Line <= Starts.size() ? Starts[Line - 1] : Size;
  }
  /// Just past the end of the line.
  uint32_t end(uint32_t Line) const { return begin(Line + 1); }

private:
  uint32_t Size;
  std::vector<uint32_t> Starts{0};
};

/// Column with tabs of eight.
uint32_t columnOf(llvm::StringRef Text, uint32_t LineBegin, uint32_t Offset);

} // namespace kst
