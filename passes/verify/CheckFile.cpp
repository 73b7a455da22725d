// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/CheckFile.h"

#include "passes/verify/CheckImage.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

Error bad(const llvm::Twine &Name, const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 (Name + ": " + Why).str());
}

Error bad(const llvm::Twine &Name, Error E) {
  return bad(Name, llvm::toString(std::move(E)));
}

void append(ObjectResult &All, ObjectResult One) {
  for (Finding &F : One.Findings)
    All.Findings.push_back(std::move(F));
  All.CountedReferences += One.CountedReferences;
  All.RuntimeReferences += One.RuntimeReferences;
  All.CountedFunctions.merge(One.CountedFunctions);
}

Expected<ObjectResult> checkElf(StringRef Buffer, StringRef Name,
                                StringRef Rule) {
  auto Object = readElf(Buffer);
  if (!Object)
    return bad(Name, Object.takeError());
  if (!Rule.empty())
    return checkForbiddenObject(*Object, Name, Rule);
  if (Object->Kind == ElfObject::Relocatable) {
    if (Object->Machine != llvm::ELF::EM_X86_64)
      return bad(Name, "is not for x86-64");
    return checkKernelObject(*Object, Name);
  }
  auto Result = checkImage(*Object, Name);
  if (!Result)
    return bad(Name, Result.takeError());
  return Result;
}

Expected<ObjectResult> checkArchive(llvm::MemoryBufferRef Buffer,
                                    StringRef Rule) {
  StringRef Name = Buffer.getBufferIdentifier();
  auto Archive = llvm::object::Archive::create(Buffer);
  if (!Archive)
    return bad(Name, Archive.takeError());
  ObjectResult All;
  Error Failed = Error::success();
  for (const auto &Member : (*Archive)->children(Failed)) {
    auto MemberName = Member.getName();
    if (!MemberName)
      return bad(Name, MemberName.takeError());
    auto Content = Member.getMemoryBufferRef();
    if (!Content)
      return bad(Name + "(" + *MemberName + ")", Content.takeError());
    auto One = checkElf(Content->getBuffer(),
                        (Name + "(" + *MemberName + ")").str(), Rule);
    if (!One)
      return One.takeError();
    append(All, std::move(*One));
  }
  if (Failed)
    return bad(Name, std::move(Failed));
  return All;
}

} // namespace

Expected<ObjectResult> checkFile(const Input &File) {
  llvm::sys::fs::file_status Status;
  if (std::error_code Why = llvm::sys::fs::status(File.Path, Status))
    return bad(File.Path, Why.message());
  if (!llvm::sys::fs::is_regular_file(Status))
    return bad(File.Path, "is not a regular file");
  auto Buffer = llvm::MemoryBuffer::getFile(File.Path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return bad(File.Path, Buffer.getError().message());
  StringRef Text = (*Buffer)->getBuffer();
  if (Text.starts_with("!<arch>\n") || Text.starts_with("!<thin>\n"))
    return checkArchive((*Buffer)->getMemBufferRef(), File.Rule);
  return checkElf(Text, File.Path, File.Rule);
}

} // namespace kst
