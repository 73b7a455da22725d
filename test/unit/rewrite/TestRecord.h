// SPDX-License-Identifier: GPL-2.0-or-later
//
// A RecordInfo as the front end would make it from a text, with as little
// typing as possible.

#pragma once

#include "hybrid/facts/FactsRecord.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kst {

inline uint32_t lineOf(llvm::StringRef Text, size_t Offset) {
  return 1 + Text.take_front(Offset).count('\n');
}

/// Offset of `Word` as a word of its own outside of comments, from `From` on.
inline size_t findWord(llvm::StringRef Text, llvm::StringRef Word,
                       size_t From) {
  auto InWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (size_t At = From; At < Text.size(); ++At) {
    if (Text.substr(At).starts_with("/*")) {
      At = Text.find("*/", At) + 1;
      continue;
    }
    if (Text.substr(At).starts_with(Word) &&
        (At == 0 || !InWord(Text[At - 1])) &&
        (At + Word.size() == Text.size() || !InWord(Text[At + Word.size()])))
      return At;
  }
  return llvm::StringRef::npos;
}

/// `struct s` of the text with these fields (blank separated, in order; the
/// line is that of their name; `name@N` gives the line). `{` and `}` around
/// fields: an anonymous struct. The struct ends at the first line that begins
/// with '}'.
inline RecordInfo recordOf(llvm::StringRef Text, llvm::StringRef Fields) {
  RecordInfo Record;
  Record.Name = std::string("s");
  Record.File = std::string("include/s.h");
  size_t At = Text.find("struct s {");
  Record.Line = lineOf(Text, At);
  Record.EndLine = lineOf(Text, Text.find("\n}", At) + 1);
  llvm::SmallVector<llvm::StringRef> Names;
  Fields.split(Names, ' ', -1, false);
  At = Text.find('{', At);
  uint32_t Group = NoGroup;
  for (llvm::StringRef Name : Names) {
    if (Name == "{") {
      GroupInfo Made;
      Made.Parent = Group;
      At = findWord(Text, "struct", At) + 1;
      Made.Line = lineOf(Text, At);
      Group = Record.Groups.size();
      Record.Groups.push_back(Made);
      continue;
    }
    if (Name == "}") {
      At = Text.find('}', At) + 1;
      Record.Groups[Group].EndLine = lineOf(Text, At);
      Group = Record.Groups[Group].Parent;
      continue;
    }
    FieldInfo Field;
    Field.Group = Group;
    auto [Plain, Line] = Name.split('@');
    Field.Name = Plain.str();
    if (Line.empty()) {
      At = findWord(Text, Plain, At);
      Field.Line = lineOf(Text, At);
    } else {
      Field.Line = std::stoul(Line.str());
    }
    Field.Anonymous = Plain.contains('|');
    if (Field.Anonymous)
      Field.Members = joinedWords(Field.Name);
    Record.Fields.push_back(Field);
  }
  return Record;
}

/// The order that `Names` spells; the others follow in their own.
inline std::vector<uint32_t> orderOf(const RecordInfo &Record,
                                     llvm::StringRef Names) {
  llvm::SmallVector<llvm::StringRef> Wanted;
  Names.split(Wanted, ' ', -1, false);
  std::vector<uint32_t> Order;
  std::vector<bool> Seen(Record.Fields.size());
  for (llvm::StringRef Name : Wanted)
    for (uint32_t F = 0; F != Record.Fields.size(); ++F)
      if (Record.Fields[F].Name == Name && !Seen[F]) {
        Seen[F] = true;
        Order.push_back(F);
        break;
      }
  for (uint32_t F = 0; F != Record.Fields.size(); ++F)
    if (!Seen[F])
      Order.push_back(F);
  return Order;
}

} // namespace kst
