// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/CommentDemands.h"

#include "analyzer/rewrite/CommentPhrases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

#include <map>

namespace kst {

namespace {

constexpr size_t MostShown = 100;

bool isWordChar(char C) { return llvm::isAlnum(C) || C == '_'; }

/// One sentence: as written, and as words for the patterns.
struct Sentence {
  std::string Written;
  std::string Words;              ///< " must be first , see @f "
  std::vector<std::string> Named; ///< fields, as the writer marked them
  bool empty() const { return Words.size() < 2; }
};

/// Cuts a comment into sentences.
class Reader {
public:
  Reader(llvm::ArrayRef<std::string> Fields, llvm::StringRef Struct)
      : Struct(Struct) {
    for (const std::string &Field : Fields)
      if (!Field.empty())
        Known.insert(Field);
  }

  std::vector<Sentence> read(llvm::StringRef Comment);

private:
  void word(llvm::StringRef Word, llvm::StringRef Before, llvm::StringRef Rest);
  void add(llvm::StringRef Word) {
    Now.Words += Word;
    Now.Words += ' ';
  }
  void end() {
    Now.Written = llvm::StringRef(Now.Written).trim().str();
    if (!Now.empty())
      Done.push_back(std::move(Now));
    Now = {};
    Now.Words = " ";
  }

