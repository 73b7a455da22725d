// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/FlagAdjuster.h"

#include "analyzer/compile/LlvmCompat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

#include <set>

using namespace llvm;
using namespace llvm::opt;

namespace kst {
namespace {

/// Options by clang's own name (aliases resolved) that are forwarded.
bool isForwardedName(StringRef Name) {
  static const StringSet<> Names = {
      // The preprocessor.
      "D", "U", "I", "isystem", "isystem-after", "iquote", "idirafter",
      "include", "imacros", "iprefix", "iwithprefix", "iwithprefixbefore",
      "iwithsysroot", "isysroot", "sysroot", "sysroot=", "nostdinc",
      "nostdlibinc", "nobuiltininc", "undef", "pthread", "working-directory",
      "working-directory=", "trigraphs", "ftrigraphs", "fno-trigraphs",
      // The language.
      "std=", "ansi", "ffreestanding", "fhosted", "fbuiltin", "fno-builtin",
      "fno-builtin-", "fgnu89-inline", "fno-gnu89-inline", "fgnu-keywords",
      "fno-gnu-keywords", "fasm", "fno-asm", "fms-extensions",
      "fno-ms-extensions", "fms-anonymous-structs", "fno-ms-anonymous-structs",
      "fms-compatibility", "fno-ms-compatibility", "fblocks", "fno-blocks",
      "fdollars-in-identifiers", "fno-dollars-in-identifiers", "fwrapv",
      "fno-wrapv", "fexceptions", "fno-exceptions", "fopenmp", "fno-openmp",
      "flax-vector-conversions", "fno-lax-vector-conversions",
      "flax-vector-conversions=", "fno-strict-overflow", "fstrict-overflow",
      "fcf-protection", "fcf-protection=", "fPIC", "fno-PIC", "fpic", "fno-pic",
      "fPIE", "fno-PIE", "fpie", "fno-pie", "fstack-protector",
      "fno-stack-protector", "fstack-protector-strong", "fstack-protector-all",
      // C++.
      "stdlib=", "stdlib++-isystem", "cxx-isystem", "nostdinc++", "frtti",
      "fno-rtti", "fcxx-exceptions", "fno-cxx-exceptions", "fchar8_t",
      "fno-char8_t", "fcoroutines", "faligned-allocation",
      "fno-aligned-allocation", "fsized-deallocation", "fno-sized-deallocation",
      "fno-operator-names", "ftemplate-depth=", "fconstexpr-depth=",
      "fconstexpr-steps=", "fbracket-depth=", "fclang-abi-compat=",
      "fnew-alignment=", "frelaxed-template-template-args",
      "fdelayed-template-parsing", "fno-delayed-template-parsing",
      // Layout.
      "fshort-wchar", "fno-short-wchar", "fshort-enums", "fno-short-enums",
      "funsigned-char", "fno-unsigned-char", "fsigned-char", "fno-signed-char",
      "fpack-struct", "fno-pack-struct", "fpack-struct=", "fcommon",
      "fno-common",
      "fstrict-flex-arrays=", "fmax-type-align=", "fno-max-type-align",
      "frandomize-layout-seed=",
      // The target.
      "target", "target=", "target-legacy", "m16", "m32", "m64", "mx32",
      "mabi=", "march=", "mcpu=", "mfpu=", "mfloat-abi=", "msoft-float",
      "mno-soft-float", "mhard-float", "mthumb", "mlittle-endian",
      "mbig-endian", "mgeneral-regs-only", "mcmodel=", "mregparm=", "mrtd",
      "mno-rtd", "mms-bitfields", "mno-ms-bitfields", "malign-double",
      "mlong-double-64", "mlong-double-80", "mlong-double-128", "mstrict-align",
      "mno-strict-align", "munaligned-access", "mno-unaligned-access",
      "mfpmath=", "mdouble-float", "msingle-float", "mred-zone",
      "mno-red-zone"};
  return Names.contains(Name);
}

/// -m flags that switch instructions on or off (-mno-sse, -mtp=cp15): they
/// decide predefined macros, builtins and asm constraints.
bool isTargetFeature(Option Opt) {
  for (Option Group = Opt.getGroup(); Group.isValid(); Group = Group.getGroup())
    if (Group.getName().ends_with("features group>"))
      return true;
  return Opt.getName().starts_with("ffixed-") ||
         Opt.getName().starts_with("fcall-saved-");
}

/// Known flags whose absence a person should hear of: they read or run
/// something that is not part of the program.
bool isForeign(StringRef Name) {
  static const StringSet<> Names = {
      "Xclang",        "Xclang=",     "mllvm",     "mllvm=",     "B",
      "specs",         "specs=",      "config",    "config=",    "include-pch",
      "Xpreprocessor", "ivfsoverlay", "cc1",       "vfsoverlay", "fplugin=",
      "fpass-plugin=", "cc1as",       "Xanalyzer", "Xarch_"};
  return Names.contains(Name) || Name.starts_with("fplugin-arg-") ||
         Name.starts_with("fmodule") || Name.starts_with("fcxx-modules") ||
         Name.starts_with("fprebuilt-");
}

/// The values of -x that clang reads as C or C++.
bool isKnownLanguage(StringRef Name) {
  static const StringSet<> Names = {"c",   "c-header",   "cpp-output",
                                    "c++", "c++-header", "c++-cpp-output"};
  return Names.contains(Name);
}

/// The spelling up to and with the first `=`: what differs only in the value
/// is one flag.
std::string flagKey(StringRef Text) {
  size_t Equals = Text.find('=');
  return Text.take_front(Equals == StringRef::npos ? Equals : Equals + 1).str();
}

/// The triple in front of a cross compiler's name: aarch64-linux-gnu-gcc-12.
/// Empty when there is none that LLVM knows.
std::string tripleOfCompiler(ArrayRef<std::string> Args) {
  for (const std::string &Word : Args.take_front(2)) {
    StringRef Name = sys::path::filename(Word);
    for (StringRef Tool : {"-gcc", "-g++", "-cc", "-clang"}) {
      size_t At = Name.rfind(Tool);
      if (At == StringRef::npos || At == 0)
        continue;
      StringRef Prefix = Name.take_front(At);
      if (Triple(Prefix).getArch() != Triple::UnknownArch)
        return Prefix.str();
    }
    if (Name != "ccache" && Name != "sccache" && Name != "distcc")
      break; // Args[1] is the compiler only behind one of these
  }
  return "";
}

/// The triple kbuild uses for the ARCH in .../arch/ARCH/include (6.12:
/// scripts/Makefile.clang), or "".
std::string tripleOfInclude(StringRef Dir) {
  StringRef Rest = Dir;
  size_t At = Rest.rfind("arch/");
  if (At == StringRef::npos || (At != 0 && Rest[At - 1] != '/'))
    return "";
  auto [Arch, Tail] = Rest.drop_front(At + 5).split('/');
  if (Tail.split('/').first != "include")
    return "";
  return StringSwitch<const char *>(Arch)
      .Case("x86", "x86_64-linux-gnu")
      .Case("arm64", "aarch64-linux-gnu")
      .Case("arm", "arm-linux-gnueabi")
      .Case("riscv", "riscv64-linux-gnu")
      .Case("powerpc", "powerpc64le-linux-gnu")
      .Case("s390", "s390x-linux-gnu")
      .Case("mips", "mipsel-linux-gnu")
      .Case("loongarch", "loongarch64-linux-gnusf")
      .Case("hexagon", "hexagon-linux-musl")
      .Default("");
}

class Adjuster {
public:
  explicit Adjuster(const CompileCommand &Command) : Command(Command) {}

