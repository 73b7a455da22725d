// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/LinkedImages.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/isolation/MapRoom.h"
#include "passes/readers/ObjectFiles.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

namespace kst {
namespace {

namespace path = llvm::sys::path;

std::string under(const std::string &Folder, llvm::StringRef Name) {
  if (path::is_absolute(Name) || Folder.empty())
    return Name.str();
  llvm::SmallString<256> Out(Folder);
  path::append(Out, Name);
  return std::string(Out);
}

/// Where the file of a map is: `lib.a(x.o)` is the archive, or with thin ones
/// a file beside it.
std::string fileOf(const std::string &Folder, const std::string &Name) {
  return under(Folder, Name);
}

bool exists(const std::string &Name) {
  const llvm::StringRef File = llvm::StringRef(Name).split(".a(").first;
  return llvm::sys::fs::exists(File == Name ? Name : (File + ".a").str());
}

/// The file of the final map that the other link made: most of its sections
/// have the names and sizes of that link's output.
std::string fileMadeBy(const LinkMap &Inner, const LinkMap &Final) {
  std::map<std::string, uint64_t> Sizes;
  for (const MapPart &Part : Inner.Parts)
    Sizes[Part.Name] = Part.SizeBytes;
  std::map<std::string, size_t> Fits;
  for (const MapPart &Part : Final.Parts)
    for (const MapStatement &S : Part.Body)
      if (S.Is == MapStatement::Kind::Input && S.SizeBytes) {
        const auto At = Sizes.find(S.Name);
        Fits[S.Text] += At != Sizes.end() && (At->second == S.SizeBytes ||
                                              At->second == S.WholeBytes);
      }
  std::string Best;
  size_t Most = 0;
  for (const auto &[Name, Count] : Fits)
    if (Count > Most) {
      Most = Count;
      Best = Name;
    }
  return Most > 1 ? Best : "";
}

/// A file that has most of the image and was linked from others itself.
std::string mostlyOneFile(const LinkFiles &Of) {
  std::map<std::string, uint64_t> Bytes;
  uint64_t All = 0;
  for (const MapPart &Part : Of.Final.Parts)
    for (const MapStatement &S : Part.Body)
      if (S.Is == MapStatement::Kind::Input) {
        Bytes[S.Text] += S.SizeBytes;
        All += S.SizeBytes;
      }
  for (const auto &[Name, Size] : Bytes)
    if (const auto At = Of.Objects.find(Name);
        At != Of.Objects.end() && Size > All / 2 && At->second.Files.size() > 2)
      return Name;
  return "";
}

bool sameShape(const ObjectFile &A, const ObjectFile &B) {
  if (A.Sections.size() != B.Sections.size() ||
      A.Symbols.size() != B.Symbols.size())
    return false;
  for (size_t I = 0; I < A.Sections.size(); ++I) {
    const ObjectSection &L = A.Sections[I], &R = B.Sections[I];
    if (L.Name != R.Name || L.AlignBytes != R.AlignBytes ||
        (L.Alloc && L.SizeBytes != R.SizeBytes))
      return false;
  }
  for (size_t I = 0; I < A.Symbols.size(); ++I)
    if (A.Symbols[I].Name != B.Symbols[I].Name ||
        A.Symbols[I].Value != B.Symbols[I].Value ||
        A.Symbols[I].Section != B.Symbols[I].Section)
      return false;
  return true;
}

/// A thin archive has its members' paths from its own directory on.
bool isThin(const std::string &Archive) {
  auto Head = llvm::MemoryBuffer::getFileSlice(Archive, 8, 0);
  return Head && (*Head)->getBuffer() == "!<thin>\n";
}

/// lld names a member of a thin archive as such, GNU ld by its own file. As
/// GNU ld does: `vmlinux.a(init/main.o)` becomes `init/main.o`.
void nameMembers(LinkMap &Map, const std::string &Folder) {
  std::map<std::string, bool> Thin;
  for (MapPart &Part : Map.Parts)
    for (MapStatement &S : Part.Body) {
      const size_t Open = S.Text.find(".a(");
      if (S.Is != MapStatement::Kind::Input || Open == std::string::npos)
        continue;
      const std::string Archive = S.Text.substr(0, Open + 2);
      const auto [At, New] = Thin.emplace(Archive, false);
      if (New)
        At->second = isThin(under(Folder, Archive));
      if (!At->second)
        continue;
      const std::string Member =
          S.Text.substr(Open + 3, S.Text.size() - Open - 4);
      S.Text = under(path::parent_path(Archive).str(), Member);
    }
}

} // namespace

llvm::Expected<LinkMap> openMap(const std::string &File,
                                const std::string &Folder) {
  auto Text = readFile(File);
  if (!Text)
    return Text.takeError();
  auto Map = readLinkMap(*Text);
  if (!Map)
    return usageError(File + ": " + Map.error());
  nameMembers(*Map, Folder);
  return std::move(*Map);
}

llvm::Expected<ObjectFile> openImage(const std::string &File) {
  auto Image = readImage(File);
  if (!Image)
    return usageError(llvm::toString(Image.takeError()));
  if (Image->Relocatable && !Image->Module)
    return usageError(File +
                      " is relocatable, not linked: it has no addresses. "
                      "Give the linked image (vmlinux) or a module (.ko)");
  if (Image->Symbols.empty())
    return usageError(File +
                      " has no symbols. Give the image as it was linked");
  return std::move(*Image);
}

llvm::Expected<OpenedLink> openLink(const LinkRequest &Asked,
                                    const DiagnosticConsumer &Diags) {
  LinkFiles Files;
  auto Image = openImage(Asked.Image);
  if (!Image)
    return Image.takeError();
  Files.Image = std::move(*Image);
  std::string Folder = Asked.Objects;
  if (Folder.empty())
    Folder = path::parent_path(Asked.Image).str();
  const std::string MapName =
      Asked.Map.empty() ? Asked.Image + ".map" : Asked.Map;
  if (!llvm::sys::fs::exists(MapName))
    return usageError(
        MapName +
        ": no map of the link. CONFIG_VMLINUX_MAP=y (of EXPERT) writes "
        "it, or the linker's option -Map=FILE; name it "
        "with --map");
  auto Map = openMap(MapName, Folder);
  if (!Map)
    return Map.takeError();
  Files.Final = std::move(*Map);
  std::string InnerName = Asked.InnerMap;
  if (InnerName.empty())
    if (std::string Beside = under(Folder, "vmlinux.o.map");
        llvm::sys::fs::exists(Beside))
      InnerName = Beside;
  if (!InnerName.empty()) {
    auto Inner = openMap(InnerName, Folder);
    if (!Inner)
      return Inner.takeError();
    Files.InnerFile = fileMadeBy(*Inner, Files.Final);
    if (Files.InnerFile.empty())
      return usageError(InnerName + " is of another link: no file in " +
                        MapName + " has its sections");
    Files.Inner = std::move(*Inner);
  }
  std::set<std::string> Names = filesOf(Files.Final);
  if (Files.Inner)
    Names.merge(filesOf(*Files.Inner));

  OpenedLink Out{LinkedImage(), {}, 0};
  for (const std::string &Name : Names) {
    const std::string File = fileOf(Folder, Name);
    if (!exists(File)) {
      if (llvm::StringRef(Name).starts_with("linker stubs") ||
          llvm::StringRef(Name).starts_with("<internal>"))
        continue;
      return usageError(File + ": no such object file, but " + MapName +
                        " names it; --objects DIR says where names begin");
    }
    auto Object = readObjectFile(File);
    if (!Object)
      return usageError(llvm::toString(Object.takeError()));
    Files.Objects.emplace(Name, std::move(*Object));
    ++Out.ObjectsRead;
  }
  if (!Files.Inner)
    if (const std::string Whole = mostlyOneFile(Files); !Whole.empty())
      Diags.warn(MapName + " names " + Whole + " for what " +
                 std::to_string(Files.Objects.at(Whole).Files.size()) +
                 " files were linked to first: they count as one object. Give "
                 "the map of that link with --relocatable-map");
  for (const std::string &Word : Asked.Changed) {
    const auto [Name, File] = llvm::StringRef(Word).split('=');
    if (File.empty())
      return usageError("--changed takes NAME=FILE, not '" + Word + "'");
    if (!Files.Objects.count(Name.str()))
      return usageError("--changed: " + MapName + " names no file '" + Name +
                        "'");
    auto Object = readObjectFile(File.str());
    if (!Object)
      return usageError(llvm::toString(Object.takeError()));
    Out.Changed.emplace(Name.str(), std::move(*Object));
  }
  bool Any = Asked.Against.empty();
  if (!Asked.Against.empty())
    for (const auto &[Name, Old] : Files.Objects) {
      if (Name == Files.InnerFile)
        continue;
      const std::string File = fileOf(Asked.Against, Name);
      if (!exists(File))
        continue;
      auto Object = readObjectFile(File);
      if (!Object)
        return usageError(llvm::toString(Object.takeError()));
      Any = true;
      if (!sameShape(Old, *Object))
        Out.Changed.emplace(Name, std::move(*Object));
    }
  if (!Any)
    return usageError("--against " + Asked.Against +
                      ": none of the objects that " + MapName +
                      " names is there");
  for (const auto &[Name, Object] : Out.Changed)
    for (const ObjectSection &Of : Object.Sections)
      if (Of.Alloc && Of.SizeBytes) {
        LinkMap &In = Files.Inner && filesOf(*Files.Inner).count(Name)
                          ? *Files.Inner
                          : Files.Final;
        bool There = false;
        for (const ObjectSection &Was : Files.Objects.at(Name).Sections)
          There |= Was.Name == Of.Name;
        if (!There && !makeRoom(In, Files.Objects, Name, Of.Name, Object) &&
            !makeRoomBeside(In, Name, Of.Name, Object))
          Diags.warn(Name + " has a new section " + Of.Name +
                     ", and no other file has one: it is left out");
      }
  auto Linked = LinkedImage::of(std::move(Files));
  if (!Linked)
    return usageError(MapName + ": " + Linked.error());
  Out.Image = std::move(*Linked);
  return Out;
}

} // namespace kst
