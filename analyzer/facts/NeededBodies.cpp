// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/NeededBodies.h"

#include "analyzer/facts/HeaderScan.h"
#include "analyzer/facts/OwnCode.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kst {

/// Far more than one byte of a body can use.
static constexpr unsigned CountsPerByte = 32;

NeededBodies::NeededBodies(HeaderIndex &Index, bool All)
    : Index(Index), All(All) {}

void NeededBodies::addSource(StringRef Text) {
  for (StringRef Name : identifiersIn(Text)) {
    HeaderIndex::NameId Id = Index.name(Name);
    Reached.resize(Index.nameCount());
    reach(Id);
  }
}

void NeededBodies::addHeader(const HeaderIndex::Text &Text) {
  Reached.resize(Index.nameCount());
  if (!Headers.insert(&Text).second)
    return;
  // Names that were reached before the header told where they lead.
  for (HeaderIndex::NameId Name : Text.Defines)
    if (Reached[Name]) {
      Reached[Name] = false;
      reach(Name);
    }
  for (const HeaderIndex::Body &Body : Text.Bodies)
    if (Body.Keep)
      for (HeaderIndex::NameId Name : Body.Names)
        reach(Name);
}

void NeededBodies::reach(HeaderIndex::NameId Root) {
  SmallVector<HeaderIndex::NameId, 64> Pending{Root};
  while (!Pending.empty()) {
    HeaderIndex::NameId Name = Pending.pop_back_val();
    if (Reached[Name])
      continue;
    Reached[Name] = true;
    for (const HeaderIndex::Lead &Lead : Index.leads(Name))
      if (Headers.contains(Lead.By))
        append_range(Pending, Lead.To);
  }
}

bool NeededBodies::needs(const HeaderIndex::Body &Body) const {
  return All || Body.Keep || any_of(Body.Names, [&](HeaderIndex::NameId Name) {
           return Reached[Name];
         });
}

static void blank(MutableArrayRef<char> Body) {
  std::replace_if(
      Body.begin(), Body.end(), [](char C) { return C != '\n'; }, ' ');
  Body[0] = ';';
}

std::unique_ptr<MemoryBuffer>
NeededBodies::reduce(sys::fs::UniqueID Id,
                     std::unique_ptr<MemoryBuffer> Contents) {
  if (Whole)
    return Contents;
  HeaderIndex::Text &Text = Index.text(Contents->getBuffer());
  auto [It, New] = Files.try_emplace(Id, File{&Text, NextCount, {}});
  File &Entry = It->second;
  if (New) {
    NextCount += Contents->getBufferSize() * CountsPerByte;
    addHeader(Text);
    for (HeaderIndex::Body &Body : Text.Bodies)
      if (!needs(Body))
        Entry.Removed.push_back(&Body);
  }
  if (Entry.Removed.empty() || Entry.Text != &Text)
    return Contents;
  auto Reduced = WritableMemoryBuffer::getNewUninitMemBuffer(
      Contents->getBufferSize(), Contents->getBufferIdentifier());
  copy(Contents->getBuffer(), Reduced->getBufferStart());
  for (const HeaderIndex::Body *Body : Entry.Removed)
    blank(Reduced->getBuffer().slice(Body->Begin, Body->End - Body->Begin));
  return Reduced;
}

void NeededBodies::require(const clang::FunctionDecl *Function) {
  const clang::SourceManager &Sources =
      Function->getASTContext().getSourceManager();
  for (const clang::FunctionDecl *Declared : Function->redecls()) {
    auto [In, Offset] = find(Sources, Declared->getLocation());
    if (!In)
      continue;
    auto Body = upper_bound(In->Removed, Offset,
                            [](unsigned Offset, const HeaderIndex::Body *Body) {
                              return Offset < Body->Begin;
                            });
    if (Body == In->Removed.end() || Offset < (*Body)->Start)
      continue;
    (*Body)->Keep = true;
    Complete = false;
  }
}

