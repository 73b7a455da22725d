// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CompilerIdentity.h"

#include "analyzer/compile/ShellWords.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <unistd.h>

using namespace llvm;

namespace kst {
namespace {

/// Links and scripts that lead from one to the next.
constexpr unsigned MaxSteps = 16;
constexpr uint64_t MaxScriptBytes = 1 << 20, MaxDriverBytes = 64 << 20;

bool isExecutable(const std::string &Path) {
  return sys::fs::is_regular_file(Path) && sys::fs::can_execute(Path);
}

bool isKnownMachine(StringRef Text) {
  return Triple(Text).getArch() != Triple::UnknownArch;
}

bool isThisMachine(StringRef Text) {
  const Triple Host(sys::getDefaultTargetTriple());
  const Triple Other(Triple::normalize(Text));
  return Host.getArch() == Other.getArch() && Host.getOS() == Other.getOS() &&
         Host.getEnvironment() == Other.getEnvironment();
}

/// Files that a word may name, best first.
std::vector<std::string> candidates(StringRef Word, StringRef Directory) {
  if (sys::path::has_parent_path(Word))
    return {absolutePath(Directory, Word)};
  std::vector<std::string> Files;
  SmallVector<StringRef> Folders;
  const std::string Path = sys::Process::GetEnv("PATH").value_or("");
  StringRef(Path).split(Folders, ':', -1, /*KeepEmpty=*/false);
  for (StringRef Folder : Folders)
    Files.push_back(absolutePath(Folder, Word));
  return Files;
}

/// Where a symbolic link leads, as it is written; LLVM has no call for it.
std::string linkTarget(const std::string &File) {
  SmallString<256> Text;
  Text.resize(4096);
  ssize_t Size = ::readlink(File.c_str(), Text.data(), Text.size());
  return Size < 0 ? "" : Text.str().take_front(Size).str();
}

/// Follows one compiler from name to name.
class Detector {
public:
  explicit Detector(CompilerIdentity &Found) : Found(Found) {}

  void run(const Compiler &Named, StringRef Directory) {
    Found.Family = Named.Name.Family;
    if (Found.Family == CompilerFamily::NotC)
      return;
    const bool Bare =
        Found.Family != CompilerFamily::Unknown && Named.Name.Prefix.empty();
    std::string File;
    for (std::string &Candidate : candidates(Named.Word, Directory))
      if (isExecutable(Candidate) && !leadsToLauncher(Candidate) &&
          !is_contained(Scripts, Candidate)) {
        File = std::move(Candidate);
        break;
      }
    if (!Named.Name.Triple.empty()) {
      Found.Triple = Named.Name.Triple;
      return addHeaders(File, Named.Name.Prefix);
    }
    if (File.empty()) {
      if (!Bare && !Named.Word.empty())
        Found.Problem = "its name does not say it, and it is not here";
      return;
    }
    follow(File, Bare);
  }

private:
  /// A ccache that stands in for the compiler.
  static bool leadsToLauncher(StringRef File) {
    const std::string Real = realPath("/", File);
    return Real != File && isLauncher(Real);
  }

  void follow(std::string File, bool Bare) {
    for (; Steps < MaxSteps; ++Steps) {
      if (!sys::fs::is_symlink_file(File))
        return look(File, Bare);
      File = absolutePath(sys::path::parent_path(File), linkTarget(File));
      if (settle(File))
        return;
    }
    Found.Assumed = !Bare;
  }

  /// True if the name of the file says which machine it is for.
  bool settle(StringRef File) {
    const CompilerName Name = parseCompilerName(File);
    if (Name.Family == CompilerFamily::Unknown)
      return false;
    Found.Family = Name.Family;
    if (Name.Triple.empty())
      return false;
    setTriple(Name.Triple);
    addHeaders(File, Name.Prefix);
    return true;
  }

  void setTriple(StringRef Triple) {
    if (!isThisMachine(Triple))
      Found.Triple = Triple.str();
  }

