// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/CommentRules.h"

#include "analyzer/rewrite/CommentDemands.h"
#include "analyzer/rewrite/Comments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace kst {

namespace {

using Item = Definition::Item;

bool isCode(const Item &Source) {
  return Source.Kind == PieceKind::Member || Source.Kind == PieceKind::Macro;
}

/// A comment that the text has above the struct's head, "" if none is directly
/// above it.
llvm::StringRef commentAbove(llvm::StringRef Text, uint32_t Line) {
  size_t Begin = 0;
  for (uint32_t L = 1; L < Line; ++L) {
    Begin = Text.find('\n', Begin);
    if (Begin == llvm::StringRef::npos)
      return "";
    ++Begin;
  }
  llvm::StringRef Before = Text.take_front(Begin);
  size_t Blank = Before.find_last_not_of(" \t\n");
  Before = Before.take_front(Blank + 1);
  if (!Before.ends_with("*/") ||
      Text.slice(Before.size(), Begin).count('\n') > 2)
    return "";
  size_t Open = Before.rfind("/*");
  return Open == llvm::StringRef::npos ? "" : Before.drop_front(Open);
}

class RuleFinder {
public:
  RuleFinder(const Definition &Source, const RecordInfo &Record)
      : Source(Source), Items(Source.items()), Record(Record) {
    for (const FieldInfo &Field : Record.Fields)
      Names.push_back(Field.Name);
  }

  std::vector<SourceRule> find();
  /// Those of the comments between the braces.
  std::vector<SourceRule> findInside();

private:
  void nested(size_t I);
  void above(llvm::StringRef Comment);
  void documented(llvm::StringRef Words, const std::string &Field,
                  uint32_t Line);
  void alone(size_t I);
  void inside(size_t I);
  void demand(const CommentDemand &D, std::vector<uint32_t> Fields,
              uint32_t Line);
  void add(RuleKind Kind, std::vector<uint32_t> Fields, const CommentDemand &D,
           uint32_t Line, llvm::StringRef About);
  std::vector<uint32_t> after(size_t I, const CommentDemand &D) const;
  std::vector<uint32_t> before(size_t I) const;
  std::vector<uint32_t> named(const CommentDemand &D) const;
  std::vector<CommentDemand> demands(llvm::StringRef Comment) const {
    if (isPlaceMarker(Comment) || isDocSwitch(Comment))
      return {};
    return demandsOf(Comment, Names, Record.Name);
  }
  uint32_t lineOf(llvm::StringRef Part) const {
    size_t At = Part.data() - Source.text().data();
    return 1 + llvm::StringRef(Source.text()).take_front(At).count('\n');
  }

