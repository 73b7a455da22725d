// SPDX-License-Identifier: GPL-2.0-or-later
//
// A struct's definition in its file: which lines make which fields, which
// comments belong to which member, and what that demands of the order. The
// ground on which rewrite() works.
//
// Which comment belongs to whom (directly: no blank line between):
//  - behind a declaration on its last line, with its continuation: to that;
//  - on lines of its own and indented deeper than the member above, directly
//    below it: to that;
//  - directly above a member: to that member. If it speaks of a group
//  ("fields",
//    "these", "read-mostly", a ruled line, names of several of the members) and
//    members without comment of their own follow directly, it belongs to them
//    all: it stays unless all of them move;
//  - directly above an #if that holds one member: to that member;
//  - about a place in memory only (isPlaceMarker()), kernel-doc's switches,
//  anything
//    with a blank line below it: to the place where it stands.

#pragma once

#include "analyzer/rewrite/Declarators.h"
#include "hybrid/core/SourceRule.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

/// Something a person should look at, with its line in the file.
struct TextNote {
  uint32_t Line = 0;
  std::string What;
  bool operator==(const TextNote &) const = default;
};

class Definition {
public:
  static constexpr uint32_t Nobody = ~0u;

  /// A part of an item, and its fields as [First, End) of Item::Fields.
  struct Part : DeclaredPart {
    uint32_t FirstField = 0, EndField = 0;
  };

  /// A piece of the body and what it makes.
  struct Item : Piece {
    /// Indices into RecordInfo::Fields, ascending.
    std::vector<uint32_t> Fields;
    /// Comment: the item it travels with, or Nobody.
    uint32_t Owner = Nobody;
    bool Below = false; ///< comment: stands below its owner
    /// Comment of a group: all members it speaks of; travels when all do.
    std::vector<uint32_t> Group;
    /// Two or more, each with fields, if it can be taken apart; else none.
    std::vector<Part> Parts;
    bool Barrier = false; ///< nothing crosses it
    bool BitField = false;
  };

  /// `Record` is the record as the compiler saw this very text; for several
  /// configurations the joint list of fields that any of them has, in the
  /// order of their lines. Fails with "line N: why" when the text cannot be
  /// understood; see parseBody().
  static llvm::Expected<Definition> parse(std::string Text,
                                          const RecordInfo &Record);

  /// What the text demands of the order, its comments apart; indices as in
  /// Record.Fields.
  const std::vector<SourceRule> &rules() const { return Rules; }
  /// Comments that speak of places in memory, by line.
  const std::vector<TextNote> &placeComments() const { return PlaceComments; }

  const std::string &text() const { return Text; }
  const std::string &recordName() const { return RecordName; }
  uint32_t line() const { return Line; } ///< RecordInfo::Line
  const Body &body() const { return Cut; }
  const std::vector<Item> &items() const { return Items; }
  /// The inside of an anonymous struct, as a definition of its own: field
  /// numbers less FirstField, offsets into the same text.
  struct Nested {
    uint32_t Item = 0, FirstField = 0;
    uint32_t Group = 0; ///< index into RecordInfo::Groups
  };
  const std::vector<Nested> &nested() const { return NestedItems; }
  const Definition &inside(size_t N) const { return Inner[N]; }
  bool isNested(uint32_t Item) const;
  uint32_t fieldCount() const { return FieldItem.size(); }
  /// The item that makes the field.
  uint32_t itemOf(uint32_t Field) const { return FieldItem[Field]; }
  const std::string &fieldName(uint32_t Field) const { return Names[Field]; }
  /// The item begins behind the '{' on its line.
  bool beginsInLine(const Item &Of) const {
    return Of.Begin && Text[Of.Begin - 1] != '\n';
  }
  /// The item ends before the '}' on its line.
  bool endsInLine(const Item &Of) const {
    return Of.End > Of.Begin && Text[Of.End - 1] != '\n';
  }
  static llvm::ArrayRef<uint32_t> fieldsOf(const Item &Of, const Part &In) {
    return llvm::ArrayRef(Of.Fields).slice(In.FirstField,
                                           In.EndField - In.FirstField);
  }
  /// "define" of `#define N 3`; "" of what is no directive.
  llvm::StringRef wordOf(const Item &Directive) const;
  /// Text between item I and the next; I = Nobody: before the first.
  llvm::StringRef gapAfter(uint32_t I) const;
  bool hasAllFixed() const;

private:
  Definition() = default;
  bool mapFields(const RecordInfo &Record);
  void mapParts(Item &Of, const RecordInfo &Record);
  bool spells(const Item &Of, const Part &In, llvm::StringRef Word) const;
  bool usesOwnNames(const Item &Of) const;
  void openGroups(const RecordInfo &Record);
  void openGroup(const RecordInfo &Record, uint32_t Group);
  void findOwners();
  void findRules(const RecordInfo &Record);
  void findRulesOfOther(Item &Other);
  void findPlaceComments();
  bool changesMacro(const Item &Directive) const;
  void fenceDefinitions(const Item &Of);
  void joinMembers(const Item &Members, const RecordInfo &Record);
  bool standsFree(const Item &Other) const;
  void addRule(RuleKind Kind, std::vector<uint32_t> Fields, std::string Why,
               uint32_t Line);
  void fix(uint32_t Line, const std::string &Why);
  bool activeBranch(const Item &Of) const;
  uint32_t nextField(size_t Item) const;
  llvm::StringRef itemText(const Item &Of) const {
    return llvm::StringRef(Text).slice(Of.Begin, Of.End);
  }

  std::string Text, File, RecordName;
  uint32_t Line = 0;
  Body Cut;
  std::vector<Item> Items;
  std::vector<uint32_t> FieldItem;
  std::vector<std::string> Names;
  std::vector<Nested> NestedItems;
  std::vector<Definition> Inner; ///< beside NestedItems
  std::vector<SourceRule> Rules;
  std::vector<TextNote> PlaceComments;
};

/// The fields of an anonymous struct as a record of their own, without a name.
RecordInfo recordInside(const RecordInfo &Record, uint32_t Group);

/// Definition::rules() and commentRules(), or AllFixed with the reason when the
/// text cannot be understood.
std::vector<SourceRule> rulesOfText(std::string Text, const RecordInfo &Record);

} // namespace kst
