// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <optional>

using namespace llvm;

namespace kst {
namespace {

std::optional<object::SectionRef> section(const object::ObjectFile &Of,
                                          StringRef Name) {
  for (const object::SectionRef &S : Of.sections()) {
    Expected<StringRef> Own = S.getName();
    if (!Own)
      consumeError(Own.takeError());
    else if (*Own == Name)
      return S;
  }
  return std::nullopt;
}

/// What .gnu_debuglink says: a name without directories, and the checksum of
/// the file.
struct DebugLink {
  std::string Name;
  uint32_t Checksum = 0;
};

std::optional<DebugLink> linkOf(const object::ObjectFile &Image) {
  auto Section = section(Image, ".gnu_debuglink");
  if (!Section)
    return std::nullopt;
  Expected<StringRef> Bytes = Section->getContents();
  if (!Bytes) {
    consumeError(Bytes.takeError());
    return std::nullopt;
  }
  const DataExtractor Data(*Bytes, Image.isLittleEndian(), 0);
  DataExtractor::Cursor At(0);
  DebugLink Out;
  Out.Name = Data.getCStrRef(At).str();
  Data.skip(At, offsetToAlignment(At.tell(), Align(4)));
  Out.Checksum = Data.getU32(At);
  if (Error E = At.takeError()) {
    consumeError(std::move(E));
    return std::nullopt;
  }
  return Out;
}

/// Opens the file if it is an object with DWARF.
bool openDebugFile(const std::string &Path, DebugFile &To) {
  auto File = object::ObjectFile::createObjectFile(Path);
  if (!File) {
    consumeError(File.takeError());
    return false;
  }
  if (!hasDwarf(*File->getBinary()))
    return false;
  To.Path = Path;
  To.File = std::move(*File);
  return true;
}

bool isOfChecksum(const std::string &Path, uint32_t Checksum) {
  auto Bytes = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
  return Bytes &&
         crc32(arrayRefFromStringRef((*Bytes)->getBuffer())) == Checksum;
}

/// As gdb looks: beside the image, in .debug/, and below each directory at the
/// image's own.
std::vector<std::string> placesOf(const std::string &Name,
                                  const std::string &ImagePath,
                                  ArrayRef<std::string> Directories) {
  SmallString<256> Image;
  if (sys::fs::real_path(ImagePath, Image))
    Image = ImagePath;
  const StringRef Folder = sys::path::parent_path(Image);
  std::vector<std::string> Out;
  auto Add = [&](const Twine &A, const Twine &B, const Twine &C) {
    SmallString<256> Place;
    sys::path::append(Place, A, B, C);
    if (Place != Image)
      Out.push_back(Place.str().str());
  };
  Add(Folder, "", Name);
  Add(Folder, ".debug", Name);
  for (const std::string &Directory : Directories)
    Add(Directory, sys::path::relative_path(Folder), Name);
  return Out;
}

/// Of the image alone, without what was looked for elsewhere.
std::string whyNone(const object::ObjectFile &Image) {
  if (section(Image, ".debug_info.dwo"))
    return "has the split part of debug information only: give the image that "
           "it was split from";
  if (section(Image, ".BTF"))
    return "has only BTF, no DWARF: DWARF is what is read";
  if (Image.symbols().empty())
    return "stripped";
  const bool Kernel = section(Image, "__ksymtab") || section(Image, ".modinfo");
  return Kernel ? "no debug information (CONFIG_DEBUG_INFO)"
                : "no debug information (compile with -g)";
}

} // namespace

std::vector<std::string> debugDirectories() {
  const std::string Named =
      sys::Process::GetEnv("KST_DEBUG_DIR").value_or("/usr/lib/debug");
  SmallVector<StringRef, 4> Parts;
  StringRef(Named).split(Parts, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return {Parts.begin(), Parts.end()};
}

bool hasDwarf(const object::ObjectFile &Object) {
  return section(Object, ".debug_info") || section(Object, ".zdebug_info") ||
         section(Object, "__debug_info"); // of Mach-O
}

DebugFile findDebugFile(const object::ObjectFile &Image,
                        const std::string &Path,
                        const std::vector<std::string> &Directories) {
  DebugFile Out;
  std::string Looked = whyNone(Image);
  const std::string In = join(Directories, ":");
  if (const object::BuildIDRef Id = object::getBuildID(&Image); !Id.empty()) {
    // Without directories LLVM looks in its own.
    const auto Found = Directories.empty()
                           ? std::nullopt
                           : object::BuildIDFetcher(Directories).fetch(Id);
    if (Found && openDebugFile(*Found, Out) &&
        object::getBuildID(Out.File.getBinary()) == Id)
      return Out;
    Looked += "; build id " + toHex(Id, /*LowerCase=*/true) +
              (Found ? " leads to " + *Found + ", which is not its debug file"
                     : " has no .debug file in " + In);
  }
  if (auto Link = linkOf(Image)) {
    std::string Other;
    for (const std::string &Place : placesOf(Link->Name, Path, Directories)) {
      if (!sys::fs::is_regular_file(Place))
        continue;
      if (isOfChecksum(Place, Link->Checksum) && openDebugFile(Place, Out))
        return Out;
      Other = Place;
    }
    Looked += Other.empty()
                  ? "; " + Link->Name + " (.gnu_debuglink) is not beside it, " +
                        "in .debug/ or in " + In
                  : "; " + Other + " (.gnu_debuglink) is of another build";
  }
  Out = DebugFile();
  Out.Missing = std::move(Looked);
  return Out;
}

} // namespace kst