  void look(const std::string &File, bool Bare) {
    uint64_t Size = 0;
    if (sys::fs::file_size(File, Size) || Size > MaxDriverBytes) {
      Found.Assumed = !Bare;
      return;
    }
    auto Buffer = MemoryBuffer::getFile(File);
    StringRef Bytes = Buffer ? (*Buffer)->getBuffer() : "";
    if (Bytes.starts_with("#!") && Size <= MaxScriptBytes)
      return lookAtScript(Bytes, File, Bare);
    const CompilerName Name = parseCompilerName(File);
    if (Found.Family == CompilerFamily::Unknown)
      Found.Family = Name.Family;
    std::string Triple = tripleOfDriver(Bytes);
    if (!Triple.empty()) {
      Found.Family = CompilerFamily::Gnu;
      setTriple(Triple);
      addHeaders(File, Triple);
    } else
      Found.Assumed = !Bare;
  }

  void lookAtScript(StringRef Text, const std::string &File, bool Bare) {
    std::vector<std::string> Words = commandOfScript(Text, File);
    const Compiler Run = findCompiler(Words);
    if (Run.Word.empty() || Run.Word == "$@" || ++Steps >= MaxSteps) {
      Found.Assumed = !Bare;
      return;
    }
    auto Place = find(Run.Args, "$@");
    CompilerIdentity Inner;
    Detector Next(Inner);
    Next.Steps = Steps;
    Next.Scripts = Scripts;
    if (!sys::path::has_parent_path(Run.Word)) // it may have the same name
      Next.Scripts.push_back(File);
    Next.run(Run, sys::path::parent_path(File));
    Inner.Before.insert(Inner.Before.begin(), Run.Args.begin(), Place);
    if (Place != Run.Args.end())
      Inner.After.insert(Inner.After.end(), Place + 1, Run.Args.end());
    Found = std::move(Inner);
  }

  /// Where a gcc that is configured for Prefix has the headers of the C
  /// library: beside its programs or beside its own files.
  void addHeaders(StringRef File, StringRef Prefix) {
    if (File.empty() || Prefix.empty() || Found.Family != CompilerFamily::Gnu ||
        isThisMachine(Prefix))
      return;
    const std::string Real = realPath("/", File);
    StringRef Base = sys::path::parent_path(sys::path::parent_path(Real));
    for (StringRef Between : {"", "lib/"})
      for (StringRef Below :
           {"/include", "/sysroot/usr/include", "/libc/usr/include"}) {
        std::string Folder =
            absolutePath(Base, (Between + Prefix + Below).str());
        if (sys::fs::is_directory(Folder))
          Found.Headers.push_back(std::move(Folder));
      }
  }

  CompilerIdentity &Found;
  unsigned Steps = 0;
  std::vector<std::string> Scripts; ///< that $PATH shall not lead to again
};

/// The variables of a script, as far as they are plain text.
class ScriptReader {
public:
  explicit ScriptReader(StringRef Path) {
    Variables["0"] = Path.str();
    Folder = sys::path::parent_path(Path).str();
  }

  std::vector<std::string> read(StringRef Text) {
    for (std::vector<std::string> &Words : splitShell(withoutComments(Text))) {
      ArrayRef<std::string> Rest = Words;
      while (!Rest.empty() && is_contained(Keywords, Rest[0]))
        Rest = Rest.drop_front();
      std::vector<std::string> Filled;
      for (const std::string &Word : Rest)
        Filled.push_back(isArguments(Word) ? "$@" : expand(Word));
      if (is_contained(Filled, "$@") &&
          findCompiler(Filled).Name.Family != CompilerFamily::Unknown)
        return Filled;
      for (StringRef Word : Filled)
        if (auto [Name, Value] = Word.split('='); Name.size() != Word.size())
          Variables[Name.str()] = Value.str();
    }
    return {};
  }

private:
  static constexpr StringRef Keywords[] = {
      "then", "else", "do", "exec", "if", "elif", "!", "{", "(", "export"};

