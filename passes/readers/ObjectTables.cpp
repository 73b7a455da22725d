// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/ObjectTables.h"

#include "passes/abi/kst_abi.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {

namespace fs = llvm::sys::fs;
namespace object = llvm::object;

static llvm::Error failed(llvm::StringRef File, const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 File + ": " + Why);
}

llvm::Expected<std::vector<CounterTable>>
objectTables(llvm::MemoryBufferRef Bytes) {
  llvm::StringRef File = Bytes.getBufferIdentifier();
  switch (llvm::identify_magic(Bytes.getBuffer())) {
  case llvm::file_magic::elf:
  case llvm::file_magic::elf_relocatable:
  case llvm::file_magic::elf_executable:
  case llvm::file_magic::elf_shared_object:
  case llvm::file_magic::elf_core:
    break;
  case llvm::file_magic::archive:
    return failed(File, "an archive; give the program linked from it");
  default:
    return failed(File, "not an ELF file");
  }
  auto Object = object::ObjectFile::createELFObjectFile(Bytes);
  if (!Object)
    return failed(File, llvm::toString(Object.takeError()));
  if (!(*Object)->isLittleEndian())
    return failed(File, "a big-endian file");
  std::vector<CounterTable> All;
  bool Found = false;
  for (const object::SectionRef &Section : (*Object)->sections()) {
    llvm::Expected<llvm::StringRef> Name = Section.getName();
    if (!Name)
      return failed(File, llvm::toString(Name.takeError()));
    if (*Name != KST_TABLE_SECTION)
      continue;
    Found = true;
    llvm::Expected<llvm::StringRef> Contents = Section.getContents();
    if (!Contents)
      return failed(File, llvm::toString(Contents.takeError()));
    auto Tables = readCounterTables({Contents->data(), Contents->size()});
    if (!Tables)
      return failed(File, Tables.error());
    All.insert(All.end(), std::make_move_iterator(Tables->begin()),
               std::make_move_iterator(Tables->end()));
  }
  if (All.empty())
    return failed(File, Found ? "section " KST_TABLE_SECTION " holds no table"
                              : "no section " KST_TABLE_SECTION
                                ": not built with the pass, or stripped");
  return All;
}

llvm::Expected<std::vector<CounterTable>>
objectTables(const std::string &File) {
  fs::file_status Status;
  if (fs::status(File, Status) || !fs::is_regular_file(Status))
    return failed(File, "no such regular file");
  auto Buffer = llvm::MemoryBuffer::getFile(File, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return failed(File, Buffer.getError().message());
  return objectTables((*Buffer)->getMemBufferRef());
}

} // namespace kst
