// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Definition.h"

#include "analyzer/rewrite/CommentRules.h"
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

/// A field that the compiler put there, not a declarator.
bool unspoken(const FieldInfo &Field) {
  return Field.Name.empty() || Field.Anonymous;
}

} // namespace

llvm::Expected<Definition> Definition::parse(std::string Text,
                                             const RecordInfo &Record) {
  llvm::Expected<Body> Cut = parseBody(Text, Record);
  if (!Cut)
    return Cut.takeError();
  Definition Made;
  Made.Text = std::move(Text);
  Made.File = Record.File;
  Made.RecordName = Record.Name;
  Made.Line = Record.Line;
  Made.Cut = std::move(*Cut);
  joinAlternatives(Made.Cut, Made.Text);
  for (const Piece &P : Made.Cut.Pieces) {
    Item New;
    static_cast<Piece &>(New) = P;
    New.BitField = P.Kind == PieceKind::Member && !P.Block && isBitField(P);
    Made.Items.push_back(std::move(New));
  }
  for (const FieldInfo &Field : Record.Fields)
    Made.Names.push_back(Field.Name);
  if (Made.mapFields(Record)) {
    Made.findOwners();
    Made.openGroups(Record);
    Made.findRules(Record);
  }
  return Made;
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

void Definition::fix(uint32_t Line, const std::string &Why) {
  Rules.push_back({RuleKind::AllFixed, {}, Why, {"", File, Line}});
  Rules.back().Id = ruleId("text");
  Rules.back().Unliftable = "the definition cannot be edited safely";
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
  llvm::Expected<Definition> Made = parse(Text, recordInside(Record, Group));
  if (!Made)
    return Close(llvm::toString(Made.takeError()));
  for (const SourceRule &Rule : Made->rules())
    if (Rule.Kind == RuleKind::AllFixed)
      return Close(Rule.Why);
  for (SourceRule Rule : Made->rules()) {
    // At the end of the struct nothing can cross.
    if (Rule.Kind == RuleKind::Barrier && Rule.Fields[0] == End - Begin)
      continue;
    for (uint32_t &F : Rule.Fields)
      F += Begin;
    Rules.push_back(std::move(Rule));
  }
  NestedItems.push_back({I, Begin, Group});
  Inner.push_back(std::move(*Made));
}

/// True if some configuration compiles the innermost branch around the item.
bool Definition::activeBranch(const Item &Of) const {
  if (Of.Path.empty())
    return true;
  return llvm::any_of(Items, [&](const Item &Other) {
    return !Other.Fields.empty() && Other.Path.size() >= Of.Path.size() &&
           std::equal(Of.Path.begin(), Of.Path.end(), Other.Path.begin());
  });
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

/// The first field at or after the item; one past the last if none.
uint32_t Definition::nextField(size_t Item) const {
  for (; Item != Items.size(); ++Item)
    if (!Items[Item].Fields.empty())
      return Items[Item].Fields.front();
  return FieldItem.size();
}

void Definition::findRules(const RecordInfo &Record) {
  auto Add = [&](RuleKind Kind, std::vector<uint32_t> Fields, std::string Why,
                 uint32_t Line) {
    Rules.push_back(
        {Kind, std::move(Fields), std::move(Why), {"", File, Line}});
    const std::vector<uint32_t> &About = Rules.back().Fields;
    Rules.back().Id = ruleId("text", About.empty() || About[0] >= Names.size()
                                         ? ""
                                         : Names[About[0]]);
    Rules.back().Unliftable = "change the text of the definition first";
  };
  if (llvm::StringRef(File).contains("/uapi/")) {
    fix(Record.Line, "a header of the user-space interface");
    Rules.back().Id = ruleId("uapi");
    Rules.back().Unliftable = "programs are compiled with this order";
    return;
  }
  auto Joined = [&](const Item &Of) {
    return llvm::any_of(Rules, [&](const SourceRule &Rule) {
      return Rule.Kind == RuleKind::Join && Rule.Fields == Of.Fields;
    });
  };
  for (size_t I = 0; I != Items.size(); ++I) {
    Item &Of = Items[I];
    llvm::StringRef Whole = itemText(Of);
    if (Of.Kind == PieceKind::Comment || Of.Kind == PieceKind::Nothing)
      continue;
    if (Of.Kind == PieceKind::Directive) {
      // #undef, or a second #define: what follows depends on the order.
      llvm::StringRef Macro;
      if (Of.Tokens.size() > 2)
        Macro =
            llvm::StringRef(Text).slice(Of.Tokens[2].Begin, Of.Tokens[2].End);
      unsigned Seen = llvm::count_if(Items, [&](const Item &Other) {
        return Other.Kind == PieceKind::Directive && Other.Tokens.size() > 2 &&
               llvm::StringRef(Text).slice(Other.Tokens[2].Begin,
                                           Other.Tokens[2].End) == Macro &&
               Other.Path == Of.Path;
      });
      bool InCondition = llvm::any_of(Cut.Blocks, [&](const CondBlock &Block) {
        return llvm::any_of(Block.Branches, [&](const CondBranch &Branch) {
          return !Macro.empty() && llvm::StringRef(Branch.Expr).contains(Macro);
        });
      });
      Of.Barrier = Seen > 1 || InCondition || Whole.contains("undef");
      if (Of.Barrier)
        Add(RuleKind::Barrier, {nextField(I)},
            "macros are defined and used among the members here", Of.Line);
      continue;
    }
    if (Of.Fields.empty()) {
      if (Of.Tokens.size() == 1 && Of.Kind == PieceKind::Member)
        continue; // a lone ';'
      Of.Barrier = activeBranch(Of);
      if (Of.Barrier)
        Add(RuleKind::Barrier, {nextField(I)},
            "a line here that makes no field: " +
                Whole.trim().split('\n').first.str(),
            Of.Line);
      continue;
    }
    // Bit-fields side by side are one unit anyway.
    bool Bits = llvm::all_of(
        Of.Fields, [&](uint32_t F) { return Record.Fields[F].BitField; });
    if (Of.Fields.size() > 1 && !Bits && !Joined(Of) && !isNested(I)) {
      std::optional<SplitDeclaration> Split = splitDeclaration(Of, Text);
      bool Plain = Split && Split->Declarators.size() == Of.Fields.size() &&
                   llvm::none_of(Of.Fields, [&](uint32_t F) {
                     return unspoken(Record.Fields[F]);
                   });
      for (size_t J = 0; Plain && J != Of.Fields.size(); ++J)
        Plain = llvm::StringRef(Split->Declarators[J])
                    .contains(Names[Of.Fields[J]]);
      if (!Plain)
        Add(RuleKind::Join, Of.Fields,
            Of.Block ? "alternatives of one #if declare the same name"
                     : "made by one declaration",
            Of.Line);
    }
    bool Unclear = Of.Tokens.size() == 2 && Of.Kind == PieceKind::Member;
    if (Unclear) {
      fix(Of.Line, "a declaration without a type; a macro above it may be one");
      return;
    }
    for (llvm::StringRef Tag : definedTags(Of, Text))
      if (llvm::any_of(Items, [&](const Item &Other) {
            return &Other != &Of && mentions(Other, Text, Tag);
          }))
        for (uint32_t F : Of.Fields)
          Add(RuleKind::Fence, {F},
              "other members use " + Tag.str() + ", defined here", Of.Line);
  }
  // Comments about places, trailing ones too.
  llvm::StringRef Rest = llvm::StringRef(Text).slice(Cut.Begin, Cut.End);
  uint32_t Line = 1 + llvm::StringRef(Text).take_front(Cut.Begin).count('\n');
  while (!Rest.empty()) {
    size_t At = Rest.find("/*");
    if (At == llvm::StringRef::npos)
      break;
    Line += Rest.take_front(At).count('\n');
    size_t End = Rest.find("*/", At + 2);
    llvm::StringRef Comment =
        Rest.slice(At, End == llvm::StringRef::npos ? Rest.size() : End + 2);
    if (speaksOfPlace(Comment))
      PlaceComments.push_back({Line, Comment.split('\n').first.trim().str()});
    Line += Comment.count('\n');
    Rest = Rest.drop_front(At + Comment.size());
  }
}

std::vector<SourceRule> rulesOfText(std::string Text,
                                    const RecordInfo &Record) {
  llvm::Expected<Definition> Found = Definition::parse(std::move(Text), Record);
  if (Found) {
    std::vector<SourceRule> Rules = Found->rules();
    for (SourceRule &Rule : commentRules(*Found, Record))
      Rules.push_back(std::move(Rule));
    return Rules;
  }
  std::string Why = llvm::toString(Found.takeError());
  uint32_t Line = Record.Line;
  llvm::StringRef Rest = Why;
  if (Rest.consume_front("line "))
    Rest.consumeInteger(10, Line);
  Rest.consume_front(": ");
  SourceRule Rule{RuleKind::AllFixed, {}, Rest.str(), {"", Record.File, Line}};
  Rule.Id = ruleId("text");
  Rule.Unliftable = "the definition cannot be edited safely";
  return {Rule};
}

} // namespace kst
