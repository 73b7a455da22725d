// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/FlagAdjuster.h"

#include "analyzer/compile/ForwardedFlags.h"
#include "analyzer/compile/LlvmCompat.h"

#include "llvm/ADT/STLExtras.h"
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

/// The spelling up to and with the first `=`: what differs only in the value
/// is one flag.
std::string flagKey(StringRef Text) {
  size_t Equals = Text.find('=');
  return Text.take_front(Equals == StringRef::npos ? Equals : Equals + 1).str();
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

/// zig's `aarch64-linux-musl`, `x86_64-linux-gnu.2.31`, `x86-windows-gnu` in
/// LLVM's words; "" for this machine.
std::string tripleOfZig(StringRef Text) {
  if (Text.starts_with("native"))
    return "";
  SmallVector<StringRef> Parts;
  Text.split(Parts, '-');
  std::string Out = Parts[0] == "x86" ? "i386" : Parts[0].str();
  for (StringRef Part : ArrayRef(Parts).drop_front())
    Out += "-" + Part.split('.').first.str();
  return Out;
}

/// Without an operating system gcc for ARM makes enumerations as short as they
/// can be (AAPCS), and gcc for AVR aligns nothing; clang does neither.
std::vector<std::string> defaultsOf(CompilerFamily Family, StringRef Target) {
  const Triple Machine(Triple::normalize(Target));
  if (Family != CompilerFamily::Gnu || Target.empty())
    return {};
  if (Machine.getArch() == Triple::avr)
    return {"-fpack-struct=1"};
  if ((Machine.isARM() || Machine.isThumb()) &&
      Machine.getOS() == Triple::UnknownOS)
    return {"-fshort-enums"};
  return {};
}

class Adjuster {
public:
  Adjuster(const CompileCommand &Command, ArrayRef<std::string> Args,
           const CompilerFacts &Known)
      : Command(Command), Args(Args), Known(Known),
        Windows(Known.Family == CompilerFamily::Microsoft ||
                is_contained(Args, "--driver-mode=cl")) {}

  AdjustedCommand run() {
    takeAll({Args.begin(), Args.end()},
            Windows ? compat::options::CLOption : compat::options::ClangOption,
            "");
    takeAll(std::exchange(Direct, {}), compat::options::CC1Option, "-Xclang");
    takeAll(std::exchange(Behind, {}), compat::options::ClangOption, "/clang:");
    return finish();
  }

private:
  using Words = std::vector<std::string>;

  /// Of words that `Carrier` hands over, one is dropped under its name.
  void takeAll(const Words &Given, unsigned Visible, StringRef Carrier) {
    std::vector<const char *> Raw;
    for (const std::string &Word : Given)
      Raw.push_back(Word.c_str());
    unsigned MissingIndex = 0, MissingCount = 0;
    InputArgList Parsed = compat::driverOptions().ParseArgs(
        Raw, MissingIndex, MissingCount, Visibility(Visible));
    for (const Arg *A : Parsed)
      take(*A, Parsed, Carrier);
    if (MissingCount)
      Dropped.insert(Carrier.empty() ? flagKey(Raw[MissingIndex])
                                     : Carrier.str());
  }

  void take(const Arg &A, const ArgList &Parsed, StringRef Carrier) {
    Option Opt = A.getOption().getUnaliasedOption();
    StringRef Name = Opt.getName();
    if (Carrier.empty() && carries(Name, A))
      return;
    if (Opt.getKind() == Option::InputClass)
      return takeInput(A.getValue(), Carrier);
    if (Opt.getKind() == Option::UnknownClass || isForeign(Name) ||
        Opt.hasFlag(compat::options::Ignored) ||
        Opt.hasFlag(compat::options::Unsupported))
      return drop(A, Carrier);
    if (Name == "x") {
      if (StringRef Language = parsedLanguage(A.getValue()); !Language.empty())
        Kept.insert(Kept.end(), {"-x", Language.str()});
      else
        drop(A, Carrier);
      return;
    }
    const bool ZigCpu = // not one of LLVM's names
        Known.Family == CompilerFamily::Zig && Name == "mcpu=";
    if (ZigCpu || !isForwarded(Opt))
      return dropSilently(Name, Carrier);
    if (Name == "arch" || Name.starts_with("target"))
      return takeTarget(Name, A.getValue());
    note(Name, A);
    if (Name == "fsanitize=" && Known.Family != CompilerFamily::Clang)
      return takeSanitizers(A.getValues());
    keep(A, Parsed, Carrier);
  }

  /// Words for another stage of the compiler, which are looked at as one
  /// command. True if A is such a word.
  bool carries(StringRef Name, const Arg &A) {
    Words *Into = Name == "Xclang" || Name == "Xclang=" ? &Direct
                  : Name == "clang:"                    ? &Behind
                                                        : nullptr;
    if (Into)
      Into->insert(Into->end(), A.getValues().begin(), A.getValues().end());
    else if (Name == "Wp," || Name == "Xpreprocessor")
      takePreprocessor(A.getValues());
    return Into || Name == "Wp," || Name == "Xpreprocessor";
  }

  /// Sources are named by the command's File, objects do not matter; but a
  /// response file that is still there has flags which nobody saw.
  void takeInput(StringRef Text, StringRef Carrier) {
    if (!Carrier.empty())
      Dropped.insert(Carrier.str());
    else if (Text.starts_with("@"))
      Dropped.insert("@file");
    else
      Inputs.push_back(Text.str());
  }

  /// Of `-Wp,a,b` only macros and includes; the rest is about dependency
  /// files. Values may be words of their own, also in the next `-Wp`.
  void takePreprocessor(ArrayRef<const char *> Values) {
    for (StringRef Value : Values) {
      const bool IsValue = WantsValue && !Value.starts_with("-");
      WantsValue =
          !IsValue &&
          is_contained(ArrayRef<StringRef>{"-D", "-U", "-I", "-include",
                                           "-imacros", "-isystem", "-iquote",
                                           "-idirafter"},
                       Value);
      if (IsValue || WantsValue ||
          (Value.size() > 2 &&
           (Value.starts_with("-D") || Value.starts_with("-U") ||
            Value.starts_with("-I"))))
        Kept.push_back(Value.str());
    }
  }

  void drop(const Arg &A, StringRef Carrier) {
    StringRef Text = A.getOption().getKind() == Option::UnknownClass
                         ? StringRef(A.getValue())
                         : A.getSpelling();
    Dropped.insert(!Carrier.empty() ? Carrier.str() : flagKey(Text));
  }

  /// gcc's tuning knobs have a name in clang's table and no meaning.
  void dropSilently(StringRef Name, StringRef Carrier) {
    if (!Carrier.empty())
      Dropped.insert(Carrier.str());
    else if (Name == "param" || Name == "param=")
      Dropped.insert("--param");
  }

  /// What gcc defines for them; clang has other names for some.
  void takeSanitizers(ArrayRef<const char *> Values) {
    for (StringRef Value : Values)
      if (Value == "address" || Value == "thread")
        Kept.push_back("-D__SANITIZE_" + Value.upper() + "__=1");
  }

  /// One target: what a universal program has besides is not looked at.
  void takeTarget(StringRef Name, StringRef Value) {
    if (Name == "arch" && Target.empty())
      Apple = true;
    else if (Name == "arch") {
      Dropped.insert("-arch");
      return;
    }
    Target =
        Known.Family == CompilerFamily::Zig ? tripleOfZig(Value) : Value.str();
  }

  void note(StringRef Name, const Arg &A) {
    if (Name == "I" && ArchTriple.empty())
      ArchTriple = tripleOfInclude(A.getValue());
    Phone |= Name == "mios-version-min=";
    HasSystem |= Name.starts_with("sysroot") || Name == "isysroot" ||
                 Name == "nostdinc" || Name == "nostdlibinc";
    ShapesDefaults |= Name.starts_with("fpack-struct") ||
                      Name == "fno-pack-struct" ||
                      Name.ends_with("short-enums");
  }

  /// As clang's own option where this driver has it, else as it was written.
  void keep(const Arg &A, const ArgList &Parsed, StringRef Carrier) {
    Option Opt = A.getOption().getUnaliasedOption();
    const unsigned Driver =
        Windows ? compat::options::CLOption : compat::options::ClangOption;
    const bool Ours = Opt.hasVisibilityFlag(Driver);
    ArgStringList Rendered;
    (!Ours && Carrier.empty() && A.getAlias() ? *A.getAlias() : A)
        .render(Parsed, Rendered);
    if (Windows && Carrier.empty() &&
        *Rendered[0] == '/') // as all others begin
      Rendered[0] = Parsed.MakeArgString("-" + Twine(Rendered[0] + 1));
    for (const char *Word : Rendered) {
      if (!Ours && Carrier == "-Xclang")
        Kept.push_back("-Xclang");
      Kept.push_back(!Ours && Carrier == "/clang:" ? (Carrier + Word).str()
                                                   : Word);
    }
  }

  /// By the flags, else by the compiler, else by kbuild's folders.
  std::string target() const {
    if (Apple)
      return Target + (Phone ? "-apple-ios" : "-apple-macosx");
    for (const std::string &Text :
         {Target, Known.Triple, ArchTriple, Known.FallbackTriple})
      if (!Text.empty())
        return Text;
    return "";
  }

  AdjustedCommand finish() {
    AdjustedCommand Out;
    Out.Directory = Command.Directory;
    Out.Target = target();
    if (Windows)
      Out.Args.push_back("--driver-mode=cl");
    else if (Known.Cxx)
      Out.Args.push_back("--driver-mode=g++");
    Out.Args.push_back("--no-default-config");
    if (!Out.Target.empty())
      Out.Args.push_back("--target=" + Out.Target);
    if (!ShapesDefaults)
      append_range(Out.Args, defaultsOf(Known.Family, Out.Target));
    append_range(Out.Args, Kept);
    if (!HasSystem)
      for (const std::string &Folder : Known.Headers)
        Out.Args.insert(Out.Args.end(), {"-isystem", Folder});
    // Old code that gcc merely warned of: errors by default in clang, and
    // `-w` silences what is no error.
    for (const char *Kind :
         {"implicit-function-declaration", "implicit-int", "int-conversion",
          "incompatible-function-pointer-types", "incompatible-pointer-types"})
      Out.Args.push_back(std::string("-Wno-error=") + Kind);
    Out.Args.push_back("-w");
    if (Windows) // an absolute name looks like an option there
      Out.Args.push_back("--");
    Out.Args.push_back(Command.File);
    Out.Inputs = std::move(Inputs);
    Out.DroppedFlags.assign(Dropped.begin(), Dropped.end());
    return Out;
  }

  const CompileCommand &Command;
  ArrayRef<std::string> Args;
  const CompilerFacts &Known;
  const bool Windows; ///< flags of cl.exe
  Words Kept, Inputs;
  Words Direct, Behind; ///< what -Xclang and /clang: carry
  std::set<std::string> Dropped;
  std::string Target, ArchTriple;
  bool Apple = false, Phone = false;
  bool HasSystem = false;      ///< the command says where headers are
  bool ShapesDefaults = false; ///< it says what defaultsOf() is about
  bool WantsValue = false;     ///< the last word for the preprocessor does
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

AdjustedCommand adjust(const CompileCommand &Command,
                       ArrayRef<std::string> Args, const CompilerFacts &Known) {
  return Adjuster(Command, Args, Known).run();
}

AdjustedCommand adjust(const CompileCommand &Command) {
  const Compiler Named = findCompiler(Command.Args);
  return adjust(Command, Named.Args,
                {Named.Name.Family, Named.Name.Triple, "", {}, Named.Name.Cxx});
}

} // namespace kst
