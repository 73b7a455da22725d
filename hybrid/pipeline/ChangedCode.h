// SPDX-License-Identifier: GPL-2.0-or-later
//
// A change as a review sees it: the files whose code differs, and both states
// of the tree.

#ifndef KST_HYBRID_PIPELINE_CHANGEDCODE_H
#define KST_HYBRID_PIPELINE_CHANGEDCODE_H

#include "analyzer/facts/OwnCode.h"
#include "analyzer/run/FileOverlay.h"

#include "llvm/Support/Error.h"

#include <set>
#include <string>
#include <vector>

namespace kst {

/// A file that a compiler may read; other files change no layout.
struct ChangedSource {
  std::string Name;         ///< relative to the source root
  bool MembersOnly = false; ///< nothing but members of structs differs
  /// Or another part of units; a source may be a part, too.
  bool isHeader() const { return !isSourceName(Name); }
};

struct ChangedCode {
  std::string Root;                   ///< the source root, absolute
  std::string BaseName, HeadName;     ///< what people call the two states
  std::vector<ChangedSource> Sources; ///< by name
  std::vector<std::string> Notes;     ///< on how it was read, for people
  FileOverlay Base, Head;             ///< where they differ from the disk

  std::set<std::string> names() const;
  /// The absolute name.
  std::string path(const ChangedSource &Source) const;
  /// Of a file of the head, by its name relative to the source root; "" if it
  /// has none.
  std::string headText(const std::string &Relative) const;
};

/// `Change` as readChange() takes it, of the tree `At`, which is `Root` or a
/// directory below it. What is wrong with it is a usageError of the
/// user.
llvm::Expected<ChangedCode> readChangedCode(const std::string &Change,
                                            const std::string &Root,
                                            const std::string &At);

} // namespace kst

#endif
