// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two revisions of git, with the submodules that they name. The working tree
// may be at either, or at neither.

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

/// How two trees differ, or a tree and the disk.
struct Difference {
  std::set<std::string> Names; ///< of files
  /// Submodules by name: their commits in both trees, or trees without a file.
  std::map<std::string, std::pair<std::string, std::string>> Submodules;
};

/// Adds how `From` differs from `To`, or from the disk if that is empty.
Error addDifference(const std::string &From, const std::string &To,
                    const std::string &Root, Difference &Found) {
  std::vector<std::string> Arguments = {"diff",
                                        "--raw",
                                        "--no-abbrev",
                                        "-z",
                                        "--no-renames",
                                        "--ignore-submodules=none",
                                        "--no-ext-diff",
                                        "--relative",
                                        From};
  if (!To.empty())
    Arguments.push_back(To);
  Arguments.push_back("--");
  auto Listed = git(Root, Arguments);
  auto Nothing = git(Root, {"hash-object", "-t", "tree", "--stdin"});
  if (Error Wrong = joinErrors(Listed.takeError(), Nothing.takeError()))
    return Wrong;
  SmallVector<StringRef, 64> Parts;
  StringRef(*Listed).split(Parts, '\0', -1, /*KeepEmpty=*/false);
  for (size_t I = 0; I + 1 < Parts.size(); I += 2) {
    SmallVector<StringRef, 5> Words; // :mode, mode, object, object, status
    Parts[I].split(Words, ' ');
    const std::string Name = Parts[I + 1].str();
    if (Words.size() < 4)
      continue;
    const bool Was = Words[0] == ":160000", Is = Words[1] == "160000";
    if (!Was || !Is)
      Found.Names.insert(Name);
    if (!Was && !Is)
      continue;
    const std::string None = StringRef(*Nothing).trim().str(),
                      Base = Was ? Words[2].str() : None;
    Found.Submodules.try_emplace(Name, Base,
                                 To.empty() ? Base
                                 : Is       ? Words[3].str()
                                            : None);
  }
  return Error::success();
}

/// Texts of a commit or tree by name; those that it does not have as blobs are
/// missing.
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

/// The files in which two trees differ from each other or from the disk, those
/// of submodules included, in no order.
Expected<std::vector<ChangedFile>> filesBetween(const std::string &From,
                                                const std::string &To,
                                                const std::string &Root) {
  Difference Found;
  if (Error Wrong = addDifference(From, To, Root, Found))
    return Wrong;
  if (Error Wrong = addDifference(To, "", Root, Found))
    return Wrong;
  auto Old = textsOf(From, Found.Names, Root),
       New = textsOf(To, Found.Names, Root);
  if (Error Wrong = joinErrors(Old.takeError(), New.takeError()))
    return Wrong;
  std::vector<ChangedFile> Files;
  for (const std::string &Name : Found.Names) {
    ChangedFile File{Name, std::nullopt, std::nullopt};
    if (auto It = Old->find(Name); It != Old->end())
      File.Base = std::move(It->second);
    if (auto It = New->find(Name); It != New->end())
      File.Head = std::move(It->second);
    Files.push_back(std::move(File));
  }
  for (const auto &[Name, Commits] : Found.Submodules) {
    auto Inner = filesBetween(Commits.first, Commits.second, Root + "/" + Name);
    if (!Inner && Commits.first == Commits.second) {
      // Not a part of the change; what the disk has stands for both states.
      consumeError(Inner.takeError());
      continue;
    }
    if (!Inner)
      return createStringError(
          std::errc::invalid_argument,
          "submodule %s: %s; git submodule update --init fetches it",
          Name.c_str(), toString(Inner.takeError()).c_str());
    for (ChangedFile &File : *Inner) {
      File.Name = Name + "/" + File.Name;
      Files.push_back(std::move(File));
    }
  }
  return Files;
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
  auto Files = filesBetween(*From, *To, Root);
  if (!Files)
    return Files.takeError();
  llvm::sort(*Files, [](const ChangedFile &A, const ChangedFile &B) {
    return A.Name < B.Name;
  });
  return SourceChange{Base.str(), Head.str(), std::move(*Files)};
}

} // namespace kst
