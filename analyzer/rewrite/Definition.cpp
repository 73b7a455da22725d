// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Definition.h"

#include "analyzer/rewrite/Comments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace kst {

/// Column of the first word of an item.
static uint32_t indentOf(const Definition::Item &Of, llvm::StringRef Text) {
  const size_t Word =
      std::min<size_t>(Text.find_first_not_of(" \t", Of.Begin), Text.size());
  return columnOf(Text, Text.take_front(Word).rfind('\n') + 1, Word);
}

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
    fix(Cut.ForeignLine, Cut.Foreign);
    return false;
  }
  for (uint32_t F = 1; F < FieldItem.size(); ++F)
    if (FieldItem[F] < FieldItem[F - 1]) {
      fix(Record.Fields[F].Line, "the lines of " + Record.Fields[F - 1].Name +
                                     " and " + Record.Fields[F].Name +
                                     " are not in the order of the fields");
      return false;
    }
  for (Item &Of : Items)
    mapParts(Of, Record);
  return true;
}

/// A part of the item has this word.
bool Definition::spells(const Item &Of, const Part &In,
                        llvm::StringRef Word) const {
  return llvm::any_of(Of.Tokens, [&](const BodyToken &T) {
    return In.Begin <= T.Begin && T.End <= In.End &&
           llvm::StringRef(Text).slice(T.Begin, T.End) == Word;
  });
}

/// Which part of the item declares which of its fields; by their names, in
/// order. An item with a part that seems to declare none stays whole.
void Definition::mapParts(Item &Of, const RecordInfo &Record) {
  if (Of.Fields.size() < 2)
    return;
  for (DeclaredPart &Found : partsOf(Of, Text))
    Of.Parts.push_back({std::move(Found), 0, 0});
  auto Declares = [&](const Part &In, uint32_t F) {
    const FieldInfo &Field = Record.Fields[F];
    const std::string &Name =
        Field.Anonymous && !Field.Members.empty() ? Field.Members[0] : Names[F];
    return spells(Of, In, Name);
  };
  size_t At = 0;
  for (uint32_t I = 0; I != Of.Fields.size(); ++I) {
    while (At < Of.Parts.size() && !Declares(Of.Parts[At], Of.Fields[I]))
      ++At;
    if (At == Of.Parts.size())
      break;
    Part &In = Of.Parts[At];
    In.FirstField = In.EndField ? In.FirstField : I;
    In.EndField = I + 1;
  }
  auto Makes = [](const Part &In) { return In.EndField != 0; };
  if (At == Of.Parts.size() || Of.Parts.size() < 2 ||
      !llvm::all_of(Of.Parts, Makes) || usesOwnNames(Of))
    Of.Parts.clear();
}

/// A part of the item names a type or constant that another one defines.
bool Definition::usesOwnNames(const Item &Of) const {
  return llvm::any_of(definedNames(Of, Text), [&](llvm::StringRef Name) {
    return llvm::count_if(Of.Parts, [&](const Part &In) {
             return spells(Of, In, Name);
           }) > 1;
  });
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
          indentOf(C, Text) >= indentOf(Items[Above], Text) + 4) {
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
