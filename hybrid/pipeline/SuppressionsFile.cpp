// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/SuppressionsFile.h"

#include "analyzer/files/InputFile.h"

namespace kst {

llvm::Expected<std::optional<Suppressions>>
readSuppressions(const std::string &File) {
  if (File.empty())
    return std::nullopt;
  auto Text = readFile(File);
  if (!Text)
    return usageError("--suppressions " + llvm::toString(Text.takeError()));
  auto Parsed = orMistake(Suppressions::parse(*Text, File));
  if (!Parsed)
    return Parsed.takeError();
  return std::move(*Parsed);
}

llvm::Error suppress(const std::optional<Suppressions> &Silent,
                     FindingList &List) {
  return Silent ? errors(ExitUsage, Silent->apply(List))
                : llvm::Error::success();
}

} // namespace kst
