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

/// A field that the compiler put there, not a declarator.
static bool unspoken(const FieldInfo &Field) {
  return Field.Name.empty() || Field.Anonymous;
}

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

/// #undef, or a second #define: what follows depends on the order.
bool Definition::changesMacro(const Item &Directive) const {
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
  return Seen > 1 || InCondition || itemText(Directive).contains("undef");
}

/// Several fields of one declaration that cannot be declared one by one.
bool Definition::makesOnlyTogether(const Item &Members,
                                   const RecordInfo &Record) const {
  // Bit-fields side by side are one unit anyway.
  bool Bits = llvm::all_of(
      Members.Fields, [&](uint32_t F) { return Record.Fields[F].BitField; });
  bool Joined = llvm::any_of(Rules, [&](const SourceRule &Rule) {
    return Rule.Kind == RuleKind::Join && Rule.Fields == Members.Fields;
  });
  if (Members.Fields.size() < 2 || Bits || Joined ||
      isNested(&Members - Items.data()))
    return false;
  std::optional<SplitDeclaration> Split = splitDeclaration(Members, Text);
  if (!Split || Split->Declarators.size() != Members.Fields.size())
    return true;
  for (auto [Declarator, F] : llvm::zip(Split->Declarators, Members.Fields))
    if (unspoken(Record.Fields[F]) ||
        !llvm::StringRef(Declarator).contains(Names[F]))
      return true;
  return false;
}

/// A line that makes no field. A lone ';' is none.
void Definition::findRulesOfOther(Item &Other) {
  if (Other.Kind == PieceKind::Directive)
    Other.Barrier = changesMacro(Other);
  else if (Other.Tokens.size() != 1 || Other.Kind != PieceKind::Member)
    Other.Barrier = activeBranch(Other);
  if (Other.Barrier)
    addRule(RuleKind::Barrier, {nextField(&Other - Items.data())},
            Other.Kind == PieceKind::Directive
                ? "macros are defined and used among the members here"
                : "a line here that makes no field: " +
                      itemText(Other).trim().split('\n').first.str(),
            Other.Line);
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
    if (makesOnlyTogether(Of, Record))
      addRule(RuleKind::Join, Of.Fields,
              Of.Block ? "alternatives of one #if declare the same name"
                       : "made by one declaration",
              Of.Line);
    if (Of.Tokens.size() == 2 && Of.Kind == PieceKind::Member)
      return fix(Of.Line,
                 "a declaration without a type; a macro above it may be one");
    for (llvm::StringRef Tag : definedTags(Of, Text))
      if (llvm::any_of(Items, [&](const Item &Other) {
            return &Other != &Of && mentions(Other, Text, Tag);
          }))
        for (uint32_t F : Of.Fields)
          addRule(RuleKind::Fence, {F},
                  "other members use " + Tag.str() + ", defined here", Of.Line);
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
