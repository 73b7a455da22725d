// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether structs that are asked for exist at all, by the texts of a tree, of
// which no unit need be selected: a struct that a change does not touch is no
// usageError, one that no file has is.

#pragma once

#include "analyzer/compile/StructScan.h"
#include "hybrid/core/RecordSpelling.h"

#include "llvm/ADT/ArrayRef.h"

#include <set>
#include <string>
#include <vector>

namespace kst {

/// What the texts say of one.
struct StructAnswer {
  /// As the analysis finds it (see RecordSpelling): the tag where a typedef was
  /// asked for.
  std::string Name;
  /// Why there is none, and what to say instead; "": no usageError.
  std::string Mistake;
  /// A text defines it; otherwise a macro may.
  bool Defined = false;
};

class StructLookup {
public:
  /// As people spell them: NAME, NAME@FILE or NAME@FILE:LINE; typedefs too.
  explicit StructLookup(llvm::ArrayRef<std::string> Asked);

  /// `File` is relative to the source root. Lines are not looked at.
  void look(const std::string &File, llvm::StringRef Text);
  /// No other text can change an answer.
  bool done() const;
  /// In the order asked for. Tags: names to propose instead of misspelt ones.
  std::vector<StructAnswer> answers(const std::set<std::string> &Tags) const;

private:
  struct Search {
    std::string Asked;
    RecordSpelling Spelling;
    bool Found = false;
    std::vector<ScannedTypedef> Typedefs;
    std::set<std::string> Elsewhere; ///< other files that define it
    bool Possible = false;           ///< by a macro
  };
  static StructAnswer answer(const Search &Of,
                             const std::set<std::string> &Tags);

  std::vector<Search> Searches;
};

} // namespace kst