  AdjustedCommand run() {
    std::vector<const char *> Raw;
    for (const std::string &Word :
         ArrayRef(Command.Args).drop_front(Command.Args.empty() ? 0 : 1))
      Raw.push_back(Word.c_str());
    unsigned MissingIndex = 0, MissingCount = 0;
    InputArgList Parsed = compat::driverOptions().ParseArgs(
        Raw, MissingIndex, MissingCount,
        Visibility(compat::options::ClangOption));
    for (const Arg *A : Parsed)
      take(*A, Parsed);
    if (MissingCount)
      Dropped.insert(flagKey(Raw[MissingIndex]));
    return finish();
  }

private:
  void take(const Arg &A, const ArgList &Parsed) {
    Option Opt = A.getOption().getUnaliasedOption();
    StringRef Name = Opt.getName();
    if (Opt.getKind() == Option::InputClass)
      return takeInput(A.getValue());
    if (Opt.getKind() == Option::UnknownClass || isForeign(Name) ||
        Opt.hasFlag(compat::options::Ignored) ||
        Opt.hasFlag(compat::options::Unsupported))
      return drop(A, Parsed);
    if (Name == "Wp,")
      return takePreprocessor(A);
    if (Name == "x" && !isKnownLanguage(A.getValue()))
      return drop(A, Parsed);
    bool Optimise = Opt.matches(compat::options::OPT_O_Group);
    if (Name != "x" && !Optimise && !isForwardedName(Name) &&
        !isTargetFeature(Opt))
      return dropSilently(Name, A);
    note(Name, A);
    ArgStringList Rendered;
    A.render(Parsed, Rendered);
    Kept.insert(Kept.end(), Rendered.begin(), Rendered.end());
  }

