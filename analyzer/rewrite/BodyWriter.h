// SPDX-License-Identifier: GPL-2.0-or-later
//
// A definition as text, its declarations in a new sequence.

#pragma once

#include "analyzer/rewrite/Sequence.h"

#include <map>

namespace kst {

/// Writes the sequence, opening and closing conditions as needed. Members on
/// the lines of the braces get lines of their own.
class BodyWriter {
public:
  /// `Inner`: the new text of items that changed inside.
  BodyWriter(const Definition &Source, llvm::ArrayRef<Placed> List,
             const std::map<uint32_t, std::string> &Inner)
      : Source(Source), Items(Source.items()), Blocks(Source.body().Blocks),
        List(List), Inner(Inner) {
    llvm::StringRef Inside = bodyText();
    if (!Inside.contains('\n'))
      Inside = Source.text();
    Eol = 2 * Inside.count("\r\n") > Inside.count('\n') ? "\r\n" : "\n";
  }

  /// The text of the whole file.
  std::string write();

private:
  /// An open #if. From0: opened at its first branch, so that its #else can
  /// follow.
  struct Frame {
    BranchRef Where;
    bool From0 = false;
  };

  void emit(size_t I);
  void transition(size_t I);
  void close(size_t Depth, std::vector<std::string> &Lines);
  void open(BranchRef Where, std::vector<std::string> &Lines);
  bool blankBefore(size_t I, bool Closes, bool Opens);
  bool paragraphEnds(size_t Stay, size_t Next) const;
  bool verbatim(size_t I) const;
  bool covered(size_t I) const;
  bool leads(size_t I) const;
  std::string textOf(const Placed &P) const;
  std::string partText(const Definition::Item &I, uint32_t Part) const;
  std::string memberIndent() const;
  llvm::StringRef braceIndent() const;
  llvm::StringRef bodyText() const {
    return llvm::StringRef(Source.text())
        .slice(Source.body().Begin, Source.body().End);
  }
  std::string key(const BranchRef &R) const {
    return Blocks[R.Block].key(R.Branch);
  }
  /// Index of the item in the text before or after; End: one past the last.
  llvm::StringRef gapBefore(uint32_t I) const {
    return Source.gapAfter(I ? I - 1 : Definition::Nobody);
  }

  const Definition &Source;
  const std::vector<Definition::Item> &Items;
  const std::vector<CondBlock> &Blocks;
  llvm::ArrayRef<Placed> List;
  const std::map<uint32_t, std::string> &Inner;
  std::string Eol, Out;
  std::vector<Frame> Stack;
  bool JoinsNext = false; ///< what moves went into the block of what follows
  bool Parted = false;    ///< the blank line before that block is written
};

} // namespace kst
