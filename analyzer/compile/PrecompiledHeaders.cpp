// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/PrecompiledHeaders.h"

#include "analyzer/compile/BuildTree.h"
#include "analyzer/compile/LlvmCompat.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Serialization/ASTReader.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace llvm;

namespace kst {
namespace {

/// The source from which clang made the file; "" if it is not clang's.
std::string originalOfPch(const std::string &File) {
  clang::FileManager Files{clang::FileSystemOptions()};
  compat::SilentDiagnostics Silent;
  return clang::ASTReader::getOriginalSourceFile(
      File, Files, clang::RawPCHContainerReader(), Silent.Engine);
}

/// The name with this end in the strings of gcc's file that is there, or "".
std::string originalOfGch(const std::string &File, StringRef Name,
                          StringRef Directory) {
  auto Buffer = readRegularFile(File);
  if (!Buffer) {
    consumeError(Buffer.takeError());
    return "";
  }
  StringRef Bytes = (*Buffer)->getBuffer();
  if (!Bytes.starts_with("gpch"))
    return "";
  StringRef Base = sys::path::filename(Name);
  for (size_t At = 0; (At = Bytes.find(Base, At)) != StringRef::npos; ++At) {
    constexpr size_t LongestName = 4096;
    size_t Begin = Bytes.take_front(At).rfind('\0') + 1;
    StringRef Text =
        Bytes.drop_front(Begin).take_until([](char C) { return C == '\0'; });
    if (At - Begin > LongestName || !Text.ends_with(Base) ||
        Begin + Text.size() != At + Base.size())
      continue;
    std::string Path = absolutePath(Directory, Text);
    if (whyUnreadable(Path).empty())
      return Path;
  }
  return "";
}

class Replacer {
public:
  Replacer(ArrayRef<std::string> Args, StringRef Directory)
      : Args(Args), Directory(Directory) {
    for (size_t I = 0; I < Args.size(); ++I)
      if (std::string Value = valueOf(I, "-include"); !Value.empty())
        Forced.insert(absolutePath(Directory, Value));
  }

  std::vector<std::string> run() {
    std::vector<std::string> Out;
    for (size_t I = 0; I < Args.size(); ++I) {
      size_t Next = I;
      std::string Pch = valueOf(Next, "-include-pch");
      std::string Header = Pch.empty() ? "" : textOfPch(Pch);
      if (Header.empty()) {
        Next = I;
        std::string Given = valueOf(Next, "-include");
        Header = Given.empty() ? "" : textOfGch(Given);
        if (Header.empty()) {
          Out.push_back(Args[I]);
          continue;
        }
      } else if (!Forced.insert(absolutePath(Directory, Header)).second) {
        I = Next;
        continue;
      }
      Out.insert(Out.end(), {"-include", Header});
      I = Next;
    }
    return Out;
  }

private:
  /// The value of Flag if it begins at I, which then is its last word.
  std::string valueOf(size_t &I, StringRef Flag) const {
    auto Word = [&](size_t At) {
      return At < Args.size() ? StringRef(Args[At]) : StringRef();
    };
    if (Word(I) == Flag && I + 1 < Args.size()) {
      I += Word(I + 1) == "-Xclang" ? 2 : 1;
      return Word(I).str();
    }
    if (Word(I) == "-Xclang" && Word(I + 1) == Flag &&
        Word(I + 2) == "-Xclang" && I + 3 < Args.size()) {
      I += 3;
      return Word(I).str();
    }
    return "";
  }

  std::string textOfPch(StringRef Pch) const {
    StringRef Name = Pch;
    if ((Name.consume_back(".pch") || Name.consume_back(".gch")) &&
        whyUnreadable(absolutePath(Directory, Name)).empty())
      return Name.str();
    const std::string File = absolutePath(Directory, Pch);
    if (!whyUnreadable(File).empty())
      return "";
    std::string Source = originalOfPch(File);
    return !Source.empty() &&
                   whyUnreadable(absolutePath(Directory, Source)).empty()
               ? Source
               : "";
  }

  /// Of an -include that no folder has as text.
  std::string textOfGch(StringRef Name) const {
    std::vector<std::string> Found;
    std::vector<std::string> Folders{Directory.str()};
    for (size_t I = 0; I < Args.size(); ++I)
      for (StringRef Flag : {"-I", "-isystem", "-iquote", "-idirafter"})
        if (StringRef Rest = Args[I]; Rest.consume_front(Flag))
          Folders.push_back(absolutePath(
              Directory,
              Rest.empty() && I + 1 < Args.size() ? Args[I + 1] : Rest.str()));
    for (const std::string &Folder : Folders)
      if (sys::fs::exists(absolutePath(Folder, Name)))
        return "";
    for (const std::string &Folder : Folders) {
      std::string File = absolutePath(Folder, (Name + ".gch").str());
      if (std::string Text = originalOfGch(File, Name, Directory);
          !Text.empty())
        return Text;
    }
    return "";
  }

  ArrayRef<std::string> Args;
  StringRef Directory;
  std::set<std::string> Forced; ///< absolute names of headers
};

} // namespace

std::vector<std::string> withHeaderText(ArrayRef<std::string> Args,
                                        StringRef Directory) {
  return Replacer(Args, Directory).run();
}

} // namespace kst
