// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Comments.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

namespace kst {

namespace {

/// The words alone, in lower case, single blanks between them.
std::string wordsOf(llvm::StringRef Comment) {
  std::string Words;
  bool Blank = true;
  for (char C : Comment) {
    if (C == '*' || C == '/' || llvm::isSpace(C)) {
      if (!Blank)
        Words += ' ';
      Blank = true;
      continue;
    }
    Words += llvm::toLower(C);
    Blank = false;
  }
  return llvm::StringRef(Words).trim().str();
}

bool matches(llvm::StringRef Words, const char *Pattern) {
  return llvm::Regex(Pattern).match(Words);
}

} // namespace

bool speaksOfPlace(llvm::StringRef Comment) {
  std::string Words = wordsOf(Comment);
  return matches(Words, "cache ?line [0-9]+|[0-9]+(st|nd|rd|th) cache ?line|"
                        "(first|second|third|fourth|last) cache ?line") ||
         matches(Words, "(^|[^a-z])boundary( \\(| ---|$)") ||
         matches(Words, "[0-9]+[ -](bytes?|bits?) (hole|pad)|"
                        "(^|[^a-z])hole(s)?($|[^a-z])") ||
         matches(Words, "^(offset:? ?)?(0x[0-9a-f]+|[0-9]+( +[0-9]+)?)$") ||
         matches(Words, "(^|[^a-z])(offset|size):? ?(0x)?[0-9]+");
}

bool isPlaceMarker(llvm::StringRef Comment) {
  if (!speaksOfPlace(Comment))
    return false;
  std::string Words = wordsOf(Comment);
  return matches(Words, "---|===") || llvm::StringRef(Words).count(' ') < 6;
}

bool isDocSwitch(llvm::StringRef Comment) {
  return matches(wordsOf(Comment), "^(private|public):");
}

bool speaksOfGroup(llvm::StringRef Comment) {
  std::string Words = wordsOf(Comment);
  return matches(Words, "(^|[^a-z])(fields|members|elements|following|these|"
                        "section|stuff|related|below|cache ?lines?)"
                        "($|[^a-z])") ||
         matches(Words, "(^|[^a-z])(read|write)[- ](mostly|only|write|"
                        "intensive)($|[^a-z])") ||
         matches(Words, "---|===|___|~~~");
}

} // namespace kst
