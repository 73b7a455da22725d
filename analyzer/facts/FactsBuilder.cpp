// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/FactsBuilder.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/ClangCompat.h"
#include "analyzer/facts/OwnCode.h"
#include "analyzer/facts/UnitDecls.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetInfo.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace kst {

FactsBuilder::FactsBuilder(ASTContext &Context, std::string SourceRoot,
                           std::string Directory)
    : Context(Context), Names(Context), SourceRoot(std::move(SourceRoot)),
      Directory(std::move(Directory)) {
  if (!this->SourceRoot.empty() && this->SourceRoot.back() != '/')
    this->SourceRoot += '/';
  Interned[""] = 0;
  Facts.Triple = string(Context.getTargetInfo().getTriple().str());
}

StrId FactsBuilder::string(llvm::StringRef Text) {
  auto [It, New] = Interned.try_emplace(Text, Facts.Strings.size());
  if (New)
    Facts.Strings.push_back(Text.str());
  return It->second;
}

std::string FactsBuilder::shownPath(llvm::StringRef Name) const {
  llvm::SmallString<256> Path(Name);
  if (!Path.empty() && !llvm::sys::path::is_absolute(Path)) {
    Path = Directory;
    llvm::sys::path::append(Path, Name);
  }
  // One spelling, whichever link the unit came by.
  llvm::SmallString<256> Real;
  llvm::vfs::FileSystem &Disk =
      Context.getSourceManager().getFileManager().getVirtualFileSystem();
  if (!Path.empty() && !Disk.getRealPath(Path, Real))
    Path = Real;
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  llvm::StringRef Shown = Path;
  Shown.consume_front(SourceRoot);
  return Shown.str();
}

FactsBuilder::FileName &FactsBuilder::file(FileID Id) {
  auto [It, New] = Files.try_emplace(Id);
  if (New)
    if (auto Entry = Context.getSourceManager().getFileEntryRefForID(Id))
      It->second.Shown = shownPath(Entry->getName());
  return It->second;
}

/// What a line directive says comes before where the text is: debug
/// information, and so every measurement, has that place, the struct of a
/// header is the same one in preprocessed text, and it is the file that people
/// edit.
std::pair<StrId, uint32_t> FactsBuilder::place(SourceLocation Loc) {
  const SourceManager &Sources = Context.getSourceManager();
  auto [Id, Offset] = Sources.getDecomposedExpansionLoc(Loc);
  if (Id.isInvalid())
    return {0, 0};
  if (auto Said = presumedPlace(Sources, Sources.getExpansionLoc(Loc))) {
    auto [It, New] = Presumed.try_emplace(Said->getFilename());
    if (New)
      It->second = string(shownPath(Said->getFilename()));
    return {It->second, Said->getLine()};
  }
  FileName &File = file(Id);
  if (!File.Id)
    File.Id = string(File.Shown);
  return {*File.Id, Sources.getLineNumber(Id, Offset)};
}

uint32_t FactsBuilder::column(SourceLocation Loc) const {
  const SourceManager &Sources = Context.getSourceManager();
  auto [Id, Offset] = Sources.getDecomposedExpansionLoc(Loc);
  return Id.isInvalid() ? 0 : Sources.getColumnNumber(Id, Offset);
}

StrId FactsBuilder::functionKey(const FunctionDecl *Decl) {
  Decl = Decl->getCanonicalDecl();
  auto [It, New] = Keys.try_emplace(Decl);
  if (!New)
    return It->second;
  std::string Key = Names.linkName(Decl);
  if (!Decl->isExternallyVisible()) {
    const FunctionDecl *Body = Decl->getDefinition();
    Key = Facts.Strings[place((Body ? Body : Decl)->getLocation()).first] +
          ":" + Key;
  }
  return Keys[Decl] = string(Key);
}

void FactsBuilder::forEachKeyed(
    llvm::function_ref<void(const FunctionDecl *)> Visit) const {
  for (const auto &Entry : Keys)
    if (const auto *Function = dyn_cast<FunctionDecl>(Entry.first))
      Visit(Function);
}

StrId FactsBuilder::variableKey(const VarDecl *Decl) {
  Decl = Decl->getCanonicalDecl();
  auto [It, New] = Keys.try_emplace(Decl);
  if (!New)
    return It->second;
  std::string Key = Names.linkName(Decl);
  if (!Decl->isExternallyVisible()) {
    std::string Scope;
    if (Decl->isStaticLocal())
      if (const auto *Fn = dyn_cast<FunctionDecl>(Decl->getDeclContext()))
        Scope = Names.linkName(Fn) + ".";
    Key = Facts.Strings[place(Decl->getLocation()).first] + ":" + Scope + Key;
  }
  return Keys[Decl] = string(Key);
}

