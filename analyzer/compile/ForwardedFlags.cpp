// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ForwardedFlags.h"

#include "analyzer/compile/LlvmCompat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace llvm::opt;

namespace kst {

/// Options by clang's own name (aliases resolved) that are forwarded.
static bool isForwardedName(StringRef Name) {
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
      "fPIE", "fno-PIE", "fpie", "fno-pie", "fstack-protector", "fchar8_t",
      "fno-char8_t", "fcoroutines", "frtti", "fno-rtti", "fcxx-exceptions",
      "fno-cxx-exceptions", "fmsc-version=", "fms-compatibility-version=",
      "stdlib=", "stdlib++-isystem", "fno-stack-protector",
      "fstack-protector-strong", "fstack-protector-all", "cxx-isystem",
      "nostdinc++", "faligned-allocation", "fno-aligned-allocation",
      "fsized-deallocation", "fno-sized-deallocation", "fno-operator-names",
      "ftemplate-depth=", "fconstexpr-depth=", "fconstexpr-steps=",
      "fbracket-depth=", "fnew-alignment=", "fdelayed-template-parsing",
      "fno-delayed-template-parsing",
      "fsanitize=", "fno-sanitize=", "ffast-math", "fno-fast-math",
      "ffinite-math-only",
      // Layout.
      "fshort-wchar", "fno-short-wchar", "fshort-enums", "fno-short-enums",
      "funsigned-char", "fno-unsigned-char", "fsigned-char", "fno-signed-char",
      "fpack-struct", "fno-pack-struct", "fpack-struct=", "fcommon",
      "fno-common",
      "fstrict-flex-arrays=", "fmax-type-align=", "fno-max-type-align",
      "frandomize-layout-seed=", "fwchar-type=", "fsigned-wchar",
      "fno-signed-wchar", "fclang-abi-compat=", "fc++-abi=", "fxl-pragma-pack",
      "fno-xl-pragma-pack", "fms-layout-compatibility=",
      // The target.
      "target", "target=", "target-legacy", "m16", "m32", "m64", "mx32",
      "mabi=", "march=", "mcpu=", "mfpu=", "mfloat-abi=", "msoft-float",
      "mno-soft-float", "mhard-float", "mthumb", "mlittle-endian",
      "mbig-endian", "arch", "mgeneral-regs-only",
      "mcmodel=", "mregparm=", "mrtd", "mno-rtd", "mms-bitfields",
      "mno-ms-bitfields", "malign-double", "mno-align-double", "mdouble=",
      "mmcu=", "mmacos-version-min=", "mios-version-min=", "mlong-double-64",
      "mlong-double-80", "mlong-double-128", "mstrict-align",
      "mno-strict-align", "munaligned-access", "mno-unaligned-access",
      "mfpmath=", "mdouble-float", "msingle-float", "mred-zone",
      "mno-red-zone"};
  return Names.contains(Name);
}

/// -m flags that switch instructions on or off (-mno-sse, -mtp=cp15): they
/// decide predefined macros, builtins and asm constraints.
static bool isTargetFeature(const Option &Given) {
  for (Option Group = Given.getGroup(); Group.isValid();
       Group = Group.getGroup())
    if (Group.getName().ends_with("features group>"))
      return true;
  return Given.getName().starts_with("ffixed-") ||
         Given.getName().starts_with("fcall-saved-");
}

/// Of clang-cl; gcc's -MD and -MT are other flags.
static bool isForwardedByCl(const Option &Given) {
  static const StringSet<> Names = {
      "std:",       "TC", "TP",  "EH",         "MD",          "MDd",   "MT",
      "MTd",        "LD", "LDd", "permissive", "permissive-", "arch:", "imsvc",
      "external:I", "vd", "vmb", "vmg",        "vms",         "vmm",   "vmv"};
  return !Given.hasVisibilityFlag(compat::options::ClangOption) &&
         Given.hasVisibilityFlag(compat::options::CLOption) &&
         Names.contains(Given.getName());
}

bool isForwarded(const Option &Given) {
  return isForwardedByCl(Given) ||
         Given.matches(compat::options::OPT_O_Group) ||
         isForwardedName(Given.getName()) || isTargetFeature(Given);
}

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

StringRef parsedLanguage(StringRef Name) {
  static constexpr StringRef Known[] = {"c", "c++", "cpp-output",
                                        "c++-cpp-output", "c++-module"};
  if (is_contained(Known, Name))
    return Name;
  if (Name == "c-header")
    return "c";
  return Name.starts_with("c++-") && Name.ends_with("header") ? "c++" : "";
}

} // namespace kst
