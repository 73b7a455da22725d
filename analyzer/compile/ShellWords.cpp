// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ShellWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

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

/// The number of the command that compiles, of all if there is none.
static size_t compiling(const std::vector<std::vector<std::string>> &Commands) {
  for (const char *Flag : {"-c", "/c"})
    for (size_t I = 0; I < Commands.size(); ++I)
      if (Commands[I].size() > 1 && llvm::is_contained(Commands[I], Flag))
        return I;
  auto Prepares = [](const std::vector<std::string> &Words) {
    return llvm::is_contained({"cd", "set", "echo", "export", "mkdir", "rm"},
                              llvm::StringRef(Words[0]));
  };
  size_t First = llvm::find_if_not(Commands, Prepares) - Commands.begin();
  return First == Commands.size() ? 0 : First;
}

std::vector<std::string> compileWords(llvm::StringRef Text) {
  auto Commands = splitShell(Text);
  return Commands.empty() ? std::vector<std::string>()
                          : std::move(Commands[compiling(Commands)]);
}

std::string compileDirectory(llvm::StringRef Text) {
  auto Commands = splitShell(Text);
  llvm::SmallString<128> Path;
  for (size_t I = 0; !Commands.empty() && I < compiling(Commands); ++I) {
    const std::vector<std::string> &Words = Commands[I];
    if (Words[0] != "cd" || Words.size() < 2)
      continue;
    if (llvm::sys::path::is_absolute(Words.back()))
      Path.clear();
    llvm::sys::path::append(Path, Words.back());
  }
  return std::string(Path);
}

} // namespace kst