  static bool isArguments(StringRef Word) {
    return Word == "$@" || Word == "$*" || Word == "${@}" ||
           Word == "${1+$@}" || Word == "${1+\"$@\"}" || Word == "${@:1}";
  }

  /// Without comments, and with what asks for the script's own folder replaced
  /// by its name.
  std::string withoutComments(StringRef Text) const {
    std::string Out;
    while (!Text.empty()) {
      auto [Line, Rest] = Text.split('\n');
      if (!Line.ltrim().starts_with("#"))
        Out += (Line + "\n").str();
      Text = Rest;
    }
    for (size_t At = 0; (At = Out.find("$(", At)) != std::string::npos;)
      replaceFolder(Out, At, closing(Out, At + 2));
    for (size_t At = 0; (At = Out.find('`', At)) != std::string::npos;)
      replaceFolder(Out, At, Out.find('`', At + 1));
    return Out;
  }

  void replaceFolder(std::string &Text, size_t &At, size_t End) const {
    if (End == std::string::npos) {
      At = Text.size();
      return;
    }
    StringRef Inside = StringRef(Text).slice(At, End);
    if (!Inside.contains("dirname")) {
      At = End + 1;
      return;
    }
    Text.replace(At, End + 1 - At, Folder);
    At += Folder.size();
  }

  static size_t closing(StringRef Text, size_t At) {
    for (unsigned Depth = 1; At < Text.size(); ++At) {
      Depth += Text[At] == '(';
      Depth -= Text[At] == ')';
      if (!Depth)
        return At;
    }
    return StringRef::npos;
  }

  std::string expand(StringRef Word) const {
    std::string Out;
    while (!Word.empty()) {
      size_t At = Word.find('$');
      Out += Word.take_front(At);
      Word = Word.drop_front(std::min(At, Word.size()));
      if (!Word.consume_front("$"))
        break;
      StringRef Name, Other;
      if (Word.starts_with("{")) {
        Name = Word.drop_front().take_until([](char C) { return C == '}'; });
        Word = Word.drop_front(std::min(Name.size() + 2, Word.size()));
        if (Name == "0%/*") {
          Out += Folder;
          continue;
        }
        size_t End = Name.find_first_of(":-");
        Other = Name.drop_front(std::min(End, Name.size())).ltrim(":-");
        Name = Name.take_front(End);
      } else {
        Name = Word.take_while([](char C) { return isAlnum(C) || C == '_'; });
        Word = Word.drop_front(Name.size());
      }
      auto Known = Variables.find(Name.str());
      Out += Known == Variables.end() ? Other.str() : Known->second;
    }
    return Out;
  }

  std::map<std::string, std::string> Variables;
  std::string Folder;
};

} // namespace

std::string tripleOfDriver(StringRef Image) {
  if (!Image.contains("Using built-in specs."))
    return "";
  auto End = [](char C) { return C <= ' ' || C == '\'' || C == '"'; };
  constexpr StringRef Configured = " --target=";
  for (size_t At = 0; (At = Image.find(Configured, At)) != StringRef::npos;) {
    At += Configured.size();
    StringRef Word = Image.drop_front(At).take_until(End);
    if (isKnownMachine(Word))
      return Word.str();
  }
  for (StringRef Rest = Image; !Rest.empty();) {
    auto [Word, Tail] = Rest.split('\0');
    if (Word.size() < 64 && Word.contains('-') && isKnownMachine(Word))
      return Word.str();
    Rest = Tail;
  }
  return "";
}

std::vector<std::string> commandOfScript(StringRef Text, StringRef Path) {
  return ScriptReader(Path).read(Text);
}

const CompilerIdentity &CompilerIdentities::of(const Compiler &Named,
                                               const std::string &Directory) {
  const bool Relative = sys::path::has_parent_path(Named.Word) &&
                        !sys::path::is_absolute(Named.Word);
  auto [Place, New] =
      Known.try_emplace({Named.Word, Relative ? Directory : ""});
  if (New)
    Detector(Place->second).run(Named, Directory);
  return Place->second;
}

} // namespace kst