uint32_t FactsBuilder::pointee(QualType Type) {
  Type = Type.getCanonicalType();
  if (Type->isPointerType() || Type->isReferenceType())
    Type = Type->getPointeeType();
  while (const ArrayType *Array = Context.getAsArrayType(Type))
    Type = Array->getElementType();
  const RecordType *Rec = Type->getAs<RecordType>();
  return Rec ? record(Rec->getDecl()) : None;
}

uint32_t FactsBuilder::record(const RecordDecl *Decl) {
  Decl = Decl->getDefinition();
  if (!Decl || !Decl->isCompleteDefinition() || Decl->isInvalidDecl() ||
      Decl->isDependentType())
    return None;
  auto [It, New] = RecordIndex.try_emplace(Decl, Facts.Records.size());
  uint32_t Index = It->second;
  if (New) {
    Facts.Records.emplace_back();
    fillRecord(Index, Decl);
  }
  return Index;
}

/// An anonymous struct or union is known by its members: `donor|curr`.
static std::string joinedMembers(const RecordDecl *Decl) {
  std::string Name;
  for (const FieldDecl *Field : Decl->fields()) {
    std::string Part = Field->getNameAsString();
    if (Part.empty() && Field->isAnonymousStructOrUnion())
      if (const auto *Inner = Field->getType()->getAsRecordDecl())
        Part = joinedMembers(Inner);
    if (Part.empty())
      continue;
    if (!Name.empty())
      Name += '|';
    Name += Part;
  }
  return Name;
}

/// The record that a field holds by value, alone or as an array.
static const RecordDecl *heldRecord(const ASTContext &Context, QualType Type) {
  Type = Type.getCanonicalType();
  while (const ArrayType *Array = Context.getAsArrayType(Type))
    Type = Array->getElementType();
  const auto *Rec = Type->getAs<RecordType>();
  return Rec ? Rec->getDecl() : nullptr;
}

/// Largest alignment in bits that members of the record get, by a pragma or by
/// -fpack-struct; 0: no limit.
static unsigned packingLimit(const ASTContext &Context,
                             const RecordDecl *Record) {
  if (const auto *Pragma = Record->getAttr<MaxFieldAlignmentAttr>())
    return Pragma->getAlignment();
  return 8 * Context.getLangOpts().PackStruct;
}

/// Alignment that the ABI gives the member in its record, in bytes.
static uint32_t alignBytes(const ASTContext &Context, const FieldDecl *Field) {
  QualType Type = Field->getType();
  if (Type->isIncompleteArrayType())
    Type = Context.getAsArrayType(Type)->getElementType();
  const RecordDecl *In = Field->getParent();
  bool Packed = Field->hasAttr<PackedAttr>() || In->hasAttr<PackedAttr>();
  unsigned Bits = Packed ? 8 : Context.getTypeInfo(Type).Align;
  if (!Packed && In->isMsStruct(Context))
    if (const auto *Basic =
            Context.getBaseElementType(Type)->getAs<BuiltinType>())
      if (unsigned Size = Context.getTypeSize(Basic); llvm::isPowerOf2_32(Size))
        Bits = std::max(Bits, Size);
  Bits = std::max(Bits, Field->getMaxAlignment());
  // The limit holds for what attributes ask for, too.
  if (unsigned Limit = packingLimit(Context, In))
    Bits = std::min(Bits, Limit);
  return std::max(1u, Bits / 8);
}

/// Whether a value of the type has a `long double` in it.
static bool holdsLongDouble(const ASTContext &Context, QualType Type) {
  Type = Context.getBaseElementType(Type).getCanonicalType();
  if (const auto *Basic = Type->getAs<BuiltinType>())
    return Basic->getKind() == BuiltinType::LongDouble;
  const RecordDecl *Held = Type->getAsRecordDecl();
  return Held && llvm::any_of(Held->fields(), [&](const FieldDecl *Field) {
           return holdsLongDouble(Context, Field->getType());
         });
}