  const Definition &Source;
  const std::vector<Item> &Items;
  const RecordInfo &Record;
  std::vector<std::string> Names;
  std::vector<SourceRule> Rules;
};

void RuleFinder::add(RuleKind Kind, std::vector<uint32_t> Fields,
                     const CommentDemand &D, uint32_t Line,
                     llvm::StringRef About) {
  SourceRule Rule{Kind,
                  std::move(Fields),
                  (llvm::Twine('"') + D.Words + "\"").str(),
                  {"", Record.File, Line}};
  Rule.Id = ruleId("comment", std::string_view(About.data(), About.size()));
  Rule.Strength = D.Firm ? RuleStrength::Hard : RuleStrength::Soft;
  Rules.push_back(std::move(Rule));
}

/// Fields, ascending, none twice: what the demand means for them.
void RuleFinder::demand(const CommentDemand &D, std::vector<uint32_t> Fields,
                        uint32_t Line) {
  llvm::sort(Fields);
  Fields.erase(std::unique(Fields.begin(), Fields.end()), Fields.end());
  if (Fields.empty())
    return;
  const std::string &About = Names[Fields.front()];
  if (D.Whole && (D.What == DemandWord::Order || D.What == DemandWord::Layout))
    return add(RuleKind::AllFixed, {}, D, Line, "");
  switch (D.What) {
  case DemandWord::Together: {
    bool Run = Fields.back() - Fields.front() + 1 == Fields.size();
    if (!Run || Fields.size() == 1)
      break;
    // One unit; a immovable field among them would make a immovable field of
    // all.
    bool Immovable = llvm::any_of(Fields, [&](uint32_t F) {
      return Record.Fields[F].ZeroSize || Record.Fields[F].FlexibleArray;
    });
    if (!Immovable)
      return add(RuleKind::Join, std::move(Fields), D, Line, About);
    add(RuleKind::Barrier, {Fields.front()}, D, Line, About);
    return add(RuleKind::Barrier, {Fields.back() + 1}, D, Line, About);
  }
  case DemandWord::Follows: {
    uint32_t F = Fields.front();
    std::vector<uint32_t> Other = named(D);
    llvm::erase(Other, F);
    uint32_t With = Other.size() == 1 ? Other[0] : F ? F - 1 : F + 1;
    if (With + 1 == F)
      return add(RuleKind::Join, {With, F}, D, Line, About);
    if (With == F + 1 && With < Names.size())
      return add(RuleKind::Join, {F, With}, D, Line, About);
    break;
  }
  default:
    break;
  }
  for (uint32_t F : Fields)
    add(RuleKind::ImmovableField, {F}, D, Line, About);
}

std::vector<uint32_t> RuleFinder::named(const CommentDemand &D) const {
  std::vector<uint32_t> Fields;
  for (const std::string &Name : D.Fields)
    for (uint32_t F = 0; F != Names.size(); ++F)
      if (Names[F] == Name)
        Fields.push_back(F);
  return Fields;
}

/// Fields below item I, a comment.
std::vector<uint32_t> RuleFinder::after(size_t I,
                                        const CommentDemand &D) const {
  std::vector<uint32_t> Fields;
  uint32_t Most = D.Count ? D.Count : 1;
  bool Run = D.Count == CommentDemand::Several ||
             (!D.Count && D.What == DemandWord::Together);
  for (size_t At = I + 1; At < Items.size() && (Run || Fields.size() < Most);
       ++At) {
    if (Items[At].Kind == PieceKind::Comment) {
      if (Run && !Fields.empty())
        break;
      continue;
    }
    if (hasBlankLine(Source.gapAfter(At - 1)) && (Run || Fields.empty()))
      break;
    Fields.insert(Fields.end(), Items[At].Fields.begin(),
                  Items[At].Fields.end());
    if (!D.Count && !Run && !Fields.empty())
      break;
  }
  return Fields;
}

/// Fields above item I, up to a blank line.
std::vector<uint32_t> RuleFinder::before(size_t I) const {
  std::vector<uint32_t> Fields;
  while (I && (Fields.empty() || !hasBlankLine(Source.gapAfter(I - 1)))) {
    --I;
    if (Items[I].Kind == PieceKind::Comment && !Fields.empty())
      break;
    Fields.insert(Fields.end(), Items[I].Fields.begin(), Items[I].Fields.end());
  }
  return Fields;
}

/// A comment on lines of its own.
void RuleFinder::alone(size_t I) {
  const Item &C = Items[I];
  llvm::StringRef Comment =
      llvm::StringRef(Source.text()).slice(C.Begin, C.End);
  for (const CommentDemand &D : demands(Comment)) {
    std::vector<uint32_t> Fields;
    if (D.Above)
      Fields = before(I);
    else if (C.Below && C.Owner != Definition::Nobody)
      Fields = Items[C.Owner].Fields;
    else
      Fields = after(I, D);
    if (std::vector<uint32_t> Said = named(D);
        !Said.empty() && D.What != DemandWord::Follows && !D.Whole) {
      // Beside the fields where it stands, unless it speaks of others only.
      bool Here = llvm::any_of(
          Said, [&](uint32_t F) { return llvm::is_contained(Fields, F); });
      Fields = Here || D.What != DemandWord::Together ? Said : Fields;
    }
    if (!Fields.empty()) {
      demand(D, std::move(Fields), C.Line);
      continue;
    }
    // About the place itself.
    uint32_t Next = static_cast<uint32_t>(Names.size());
    for (size_t At = I; At < Items.size(); ++At)
      if (!Items[At].Fields.empty()) {
        Next = Items[At].Fields.front();
        break;
      }
    if (D.Whole || D.What == DemandWord::Order || D.What == DemandWord::Layout)
      continue; // of nobody in particular
    // Nothing lies in front of the first place: who is there stays there.
    add(Next ? RuleKind::Barrier : RuleKind::ImmovableField, {Next}, D, C.Line,
        Next < Names.size() ? Names[Next] : "end");
  }
}

/// Comments inside or behind a declaration.
void RuleFinder::inside(size_t I) {
  const Item &M = Items[I];
  if (M.Fields.empty() || M.Tokens.empty())
    return;
  llvm::StringRef Rest = llvm::StringRef(Source.text()).slice(M.Begin, M.End);
  const char *LastToken = Source.text().data() + M.Tokens.back().Begin;
  bool Anonymous = llvm::all_of(M.Fields, [&](uint32_t F) {
    return Record.Fields[F].Anonymous || Record.Fields[F].Name.empty();
  });
  while (true) {
    size_t At = std::min(Rest.find("/*"), Rest.find("//"));
    if (At == llvm::StringRef::npos)
      return;
    bool Block = Rest.drop_front(At).starts_with("/*");
    size_t End = Rest.find(Block ? "*/" : "\n", At + 2);
    llvm::StringRef Comment = Rest.slice(At, End);
    bool Behind = Comment.data() > LastToken;
    for (const CommentDemand &D : demands(Comment)) {
      bool First = D.What == DemandWord::First && M.Fields.front() == 0;
      bool Last = D.What == DemandWord::Last &&
                  M.Fields.back() + 1 == Record.Fields.size();
      if (Behind && D.Above)
        demand(D, before(I + 1), lineOf(Comment));
      else if (Behind || (Anonymous && (First || Last)))
        demand(D, M.Fields, lineOf(Comment));
    }
    if (End == llvm::StringRef::npos)
      return;
    Rest = Rest.drop_front(End + (Block ? 2 : 0));
  }
}

/// A part of the comment above the struct: about one field, or of nobody.
void RuleFinder::documented(llvm::StringRef Words, const std::string &Field,
                            uint32_t Line) {
  for (const CommentDemand &D : demands(Words)) {
    std::vector<uint32_t> Fields;
    for (uint32_t F = 0; F != Names.size(); ++F)
      if (!Field.empty() && Names[F] == Field)
        Fields.push_back(F);
    if (Fields.empty())
      Fields = named(D);
    if (!Fields.empty())
      demand(D, std::move(Fields), Line);
    else if (Field.empty() && !Names.empty() &&
             (D.What == DemandWord::Order || D.What == DemandWord::Layout ||
              (D.What == DemandWord::Stay && D.Count)))
      add(RuleKind::AllFixed, {}, D, Line, "");
  }
}

/// The comment above the struct, cut at kernel-doc's "@name:".
void RuleFinder::above(llvm::StringRef Comment) {
  std::string Field;
  size_t Begin = 0;
  auto Take = [&](size_t End) {
    if (End > Begin)
      documented(Comment.slice(Begin, End), Field,
                 lineOf(Comment.drop_front(Begin).ltrim(" \t\n*/")));
    Begin = End;
  };
  for (size_t Line = 0; Line < Comment.size();) {
    size_t End = std::min(Comment.find('\n', Line), Comment.size());
    llvm::StringRef Text = Comment.slice(Line, End).ltrim(" \t*/");
    if (Text.starts_with("@")) {
      llvm::StringRef Name = Text.drop_front().take_while(
          [](char C) { return llvm::isAlnum(C) || C == '_'; });
      if (Text.drop_front(1 + Name.size()).ltrim().starts_with(":")) {
        Take(Line);
        Field = Name.str();
      }
    } else if (Text.rtrim().empty()) {
      Take(Line);
      Field.clear();
    }
    Line = End + 1;
  }
  Take(Comment.size());
}

/// Comments in an anonymous struct, about its fields.
void RuleFinder::nested(size_t I) {
  for (size_t N = 0; N != Source.nested().size(); ++N) {
    const Definition::Nested &At = Source.nested()[N];
    if (At.Item != I)
      continue;
    RecordInfo Inner = recordInside(Record, At.Group);
    for (SourceRule &Rule : RuleFinder(Source.inside(N), Inner).findInside()) {
      // At the end of the struct nothing can cross.
      if (Rule.Kind == RuleKind::Barrier &&
          Rule.Fields[0] == Inner.Fields.size())
        continue;
      for (uint32_t &F : Rule.Fields)
        F += At.FirstField;
      Rules.push_back(std::move(Rule));
    }
  }
}

std::vector<SourceRule> RuleFinder::findInside() {
  for (size_t I = 0; I != Items.size(); ++I)
    if (Items[I].Kind == PieceKind::Comment) {
      alone(I);
    } else if (isCode(Items[I])) {
      inside(I);
      nested(I);
    }
  return std::move(Rules);
}

std::vector<SourceRule> RuleFinder::find() {
  above(commentAbove(Source.text(), Source.line()));
  return findInside();
}

} // namespace

std::vector<SourceRule> commentRules(const Definition &Source,
                                     const RecordInfo &Record) {
  return RuleFinder(Source, Record).find();
}

} // namespace kst
