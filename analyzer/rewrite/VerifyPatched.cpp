// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/VerifyPatched.h"

#include "analyzer/facts/FactsBuilder.h"
#include "analyzer/facts/FrontEndRun.h"
#include "analyzer/facts/UnitDecls.h"
#include "hybrid/facts/FactsRecord.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

using namespace clang;

namespace kst {

namespace {

struct Probe {
  std::string SourceRoot, Directory;
  llvm::ArrayRef<std::string> Names;
  std::string File;
  std::vector<RecordInfo> Found;
};

class ProbeConsumer : public ASTConsumer {
public:
  explicit ProbeConsumer(Probe &What) : What(What) {}
  void HandleTranslationUnit(ASTContext &Context) override {
    if (Context.getDiagnostics().hasErrorOccurred())
      return;
    FactsBuilder Builder(Context, What.SourceRoot, What.Directory);
    forEachRecord(Context, [&](const RecordDecl *Record) {
      if (!llvm::is_contained(What.Names, DeclNames::shown(Record)))
        return;
      uint32_t Place = Builder.place(Record->getLocation()).first;
      if (!What.File.empty() && Builder.Facts.Strings[Place] != What.File)
        return;
      uint32_t Index = Builder.record(Record);
      if (Index < Builder.Facts.Records.size())
        What.Found.push_back(
            recordInfo(Builder.Facts, Builder.Facts.Records[Index]));
    });
  }

private:
  Probe &What;
};

class ProbeAction : public ASTFrontendAction {
public:
  explicit ProbeAction(Probe &What) : What(What) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 llvm::StringRef) override {
    Compiler.getFrontendOpts().SkipFunctionBodies = true;
    return std::make_unique<ProbeConsumer>(What);
  }

private:
  Probe &What;
};

class PatchedFile : public llvm::vfs::File {
public:
  PatchedFile(llvm::vfs::Status Stat, const std::string &Text)
      : Stat(std::move(Stat)), Text(Text) {}
  llvm::ErrorOr<llvm::vfs::Status> status() override { return Stat; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  getBuffer(const llvm::Twine &Name, int64_t, bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(Text, Name);
  }
  std::error_code close() override { return {}; }

private:
  llvm::vfs::Status Stat;
  const std::string &Text;
};

/// The disk with other contents in some files, whichever names and links lead
/// to them.
class PatchedFiles : public llvm::vfs::ProxyFileSystem {
public:
  explicit PatchedFiles(llvm::ArrayRef<OverlayFile> Files)
      : ProxyFileSystem(llvm::vfs::createPhysicalFileSystem()) {
    for (const OverlayFile &File : Files)
      if (auto Stat = ProxyFileSystem::status(File.Path))
        Texts[Stat->getUniqueID()] = &File.Text;
  }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override {
    auto Stat = ProxyFileSystem::status(Path);
    if (const std::string *Text = Stat ? textOf(*Stat) : nullptr)
      return llvm::vfs::Status::copyWithNewSize(*Stat, Text->size());
    return Stat;
  }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &Path) override {
    auto Stat = status(Path);
    if (const std::string *Text = Stat ? textOf(*Stat) : nullptr)
      return std::make_unique<PatchedFile>(*Stat, *Text);
    return ProxyFileSystem::openFileForRead(Path);
  }

private:
  const std::string *textOf(const llvm::vfs::Status &Stat) const {
    auto It = Texts.find(Stat.getUniqueID());
    return It == Texts.end() ? nullptr : It->second;
  }
  std::map<llvm::sys::fs::UniqueID, const std::string *> Texts;
};

/// Disk, patched files and those that are only here, seen from the unit's
/// directory.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
overlay(const std::string &Directory, llvm::ArrayRef<OverlayFile> Files) {
  auto All = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::makeIntrusiveRefCnt<PatchedFiles>(Files));
  auto New = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const OverlayFile &File : Files)
    if (!All->exists(File.Path))
      New->addFile(File.Path, 0,
                   llvm::MemoryBuffer::getMemBufferCopy(File.Text));
  All->pushOverlay(New);
  All->setCurrentWorkingDirectory(Directory);
  return All;
}

} // namespace

