// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/TraceBytes.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/pipeline/Errors.h"
#include "hybrid/trace/TraceFile.h"

namespace kst {

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
traceBytes(const std::string &File) {
  auto Buffer = inputBytes(File, MaxTraceBytes);
  if (!Buffer)
    return usageError(llvm::toString(Buffer.takeError()));
  if (!looksLikeTrace(bytesOf(**Buffer)))
    return usageError(File + ": not a trace (.kstt)");
  return std::move(*Buffer);
}

} // namespace kst
