// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two revisions of git. The working tree may be at either, or at neither.

#include "analyzer/change/Git.h"
#include "analyzer/change/SourceChange.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

using namespace llvm;

namespace kst {
namespace {

Expected<std::string> commitOf(StringRef Revision, const std::string &Root) {
  auto Found = git(Root, {"rev-parse", "--verify", "--quiet",
                          "--end-of-options", Revision.str() + "^{commit}"});
  if (!Found) {
    consumeError(Found.takeError());
    return createStringError(std::errc::invalid_argument,
                             "%s: no such revision in %s",
                             Revision.str().c_str(), Root.c_str());
  }
  return StringRef(*Found).trim().str();
}

Error addNames(std::vector<std::string> Arguments, const std::string &Root,
               std::set<std::string> &Names) {
  auto Listed = git(Root, Arguments);
  if (!Listed)
    return Listed.takeError();
  SmallVector<StringRef, 64> Found;
  StringRef(*Listed).split(Found, '\0', -1, /*KeepEmpty=*/false);
  for (StringRef Name : Found)
    Names.insert(Name.str());
  return Error::success();
}

/// Texts of a commit by name; those that it does not have as blobs are missing.
Expected<std::map<std::string, std::string>>
textsOf(const std::string &Commit, const std::set<std::string> &Names,
        const std::string &Root) {
  std::string Asked;
  std::vector<std::string> Order;
  for (const std::string &Name : Names)
    if (Name.find('\n') == std::string::npos) {
      Asked += Commit + ":./" + Name + "\n";
      Order.push_back(Name);
    }
  auto Told = git(Root, {"cat-file", "--batch"}, Asked);
  if (!Told)
    return Told.takeError();
  std::map<std::string, std::string> Texts;
  StringRef Rest = *Told;
  for (const std::string &Name : Order) {
    auto [Head, More] = Rest.split('\n');
    Rest = More;
    SmallVector<StringRef, 3> Words; // object, type, size
    Head.split(Words, ' ');
    size_t Size = 0;
    if (Words.size() < 3 || Words.back().getAsInteger(10, Size))
      continue; // missing
    if (Words[Words.size() - 2] == "blob")
      Texts[Name] = Rest.take_front(Size).str();
    Rest = Rest.drop_front(std::min(Rest.size(), Size + 1));
  }
  return Texts;
}

} // namespace

Expected<SourceChange> changeOfRevisions(StringRef Base, StringRef Head,
                                         bool SinceFork,
                                         const std::string &Root) {
  if (auto Inside = git(Root, {"rev-parse", "--is-inside-work-tree"});
      !Inside) {
    // git also refuses repositories that it does not trust, and says what to
    // do.
    const std::string Said = toString(Inside.takeError());
    if (!StringRef(Said).contains("not a git repository"))
      return createStringError(std::errc::invalid_argument, "%s", Said.c_str());
    return createStringError(
        std::errc::invalid_argument,
        "%s is not in a repository of git; give a patch, or OLD..NEW with two "
        "directories",
        Root.c_str());
  }
  auto From = commitOf(Base, Root), To = commitOf(Head, Root);
  if (Error Wrong = joinErrors(From.takeError(), To.takeError()))
    return Wrong;
  if (SinceFork) {
    auto Fork = git(Root, {"merge-base", *From, *To});
    if (!Fork) {
      consumeError(Fork.takeError());
      return createStringError(std::errc::invalid_argument,
                               "%s and %s have no common ancestor",
                               Base.str().c_str(), Head.str().c_str());
    }
    From = StringRef(*Fork).trim().str();
  }
  std::set<std::string> Names;
  const std::vector<std::string> Diff = {
      "diff",         "--name-only",   "-z",
      "--no-renames", "--no-ext-diff", "--relative"};
  auto With = [&](std::vector<std::string> More) {
    std::vector<std::string> All = Diff;
    append_range(All, More);
    All.push_back("--");
    return All;
  };
  if (Error Wrong = addNames(With({*From, *To}), Root, Names))
    return Wrong;
  if (Error Wrong = addNames(With({*To}), Root, Names)) // and the disk
    return Wrong;
  auto Old = textsOf(*From, Names, Root), New = textsOf(*To, Names, Root);
  if (Error Wrong = joinErrors(Old.takeError(), New.takeError()))
    return Wrong;
  SourceChange Change{Base.str(), Head.str(), {}};
  for (const std::string &Name : Names) {
    ChangedFile File{Name, std::nullopt, std::nullopt};
    if (auto It = Old->find(Name); It != Old->end())
      File.Base = std::move(It->second);
    if (auto It = New->find(Name); It != New->end())
      File.Head = std::move(It->second);
    Change.Files.push_back(std::move(File));
  }
  return Change;
}

} // namespace kst
