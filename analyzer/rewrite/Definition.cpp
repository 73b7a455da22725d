// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Definition.h"

#include "analyzer/rewrite/Comments.h"
#include "analyzer/rewrite/Declarators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace kst {

namespace {

uint32_t indentOf(llvm::StringRef Line) {
  uint32_t Column = 0;
  for (char C : Line) {
    if (C != ' ' && C != '\t')
      break;
    Column = C == '\t' ? (Column / 8 + 1) * 8 : Column + 1;
  }
  return Column;
}

} // namespace

llvm::Expected<Definition> Definition::parse(std::string Text,
                                             const RecordInfo &Record) {
  llvm::Expected<Body> Cut = parseBody(Text, Record);
  if (!Cut)
    return Cut.takeError();
  Definition Parsed;
  Parsed.Text = std::move(Text);
  Parsed.File = Record.File;
  Parsed.RecordName = Record.Name;
  Parsed.Line = Record.Line;
  Parsed.Cut = std::move(*Cut);
  joinAlternatives(Parsed.Cut, Parsed.Text);
  for (const Piece &P : Parsed.Cut.Pieces) {
    Item New;
    static_cast<Piece &>(New) = P;
    New.BitField = P.Kind == PieceKind::Member && !P.Block && isBitField(P);
    Parsed.Items.push_back(std::move(New));
  }
  for (const FieldInfo &Field : Record.Fields)
    Parsed.Names.push_back(Field.Name);
  if (Parsed.mapFields(Record)) {
    Parsed.findOwners();
    Parsed.openGroups(Record);
    Parsed.findRules(Record);
  }
  return Parsed;
}

llvm::StringRef Definition::gapAfter(uint32_t I) const {
  uint32_t From = I == Nobody ? Cut.Begin : Items[I].End;
  uint32_t Next = I == Nobody ? 0 : I + 1;
  uint32_t To = Next == Items.size() ? Cut.End : Items[Next].Begin;
  return llvm::StringRef(Text).slice(From, To);
}

bool Definition::hasAllFixed() const {
  return llvm::any_of(
      Rules, [](const SourceRule &R) { return R.Kind == RuleKind::AllFixed; });
}

/// False, with a rule, when some field has no place in the text.
bool Definition::mapFields(const RecordInfo &Record) {
  FieldItem.assign(Record.Fields.size(), Nobody);
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    uint32_t Line = Record.Fields[F].Line;
    auto At = llvm::find_if(Items, [&](const Item &I) {
      return I.Line <= Line && Line <= I.EndLine &&
             (I.Kind == PieceKind::Member || I.Kind == PieceKind::Macro);
    });
    if (At == Items.end()) {
      fix(Line, "no declaration of " + Record.Fields[F].Name +
                    " is on the line where the compiler saw it");
      return false;
    }
    At->Fields.push_back(F);
    FieldItem[F] = At - Items.begin();
  }
  if (Cut.ForeignLine) {
    fix(Cut.ForeignLine, "a directive among the members that is more than a "
                         "condition or a macro");
    return false;
  }
  for (uint32_t F = 1; F < FieldItem.size(); ++F)
    if (FieldItem[F] < FieldItem[F - 1]) {
      fix(Record.Fields[F].Line, "the lines of " + Record.Fields[F - 1].Name +
                                     " and " + Record.Fields[F].Name +
                                     " are not in the order of the fields");
      return false;
    }
  return true;
}

bool Definition::isNested(uint32_t Item) const {
  return llvm::any_of(NestedItems,
                      [&](const Nested &N) { return N.Item == Item; });
}

RecordInfo recordInside(const RecordInfo &Record, uint32_t Group) {
  RecordInfo Inner;
  Inner.File = Record.File;
  Inner.Line = Record.Groups[Group].Line;
  Inner.EndLine = Record.Groups[Group].EndLine;
  auto [Begin, End] = groupFields(Record, Group);
  Inner.Fields.assign(Record.Fields.begin() + Begin,
                      Record.Fields.begin() + End);
  std::vector<uint32_t> New(Record.Groups.size(), NoGroup);
  for (uint32_t G = Group + 1; G != Record.Groups.size(); ++G) {
    if (!isInside(Record, G, Group))
      continue;
    New[G] = Inner.Groups.size();
    Inner.Groups.push_back(Record.Groups[G]);
    Inner.Groups.back().Parent = New[Record.Groups[G].Parent];
  }
  for (FieldInfo &Field : Inner.Fields)
    Field.Group = New[Field.Group];
  return Inner;
}

