// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/HeaderIndex.h"

#include "analyzer/facts/HeaderScan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using llvm::StringRef;

namespace kst {

HeaderIndex::NameId HeaderIndex::name(StringRef Name) {
  auto [It, New] = Ids.try_emplace(Name, Leads.size());
  if (New)
    Leads.emplace_back();
  return It->second;
}

/// A shorter one would lead to half of the kernel.
static constexpr size_t MinPrefixLength = 4;

HeaderIndex::NameId HeaderIndex::addLead(Text &By, StringRef From,
                                         llvm::ArrayRef<StringRef> To) {
  Lead Added{&By, {}};
  for (StringRef Name : To)
    Added.To.push_back(name(Name));
  NameId Id = name(From);
  Leads[Id].push_back(std::move(Added));
  By.Defines.push_back(Id);
  return Id;
}

/// What a macro pastes together may be any function with that beginning.
void HeaderIndex::addPrefix(const Text &By, NameId Macro, StringRef Prefix) {
  if (Prefix.size() < MinPrefixLength)
    return;
  Prefixes[Prefix].push_back({&By, Macro});
  for (const auto &Function : Functions)
    if (Function.getKey().starts_with(Prefix))
      Leads[Macro].push_back({&By, {Function.second}});
}

void HeaderIndex::addFunction(StringRef Name) {
  if (!Functions.try_emplace(Name, name(Name)).second)
    return;
  for (size_t Length = MinPrefixLength; Length <= Name.size(); ++Length)
    if (auto It = Prefixes.find(Name.take_front(Length)); It != Prefixes.end())
      for (const Paster &Paster : It->second)
        Leads[Paster.Macro].push_back({Paster.By, {Functions[Name]}});
}

HeaderIndex::Text *HeaderIndex::file(StringRef Path) {
  auto [It, New] = Paths.try_emplace(Path, nullptr);
  llvm::sys::fs::file_status Status;
  if (!New || llvm::sys::fs::status(Path, Status) ||
      Status.type() != llvm::sys::fs::file_type::regular_file)
    return It->second;
  if (auto Contents = llvm::MemoryBuffer::getFile(Path))
    It->second = &text((*Contents)->getBuffer());
  return It->second;
}

HeaderIndex::Text &HeaderIndex::text(StringRef Contents) {
  auto Hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(Contents));
  std::unique_ptr<Text> &Entry = Texts[{Hash.high64, Hash.low64}];
  if (Entry)
    return *Entry;
  Entry = std::make_unique<Text>();
  HeaderScan Scan = scanHeader(Contents);
  for (const ScannedInclude &Include : Scan.Includes)
    Entry->Includes.push_back({Include.Name.str(), Include.Quoted});
  for (const ScannedMacro &Macro : Scan.Macros) {
    NameId Id = addLead(*Entry, Macro.Name, Macro.Uses);
    for (StringRef Prefix : Macro.Prefixes)
      addPrefix(*Entry, Id, Prefix);
  }
  for (const ScannedBody &Scanned : Scan.Bodies) {
    Body Added{Scanned.Start, Scanned.Begin, Scanned.End, {}};
    for (StringRef Name : Scanned.Names) {
      Added.Names.push_back(addLead(*Entry, Name, Scanned.Uses));
      addFunction(Name);
    }
    if (Scanned.Removable)
      Entry->Bodies.push_back(std::move(Added));
  }
  for (const ScannedCall &Call : Scan.Calls)
    addLead(*Entry, Call.FirstName, Call.Uses);
  return *Entry;
}

} // namespace kst