  llvm::StringSet<> Known;
  llvm::StringRef Struct;
  std::vector<Sentence> Done;
  Sentence Now;
};

/// Words that are rarely meant when fields have their names.
const llvm::StringSet<> English = {
    "first",  "last",   "order", "next",   "start", "offset", "head",
    "tail",   "list",   "type",  "layout", "end",   "format", "size",
    "bottom", "front",  "this",  "struct", "these", "it",     "hardware",
    "fields", "member", "field", "which",  "they",  "top",    "base"};

void Reader::word(llvm::StringRef Word, llvm::StringRef Before,
                  llvm::StringRef Rest) {
  std::string Lower = Word.lower();
  // A name in quotes, behind @ or ->, or of a form that English has not.
  bool Marked = Before.ends_with("'") || Before.ends_with("\"") ||
                Before.ends_with("`") || Before.ends_with("@") ||
                Before.ends_with("->") || Before.ends_with(".") ||
                Word.contains('_') || Rest.starts_with("[") ||
                llvm::any_of(Word, llvm::isDigit);
  bool Said = !English.contains(Word) &&
              (Rest.starts_with(" field") || Rest.starts_with(" member"));
  if (Known.contains(Word) && (Marked || Said)) {
    if (!llvm::is_contained(Now.Named, Word))
      Now.Named.push_back(Word.str());
    return add("@f");
  }
  if (Word == Struct || Before.ends_with("struct ") ||
      (Word.contains('_') && Word.lower() == Word && Rest.starts_with("'s ")) ||
      Word.ends_with("_t") || Word.ends_with("_struct"))
    return add("@t");
  // "end of the bio": the last part of bpf_func_state, say, stands for it.
  if (size_t At = Struct.rfind('_'); At != llvm::StringRef::npos &&
                                     Word.size() > 3 &&
                                     Struct.drop_front(At + 1) == Lower)
    return add("@s");
  static const std::map<std::string, const char *> Spellings = {
      {"cannot", "can not"},       {"dont", "do not"},
      {"cacheline", "cache line"}, {"cachelines", "cache lines"},
      {"userspace", "user space"}, {"0x0", "0"}};
  if (auto It = Spellings.find(Lower); It != Spellings.end())
    return add(It->second);
  bool Subject = Rest.starts_with(" must") || Rest.starts_with(" has to") ||
                 Rest.starts_with(" needs to") || Rest.starts_with(" should");
  bool Object =
      llvm::Regex(" (follow|precede|after|before) $").match(Now.Words);
  bool Near = llvm::Regex(" (to|with|keep) $").match(Now.Words);
  if (Known.contains(Word) &&
      (Object || ((Subject || Near) && !English.contains(Word)))) {
    if (!llvm::is_contained(Now.Named, Word))
      Now.Named.push_back(Word.str());
    return add("@f");
  }
  add(Lower);
}

std::vector<Sentence> Reader::read(llvm::StringRef Comment) {
  end();
  size_t I = 0;
  bool LineHadText = true;
  while (I < Comment.size()) {
    char C = Comment[I];
    llvm::StringRef Rest = Comment.drop_front(I);
    if (isWordChar(C)) {
      size_t End = I;
      // head.S, don't, sk_buff
      while (End < Comment.size() &&
             (isWordChar(Comment[End]) ||
              (Comment[End] == '.' && End > I && End + 1 < Comment.size() &&
               isWordChar(Comment[End + 1]))))
        ++End;
      llvm::StringRef Word = Comment.slice(I, End);
      llvm::StringRef After = Comment.drop_front(End);
      Now.Written += Word;
      LineHadText = true;
      if (Word.size() > 1 && Word.ends_with_insensitive("n") &&
          After.starts_with_insensitive("'t")) {
        Now.Written += After.take_front(2);
        add(Word.drop_back().equals_insensitive("ca")
                ? "can"
                : Word.drop_back().lower());
        add("not");
        I = End + 2;
        continue;
      }
      word(Word, Comment.take_front(I), After);
      I = End;
      continue;
    }
    if (C == '\n') {
      // A blank line, or a list's next point, ends a sentence.
      llvm::StringRef Next = Rest.drop_front().ltrim(" \t*/");
      bool Point = Next.starts_with("- ") || Next.starts_with("@");
      if (Next.starts_with("\n") || Point)
        end();
      else
        Now.Written += ' ';
      LineHadText = false;
    } else if (C == '.' || C == '!' || C == '?' || C == ';' || C == ':') {
      if (C != ':' && C != ';')
        Now.Written += C;
      end();
    } else if (C == ',' || C == '(' || C == ')' || C == '[' || C == ']') {
      Now.Written += C;
      add(",");
    } else if ((C == '*' || C == '/') && !LineHadText) {
      ; // the margin
    } else if (Rest.starts_with("/*") || Rest.starts_with("*/") ||
               Rest.starts_with("//")) {
      ++I;
    } else if (C == ' ' || C == '\t') {
      if (!Now.Written.empty() && Now.Written.back() != ' ')
        Now.Written += ' ';
    } else if (C != '*') {
      Now.Written += C;
      if (C == '-' && Rest.starts_with("- "))
        add(",");
    }
    ++I;
  }
  end();
  return std::move(Done);
}

/// How many members a sentence speaks of.
uint32_t countOf(llvm::StringRef Words) {
  static const char *Numbers[] = {"two",   "three", "four", "five", "six",
                                  "seven", "eight", "nine", "ten"};
  for (uint32_t I = 0; I < std::size(Numbers); ++I)
    if (llvm::Regex((" (these|following|next|first|the|those|all|last) ("
                     "following |next )?" +
                     llvm::Twine(Numbers[I]) + " ")
                        .str())
            .match(Words))
      return I + 2;
  llvm::SmallVector<llvm::StringRef> Match;
  if (llvm::Regex(" (these|following|next|those) ([2-9]) ")
          .match(Words, &Match))
    return Match[2][0] - '0';
  if (Words.contains(" both "))
    return 2;
  if (llvm::Regex(" (these|those|following|fields|members|elements) ")
          .match(Words))
    return CommentDemand::Several;
  return 0;
}

} // namespace

std::vector<CommentDemand> demandsOf(llvm::StringRef Comment,
                                     llvm::ArrayRef<std::string> Fields,
                                     llvm::StringRef Struct) {
  std::vector<CommentDemand> Found;
  for (const Sentence &S : Reader(Fields, Struct).read(Comment)) {
    if (const Phrase *P = phraseIn(S.Words)) {
      CommentDemand D;
      D.What = P->What;
      D.Firm = P->Firm;
      D.Whole = llvm::Regex(" (this|the|entire|whole) (struct|structure|@t|"
                            "layout)( |$)")
                    .match(S.Words);
      D.Above = llvm::Regex(" (above|preceding|previous) (fields|members|"
                            "should|must|two|three|four|are|is)")
                    .match(S.Words);
      D.Count = countOf(S.Words);
      D.Words = S.Written.size() > MostShown
                    ? S.Written.substr(0, MostShown - 3) + "..."
                    : S.Written;
      D.Fields = S.Named;
      Found.push_back(std::move(D));
    }
  }
  return Found;
}

} // namespace kst
