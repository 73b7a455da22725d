// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/IncludeGraph.h"

#include "analyzer/compile/BuildTree.h"
#include "analyzer/compile/IncludeLines.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {

IncludeGraph::IncludeGraph(ArrayRef<CompileUnit> Units) {
  for (uint32_t U = 0; U != Units.size(); ++U) {
    const HeaderSearch Search = headerSearch(Units[U]);
    if (uint32_t Source = enter(Units[U].File); Source != NoFile)
      Files[Source].Units.push_back(U);
    // What is forced on a unit counts as included by its source.
    for (const std::string &Path : Search.Forced)
      if (uint32_t Forced = enter(Path);
          Forced != NoFile && Known.count(Units[U].File))
        Files[Forced].IncludedBy.push_back(Known[Units[U].File]);
    while (!Pending.empty()) {
      uint32_t Next = Pending.back();
      Pending.pop_back();
      follow(Next, Search.Directories);
    }
  }
}

uint32_t IncludeGraph::enter(const std::string &Path) {
  auto [It, New] = Known.try_emplace(Path, NoFile);
  if (!New)
    return It->second;
  if (!sys::fs::is_regular_file(Path))
    return NoFile;
  auto Text = readRegularFile(Path);
  if (!Text) {
    consumeError(Text.takeError());
    return NoFile;
  }
  It->second = Files.size();
  Files.push_back({Path, std::move(*Text), {}, {}});
  Pending.push_back(It->second);
  return It->second;
}

void IncludeGraph::follow(uint32_t From, ArrayRef<std::string> Directories) {
  const std::string Folder = sys::path::parent_path(Files[From].Path).str();
  auto Enter = [&](const std::string &Path) {
    uint32_t File = enter(absolutePath("/", Path));
    if (File != NoFile)
      Files[File].IncludedBy.push_back(From);
    return File != NoFile;
  };
  // The buffer stays where it is.
  for (const IncludeLine &Line : includeLines(text(From))) {
    if (sys::path::is_absolute(Line.Name)) {
      Enter(Line.Name.str());
      continue;
    }
    if (Line.Quoted && Enter(Folder + "/" + Line.Name.str()))
      continue;
    for (const std::string &Directory : Directories)
      if (Enter(Directory + "/" + Line.Name.str()))
        break;
  }
}

std::vector<uint32_t> IncludeGraph::unitsReading(uint32_t File,
                                                 size_t Count) const {
  std::vector<uint32_t> Found, Level{File};
  std::vector<bool> Seen(Files.size());
  Seen[File] = true;
  while (!Level.empty() && Found.size() < Count) {
    std::vector<uint32_t> Next;
    for (uint32_t At : Level) {
      for (uint32_t Unit : Files[At].Units)
        if (Found.size() < Count)
          Found.push_back(Unit);
      for (uint32_t By : Files[At].IncludedBy)
        if (!Seen[By]) {
          Seen[By] = true;
          Next.push_back(By);
        }
    }
    Level = std::move(Next);
  }
  return Found;
}

} // namespace kst
