// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/change/FilePatch.h"

#include "hybrid/core/PatchName.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

#include <optional>

using namespace llvm;

namespace kst {

namespace {

constexpr StringLiteral Nowhere = "/dev/null";

/// The name in quotes that Text begins with; see takeQuotedName().
std::optional<std::string> takeQuoted(StringRef &Text) {
  std::string_view Left = Text;
  auto Name = takeQuotedName(Left);
  Text = Left;
  return Name;
}

/// The name behind `---` or `+++`: in quotes, up to a tab, or all but a time.
std::string headName(StringRef Text) {
  if (auto Name = takeQuoted(Text))
    return *Name;
  StringRef Name = Text.split('\t').first;
  SmallVector<StringRef, 2> Found;
  // Where tabs have become blanks.
  if (Name.size() == Text.size() &&
      Regex("^(.*[^ ]) +[0-9]{4}-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:.*$")
          .match(Name, &Found))
    Name = Found[1];
  return Name.rtrim(' ').str();
}

class PatchParser {
public:
  explicit PatchParser(StringRef Text) {
    while (!Text.empty()) {
      size_t End = std::min(Text.find('\n'), Text.size() - 1) + 1;
      Lines.push_back(Text.take_front(End));
      Text = Text.drop_front(End);
    }
  }

  Expected<std::vector<FilePatch>> parse();

private:
  /// Without its end.
  StringRef line(size_t I) const {
    return I < Lines.size() ? Lines[I].rtrim("\r\n") : StringRef();
  }
  Error refuse(StringRef Why) const {
    return createStringError(std::errc::invalid_argument, "line %zu: %s",
                             At + 1, Why.str().c_str());
  }
  FilePatch &part();
  void finish();
  Error step();
  void gitHead(StringRef Names);
  bool gitLine(StringRef Line);
  void heads();
  void hunk();
  bool binary(StringRef Line);