/// True for a member that makes its record's layout another one than the rules
/// of hybrid/layout/FieldOffsets give, though the declared order may not show
/// it, or one on which gcc and clang do not agree.
static bool hasForeignRules(const ASTContext &Context, const FieldDecl *Field) {
  const TargetInfo &Target = Context.getTargetInfo();
  const LangOptions &Language = Context.getLangOpts();
  const RecordDecl *In = Field->getParent();
  const bool Microsoft = Target.getCXXABI().isMicrosoft();
  const unsigned Limit = packingLimit(Context, In);
  if (Field->isBitField() && (Microsoft || In->isMsStruct(Context) ||
                              (Limit ? bitFieldWidth(Field, Context) == 0
                                     : !Target.useBitFieldTypeAlignment())))
    return true;
  if (Field->getMaxAlignment() &&
      (Microsoft || (Language.PackStruct && Field->getMaxAlignment() > Limit)))
    return true;
  return Language.AlignDouble && holdsLongDouble(Context, Field->getType());
}

static bool hasForeignRules(const ASTContext &Context, const RecordDecl *Record,
                            llvm::ArrayRef<const FieldDecl *> Fields) {
  return Record->hasAttr<AlignMac68kAttr>() ||
         Context.getTargetInfo().defaultsToAIXPowerAlignment() ||
         llvm::any_of(Fields, [&](const FieldDecl *Field) {
           return hasForeignRules(Context, Field);
         });
}

/// As clang prints it, but without the place of a type that has no name.
static std::string typeName(QualType Type) {
  PrintingPolicy Policy{LangOptions()};
  Policy.AnonymousTagLocations = false;
  return Type.getAsString(Policy);
}

FieldFact FactsBuilder::fieldFact(const FieldDecl *Field, bool Last) {
  FieldFact Fact;
  QualType Type = Field->getType();
  const RecordDecl *Held = heldRecord(Context, Type);
  bool Anonymous = Field->isAnonymousStructOrUnion();
  Fact.Name = string(Anonymous && Held ? joinedMembers(Held)
                                       : Field->getNameAsString());
  Fact.TypeName = string(Anonymous ? (Held->isUnion() ? "union" : "struct")
                                   : typeName(Type));
  Fact.OffsetBits = offsetInOwner(Context, Field);
  bool Flexible = Type->isIncompleteArrayType();
  TypeInfo Info = Context.getTypeInfo(
      Flexible ? Context.getAsArrayType(Type)->getElementType() : Type);
  Fact.SizeBits = Flexible ? 0 : Info.Width;

  Fact.ExplicitAlignBytes = Field->getMaxAlignment() / 8;
  Fact.AlignBytes = alignBytes(Context, Field);

  if (Field->isBitField()) {
    Fact.Flags |= FldBitField;
    Fact.StorageUnitBits = Info.Width;
    Fact.SizeBits = bitFieldWidth(Field, Context);
  }
  if (Anonymous)
    Fact.Flags |= FldAnonymous;
  // A limit of any size lets bit-fields cross the bounds of their units.
  if (Field->hasAttr<PackedAttr>() ||
      (Field->isBitField() && packingLimit(Context, Field->getParent())))
    Fact.Flags |= FldPacked;
  if (Type->isPointerType() || Type->isReferenceType())
    Fact.Flags |= FldPointer;
  bool TrailingZero = Last && Context.getAsConstantArrayType(Type) &&
                      Fact.SizeBits == 0 && !Field->getName().empty() &&
                      (!Held || Context.getTypeSize(recordType(Context, Held)));
  if (Flexible || TrailingZero)
    Fact.Flags |= FldFlexibleArray;
  else if (Fact.SizeBits == 0 && !Field->isBitField())
    Fact.Flags |= FldZeroSize;
  Fact.Line = place(Field->getLocation()).second;
  if (Held)
    Fact.Embedded = record(Held);
  return Fact;
}

FactsBuilder::Member FactsBuilder::member(const FieldDecl *Field) {
  auto [It, New] = Members.try_emplace(Field);
  if (!New)
    return It->second;
  Member Found{record(ownerOf(Field)), numberOf(Field)};
  return Members[Field] = Found;
}

/// The opened structs of the record; Number counts the fields on the way.
void FactsBuilder::addGroups(const RecordDecl *Decl, uint32_t Parent,
                             uint32_t &Number, std::vector<GroupFact> &Groups) {
  for (const FieldDecl *Field : Decl->fields()) {
    if (!isOpened(Field)) {
      ++Number;
      continue;
    }
    const RecordDecl *Held = Field->getType()->getAsRecordDecl();
    uint32_t Index = Groups.size();
    GroupFact Fact;
    Fact.Name = string(joinedMembers(Held));
    Fact.Parent = Parent;
    Fact.Fields.Begin = Number;
    Fact.AlignBytes = alignBytes(Context, Field);
    Fact.ExplicitAlignBytes =
        std::max(Field->getMaxAlignment(), Held->getMaxAlignment()) / 8;
    Fact.Line = place(Held->getLocation()).second;
    Fact.EndLine = place(Held->getBraceRange().getEnd()).second;
    Groups.push_back(Fact);
    addGroups(Held, Index, Number, Groups);
    Groups[Index].Fields.End = Number;
  }
}

