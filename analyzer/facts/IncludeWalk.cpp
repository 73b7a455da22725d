// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/IncludeWalk.h"

#include "analyzer/facts/ClangCompat.h"
#include "analyzer/facts/FactsExtractor.h"
#include "analyzer/facts/OwnCode.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {
namespace {

class IncludeWalk {
public:
  IncludeWalk(const ExtractRequest &Request, HeaderIndex &Index)
      : Request(Request), Index(Index) {
    enter(absolute(Request.Args.back()));
    for (size_t I = 0; I + 1 < Request.Args.size(); ++I)
      option(Request.Args[I], Request.Args[I + 1]);
  }

  IncludedFiles run() {
    while (!Pending.empty()) {
      auto [Path, Text] = Pending.back();
      Pending.pop_back();
      for (const HeaderIndex::Include &Include : Text->Includes)
        resolve(Include, sys::path::parent_path(Path));
    }
    return std::move(Result);
  }

private:
  std::string absolute(StringRef Path) const {
    SmallString<256> Whole(Path);
    makeAbsolute(Request.Directory, Whole);
    return Whole.str().str();
  }

  void option(StringRef Arg, StringRef Next) {
    for (StringRef Name : {"-I", "-isystem", "-iquote", "-idirafter"})
      if (Arg.consume_front(Name)) {
        Directories.push_back(absolute(Arg.empty() ? Next : Arg));
        return;
      }
    if (Arg == "-include")
      enter(absolute(Next));
  }

  /// Whether there is such a file.
  bool enter(const std::string &Path) {
    HeaderIndex::Text *Text = Index.file(Path);
    if (!Text)
      return false;
    if (Seen.insert(Path).second) {
      Pending.push_back({Path, Text});
      if (isSourceName(Path) || Seen.size() == 1) // the first is the main file
        Result.Sources.push_back(Path);
      else
        Result.Headers.push_back(Text);
    }
    return true;
  }

  void resolve(const HeaderIndex::Include &Include, StringRef From) {
    if (Include.Quoted && enter((From + "/" + Include.Name).str()))
      return;
    if (Found.insert(Include.Name).second)
      for (const std::string &Directory : Directories)
        if (enter(Directory + "/" + Include.Name))
          return;
  }

  const ExtractRequest &Request;
  HeaderIndex &Index;
  std::vector<std::string> Directories;
  std::vector<std::pair<std::string, HeaderIndex::Text *>> Pending;
  IncludedFiles Result;
  StringSet<> Seen;  ///< paths
  StringSet<> Found; ///< names that were looked up in Directories
};

} // namespace

IncludedFiles walkIncludes(const ExtractRequest &Request, HeaderIndex &Index) {
  return IncludeWalk(Request, Index).run();
}

} // namespace kst