  std::vector<StringRef> Lines;
  size_t At = 0;
  std::vector<FilePatch> Parts;
  std::optional<FilePatch> Open; ///< whose head or hunks are being read
  std::string GitNames;          ///< behind `diff --git`
  std::string From, To;          ///< of a renaming, without prefixes
  std::string Index;
};

FilePatch &PatchParser::part() {
  if (!Open) {
    Open.emplace();
    Open->Line = At + 1;
    Open->Index = std::exchange(Index, "");
  }
  return *Open;
}

/// Names of a part that has no `---` and `+++`, from `diff --git`.
std::pair<std::string, std::string> gitNames(StringRef Both, StringRef From,
                                             StringRef To) {
  if (auto Old = takeQuoted(Both)) {
    StringRef Rest = Both.ltrim(' ');
    auto New = takeQuoted(Rest);
    return {*Old, New ? *New : Rest.str()};
  }
  for (size_t Gap = 0; (Gap = Both.find(' ', Gap)) != StringRef::npos; ++Gap) {
    StringRef Old = Both.take_front(Gap), New = Both.drop_front(Gap + 1);
    const bool Same =
        From.empty() &&
        (Old == New ||
         (Old.split('/').second == New.split('/').second && Old.contains('/')));
    if (Same || (!From.empty() && Old.ends_with(From) && New.ends_with(To)))
      return {Old.str(), New.str()};
  }
  return {From.str(), To.str()};
}

void PatchParser::finish() {
  if (Open) {
    FilePatch &Part = *Open;
    if (Part.Git) {
      auto [Old, New] = gitNames(GitNames, From, To);
      Part.Bare = Old == New;
      if (Part.Old.empty() && Part.New.empty()) {
        Part.Old = std::move(Old);
        Part.New = std::move(New);
        Part.Opaque |=
            !Part.Renames && !Part.Copies && !Part.Adds && !Part.Removes;
      }
    }
    if (Part.Old == Nowhere || Part.Adds)
      Part.Old.clear();
    if (Part.New == Nowhere || Part.Removes)
      Part.New.clear();
    if (!Part.Old.empty() || !Part.New.empty())
      Parts.push_back(std::move(Part));
  }
  Open.reset();
  GitNames = From = To = "";
}

/// A line of git's own head, which is true of the part.
bool PatchParser::gitLine(StringRef Line) {
  FilePatch &Part = *Open;
  auto Name = [](StringRef Written) {
    auto Plain = takeQuoted(Written);
    return Plain ? *Plain : Written.str();
  };
  const bool Copy = Line.starts_with("copy ");
  if (Line.consume_front("rename from ") || Line.consume_front("copy from ")) {
    From = Name(Line);
    (Copy ? Part.Copies : Part.Renames) = true;
  } else if (Line.consume_front("rename to ") ||
             Line.consume_front("copy to ")) {
    To = Name(Line);
  } else if (Line.consume_front("new file mode ")) {
    Part.Adds = true;
  } else if (Line.consume_front("deleted file mode ")) {
    Part.Removes = true;
  } else if (!Line.consume_front("index ") &&
             !Line.consume_front("new mode ") &&
             !Line.consume_front("old mode ")) {
    return Line.starts_with("similarity ") ||
           Line.starts_with("dissimilarity ");
  }
  Part.NoFile |= Line.ends_with("120000") || Line.ends_with("160000");
  return true;
}

bool PatchParser::binary(StringRef Line) {
  return Line == "GIT binary patch" ||
         (Line.starts_with("Binary files ") && Line.ends_with(" differ"));
}

/// `---` and `+++`, which hunks follow.
void PatchParser::heads() {
  if (Open && (!Open->Git || !Open->Hunks.empty()))
    finish();
  FilePatch &Part = part();
  Part.Old = headName(line(At).drop_front(4));
  Part.New = headName(line(At + 1).drop_front(4));
  At += 2;
}

/// By the counts of its head: a line of it may look like anything.
void PatchParser::hunk() {
  FilePatch &Part = *Open;
  StringRef Head = line(At);
  Head.consume_front("@@ -");
  unsigned long OldStart = 0, OldCount = 1, NewStart = 0, NewCount = 1;
  Head.consumeInteger(10, OldStart);
  if (Head.consume_front(","))
    Head.consumeInteger(10, OldCount);
  if (Head.consume_front(" +"))
    Head.consumeInteger(10, NewStart);
  if (Head.consume_front(","))
    Head.consumeInteger(10, NewCount);
  // git says it in words; diff(1) has the names of both sides all the same.
  Part.Adds |= !Part.Git && OldStart == 0 && OldCount == 0;
  Part.Removes |= !Part.Git && NewStart == 0 && NewCount == 0;
  Part.Hunks.push_back(Lines[At++]);
  bool Context = OldStart == 0 || NewStart == 0, Takes = false;
  for (; At < Lines.size(); ++At) {
    StringRef Line = line(At);
    const char Sign = Line.empty() ? ' ' : Line[0];
    if (Sign != '\\' && !OldCount && !NewCount)
      break;
    Context |= Sign == ' ';
    Takes |= Sign == '-';
    if (Sign == ' ' && OldCount && NewCount)
      --OldCount, --NewCount;
    else if (Sign == '-' && OldCount)
      --OldCount;
    else if (Sign == '+' && NewCount)
      --NewCount;
    else if (Sign != '\\')
      break; // git says what is wrong
    Part.Hunks.push_back(Lines[At]);
  }
  Part.NoContext |= !Context;
  Part.Inserts |= !Context && !Takes;
}

Error PatchParser::step() {
  StringRef Line = line(At);
  if (Line.starts_with("--- ") && line(At + 1).starts_with("+++ ")) {
    if (line(At + 2).starts_with("@@@"))
      return refuse("the diff of a merge; give one against a single parent");
    if (line(At + 2).starts_with("@@ -"))
      return heads(), Error::success();
  }
  if (Line.starts_with("@@ -") && Open &&
      !(Open->Old.empty() && Open->New.empty()))
    return hunk(), Error::success();
  if (Regex("^Content-Transfer-Encoding: *(quoted-printable|base64)",
            Regex::IgnoreCase)
          .match(Line))
    return refuse("an encoded mail; git mailinfo takes the patch out of it");
  if (Line.starts_with("*** ") && line(At + 1).starts_with("--- ") &&
      line(At + 2).starts_with("***************"))
    return refuse("a context diff; make it with diff -u");
  if (Line.starts_with("diff --git ")) {
    finish();
    part().Git = true;
    GitNames = Line.drop_front(11).str();
  } else if (Line.starts_with("Index: ")) {
    finish();
    Index = Line.drop_front(7).rtrim().str();
  } else if (Open && binary(Line)) {
    Open->Opaque = true;
  } else if (!(Open && Open->Git && Open->Hunks.empty() && gitLine(Line)) &&
             Open && !Open->Hunks.empty()) {
    finish();
  }
  ++At;
  return Error::success();
}

Expected<std::vector<FilePatch>> PatchParser::parse() {
  while (At < Lines.size())
    if (Error E = step())
      return E;
  finish();
  return std::move(Parts);
}

} // namespace

Expected<std::vector<FilePatch>> parsePatch(StringRef Text) {
  return PatchParser(Text).parse();
}

std::string strippedName(StringRef Name, unsigned Level) {
  if (Name.starts_with("/") && Level == 0)
    return "";
  SmallVector<StringRef, 8> Parts;
  Name.split(Parts, '/', -1, /*KeepEmpty=*/false);
  llvm::erase(Parts, ".");
  if (Parts.size() <= Level)
    return "";
  ArrayRef<StringRef> Left = ArrayRef(Parts).drop_front(Level);
  return is_contained(Left, "..") ? "" : join(Left, "/");
}

} // namespace kst
