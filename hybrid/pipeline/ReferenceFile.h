// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts of others in a file: a profile, or the text of a reference, of which
// an analysis needs what is about its functions.

#pragma once

#include "hybrid/profile/Profile.h"
#include "hybrid/profile/VisitorTable.h"
#include "hybrid/program/Program.h"

#include "llvm/Support/Error.h"

#include <span>
#include <string>

namespace kst {

class ReferenceFile {
public:
  /// A .kstp, or the text of a reference; both also compressed by zstd, of at
  /// most 64 MiB. Reads all of it, so that a usageError is found at once.
  static llvm::Expected<ReferenceFile> open(const std::string &File);

  llvm::Expected<Profile> whole() const;
  /// At least all that is about functions of the program's names.
  llvm::Expected<Profile> of(const Program &Whole) const;
  /// "fork", its label, or "42 recordings on 6.12.117".
  std::string name() const;
  /// Who comes, as far as it knows.
  const VisitorTable &visitors() const { return Visitors; }

private:
  std::string File;
  std::string Text; ///< of a reference
  Profile About;    ///< without its functions, if there is a Text
  VisitorTable Visitors;
};

/// Their names, each once.
std::string namesOf(std::span<const ReferenceFile> References);

} // namespace kst