llvm::Expected<std::vector<RecordInfo>>
recordsOf(const ProbeUnit &Unit, const std::string &SourceRoot,
          llvm::ArrayRef<std::string> Names, const std::string &File,
          llvm::ArrayRef<OverlayFile> Overlays) {
  Probe What{SourceRoot, Unit.Directory, Names, File, {}};
  if (llvm::Error Failed = runFrontEnd(Unit.Args, Unit.Directory,
                                       overlay(Unit.Directory, Overlays),
                                       std::make_unique<ProbeAction>(What)))
    return std::move(Failed);
  return What.Found;
}

llvm::Error verifyPatched(const ProbeUnit &Unit, const std::string &SourceRoot,
                          const RecordInfo &Before, const Layout &Expected,
                          llvm::ArrayRef<OverlayFile> Overlays,
                          llvm::ArrayRef<std::string> Added,
                          RecordInfo *Patched) {
  auto Found = recordsOf(Unit, SourceRoot, Before.Name, Before.File, Overlays);
  if (!Found)
    return Found.takeError();
  if (Found->size() != 1)
    return llvm::createStringError(
        "the unit sees " + llvm::Twine(Found->size()) + " definitions of " +
        Before.Name + " in the patched text");
  RecordInfo &After = Found->front();
  for (const std::string &Name : Added) {
    auto IsIt = [&](const FieldInfo &F) { return F.Name == Name; };
    auto At = llvm::find_if(After.Fields, IsIt);
    if (At == After.Fields.end() || !At->ZeroSize || At->SizeBits)
      return llvm::createStringError("the patched " + Before.Name +
                                     " has no member " + Name +
                                     " without size");
    After.Fields.erase(At);
  }
  auto Place = [](uint64_t Bits) {
    std::string Bytes = std::to_string(Bits / 8);
    if (Bits % 8)
      Bytes.append(":").append(std::to_string(Bits % 8));
    return Bytes;
  };
  std::vector<uint32_t> Order;
  for (uint32_t F : Expected.Order)
    if (!Before.Fields[F].Absent)
      Order.push_back(F);
  if (After.Fields.size() != Order.size())
    return llvm::createStringError("the patched " + Before.Name + " has " +
                                   llvm::Twine(After.Fields.size()) +
                                   " fields instead of " +
                                   llvm::Twine(Order.size()));
  auto Depth = [](const RecordInfo &Record, uint32_t Group) {
    unsigned Count = 0;
    for (; Group != NoGroup; Group = Record.Groups[Group].Parent)
      ++Count;
    return Count;
  };
  for (size_t I = 0; I != Order.size(); ++I) {
    const FieldInfo &Wanted = Before.Fields[Order[I]];
    const FieldInfo &Got = After.Fields[I];
    uint64_t Offset = Expected.OffsetBits[Order[I]];
    // The name of an untagged type is the place of its definition.
    bool SameType = Got.TypeName == Wanted.TypeName ||
                    Got.TypeName.find(" at ") != std::string::npos;
    if (Got.Name != Wanted.Name || !SameType)
      return llvm::createStringError(
          "field " + llvm::Twine(I) + " of the patched " + Before.Name +
          " is " + Got.TypeName + " " + Got.Name + " instead of " +
          Wanted.TypeName + " " + Wanted.Name);
    // (An anonymous struct of no members is one field, whatever it was.)
    if (!Wanted.ZeroSize &&
        Depth(After, Got.Group) != Depth(Before, Wanted.Group))
      return llvm::createStringError(Got.Name + " of the patched " +
                                     Before.Name +
                                     " is in another anonymous struct");
    if (Got.OffsetBits != Offset || Got.SizeBits != Wanted.SizeBits)
      return llvm::createStringError(
          Got.Name + " of the patched " + Before.Name + " is at offset " +
          Place(Got.OffsetBits) + " size " + Place(Got.SizeBits) +
          " instead of " + Place(Offset) + " size " + Place(Wanted.SizeBits));
  }
  if (After.SizeBytes != Expected.SizeBytes ||
      After.AlignBytes != Expected.AlignBytes)
    return llvm::createStringError(
        "the patched " + Before.Name + " has size " +
        llvm::Twine(After.SizeBytes) + " alignment " +
        llvm::Twine(After.AlignBytes) + " instead of " +
        llvm::Twine(Expected.SizeBytes) + " and " +
        llvm::Twine(Expected.AlignBytes));
  if (Patched)
    *Patched = std::move(After);
  return llvm::Error::success();
}

} // namespace kst
