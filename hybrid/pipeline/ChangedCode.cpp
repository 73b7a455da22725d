// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ChangedCode.h"

#include "analyzer/change/SameCode.h"
#include "analyzer/change/SourceChange.h"
#include "analyzer/compile/SourceTree.h"
#include "analyzer/files/InputFile.h"
#include "hybrid/pipeline/Errors.h"

namespace kst {

static bool codeDiffers(const ChangedFile &File) {
  return mayBeCode(File.Name) && File.changed() &&
         !(File.Base && File.Head && isSameCode(*File.Base, *File.Head));
}

llvm::Expected<ChangedCode> readChangedCode(const std::string &Asked,
                                            const std::string &Root,
                                            const std::string &At) {
  auto Change = readChange(Asked, At);
  if (!Change)
    return usageError(llvm::toString(Change.takeError()));
  ChangedCode Code;
  Code.Root = Root;
  Code.BaseName = Change->Base;
  Code.HeadName = Change->Head;
  Code.Notes = std::move(Change->Notes);
  for (ChangedFile &File : Change->Files) {
    // A link is read where it leads, as units read it.
    const std::string Path = realPath(At, File.Name);
    File.Name = Path.substr(std::min(Path.size(), Root.size() + 1));
    if (!isBelow(Path, Root))
      continue;
    if (codeDiffers(File))
      Code.Sources.push_back(
          {File.Name, File.Base && File.Head &&
                          differsInMembersOnly(*File.Base, *File.Head)});
    const std::optional<std::string> OnDisk = textIfThere(Path);
    if (File.Base != OnDisk)
      Code.Base.add(Path, std::move(File.Base));
    if (File.Head != OnDisk)
      Code.Head.add(Path, std::move(File.Head));
  }
  return Code;
}

std::set<std::string> ChangedCode::names() const {
  std::set<std::string> Names;
  for (const ChangedSource &Source : Sources)
    Names.insert(Source.Name);
  return Names;
}

std::string ChangedCode::path(const ChangedSource &Source) const {
  return absolutePath(Root, Source.Name);
}

std::string ChangedCode::headText(const std::string &Relative) const {
  const std::string Path = absolutePath(Root, Relative);
  if (const FileOverlay::File *File = Head.find(Path))
    return File->Text.value_or("");
  return textIfThere(Path).value_or("");
}

} // namespace kst
