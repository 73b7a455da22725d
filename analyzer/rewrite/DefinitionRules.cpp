// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the text of a definition demands of the order, its comments apart.

#include "analyzer/rewrite/CommentRules.h"
#include "analyzer/rewrite/Comments.h"
#include "analyzer/rewrite/Declarators.h"
#include "analyzer/rewrite/Definition.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

void Definition::fix(uint32_t Line, const std::string &Why) {
  Rules.push_back({RuleKind::AllFixed, {}, Why, {"", File, Line}});
  Rules.back().Id = ruleId("text");
  Rules.back().Unliftable = "the definition cannot be edited safely";
}

void Definition::addRule(RuleKind Kind, std::vector<uint32_t> Fields,
                         std::string Why, uint32_t Line) {
  bool Named = !Fields.empty() && Fields[0] < Names.size();
  std::string Id = ruleId("text", Named ? Names[Fields[0]] : "");
  Rules.push_back({Kind, std::move(Fields), std::move(Why), {"", File, Line}});
  Rules.back().Id = std::move(Id);
  Rules.back().Unliftable = "change the text of the definition first";
}

/// The first field at or after the item; one past the last if none.
uint32_t Definition::nextField(size_t Item) const {
  for (; Item != Items.size(); ++Item)
    if (!Items[Item].Fields.empty())
      return Items[Item].Fields.front();
  return FieldItem.size();
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

llvm::StringRef Definition::wordOf(const Item &Directive) const {
  if (Directive.Kind != PieceKind::Directive || Directive.Tokens.size() < 2)
    return "";
  return llvm::StringRef(Text).slice(Directive.Tokens[1].Begin,
                                     Directive.Tokens[1].End);
}

/// #undef, or a second #define: what follows depends on the order.
bool Definition::changesMacro(const Item &Directive) const {
  if (wordOf(Directive) != "define" && wordOf(Directive) != "undef")
    return false;
  auto MacroOf = [&](const Item &Other) {
    return Other.Tokens.size() > 2
               ? llvm::StringRef(Text).slice(Other.Tokens[2].Begin,
                                             Other.Tokens[2].End)
               : llvm::StringRef();
  };
  const llvm::StringRef Macro = MacroOf(Directive);
  unsigned Seen = llvm::count_if(Items, [&](const Item &Other) {
    return Other.Kind == PieceKind::Directive && Other.Tokens.size() > 2 &&
           MacroOf(Other) == Macro && Other.Path == Directive.Path;
  });
  bool InCondition = llvm::any_of(Cut.Blocks, [&](const CondBlock &Block) {
    return llvm::any_of(Block.Branches, [&](const CondBranch &Branch) {
      return !Macro.empty() && llvm::StringRef(Branch.Expr).contains(Macro);
    });
  });
  return Seen > 1 || InCondition || wordOf(Directive) == "undef";
}

/// Holds together the fields that one declaration makes and that cannot be
/// declared one by one.
void Definition::joinMembers(const Item &Members, const RecordInfo &Record) {
  if (isNested(&Members - Items.data()))
    return;
  auto Join = [&](llvm::ArrayRef<uint32_t> Fields) {
    // Bit-fields side by side are one unit anyway.
    bool Bits = llvm::all_of(
        Fields, [&](uint32_t F) { return Record.Fields[F].BitField; });
    bool Joined = llvm::any_of(Rules, [&](const SourceRule &Rule) {
      return Rule.Kind == RuleKind::Join &&
             llvm::ArrayRef(Rule.Fields) == Fields;
    });
    if (Fields.size() > 1 && !Bits && !Joined)
      addRule(RuleKind::Join, Fields.vec(),
              Members.Block ? "alternatives of one #if declare the same name"
                            : "made by one declaration",
              Members.Line);
  };
  if (Members.Parts.empty())
    return Join(Members.Fields);
  for (const Part &Declared : Members.Parts)
    Join(fieldsOf(Members, Declared));
}

/// A static assertion that speaks of nothing that is declared here is true
/// wherever it stands.
bool Definition::standsFree(const Item &Other) const {
  auto Spell = [&](const BodyToken &T) {
    return llvm::StringRef(Text).slice(T.Begin, T.End);
  };
  if (Other.Kind != PieceKind::Member || Other.SeveralDeclarations ||
      (Spell(Other.Tokens[0]) != "_Static_assert" &&
       Spell(Other.Tokens[0]) != "static_assert"))
    return false;
  return llvm::none_of(Items, [&](const Item &Declaring) {
    if (&Declaring == &Other)
      return false;
    bool Macro = Declaring.Kind == PieceKind::Directive &&
                 Declaring.Tokens.size() > 2 &&
                 mentions(Other, Text, Spell(Declaring.Tokens[2]));
    auto Speaks = [&](llvm::StringRef Name) {
      return mentions(Other, Text, Name);
    };
    return Macro || llvm::any_of(definedNames(Declaring, Text), Speaks) ||
           llvm::any_of(possibleNames(Declaring, Text), Speaks);
  });
}

/// A line that makes no field. A lone ';' is none.
void Definition::findRulesOfOther(Item &Other) {
  const bool Pragma = wordOf(Other) == "pragma";
  if (Other.Kind == PieceKind::Directive)
    Other.Barrier = Pragma || changesMacro(Other);
  else if (standsFree(Other))
    return;
  else if (Other.Tokens.size() != 1 || Other.Kind != PieceKind::Member)
    Other.Barrier = activeBranch(Other);
  if (Other.Barrier)
    addRule(RuleKind::Barrier, {nextField(&Other - Items.data())},
            Pragma ? "a #pragma among the members: what is below it stays there"
            : Other.Kind == PieceKind::Directive
                ? "macros are defined and used among the members here"
                : "a line here that makes no field: " +
                      itemText(Other).trim().split('\n').first.str(),
            Other.Line);
}

/// A member that defines what others use stays between the same neighbours.
void Definition::fenceDefinitions(const Item &Of) {
  for (llvm::StringRef Name : definedNames(Of, Text)) {
    if (llvm::none_of(Items, [&](const Item &Other) {
          return &Other != &Of && mentions(Other, Text, Name);
        }))
      continue;
    auto ImmovableField = [&](llvm::ArrayRef<uint32_t> Fields) {
      for (uint32_t F : Fields)
        addRule(RuleKind::ImmovableField, {F},
                "other members use " + Name.str() + ", defined here", Of.Line);
    };
    if (Of.Parts.empty())
      ImmovableField(Of.Fields);
    for (const Part &In : Of.Parts)
      if (spells(Of, In, Name))
        ImmovableField(fieldsOf(Of, In));
  }
}

void Definition::findRules(const RecordInfo &Record) {
  if (isA(NameKind::UserHeader, File)) {
    fix(Record.Line, "a header of the user-space interface");
    Rules.back().Id = ruleId("uapi");
    Rules.back().Unliftable = "programs are compiled with this order";
    return;
  }
  for (Item &Of : Items) {
    if (Of.Kind == PieceKind::Comment || Of.Kind == PieceKind::Nothing)
      continue;
    if (Of.Kind == PieceKind::Directive || Of.Fields.empty()) {
      findRulesOfOther(Of);
      continue;
    }
    joinMembers(Of, Record);
    if (mentions(Of, Text, "_Pragma"))
      return fix(Of.Line, "a _Pragma among the members");
    if (Of.Tokens.size() == 2 && Of.Kind == PieceKind::Member)
      return fix(Of.Line,
                 "a declaration without a type; a macro above it may be one");
    fenceDefinitions(Of);
  }
  findPlaceComments();
}

/// Comments about places, trailing ones too.
void Definition::findPlaceComments() {
  llvm::StringRef Rest = llvm::StringRef(Text).slice(Cut.Begin, Cut.End);
  uint32_t Line = 1 + llvm::StringRef(Text).take_front(Cut.Begin).count('\n');
  for (;;) {
    size_t Begin = Rest.find("/*");
    if (Begin == llvm::StringRef::npos)
      return;
    Line += Rest.take_front(Begin).count('\n');
    size_t End = Rest.find("*/", Begin + 2);
    llvm::StringRef Comment =
        Rest.slice(Begin, End == llvm::StringRef::npos ? Rest.size() : End + 2);
    if (speaksOfPlace(Comment))
      PlaceComments.push_back({Line, Comment.split('\n').first.trim().str()});
    Line += Comment.count('\n');
    Rest = Rest.drop_front(Begin + Comment.size());
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
