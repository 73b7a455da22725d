// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/KbuildModel.h"

#include "analyzer/compile/KbuildTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace llvm;

namespace kst {
namespace {

/// Macros that kbuild defines for each unit anew.
bool isName(StringRef Word) {
  return Word.starts_with("-DKBUILD_MODFILE=") ||
         Word.starts_with("-DKBUILD_BASENAME=") ||
         Word.starts_with("-DKBUILD_MODNAME=") ||
         Word.starts_with("-D__KBUILD_MODNAME=");
}

/// Words that say what is written where.
bool isOutput(StringRef Word) {
  return Word == "-c" || Word == "-S" || Word == "-fverbose-asm" ||
         Word.starts_with("-Wp,-M");
}

bool isDirectory(StringRef Word, const std::string &Root, StringRef Directory,
                 const SourceTree &Tree) {
  return Word.consume_front("-I") && !Word.empty() &&
         absolutePath(Tree.ObjectRoot, Word) == absolutePath(Root, Directory);
}

} // namespace

std::optional<KbuildModel> learnModel(const CompileCommand &Command,
                                      StringRef Directory,
                                      const SourceTree &Tree) {
  const std::vector<std::string> &Args = Command.Args;
  KbuildModel Model;
  Model.Arch = archOfIncludes(Args);
  if (Model.Arch.empty() || !is_contained(Args, "-D__KERNEL__") ||
      is_contained(Args, "-DMODULE"))
    return std::nullopt;
  Model.OutOfTree = Tree.SourceRoot != Tree.ObjectRoot;
  size_t HeadEnd = 1;
  for (size_t I = 0; I + 1 < Args.size(); ++I)
    if (Args[I] == "-include")
      HeadEnd = I + 2;
  // KBUILD_CPPFLAGS, which directories do not replace; KBUILD_CFLAGS begins
  // with the standard.
  auto Standard =
      std::find_if(Args.begin() + std::min(HeadEnd, Args.size()), Args.end(),
                   [](StringRef Word) { return Word.starts_with("-std="); });
  if (Standard != Args.end())
    HeadEnd = Standard - Args.begin();
  while (HeadEnd < Args.size() && Args[HeadEnd] == "-D__KERNEL__")
    ++HeadEnd;
  bool Named = false;
  for (size_t I = 0; I < Args.size(); ++I) {
    const std::string &Word = Args[I];
    if (I && isOutput(Word))
      continue;
    if (Word == "-o") {
      ++I;
      continue;
    }
    if (I < HeadEnd) {
      Model.Head.push_back(Word);
      continue;
    }
    Named |= isName(Word);
    if (isName(Word) || absolutePath(Command.Directory, Word) == Command.File ||
        (Model.OutOfTree &&
         (isDirectory(Word, Tree.SourceRoot, Directory, Tree) ||
          isDirectory(Word, Tree.ObjectRoot, Directory, Tree))))
      continue;
    Model.Flags.push_back(Word);
  }
  return Named ? std::optional(std::move(Model)) : std::nullopt;
}

std::string quoted(ArrayRef<std::string> Words) {
  std::string Out;
  for (StringRef Word : Words) {
    Out += Out.empty() ? "" : " ";
    if (Word.find_first_of(" \t\"'\\;&|$#()<>*?") == StringRef::npos) {
      Out += Word.str();
      continue;
    }
    Out += '\'';
    for (char C : Word)
      Out += C == '\'' ? std::string("'\\''") : std::string(1, C);
    Out += '\'';
  }
  return Out;
}

std::string kbuildName(StringRef Name) {
  std::string Out = Name.str();
  for (char &C : Out)
    if (C == '-' || C == ',')
      C = '_';
  return Out;
}

CompileCommand commandFor(const KbuildModel &Model, const KbuildObject &Object,
                          const std::string &File, const SourceTree &Tree,
                          ArrayRef<std::string> KernelOnly,
                          ArrayRef<std::string> ModuleOnly) {
  CompileCommand Command;
  Command.Directory = Tree.ObjectRoot;
  Command.File = File;
  Command.Object = absolutePath(Tree.ObjectRoot, Object.Stem + ".o");
  std::vector<std::string> &Args = Command.Args;
  Args = Model.Head;
  for (const std::string &Word : Object.Flags)
    if (!Object.Loadable || !is_contained(KernelOnly, Word))
      Args.push_back(Word);
  if (Model.OutOfTree) {
    Args.push_back("-I" + absolutePath(Tree.SourceRoot, Object.Directory));
    Args.push_back("-I" + (Object.Directory.empty() ? "." : Object.Directory));
  }
  if (Object.Loadable)
    append_range(Args, ModuleOnly);
  else
    Args.push_back("-DKBUILD_MODFILE=\"" + Object.ModuleFile + "\"");
  const std::string Module = kbuildName(Object.Module);
  Args.push_back("-DKBUILD_BASENAME=\"" +
                 kbuildName(sys::path::filename(Object.Stem)) + "\"");
  Args.push_back("-DKBUILD_MODNAME=\"" + Module + "\"");
  Args.push_back("-D__KBUILD_MODNAME=kmod_" + Module);
  for (const char *Word : {"-c", "-o"})
    Args.push_back(Word);
  Args.push_back(Object.Stem + ".o");
  Args.push_back(File);
  return Command;
}

} // namespace kst
