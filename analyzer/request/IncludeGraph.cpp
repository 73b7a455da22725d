// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/IncludeGraph.h"

#include "analyzer/compile/BuildTree.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {

namespace {

/// The directories that the unit's arguments name for headers, in their order.
std::vector<std::string> includeDirectories(const CompileUnit &Unit) {
  std::vector<std::string> Found;
  for (size_t I = 0; I + 1 < Unit.Args.size(); ++I) {
    StringRef Arg = Unit.Args[I];
    for (StringRef Name : {"-I", "-isystem", "-iquote", "-idirafter"})
      if (Arg.consume_front(Name)) {
        Found.push_back(absolutePath(
            Unit.Directory, Arg.empty() ? StringRef(Unit.Args[I + 1]) : Arg));
        break;
      }
  }
  return Found;
}

/// The name after #include, with its first delimiter; "" on another line.
StringRef includedName(StringRef Line) {
  Line = Line.ltrim(" \t");
  if (!Line.consume_front("#"))
    return "";
  Line = Line.ltrim(" \t");
  if (!Line.consume_front("include"))
    return "";
  Line = Line.ltrim(" \t");
  const char End = Line.starts_with("<") ? '>' : '"';
  if (!Line.starts_with("<") && !Line.starts_with("\""))
    return "";
  return Line.take_front(std::min(Line.find(End, 1), Line.size()));
}

} // namespace

IncludeGraph::IncludeGraph(ArrayRef<CompileUnit> Units) {
  for (uint32_t U = 0; U != Units.size(); ++U) {
    std::vector<std::string> Directories = includeDirectories(Units[U]);
    if (uint32_t Source = enter(Units[U].File); Source != NoFile)
      Files[Source].Units.push_back(U);
    // What is forced on a unit counts as included by its source.
    for (size_t I = 0; I + 1 < Units[U].Args.size(); ++I)
      if (Units[U].Args[I] == "-include")
        if (uint32_t Forced =
                enter(absolutePath(Units[U].Directory, Units[U].Args[I + 1]));
            Forced != NoFile && Known.count(Units[U].File))
          Files[Forced].IncludedBy.push_back(Known[Units[U].File]);
    while (!Pending.empty()) {
      uint32_t Next = Pending.back();
      Pending.pop_back();
      follow(Next, Directories);
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
  StringRef Rest = text(From); // the buffer stays where it is
  for (size_t At = Rest.find("include"); At != StringRef::npos;
       At = Rest.find("include")) {
    const size_t Begin = Rest.take_front(At).rfind('\n') + 1; // npos + 1 == 0
    auto [Line, Behind] = Rest.drop_front(Begin).split('\n');
    Rest = Behind;
    StringRef Name = includedName(Line);
    if (Name.size() < 2)
      continue;
    const bool Quoted = Name.front() == '"';
    Name = Name.drop_front();
    if (sys::path::is_absolute(Name)) {
      Enter(Name.str());
      continue;
    }
    if (Quoted && Enter(Folder + "/" + Name.str()))
      continue;
    for (const std::string &Directory : Directories)
      if (Enter(Directory + "/" + Name.str()))
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