unsigned *NeededBodies::counterAt(const clang::SourceManager &Sources,
                                  clang::SourceLocation Place) {
  auto [In, Offset] = find(Sources, Place);
  if (!In)
    return nullptr;
  const auto &Bodies = In->Text->Bodies;
  auto Body = upper_bound(Bodies, Offset,
                          [](unsigned Offset, const HeaderIndex::Body &Body) {
                            return Offset < Body.End;
                          });
  if (Body == Bodies.end() || Offset < Body->Begin)
    return nullptr;
  return &Counters
              .try_emplace(&*Body, In->FirstCount + Body->Begin * CountsPerByte)
              .first->second;
}

std::pair<const NeededBodies::File *, unsigned>
NeededBodies::find(const clang::SourceManager &Sources,
                   clang::SourceLocation Place) const {
  auto [Id, Offset] = Sources.getDecomposedExpansionLoc(Place);
  clang::OptionalFileEntryRef Header = Sources.getFileEntryRefForID(Id);
  auto It = Header ? Files.find(Header->getUniqueID()) : Files.end();
  if (It == Files.end())
    return {nullptr, 0};
  return {&It->second, Offset};
}

namespace {

class ReducedFile : public vfs::File {
public:
  ReducedFile(std::unique_ptr<vfs::File> Whole, std::string Path,
              NeededBodies &Needed)
      : Whole(std::move(Whole)), Path(std::move(Path)), Needed(Needed) {}
  ErrorOr<vfs::Status> status() override { return Whole->status(); }
  ErrorOr<std::string> getName() override { return Whole->getName(); }
  std::error_code close() override { return Whole->close(); }
  ErrorOr<std::unique_ptr<MemoryBuffer>>
  getBuffer(const Twine &Name, int64_t Size, bool, bool Volatile) override {
    auto Buffer = Whole->getBuffer(Name, Size, true, Volatile);
    ErrorOr<vfs::Status> Stat = Whole->status();
    if (!Buffer || !Stat)
      return Buffer;
    if (isSourceName(Path) || Needed.isMain(Stat->getUniqueID())) {
      Needed.addSource((*Buffer)->getBuffer());
      return Buffer;
    }
    return Needed.reduce(Stat->getUniqueID(), std::move(*Buffer));
  }

private:
  std::unique_ptr<vfs::File> Whole;
  std::string Path;
  NeededBodies &Needed;
};

class ReducedFileSystem : public vfs::ProxyFileSystem {
public:
  ReducedFileSystem(IntrusiveRefCntPtr<vfs::FileSystem> Whole,
                    NeededBodies &Needed)
      : ProxyFileSystem(std::move(Whole)), Needed(Needed) {}
  ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const Twine &Path) override {
    auto Whole = ProxyFileSystem::openFileForRead(Path);
    if (!Whole)
      return Whole;
    return std::make_unique<ReducedFile>(std::move(*Whole), Path.str(), Needed);
  }

private:
  NeededBodies &Needed;
};

class StableCounter : public clang::PPCallbacks {
public:
  StableCounter(clang::Preprocessor &PP, NeededBodies &Needed)
      : PP(PP), Needed(Needed), Name(PP.getIdentifierInfo("__COUNTER__")) {}
  /// Comes before the expansion.
  void MacroExpands(const clang::Token &Macro, const clang::MacroDefinition &,
                    clang::SourceRange, const clang::MacroArgs *) override {
    if (Macro.getIdentifierInfo() != Name)
      return;
    unsigned *Own =
        Needed.counterAt(PP.getSourceManager(), Macro.getLocation());
    if (!Outside && Own)
      Outside = PP.getCounterValue();
    if (Own)
      PP.setCounterValue((*Own)++);
    else if (Outside)
      PP.setCounterValue(*std::exchange(Outside, std::nullopt));
  }

private:
  clang::Preprocessor &PP;
  NeededBodies &Needed;
  const clang::IdentifierInfo *Name;
  std::optional<unsigned> Outside; ///< the counter of all that is in no body
};

} // namespace

std::unique_ptr<clang::PPCallbacks> stableCounter(clang::Preprocessor &PP,
                                                  NeededBodies &Needed) {
  return std::make_unique<StableCounter>(PP, Needed);
}

IntrusiveRefCntPtr<vfs::FileSystem>
reduceHeaders(IntrusiveRefCntPtr<vfs::FileSystem> Files, NeededBodies &Needed) {
  return makeIntrusiveRefCnt<ReducedFileSystem>(std::move(Files), Needed);
}

} // namespace kst
