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
  /// Of the image in the file ImagePath. A usageError if it is no trace, has
  /// samples, is of another link than the image: variables that it names are
  /// elsewhere there, or does not say where an image was that can be anywhere.
  static llvm::Expected<GlobalTrace> open(const std::string &File,
                                          const std::string &ImagePath,
                                          const ObjectFile &Image, bool Quiet);

  unsigned cpus() const { return Cpus; }
  /// traceLimits() of it.
  const std::vector<std::string> &limits() const { return Limits; }
  /// From the beginning. How many accesses it has, to globals or not.
  llvm::Expected<uint64_t> replay(const std::vector<GlobalReplay *> &To) const;

private:
  std::string File;
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  unsigned Cpus = 1;
  std::vector<std::string> Limits;
  uint64_t Bias = 0; ///< of its addresses, against those of the image
  bool Quiet = false;
};

} // namespace kst

#endif
