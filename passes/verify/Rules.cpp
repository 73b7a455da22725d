// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/Rules.h"

#include "passes/abi/kst_abi.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"

#include <tuple>

namespace kst {

using llvm::StringRef;

namespace {

/// Section names are "BASE" or "BASE.MORE".
bool isOrBelow(StringRef Name, StringRef Base) {
  return Name.consume_front(Base) && (Name.empty() || Name.starts_with("."));
}

/// Whether `Directories` has the components of `Sequence`, side by side; "*"
/// stands for any one.
bool contains(llvm::ArrayRef<StringRef> Directories, StringRef Sequence) {
  llvm::SmallVector<StringRef, 4> Wanted;
  Sequence.split(Wanted, '/');
  for (; Directories.size() >= Wanted.size();
       Directories = Directories.drop_front()) {
    bool Same = true;
    for (size_t I = 0; I != Wanted.size(); ++I)
      Same &= Wanted[I] == "*" || Wanted[I] == Directories[I];
    if (Same)
      return true;
  }
  return false;
}

} // namespace

std::optional<StringRef> forbiddenSection(StringRef Name) {
  static constexpr std::pair<StringRef, StringRef> Rules[] = {
      {".noinstr.text", "noinstr"},
      {".entry.text", "entry"},
      {".cpuidle.text", "cpuidle"},
      {".head.text", "head"},
  };
  for (const auto &[Base, Why] : Rules)
    if (isOrBelow(Name, Base))
      return Why;
  if (Name.starts_with(".text..__x86."))
    return StringRef("thunk");
  return std::nullopt;
}

std::optional<StringRef> forbiddenFile(StringRef Path) {
  StringRef File = llvm::sys::path::filename(Path);
  if (File == "vmlinux.o" || File.ends_with(".ko"))
    return std::nullopt;
  if (File.starts_with("vdso") && File.contains(".so"))
    return StringRef("vdso");
  if (File == "purgatory.ro" || File == "purgatory.chk")
    return StringRef("purgatory");
  llvm::SmallVector<StringRef, 16> Directories;
  StringRef Parent = llvm::sys::path::parent_path(Path);
  for (auto I = llvm::sys::path::begin(Parent),
            E = llvm::sys::path::end(Parent);
       I != E; ++I)
    Directories.push_back(*I);
  static constexpr std::pair<StringRef, StringRef> Rules[] = {
      {"arch/*/boot", "boot"},     {"arch/*/purgatory", "purgatory"},
      {"realmode/rm", "realmode"}, {"firmware/efi/libstub", "EFI stub"},
      {"entry/vdso", "vdso"},      {"kernel/vdso", "vdso"},
      {"kernel/vdso32", "vdso"},   {"arch/x86/platform/pvh", "early"},
  };
  for (const auto &[Sequence, Why] : Rules)
    if (contains(Directories, Sequence))
      return Why;
  static constexpr std::tuple<StringRef, StringRef, StringRef> Files[] = {
      {"arch/x86/coco", "core.o", "early"},
      {"arch/x86/kernel", "head64.o", "early"},
      {"arch/x86/kernel", "machine_kexec_64.o", "kexec"},
      {"arch/x86/lib", "cmdline.o", "early"},
      {"arch/x86/mm", "mem_encrypt_identity.o", "early"},
      {"arch/x86/mm", "physaddr.o", "early"},
      {"arch/x86/power", "cpu.o", "resume"},
      {"arch/x86/xen", "enlighten_pv.o", "early"},
      {"arch/x86/xen", "mmu_pv.o", "early"},
  };
  for (const auto &[Directory, Name, Why] : Files)
    if (File == Name && contains(Directories, Directory))
      return Why;
  return std::nullopt;
}

bool sharedDirectory(StringRef Rule) { return Rule == "vdso"; }

std::optional<Reference> sectionReference(StringRef Name) {
  if (isOrBelow(Name, KST_PERCPU_SECTION))
    return Reference::Counter;
  if (Name == KST_UNITS_SECTION || Name == KST_OBJECTS_SECTION)
    return Reference::Table;
  return std::nullopt;
}

std::optional<Reference> symbolReference(StringRef Name) {
  // What linkers call the ends of a section.
  StringRef Ends = Name;
  if (Ends.consume_front("__start_") || Ends.consume_front("__stop_"))
    return sectionReference(Ends);
  if (Name == CountersSymbol)
    return Reference::Counter; // where a linker script merged the section
  if (Name.starts_with("__kst_"))
    return Reference::Runtime;
  return std::nullopt;
}

StringRef spell(Reference What) {
  switch (What) {
  case Reference::Counter:
    return "counter";
  case Reference::Runtime:
    return "runtime";
  case Reference::Table:
    return "table";
  }
  return "";
}

} // namespace kst
