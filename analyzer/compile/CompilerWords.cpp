// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CompilerWords.h"

#include "analyzer/compile/ShellWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Triple.h"

#include <map>

using namespace llvm;

namespace kst {
namespace {

struct KnownTool {
  const char *Name;
  CompilerFamily Family;
  const char *Triple = "";
};

constexpr KnownTool Tools[] = {
    {"gcc", CompilerFamily::Gnu},
    {"g++", CompilerFamily::Gnu},
    {"cc", CompilerFamily::Gnu},
    {"c++", CompilerFamily::Gnu},
    {"c89", CompilerFamily::Gnu},
    {"c99", CompilerFamily::Gnu},
    {"c11", CompilerFamily::Gnu},
    {"tcc", CompilerFamily::Gnu},
    {"icc", CompilerFamily::Gnu},
    {"icpc", CompilerFamily::Gnu},
    {"mpicc", CompilerFamily::Gnu},
    {"mpicxx", CompilerFamily::Gnu},
    {"mpic++", CompilerFamily::Gnu},
    {"ccc-analyzer", CompilerFamily::Gnu},
    {"c++-analyzer", CompilerFamily::Gnu},
    {"clang", CompilerFamily::Clang},
    {"clang++", CompilerFamily::Clang},
    {"clang-fast", CompilerFamily::Clang},
    {"clang-fast++", CompilerFamily::Clang},
    {"clang-lto", CompilerFamily::Clang},
    {"clang-lto++", CompilerFamily::Clang},
    {"armclang", CompilerFamily::Clang},
    {"icx", CompilerFamily::Clang},
    {"icpx", CompilerFamily::Clang},
    {"emcc", CompilerFamily::Clang, "wasm32-unknown-emscripten"},
    {"em++", CompilerFamily::Clang, "wasm32-unknown-emscripten"},
    {"cl", CompilerFamily::Microsoft},
    {"clang-cl", CompilerFamily::Microsoft},
    {"zig", CompilerFamily::Zig},
};

/// sdcc compiles C, but for machines whose layouts clang does not have.
constexpr const char *NoCompilers[] = {"rustc",
                                       "cargo",
                                       "nvcc",
                                       "hipcc",
                                       "go",
                                       "swiftc",
                                       "swift",
                                       "ghc",
                                       "gfortran",
                                       "flang",
                                       "ifort",
                                       "ifx",
                                       "gnat",
                                       "gdc",
                                       "ldc2",
                                       "dmd",
                                       "javac",
                                       "kotlinc",
                                       "ocamlopt",
                                       "nasm",
                                       "yasm",
                                       "as",
                                       "ld",
                                       "ar",
                                       "nm",
                                       "ranlib",
                                       "strip",
                                       "objcopy",
                                       "sdcc",
                                       "sdar",
                                       "windres",
                                       "ispc",
                                       "valac",
                                       "nim",
                                       "ld.lld",
                                       "flang-new",
                                       "swift-frontend",
                                       "gnatmake",
                                       "glslc"};

constexpr const char *Launchers[] = {
    "ccache",     "sccache",    "distcc",
    "icecc",      "icerun",     "gomacc",
    "pump",       "rewrapper",  "fastbuild",
    "buildcache", "cachecc1",   "colorgcc",
    "env",        "nice",       "ionice",
    "time",       "timeout",    "sudo",
    "exec",       "command",    "nohup",
    "stdbuf",     "taskset",    "setarch",
    "libtool",    "libtool:",   "compile:",
    "sh",         "bash",       "dash",
    "ksh",        "zsh",        "cmd",
    "xcrun",      "wine",       "cmake",
    "bear",       "scan-build", "intercept-build",
    "python",     "python3",    "perl"};

/// Wrappers of the compiler of this machine.
constexpr const char *HostPrefixes[] = {"musl", "afl", "hfuzz", "c89", "c99"};

/// Options in front of a compiler's name whose value is no compiler.
constexpr const char *ValueOptions[] = {
    "-o",         "-I",  "-D",  "-U",       "-x",       "-B",       "-L",
    "-l",         "-T",  "-u",  "-include", "-imacros", "-isystem", "-iquote",
    "-idirafter", "-MF", "-MT", "-MQ",      "-arch",    "-target",  "-Xclang"};

/// Variables that name the compiler which a wrapper runs.
constexpr const char *CompilerVariables[] = {
    "CCC_CC", "CCC_CXX", "OMPI_CC", "OMPI_CXX", "MPICH_CC", "MPICH_CXX"};

template <typename Table> bool contains(const Table &Names, StringRef Name) {
  return any_of(Names, [&](const char *Known) { return Name == Known; });
}

/// The name of the program without folder and ending.
StringRef baseName(StringRef Word) {
  Word = Word.substr(Word.find_last_of("/\\") + 1);
  for (StringRef End :
       {".exe", ".EXE", ".bat", ".cmd", ".py", ".real", ".br_real"})
    Word.consume_back(End);
  return Word;
}

/// Without the version: gcc-12.2.1, clang++-19, gcc14, gcc-12-posix.
StringRef withoutVersion(StringRef Name) {
  for (StringRef End : {"-posix", "-win32", "-real", "-wrapper"})
    Name.consume_back(End);
  StringRef Rest = Name.rtrim("0123456789.");
  if (Rest.size() == Name.size())
    return Name;
  if (Rest.consume_back("-"))
    return withoutVersion(Rest);
  bool Joined = Rest.ends_with("gcc") || Rest.ends_with("g++") ||
                Rest.ends_with("clang") || Rest.ends_with("clang++");
  return Joined ? Rest : Name;
}

/// What stands before Tool in Name, or nothing if it is not that tool.
std::optional<StringRef> prefixOf(StringRef Name, StringRef Tool) {
  if (!Name.consume_back(Tool) || !(Name.empty() || Name.consume_back("-")))
    return std::nullopt;
  return Name;
}

/// `.../Hostx64/x86/cl.exe`: the folder is the machine.
std::string tripleOfFolder(StringRef Word) {
  StringRef Folder = Word.take_front(Word.find_last_of("/\\"));
  Folder = Folder.substr(Folder.find_last_of("/\\") + 1);
  StringRef Arch = Folder.equals_insensitive("x86")     ? "i686"
                   : Folder.equals_insensitive("arm64") ? "aarch64"
                   : Folder.equals_insensitive("arm")   ? "thumbv7"
                                                        : "";
  return Arch.empty() ? "" : (Arch + "-pc-windows-msvc").str();
}

/// `NAME=value`, as a shell takes it in front of a command.
bool isAssignment(StringRef Word) {
  StringRef Name = Word.take_front(Word.find('='));
  return Name.size() != Word.size() && !Name.empty() && !isDigit(Name[0]) &&
         all_of(Name, [](char C) { return isAlnum(C) || C == '_'; });
}

/// What a shell or cmd.exe is to run, if Words run one.
std::vector<std::string> scriptOf(ArrayRef<std::string> Words) {
  StringRef Shell = baseName(Words[0]);
  if (Shell.equals_insensitive("cmd")) {
    Words = Words.drop_front().drop_while(
        [](StringRef Word) { return Word.size() == 2 && Word[0] == '/'; });
    return Words.size() == 1 ? compileWords(Words[0]) : Words.vec();
  }
  if (!contains(ArrayRef{"sh", "bash", "dash", "ksh", "zsh"}, Shell))
    return {};
  for (size_t I = 1; I + 1 < Words.size() && Words[I][0] == '-'; ++I)
    if (Words[I].back() == 'c' && !StringRef(Words[I]).starts_with("--"))
      return compileWords(Words[I + 1]);
  return {};
}

class Finder {
public:
  Compiler find(ArrayRef<std::string> Words, unsigned Depth = 0) {
    Words = takeVariables(Words);
    if (Words.empty())
      return {};
    if (StringRef(Words[0]).starts_with("-")) {
      Compiler None; // flags alone
      None.Args = Words.vec();
      return None;
    }
    constexpr unsigned MaxDepth = 8;
    if (std::vector<std::string> Script = scriptOf(Words);
        !Script.empty() && Depth < MaxDepth)
      return find(Script, Depth + 1);
    size_t At = named(Words);
    if (At == Words.size())
      At = unnamed(Words);
    return at(Words, At);
  }

private:
  ArrayRef<std::string> takeVariables(ArrayRef<std::string> Words) {
    for (; !Words.empty() && isAssignment(Words[0]); Words = Words.drop_front())
      take(Words[0]);
    return Words;
  }

