// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/FunctionNames.h"

namespace kst {

static std::string_view stripped(std::string_view Path) {
  for (bool More = true; More;) {
    More = false;
    for (std::string_view Up : {"./", "../", "/"})
      if (Path.starts_with(Up)) {
        Path.remove_prefix(Up.size());
        More = true;
      }
  }
  return Path;
}

bool sameFile(std::string_view A, std::string_view B) {
  A = stripped(A);
  B = stripped(B);
  if (A.size() < B.size())
    std::swap(A, B);
  return A.ends_with(B) &&
         (A.size() == B.size() || A[A.size() - B.size() - 1] == '/');
}

FunctionNames::FunctionNames(const Program &Whole) : Whole(Whole) {
  for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id) {
    ByName[Whole.text(Whole.Functions[Id].Unit, Whole.Functions[Id].Fact->Name)]
        .push_back(Id);
    ByFile[fileOf(Id)].push_back(Id);
  }
}

const std::vector<FunctionId> &
FunctionNames::inFile(const std::string &File) const {
  static const std::vector<FunctionId> Nothing;
  auto It = ByFile.find(File);
  return It == ByFile.end() ? Nothing : It->second;
}

FunctionId FunctionNames::external(const std::string &Name) const {
  auto It = ByName.find(Name);
  if (It == ByName.end())
    return None;
  FunctionId Only = None;
  for (FunctionId Id : It->second) {
    if (Whole.Functions[Id].Fact->Flags & FnStatic)
      continue;
    if (Only != None)
      return None;
    Only = Id;
  }
  return Only;
}

const std::string &FunctionNames::fileOf(FunctionId Id) const {
  const LinkedFunction &Of = Whole.Functions[Id];
  return Whole.text(Of.Unit, Of.Fact->File);
}

FunctionId FunctionNames::find(const std::string &Name, const std::string &File,
                               std::string &Why) const {
  auto It = ByName.find(Name);
  if (It == ByName.end()) {
    Why = "function-not-analysed";
    return None;
  }
  if (It->second.size() == 1 && File.empty())
    return It->second.front();
  FunctionId Only = None;
  for (FunctionId Id : It->second) {
    if (!File.empty() && !sameFile(fileOf(Id), File))
      continue;
    if (Only != None) {
      Why = "several-functions-of-that-name";
      return None;
    }
    Only = Id;
  }
  if (Only == None)
    Why = File.empty() ? "several-functions-of-that-name"
                       : "function-in-another-file";
  return Only;
}

} // namespace kst
