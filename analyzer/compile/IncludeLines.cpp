// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/compile/IncludeLines.h"

#include "analyzer/compile/SourceTree.h"

#include "llvm/Support/FileSystem.h"

#include <tuple>

using namespace llvm;

namespace kst {

std::vector<IncludeLine> includeLines(StringRef Text) {
  std::vector<IncludeLine> Found;
  for (size_t At = 0; (At = Text.find('#', At)) != StringRef::npos; ++At) {
    StringRef Before = Text.take_front(At).rtrim(" \t");
    if (!Before.empty() && Before.back() != '\n' && !Before.ends_with("*/"))
      continue;
    StringRef Line = Text.drop_front(At + 1).ltrim(" \t");
    if (!Line.consume_front("include"))
      continue;
    Line.consume_front("_next");
    Line = Line.ltrim(" \t");
    const bool Quoted = Line.starts_with("\"");
    if (!Quoted && !Line.starts_with("<"))
      continue;
    Line = Line.drop_front();
    const size_t End = Line.find_first_of(Quoted ? "\"\n" : ">\n");
    if (End != StringRef::npos && Line[End] != '\n')
      Found.push_back({Line.take_front(End), Quoted});
  }
  return Found;
}

bool HeaderSearch::operator<(const HeaderSearch &Other) const {
  return std::tie(Directories, Forced) <
         std::tie(Other.Directories, Other.Forced);
}

HeaderSearch headerSearch(ArrayRef<std::string> Args, StringRef Directory) {
  HeaderSearch Search;
  for (size_t I = 0; I + 1 < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "-include")
      Search.Forced.push_back(absolutePath(Directory, Args[I + 1]));
    for (StringRef Option : {"-I", "-isystem", "-iquote", "-idirafter"})
      if (Arg.consume_front(Option)) {
        std::string Named =
            absolutePath(Directory, Arg.empty() ? StringRef(Args[I + 1]) : Arg);
        if (sys::fs::is_directory(Named))
          Search.Directories.push_back(std::move(Named));
        break;
      }
  }
  return Search;
}

} // namespace kst
