// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/GroupAsserts.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>

namespace kst {

std::string withoutComments(llvm::StringRef Text) {
  std::string Out = Text.str();
  for (size_t I = 0; I + 1 < Out.size(); ++I) {
    if (Out[I] == '"' || Out[I] == '\'') {
      const char Quote = Out[I];
      for (++I; I < Out.size() && Out[I] != Quote && Out[I] != '\n'; ++I)
        if (Out[I] == '\\')
          ++I;
      continue;
    }
    if (Out[I] != '/' || (Out[I + 1] != '*' && Out[I + 1] != '/'))
      continue;
    const bool Long = Out[I + 1] == '*';
    size_t End = Out.find(Long ? "*/" : "\n", I + 2);
    End = End == std::string::npos ? Out.size() : End + (Long ? 2 : 0);
    for (; I < End; ++I)
      if (Out[I] != '\n')
        Out[I] = ' ';
    --I;
  }
  return Out;
}

namespace {

/// "92 + 4": authors write sums; false for what is not plain numbers.
bool sumOf(llvm::StringRef Text, uint64_t &Sum) {
  llvm::SmallVector<llvm::StringRef, 4> Terms;
  Text.split(Terms, '+');
  Sum = 0;
  for (llvm::StringRef Term : Terms) {
    uint64_t One = 0;
    if (Term.trim().getAsInteger(0, One))
      return false;
    Sum += One;
  }
  return true;
}

std::optional<bool> holds(const GroupAssert &Claim, const RecordInfo &Record) {
  for (const MarkedGroup &Group : markedGroups(Record)) {
    if (Group.Name != Claim.Group)
      continue;
    if (Claim.Member.empty())
      return Group.Bytes <= Claim.Bytes;
    for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
      const FieldInfo &Field = Record.Fields[F];
      if (Field.Name == Claim.Member ||
          std::ranges::find(Field.Members, Claim.Member) != Field.Members.end())
        return std::ranges::find(Group.Fields, F) != Group.Fields.end();
    }
    return std::nullopt; // the compiler says so itself
  }
  return std::nullopt;
}

} // namespace

std::vector<GroupAssert> groupAssertsIn(llvm::StringRef Given,
                                        const std::string &File) {
  std::vector<GroupAssert> Found;
  if (!Given.contains("CACHELINE_ASSERT_GROUP_"))
    return Found;
  const std::string Text = withoutComments(Given);
  for (llvm::StringRef Macro :
       {"CACHELINE_ASSERT_GROUP_MEMBER", "CACHELINE_ASSERT_GROUP_SIZE"}) {
    const bool Size = Macro.ends_with("SIZE");
    for (size_t At = 0; (At = Text.find(Macro, At)) != std::string::npos;) {
      const size_t Start = At;
      At += Macro.size();
      const size_t LineStart = Text.rfind('\n', Start) + 1;
      if (llvm::StringRef(Text).drop_front(LineStart).ltrim().starts_with("#"))
        continue; // its definition
      const size_t Open = Text.find_first_not_of(" \t\n", At);
      if (Open == std::string::npos || Text[Open] != '(')
        continue;
      const size_t Close = Text.find(')', Open);
      if (Close == std::string::npos)
        break;
      llvm::SmallVector<llvm::StringRef, 3> Words;
      llvm::StringRef(Text).slice(Open + 1, Close).split(Words, ',');
      if (Words.size() != 3)
        continue;
      GroupAssert Claim;
      llvm::StringRef Struct = Words[0].trim();
      Struct.consume_front("struct");
      Claim.Struct = Struct.trim().str();
      Claim.Group = Words[1].trim().str();
      if (!Size)
        Claim.Member = Words[2].trim().str();
      else if (!sumOf(Words[2], Claim.Bytes))
        continue;
      Claim.Where.File = File;
      Claim.Where.Line = static_cast<uint32_t>(
          1 + std::count(Text.begin(), Text.begin() + Start, '\n'));
      Found.push_back(std::move(Claim));
    }
  }
  return Found;
}

std::vector<Finding>
failedAsserts(const Config &In, const RecordInfo &Base, const RecordInfo &Head,
              const std::function<std::string(const std::string &)> &HeadText) {
  std::vector<Finding> Failed;
  if (markedGroups(Head).empty())
    return Failed;
  for (const TuFacts &Unit : In.Session.Units) {
    const std::string &File = Unit.Strings[Unit.MainFile];
    for (const GroupAssert &Claim : groupAssertsIn(HeadText(File), File)) {
      if (Claim.Struct != Head.Name || holds(Claim, Head) != false ||
          holds(Claim, Base) == false)
        continue;
      Finding New;
      New.Kind = FindingKind::Assertion;
      New.How = Grade::High;
      New.Struct = Head.Name;
      New.Fields = {Claim.Group};
      if (!Claim.Member.empty())
        New.Fields.push_back(Claim.Member);
      New.Config = {In.Name};
      New.File = Claim.Where.File;
      New.Line = Claim.Where.Line;
      if (Claim.Member.empty()) {
        for (const MarkedGroup &Group : markedGroups(Head))
          if (Group.Name == Claim.Group)
            New.Said =
                "group '" + Claim.Group + "' has " +
                std::to_string(Group.Bytes) + " bytes, and " +
                Claim.Where.File + ":" + std::to_string(Claim.Where.Line) +
                " asserts that it has at most " + std::to_string(Claim.Bytes) +
                ": the build of " + In.Name + " fails";
      } else
        New.Said = "'" + Claim.Member + "' is not in group '" + Claim.Group +
                   "', as " + Claim.Where.File + ":" +
                   std::to_string(Claim.Where.Line) +
                   " asserts: the build of " + In.Name + " fails";
      Failed.push_back(std::move(New));
    }
  }
  return Failed;
}

} // namespace kst
