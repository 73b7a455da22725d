// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugInfo.h"

namespace kst {

std::unique_ptr<llvm::DWARFContext>
debugInfo(const llvm::object::ObjectFile &Object) {
  auto Ignore = [](llvm::Error E) { llvm::consumeError(std::move(E)); };
  return llvm::DWARFContext::create(
      Object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "",
      Ignore, Ignore);
}

llvm::Expected<DebugInfo> DebugInfo::open(const std::string &File) {
  auto Binary = llvm::object::ObjectFile::createObjectFile(File);
  if (!Binary)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s: %s",
                                   File.c_str(),
                                   llvm::toString(Binary.takeError()).c_str());
  DebugInfo Out;
  Out.Binary = std::move(*Binary);
  Out.Context = debugInfo(*Out.Binary.getBinary());
  return std::move(Out);
}

} // namespace kst
