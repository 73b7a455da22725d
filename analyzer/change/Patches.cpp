// SPDX-License-Identifier: GPL-2.0-or-later
//
// A patch against the tree on disk, or in it already. git applies it to copies
// of the files that it names.

#include "analyzer/change/Git.h"
#include "analyzer/change/SourceChange.h"
#include "analyzer/files/InputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;

namespace kst {
namespace {

/// Names of files in a patch without their first part; rather too many.
std::set<std::string> namesIn(StringRef Patch) {
  std::set<std::string> Names;
  SmallVector<StringRef, 0> Lines;
  Patch.split(Lines, '\n');
  for (StringRef Line : Lines) {
    Line = Line.rtrim('\r');
    StringRef Name;
    if (Line.consume_front("--- ") || Line.consume_front("+++ "))
      Name = Line.split('\t').first.split('/').second;
    else if (Line.consume_front("rename from ") ||
             Line.consume_front("rename to ") ||
             Line.consume_front("copy from ") || Line.consume_front("copy to "))
      Name = Line;
    else if (Line.consume_front("diff --git "))
      Name = Line.split(" b/").second;
    Name = Name.rtrim();
    SmallVector<StringRef, 8> Parts;
    Name.split(Parts, '/');
    if (!Name.empty() && Name.front() != '/' && !is_contained(Parts, ".."))
      Names.insert(Name.str());
  }
  return Names;
}

Error writeText(const std::string &Path, StringRef Text) {
  if (std::error_code Why =
          sys::fs::create_directories(sys::path::parent_path(Path)))
    return errorCodeToError(Why);
  std::error_code Why;
  raw_fd_ostream To(Path, Why);
  if (Why)
    return errorCodeToError(Why);
  To << Text;
  return Error::success();
}

} // namespace

Expected<SourceChange> changeOfPatch(const std::string &Given,
                                     const std::string &Root) {
  constexpr uint64_t MostBytes = 64 << 20;
  auto Bytes = inputBytes(Given, MostBytes);
  if (!Bytes)
    return Bytes.takeError();
  const StringRef Patch = (*Bytes)->getBuffer();
  const std::string Shown = Given == "-" ? "the patch" : Given;
  const std::set<std::string> Names = namesIn(Patch);
  if (Names.empty())
    return createStringError(std::errc::invalid_argument,
                             "%s: no patch: it names no file", Shown.c_str());
  auto Scratch = ScratchDirectory::create();
  if (!Scratch)
    return Scratch.takeError();
  SourceChange Change{"the tree", Shown, {}};
  const std::string Copies = Scratch->path() + "/tree";
  if (std::error_code Why = sys::fs::create_directories(Copies))
    return errorCodeToError(Why);
  for (const std::string &Name : Names) {
    Change.Files.push_back(
        {Name, textIfThere(Root + "/" + Name), std::nullopt});
    if (const auto &Text = Change.Files.back().Base)
      if (Error Wrong = writeText(Copies + "/" + Name, *Text))
        return Wrong;
  }
  auto Apply = [&](std::vector<std::string> More) {
    std::vector<std::string> Arguments = {"apply", "--whitespace=nowarn",
                                          "-p1"};
    append_range(Arguments, More);
    return git(Copies, Arguments, Patch, Scratch->path()).takeError();
  };
  bool Inside = false; ///< the tree has it already
  if (Error Wrong = Apply({})) {
    if (Error NorBack = Apply({"-R"})) {
      consumeError(std::move(NorBack));
      return createStringError(
          std::errc::invalid_argument,
          "%s does not apply to %s, nor is it in it already: %s", Shown.c_str(),
          Root.c_str(), toString(std::move(Wrong)).c_str());
    }
    consumeError(std::move(Wrong));
    Inside = true;
  }
  for (ChangedFile &File : Change.Files) {
    File.Head = textIfThere(Copies + "/" + File.Name);
    if (Inside)
      std::swap(File.Base, File.Head);
  }
  if (Inside)
    Change = {"the tree without " + Shown, "the tree", std::move(Change.Files)};
  return Change;
}

} // namespace kst
