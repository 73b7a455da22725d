// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugInfo.h"

#include "passes/readers/DwarfCompat.h"

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace llvm;

namespace kst {
namespace {

/// Places of sections, by their numbers in the image. A debug file has the same
/// sections of the program in the same order, with numbers of its own.
class Placed : public LoadedObjectInfoHelper<Placed> {
public:
  Placed(const std::vector<uint64_t> &Places, const object::ObjectFile &Image,
         const object::ObjectFile &Debug) {
    const std::vector<uint64_t> From = loaded(Image), To = loaded(Debug);
    if (&Image != &Debug && From.size() != To.size())
      return;
    for (size_t I = 0; I < To.size(); ++I)
      if (From[I] < Places.size())
        Addresses[To[I]] = Places[From[I]];
  }
  uint64_t getSectionLoadAddress(const object::SectionRef &S) const override {
    auto At = Addresses.find(S.getIndex());
    return At == Addresses.end() ? 0 : At->second;
  }

private:
  static std::vector<uint64_t> loaded(const object::ObjectFile &Object) {
    std::vector<uint64_t> Out;
    for (const object::SectionRef &S : Object.sections())
      if (object::ELFSectionRef(S).getFlags() & ELF::SHF_ALLOC)
        Out.push_back(S.getIndex());
    return Out;
  }
  std::map<uint64_t, uint64_t> Addresses;
};

bool hasSection(const object::ObjectFile &Object, StringRef Name) {
  for (const object::SectionRef &S : Object.sections()) {
    Expected<StringRef> Own = S.getName();
    if (Own && *Own == Name)
      return true;
    consumeError(Own.takeError());
  }
  return false;
}

/// The name of the file with the other part of a unit; "" if it is whole.
std::string splitName(DWARFUnit &Unit) {
  const DWARFDie Top = Unit.getUnitDIE();
  return dwarf::toString(
      Top.find({dwarf::DW_AT_dwo_name, dwarf::DW_AT_GNU_dwo_name}), "");
}

/// LLVM does not find all units of types by their signatures in packages of
/// DWARF 4, which have a section for them: 19 none, 22 some.
bool findsTypes(DWARFContext &Package) {
  for (const auto &Unit : Package.dwo_units())
    if (const auto *Types = dyn_cast<DWARFTypeUnit>(Unit.get()))
      if (Types->getVersion() < 5 ||
          typeUnit(*Types, Types->getTypeHash()) != Unit.get())
        return false;
  return true;
}

std::string underFolder(StringRef Folder, StringRef Name) {
  SmallString<256> Out;
  if (!sys::path::is_absolute(Name))
    Out = Folder;
  sys::path::append(Out, Name);
  return Out.str().str();
}

} // namespace

Expected<DebugInfo> DebugInfo::open(const std::string &File,
                                    const std::vector<uint64_t> &Sections) {
  auto Binary = object::ObjectFile::createObjectFile(File);
  if (!Binary)
    return createStringError(inconvertibleErrorCode(), "%s: %s", File.c_str(),
                             toString(Binary.takeError()).c_str());
  DebugInfo Out;
  Out.File = File;
  Out.Image = std::move(*Binary);
  const object::ObjectFile &Image = Out.image();
  if (!hasDwarf(Image))
    Out.Separate = findDebugFile(Image, File, debugDirectories());
  const object::ObjectFile &Object =
      Out.Separate.Path.empty() ? Image : *Out.Separate.File.getBinary();
  Out.FirstError = std::make_shared<std::string>();
  auto Note = [First = Out.FirstError](Error E) {
    const std::string Words = toString(std::move(E));
    if (First->empty() && StringRef(Words).starts_with("failed to decompress"))
      *First = Words;
  };
  auto Ignore = [](Error E) { consumeError(std::move(E)); };
  std::optional<Placed> Where;
  if (!Sections.empty() && isa<object::ELFObjectFileBase>(Image))
    Where.emplace(Sections, Image, Object);
  const std::string Dwp = File + ".dwp";
  Out.Context = DWARFContext::create(
      Object, DWARFContext::ProcessDebugRelocations::Process,
      Where ? &*Where : nullptr, sys::fs::exists(Dwp) ? Dwp : "", Note, Ignore);
  // LLVM opens the package whatever the name, and drops it with its last unit.
  // Once it has looked for one unit, it does not list the others any more.
  Out.Package = Out.Context->getDWOContext("");
  if (Out.Package)
    Out.Package->dwo_units();
  Out.Problem = Out.Separate.Missing.empty() ? Out.unreadable(Object)
                                             : Out.Separate.Missing;
  if (Out.Problem.empty())
    Out.Problem = Out.splitProblem();
  if (!Out.Problem.empty())
    Out.Problem = File + ": " + Out.Problem;
  return Out;
}

Expected<DebugInfo> DebugInfo::openWhole(const std::string &File) {
  auto Out = open(File);
  if (Out && !Out->Problem.empty())
    return createStringError(Out->Problem);
  return Out;
}

const object::ObjectFile &DebugInfo::withSymbols() const {
  return image().symbols().empty() && !Separate.Path.empty()
             ? *Separate.File.getBinary()
             : image();
}

/// Forms of DWARF that LLVM does not read, and damage.
std::string DebugInfo::unreadable(const object::ObjectFile &Object) const {
  const std::string In = Separate.Path.empty() ? "" : " of " + Separate.Path;
  if (!FirstError->empty())
    return "debug information" + In + " cannot be read: " + *FirstError;
  if (hasSection(Object, ".zdebug_info"))
    return "debug information" + In +
           " is compressed the old way of GNU (.zdebug_info), which is not "
           "read: `objcopy --decompress-debug-sections` undoes it";
  for (const char *Name : {".gnu_debugaltlink", ".debug_sup"})
    if (hasSection(Object, Name))
      return "debug information" + In +
             " has parts in another file, where dwz took them (" + Name +
             "): that is not read; use debug information that dwz did not "
             "join (dwz -m)";
  if (Context->getNumCompileUnits() == 0)
    return "debug information" + In + " is damaged: it has no unit";
  return "";
}

/// Where else than its name says the other part of a unit may be: the image
/// was moved together with it.
std::string DebugInfo::besides(DWARFUnit &Skeleton) const {
  const std::string Name = splitName(Skeleton);
  for (const std::string &Of : {File, Separate.Path})
    for (StringRef Last : {StringRef(Name), sys::path::filename(Name)}) {
      std::string Place = underFolder(sys::path::parent_path(Of), Last);
      if (!Of.empty() && sys::fs::exists(Place))
        return Place;
    }
  return "";
}

DWARFDie DebugInfo::topOf(DWARFUnit &Unit) const {
  if (splitName(Unit).empty())
    return Unit.getUnitDIE(/*ExtractUnitDIEOnly=*/false);
  return Unit.getNonSkeletonUnitDIE(/*ExtractUnitDIEOnly=*/false,
                                    besides(Unit));
}

/// Opens the other parts of all split units; which are not there.
std::string DebugInfo::splitProblem() const {
  if (Package && !findsTypes(*Package))
    return "its .dwp has types in units of their own, which this LLVM does "
           "not find: take the .dwp away and give the .dwo files";
  size_t Split = 0, Missing = 0;
  std::string First;
  for (const auto &Unit : Context->compile_units()) {
    const std::string Name = splitName(*Unit);
    if (Name.empty())
      continue;
    ++Split;
    const std::string Place = besides(*Unit);
    if (Unit->getNonSkeletonUnitDIE(/*ExtractUnitDIEOnly=*/true, Place) !=
        Unit->getUnitDIE())
      continue;
    if (Missing++)
      continue;
    const char *Folder = Unit->getCompilationDir();
    const std::string Named = underFolder(Folder ? Folder : "", Name);
    if (Package)
      First = Named + " is not in the .dwp";
    else if (sys::fs::exists(Named) || !Place.empty())
      First = (sys::fs::exists(Named) ? Named : Place) +
              " is of another build or damaged";
    else
      First = Named + " is not there, nor beside the image, nor is there " +
              File + ".dwp";
  }
  if (!Missing)
    return "";
  return "debug information is split; " + First +
         (Missing > 1 ? "; the same of " + std::to_string(Missing - 1) +
                            " more of " + std::to_string(Split) + " files"
                      : "");
}

void DebugInfo::forEachUnit(function_ref<bool(DWARFDie)> Take) {
  // Of many files of the same types those of the first one are enough, but who
  // takes them knows that.
  auto Types = [&](auto &&Units) {
    for (const auto &Unit : Units) {
      if (!Unit->isTypeUnit())
        continue;
      if (!Take(Unit->getUnitDIE(/*ExtractUnitDIEOnly=*/false)))
        return false;
      Unit->clear();
    }
    return true;
  };
  for (const auto &Unit : Context->compile_units()) {
    const DWARFDie Top = topOf(*Unit);
    if (!Top)
      continue;
    if (!Take(Top))
      return;
    DWARFContext &In = Top.getDwarfUnit()->getContext();
    if (&In != Context.get() && &In != Package.get() && !Types(In.dwo_units()))
      return;
    Unit->clear();
  }
  if (Types(Context->normal_units()) && Package)
    Types(Package->dwo_units());
}

} // namespace kst