/// Opens the anonymous structs among the members; what cannot be opened in the
/// text stays in one piece.
void Definition::openGroups(const RecordInfo &Record) {
  for (uint32_t G = 0; G != Record.Groups.size(); ++G)
    if (Record.Groups[G].Parent == NoGroup)
      openGroup(Record, G);
}

void Definition::openGroup(const RecordInfo &Record, uint32_t Group) {
  auto [Begin, End] = groupFields(Record, Group);
  if (Begin == End)
    return;
  std::vector<uint32_t> Fields;
  for (uint32_t F = Begin; F != End; ++F)
    Fields.push_back(F);
  auto Close = [&](const std::string &Why) {
    if (Fields.size() < 2)
      return;
    SourceRule Rule{
        RuleKind::Join, Fields, Why, {"", File, Record.Groups[Group].Line}};
    Rule.Id = ruleId("text", Names[Fields.front()]);
    Rules.push_back(std::move(Rule));
  };
  const uint32_t I = FieldItem[Begin];
  if (Items[I].Fields != Fields)
    return Close("one declaration makes this anonymous struct and more");
  if (Items[I].Kind != PieceKind::Member || Items[I].Block)
    return Close("made by one declaration");
  llvm::Expected<Definition> Parsed = parse(Text, recordInside(Record, Group));
  if (!Parsed)
    return Close(llvm::toString(Parsed.takeError()));
  for (const SourceRule &Rule : Parsed->rules())
    if (Rule.Kind == RuleKind::AllFixed)
      return Close(Rule.Why);
  for (SourceRule Rule : Parsed->rules()) {
    // At the end of the struct nothing can cross.
    if (Rule.Kind == RuleKind::Barrier && Rule.Fields[0] == End - Begin)
      continue;
    for (uint32_t &F : Rule.Fields)
      F += Begin;
    Rules.push_back(std::move(Rule));
  }
  NestedItems.push_back({I, Begin, Group});
  Inner.push_back(std::move(*Parsed));
}

void Definition::findOwners() {
  // Members of each block: a comment above a block of one belongs to that one.
  std::vector<uint32_t> InBlock(Cut.Blocks.size());
  for (const Item &I : Items)
    for (const BranchRef &R : I.Path)
      InBlock[R.Block] += I.Kind != PieceKind::Comment;

  auto IsCode = [&](size_t I) {
    return I < Items.size() && (Items[I].Kind == PieceKind::Member ||
                                Items[I].Kind == PieceKind::Macro);
  };
  for (size_t I = 0; I != Items.size(); ++I) {
    Item &C = Items[I];
    if (C.Kind != PieceKind::Comment)
      continue;
    llvm::StringRef Words = itemText(C);
    if (isPlaceMarker(Words) || isDocSwitch(Words))
      continue;
    // Below the member above it.
    if (I && gapAfter(I - 1).empty()) {
      uint32_t Above = IsCode(I - 1)        ? I - 1
                       : Items[I - 1].Below ? Items[I - 1].Owner
                                            : Nobody;
      if (Above != Nobody &&
          indentOf(Words) >= indentOf(itemText(Items[Above])) + 4) {
        C.Owner = Above;
        C.Below = true;
        continue;
      }
    }
    // Above the member below it, through more comments of that kind.
    size_t Next = I;
    bool Apart = false;
    while (Next < Items.size() && Items[Next].Kind == PieceKind::Comment) {
      llvm::StringRef Gap = gapAfter(Next);
      ++Next;
      if (Gap.empty())
        continue;
      bool IntoSingle =
          IsCode(Next) && !hasBlankLine(Gap) && !Gap.contains("#endif") &&
          Items[Next].Path.size() == C.Path.size() + 1 &&
          std::equal(C.Path.begin(), C.Path.end(), Items[Next].Path.begin()) &&
          InBlock[Items[Next].Path.back().Block] == 1;
      if (!IntoSingle)
        Apart = true;
      break;
    }
    if (Apart || !IsCode(Next))
      continue;
    // Members that follow directly and have no comment of their own.
    std::vector<uint32_t> Run{uint32_t(Next)};
    while (gapAfter(Run.back()).empty() && IsCode(Run.back() + 1))
      Run.push_back(Run.back() + 1);
    if (Run.size() > 1) {
      unsigned Named = 0;
      for (uint32_t Member : Run)
        Named += llvm::any_of(Items[Member].Fields, [&](uint32_t F) {
          size_t At =
              Names[F].empty() ? llvm::StringRef::npos : Words.find(Names[F]);
          return At != llvm::StringRef::npos;
        });
      if (Named > 1 || speaksOfGroup(Words)) {
        C.Group = Run;
        continue;
      }
    }
    C.Owner = Next;
  }
}

} // namespace kst
