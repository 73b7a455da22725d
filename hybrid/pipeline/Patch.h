// SPDX-License-Identifier: GPL-2.0-or-later
//
// The proposed orders as changes of headers, checked by the front end before
// anybody sees them.

#ifndef KST_HYBRID_PIPELINE_PATCH_H
#define KST_HYBRID_PIPELINE_PATCH_H

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/Analyze.h"

#include <vector>

namespace kst {

/// A patch in the name of which a struct was asked for; nothing was written.
struct PatchText {
  std::string File; ///< one of StructRequest::PatchFiles
  std::string Text; ///< for git apply, under the text of a mail
};

/// One for each file that is named and not without changes. A struct whose
/// verdict is not Reorder is left out, which is noted. An error says why a text
/// cannot be edited safely, or that the compiler laid it out in another way
/// than predicted, or that the file is a header that it changes.
llvm::Expected<std::vector<PatchText>> makePatches(const Analysis &Answer,
                                                   bool Markers);

/// The new texts of all headers that StructRequest::Write asks for, by absolute
/// path, under the same conditions.
llvm::Expected<std::vector<TextFile>> changedHeaders(const Analysis &Answer,
                                                     bool Markers);

} // namespace kst

#endif