/// From before the first member of a struct to its end; of a class with methods
/// only to the last member.
static SourceRange membersOf(const RecordDecl *Decl) {
  SourceRange Range = Decl->getBraceRange();
  const auto *Class = dyn_cast<CXXRecordDecl>(Decl);
  if (!Class || Decl->field_empty() || Class->methods().empty())
    return Range;
  SourceLocation Last;
  for (const FieldDecl *Field : Decl->fields())
    Last = Field->getEndLoc();
  return {Decl->field_begin()->getBeginLoc(), Last};
}

uint32_t FactsBuilder::recordFlags(const RecordDecl *Decl) {
  uint32_t Flags = 0;
  if (Decl->isUnion())
    Flags |= RecUnion;
  if (Decl->hasAttr<PackedAttr>())
    Flags |= RecPacked;
  if (Decl->hasAttr<RandomizeLayoutAttr>())
    Flags |= RecRandomizeLayout;
  if (Context.getSourceManager().isInSystemHeader(Decl->getLocation()))
    Flags |= RecSystem;
  if (Decl->getBraceRange().getBegin().isMacroID())
    Flags |= RecInMacro;
  // Behind the brace that ends it nothing is a member, nor in methods; a
  // condition may hold all of them.
  if (Conditions.meet(Context.getSourceManager(), membersOf(Decl)))
    Flags |= RecAsksCompiler;
  const auto *Class = dyn_cast<CXXRecordDecl>(Decl);
  if (!Class)
    return Flags;
  if (Class->getNumBases())
    Flags |= RecHasBase;
  if (Class->isDynamicClass())
    Flags |= RecHasVtable;
  if (!Class->isStandardLayout() ||
      llvm::any_of(Class->fields(), [](const FieldDecl *Field) {
        return Field->hasAttr<NoUniqueAddressAttr>();
      }))
    Flags |= RecNotStandard;
  if (Class->getTemplateInstantiationPattern())
    Flags |= RecTemplate;
  return Flags;
}

void FactsBuilder::fillRecord(uint32_t Index, const RecordDecl *Decl) {
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(Decl);
  RecordFact Fact;
  std::string Name = DeclNames::shown(Decl);
  auto [File, Line] = place(Decl->getLocation());
  if (Name.empty()) {
    unsigned Column = Context.getSourceManager().getExpansionColumnNumber(
        Decl->getLocation());
    Name = "(anonymous at " + Facts.Strings[File] + ":" + std::to_string(Line) +
           ":" + std::to_string(Column) + ")";
  }
  Fact.Name = string(Name);
  Fact.File = File;
  Fact.Line = Line;
  Fact.EndLine = place(Decl->getBraceRange().getEnd()).second;
  Fact.SizeBytes = Layout.getSize().getQuantity();
  Fact.AlignBytes = Layout.getAlignment().getQuantity();
  Fact.ExplicitAlignBytes = Decl->getMaxAlignment() / 8;
  Fact.Flags = recordFlags(Decl);

  // Facts.Fields grows while fields that hold records are looked at.
  auto Members = fieldsOf(Decl);
  if (hasForeignRules(Context, Decl, Members))
    Fact.Flags |= RecForeignRules;
  std::vector<FieldFact> Fields;
  for (const FieldDecl *Field : Members)
    Fields.push_back(fieldFact(Field, Field == Members.back()));
  for (const FieldFact &Field : Fields)
    if (Field.Embedded != None)
      Fact.Flags |= Facts.Records[Field.Embedded].Flags & RecAsksCompiler;
  Fact.Fields.Begin = Facts.Fields.size();
  Facts.Fields.insert(Facts.Fields.end(), Fields.begin(), Fields.end());
  Fact.Fields.End = Facts.Fields.size();
  std::vector<GroupFact> Groups;
  uint32_t Number = 0;
  addGroups(Decl, None, Number, Groups);
  Fact.Groups.Begin = Facts.Groups.size();
  Facts.Groups.insert(Facts.Groups.end(), Groups.begin(), Groups.end());
  Fact.Groups.End = Facts.Groups.size();
  Facts.Records[Index] = Fact;
}

void FactsBuilder::addAllRecords() {
  forEachRecord(Context, [this](const RecordDecl *Record) { record(Record); });
}

} // namespace kst
