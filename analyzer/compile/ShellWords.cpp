// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ShellWords.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {
namespace {

/// The state of one pass over the text.
class Splitter {
public:
  explicit Splitter(llvm::StringRef Text) : Text(Text) {}

  std::vector<std::vector<std::string>> run() {
    while (At < Text.size())
      step(Text[At]);
    endCommand();
    return std::move(Commands);
  }

private:
  void step(char C) {
    switch (C) {
    case ' ':
    case '\t':
    case '\r':
      endWord();
      break;
    case ';':
    case '&':
    case '|':
    case '\n':
      endCommand();
      break;
    case '\'':
      singleQuoted();
      return;
    case '"':
      doubleQuoted();
      return;
    case '\\':
      escaped();
      return;
    default:
      add(C);
    }
    ++At;
  }

  void singleQuoted() {
    InWord = true;
    size_t End = Text.find('\'', At + 1);
    Word += Text.slice(At + 1, End).str();
    At = End == llvm::StringRef::npos ? Text.size() : End + 1;
  }

  void doubleQuoted() {
    InWord = true;
    for (++At; At < Text.size() && Text[At] != '"'; ++At) {
      bool Escape = Text[At] == '\\' && At + 1 < Text.size() &&
                    llvm::StringRef("\"\\$`\n").contains(Text[At + 1]);
      if (Escape)
        ++At;
      if (!(Escape && Text[At] == '\n'))
        Word += Text[At];
    }
    ++At;
  }

  void escaped() {
    if (++At == Text.size())
      return;
    if (Text[At] != '\n')
      add(Text[At]);
    ++At;
  }

  void add(char C) {
    InWord = true;
    Word += C;
  }

  void endWord() {
    if (InWord)
      Words.push_back(std::move(Word));
    Word.clear();
    InWord = false;
  }

  void endCommand() {
    endWord();
    if (!Words.empty())
      Commands.push_back(std::move(Words));
    Words.clear();
  }

  llvm::StringRef Text;
  size_t At = 0;
  bool InWord = false;
  std::string Word;
  std::vector<std::string> Words;
  std::vector<std::vector<std::string>> Commands;
};

} // namespace

std::vector<std::vector<std::string>> splitShell(llvm::StringRef Text) {
  return Splitter(Text).run();
}

std::vector<std::string> compileWords(llvm::StringRef Text) {
  auto Commands = splitShell(Text);
  for (auto &Words : Commands)
    if (Words.size() > 1 && llvm::is_contained(Words, "-c"))
      return std::move(Words);
  return Commands.empty() ? std::vector<std::string>()
                          : std::move(Commands.front());
}

} // namespace kst