  void take(StringRef Word) {
    auto [Name, Value] = Word.split('=');
    Variables[Name.str()] = Value.str();
  }

  /// The first word in front of flags and sources that a compiler is called.
  size_t named(ArrayRef<std::string> Words) {
    for (size_t I = 0; I < Words.size(); ++I) {
      StringRef Word = Words[I];
      if (Word == "-c" || isSourceWord(Word))
        break;
      if (isAssignment(Word))
        take(Word);
      else if (!Word.starts_with("-") &&
               !(I && contains(ValueOptions, Words[I - 1])) &&
               parseCompilerName(expanded(Word)).Family !=
                   CompilerFamily::Unknown)
        return I;
    }
    return Words.size();
  }

  /// A launcher with nothing to launch is a link that goes by its name.
  static size_t unnamed(ArrayRef<std::string> Words) {
    size_t Last = 0;
    for (size_t I = 0; I != Words.size(); ++I) {
      if (Words[I] == "-c" || isSourceWord(Words[I]))
        break;
      if (isLauncher(Words[I]))
        Last = I;
      else if (!isAssignment(Words[I]) && !StringRef(Words[I]).starts_with("-"))
        return I;
    }
    return Last;
  }

  /// `$CC` and `${CC}`, where the command itself says what that is.
  std::string expanded(StringRef Word) const {
    StringRef Name = Word;
    if (!Name.consume_front("$"))
      return Word.str();
    if (Name.consume_front("{"))
      Name.consume_back("}");
    auto Known = Variables.find(Name.str());
    return Known == Variables.end() ? Word.str() : Known->second;
  }

