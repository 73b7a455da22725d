// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces whose accesses to globals are replayed.

#ifndef KST_HYBRID_PIPELINE_GLOBALTRACES_H
#define KST_HYBRID_PIPELINE_GLOBALTRACES_H

#include "hybrid/core/ObjectFile.h"
#include "hybrid/isolation/GlobalReplay.h"
#include "hybrid/pipeline/Errors.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace kst {

class GlobalTrace {
public:
  /// A mistake if it is no trace, has samples, or is of another link than the
  /// image: variables that it names are elsewhere there.
  static llvm::Expected<GlobalTrace> open(const std::string &File,
                                          const ObjectFile &Image, bool Quiet);

  unsigned cpus() const { return Cpus; }
  /// From the beginning.
  llvm::Error replay(const std::vector<GlobalReplay *> &To) const;

private:
  std::string File;
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  unsigned Cpus = 1;
  bool Quiet = false;
};

} // namespace kst

#endif