  /// Sources are named by the command's File, objects do not matter; but a
  /// response file may have held flags, and is not read.
  void takeInput(StringRef Text) {
    if (Text.starts_with("@"))
      Dropped.insert("@file");
  }

  /// Of `-Wp,a,b` only macros and include paths; the rest is about
  /// dependency files.
  void takePreprocessor(const Arg &A) {
    for (StringRef Value : A.getValues())
      if (Value.size() > 2 &&
          (Value.starts_with("-D") || Value.starts_with("-U") ||
           Value.starts_with("-I")))
        Kept.push_back(Value.str());
  }

  void drop(const Arg &A, const ArgList &Parsed) {
    StringRef Text = A.getOption().getKind() == Option::UnknownClass
                         ? StringRef(A.getValue())
                         : A.getSpelling();
    if (Text.empty())
      Text = A.getSpelling();
    Dropped.insert(flagKey(Text));
  }

  /// gcc's tuning knobs have a name in clang's table and no meaning.
  void dropSilently(StringRef Name, const Arg &A) {
    if (Name == "param" || Name == "param=")
      Dropped.insert("--param");
  }

  void note(StringRef Name, const Arg &A) {
    if (Name.starts_with("target"))
      HasTarget = true;
    if (Name == "I" && ArchTriple.empty())
      ArchTriple = tripleOfInclude(A.getValue());
  }

  AdjustedCommand finish() {
    AdjustedCommand Out;
    Out.Directory = Command.Directory;
    Out.Args.push_back("--no-default-config");
    std::string Target = tripleOfCompiler(Command.Args);
    if (Target.empty())
      Target = ArchTriple;
    if (!HasTarget && !Target.empty())
      Out.Args.push_back("--target=" + Target);
    Out.Args.insert(Out.Args.end(), Kept.begin(), Kept.end());
    // Old code that gcc merely warned of: errors by default in clang, and
    // `-w` silences what is no error.
    for (const char *Kind :
         {"implicit-function-declaration", "implicit-int", "int-conversion",
          "incompatible-function-pointer-types", "incompatible-pointer-types"})
      Out.Args.push_back(std::string("-Wno-error=") + Kind);
    Out.Args.push_back("-w");
    Out.Args.push_back(Command.File);
    Out.DroppedFlags.assign(Dropped.begin(), Dropped.end());
    return Out;
  }

  const CompileCommand &Command;
  std::vector<std::string> Kept;
  std::set<std::string> Dropped;
  std::string ArchTriple;
  bool HasTarget = false;
};

} // namespace

bool isClangFlag(StringRef Word) {
  const std::string Text = Word.str();
  const char *Raw[] = {Text.c_str()};
  unsigned MissingIndex = 0, MissingCount = 0;
  InputArgList Parsed = compat::driverOptions().ParseArgs(
      Raw, MissingIndex, MissingCount,
      Visibility(compat::options::ClangOption));
  return all_of(Parsed, [](const Arg *A) {
    const Option Opt = A->getOption();
    return Opt.getKind() != Option::UnknownClass &&
           Opt.getKind() != Option::InputClass &&
           !Opt.hasFlag(compat::options::Ignored) &&
           !Opt.hasFlag(compat::options::Unsupported);
  });
}

AdjustedCommand adjust(const CompileCommand &Command) {
  return Adjuster(Command).run();
}

} // namespace kst
