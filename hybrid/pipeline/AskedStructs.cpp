// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/AskedStructs.h"

#include "analyzer/compile/SourceTree.h"
#include "analyzer/request/StructLookup.h"
#include "analyzer/request/StructSearch.h"
#include "hybrid/pipeline/TreeFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

namespace kst {

namespace {

/// The files of both states of a tree.
class BothStates {
public:
  explicit BothStates(const ChangedCode &Change) : Change(Change) {}

  /// Until Take returns false.
  void forEach(
      llvm::function_ref<bool(llvm::StringRef Path, llvm::StringRef Text)> Take)
      const;
  std::string relative(llvm::StringRef Path) const {
    Path.consume_front(Change.Root);
    Path.consume_front("/");
    return Path.str();
  }
  std::set<std::string> tagsNearby() const;

private:
  std::vector<std::string> nearFolders() const;

  const ChangedCode &Change;
};

/// Those of the changed files, and where headers of the kernel are.
std::vector<std::string> BothStates::nearFolders() const {
  std::set<std::string> Folders;
  for (const ChangedSource &Source : Change.Sources)
    if (llvm::StringRef Folder = llvm::sys::path::parent_path(Source.Name);
        !Folder.empty())
      Folders.insert(absolutePath(Change.Root, Folder));
  Folders.insert(absolutePath(Change.Root, "include"));
  return {Folders.begin(), Folders.end()};
}

void BothStates::forEach(
    llvm::function_ref<bool(llvm::StringRef Path, llvm::StringRef Text)> Take)
    const {
  for (const FileOverlay *State : {&Change.Base, &Change.Head})
    for (const auto &Changed : State->files())
      if (Changed.second.Text && !Take(Changed.first(), *Changed.second.Text))
        return;
  std::vector<std::string> Folders = nearFolders();
  Folders.push_back(Change.Root);
  for (const std::string &Folder : Folders)
    if (!forEachSource(Folder, [&](llvm::StringRef Path, llvm::StringRef Text) {
          // In neither state as it is on disk.
          return (Change.Base.find(Path) && Change.Head.find(Path)) ||
                 Take(Path, Text);
        }))
      return;
}

/// To propose instead of a misspelt name.
std::set<std::string> BothStates::tagsNearby() const {
  std::set<std::string> Tags;
  auto Collect = [&](llvm::StringRef, llvm::StringRef Text) {
    collectStructs(Text, Tags);
    return true;
  };
  for (const FileOverlay *State : {&Change.Base, &Change.Head})
    for (const auto &Changed : State->files())
      if (Changed.second.Text)
        collectStructs(*Changed.second.Text, Tags);
  for (const std::string &Folder : nearFolders())
    forEachSource(Folder, Collect);
  return Tags;
}

} // namespace

AskedStructs::AskedStructs(const ChangedCode &Change,
                           const std::vector<StructRequest> &Structs) {
  if (Structs.empty())
    return;
  std::vector<std::string> Names;
  for (const StructRequest &Struct : Structs)
    Names.push_back(Struct.Name);
  const BothStates Texts(Change);
  StructLookup Lookup(Names);
  Texts.forEach([&](llvm::StringRef Path, llvm::StringRef Text) {
    Lookup.look(Texts.relative(Path), Text);
    return !Lookup.done();
  });
  const std::vector<StructAnswer> Answers = Lookup.answers(
      Lookup.done() ? std::set<std::string>() : Texts.tagsNearby());
  for (size_t I = 0; I != Structs.size(); ++I) {
    const StructAnswer &Answer = Answers[I];
    if (!Answer.Mistake.empty()) {
      Mistakes.push_back(Answer.Mistake);
      continue;
    }
    if (Answer.Defined)
      Defined.insert(Answer.Name);
    Known.push_back(Structs[I]);
    Known.back().Name = Answer.Name;
  }
}

void AskedStructs::look(const Program &Head, const Program &Base) {
  for (const StructRequest &Struct : Known) {
    const RecordSpelling Spelling = parseRecordSpelling(Struct.Name);
    if (!Head.recordsNamed(Struct.Name).empty() ||
        !Base.recordsNamed(Struct.Name).empty())
      Seen.insert(Struct.Name);
    if (!Spelling.Line)
      continue;
    const std::string AnyLine =
        RecordSpelling{Spelling.Name, Spelling.File, 0}.text();
    for (RecordId Id : Head.recordsNamed(AnyLine)) {
      const RecordInfo Record = Head.recordInfo(Id);
      OtherLines[Struct.Name].insert(
          RecordSpelling{Record.Name, Record.File, Record.Line}.text());
    }
  }
}

std::vector<std::string> AskedStructs::misplaced() const {
  std::vector<std::string> Wrong;
  for (const auto &[Name, Places] : OtherLines)
    if (!Seen.contains(Name)) {
      Wrong.push_back(notInPlace(parseRecordSpelling(Name)));
      for (const std::string &Place : Places)
        Wrong.back() += "\n  " + Place;
    }
  return Wrong;
}

std::vector<std::string> AskedStructs::undefined() const {
  std::vector<std::string> Names;
  for (const StructRequest &Struct : Known)
    if (!Defined.contains(Struct.Name) && !Seen.contains(Struct.Name) &&
        !OtherLines.contains(Struct.Name))
      Names.push_back(Struct.Name);
  return Names;
}

} // namespace kst