  Compiler at(ArrayRef<std::string> Words, size_t At) const {
    Compiler Found;
    Found.Word = expanded(Words[At]);
    for (const char *Name : CompilerVariables)
      if (auto Known = Variables.find(Name); Known != Variables.end())
        Found.Word = Known->second;
    Found.Name = parseCompilerName(Found.Word);
    Words = Words.drop_front(At + 1);
    if (Found.Name.Family == CompilerFamily::Zig) {
      if (Words.empty() || (Words[0] != "cc" && Words[0] != "c++"))
        Found.Name.Family = CompilerFamily::NotC;
      else {
        Found.Name.Cxx = Words[0] == "c++";
        Words = Words.drop_front();
      }
    }
    Found.Args = Words.vec();
    return Found;
  }

  std::map<std::string, std::string> Variables;
};

} // namespace

bool isSourceWord(StringRef Word) {
  return !Word.starts_with("-") &&
         any_of(ArrayRef<StringRef>{".c", ".cc", ".cpp", ".cxx", ".c++", ".C",
                                    ".i", ".ii"},
                [&](StringRef End) { return Word.ends_with(End); });
}

bool isLauncher(StringRef Word) { return contains(Launchers, baseName(Word)); }

CompilerName parseCompilerName(StringRef Word) {
  std::string Lower = baseName(Word).str();
  if (Word.ends_with_insensitive(".exe"))
    Lower = StringRef(Lower).lower();
  const StringRef Name = withoutVersion(Lower);
  CompilerName Found;
  size_t Longest = 0;
  auto Try = [&](StringRef Tool, CompilerFamily Family, StringRef Machine) {
    for (StringRef Whole : {StringRef(Lower), Name})
      if (auto Prefix = prefixOf(Whole, Tool);
          Prefix && Tool.size() > Longest) {
        Longest = Tool.size();
        Found = {Family, Prefix->str(), Machine.str(),
                 Tool.contains("++") || Tool == "mpicxx" || Tool == "icpc" ||
                     Tool == "icpx"};
      }
  };
  for (const KnownTool &Tool : Tools)
    Try(Tool.Name, Tool.Family, Tool.Triple);
  for (const char *Tool : NoCompilers)
    Try(Tool, CompilerFamily::NotC, "");
  if (contains(HostPrefixes, Found.Prefix))
    Found.Prefix.clear();
  if (!Found.Prefix.empty() &&
      Triple(Found.Prefix).getArch() != Triple::UnknownArch)
    Found.Triple = Found.Prefix;
  if (Found.Family == CompilerFamily::Microsoft && Found.Triple.empty())
    Found.Triple = tripleOfFolder(Word);
  return Found;
}

Compiler findCompiler(ArrayRef<std::string> Words) {
  return Finder().find(Words);
}

} // namespace kst
