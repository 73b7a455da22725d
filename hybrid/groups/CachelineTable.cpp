// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/groups/CachelineTable.h"

#include "hybrid/core/Words.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace kst {

namespace {

struct Word {
  std::string Text;
  size_t Column = 0;
};

std::vector<Word> wordsOf(const std::string &Line) {
  std::vector<Word> Words;
  for (size_t At = 0; (At = Line.find_first_not_of(" \t", At)) != Line.npos;) {
    const size_t End = std::min(Line.find_first_of(" \t", At), Line.size());
    Words.push_back({Line.substr(At, End - At), At});
    At = End;
  }
  return Words;
}

/// Where the columns begin.
struct Heads {
  size_t Name = 0, Tx = 0, Rx = 0;
};

std::optional<Heads> headsOf(const std::vector<Word> &Words) {
  if (Words.size() < 4 || Words[0].Text != "Type" || Words[1].Text != "Name")
    return std::nullopt;
  return Heads{Words[1].Column, Words[2].Column, Words[3].Column};
}

bool isAccess(const std::string &Text) {
  return Text == "-" || Text == "read_mostly" || Text == "read_write" ||
         Text == "write_mostly" || Text == "read_only" || Text == "write_only";
}

void addFunction(std::vector<std::string> &To, const std::string &Name) {
  if (Name.find('_') != Name.npos && Name.find_first_not_of('_') != Name.npos &&
      !std::isdigit(static_cast<unsigned char>(Name.front())) &&
      std::ranges::find(To, Name) == To.end())
    To.push_back(Name);
}

/// "tcp_v(4/6)_rcv" as tcp_v4_rcv and tcp_v6_rcv, "ip(6)_input" as ip_input and
/// ip6_input: digits in parentheses inside of a word.
std::vector<std::string> versionsOf(const std::string &Comment) {
  constexpr size_t Most = 64;
  std::vector<std::string> Texts = {Comment};
  for (size_t I = 0; I != Texts.size(); ++I)
    for (size_t Open = 0; (Open = Texts[I].find('(', Open)) != Comment.npos;
         ++Open) {
      const std::string Text = Texts[I];
      const size_t Close = Text.find(')', Open);
      if (Open == 0 || !isWordChar(Text[Open - 1]) || Close == Text.npos ||
          Texts.size() == Most)
        continue;
      const std::string Inside = Text.substr(Open + 1, Close - Open - 1);
      if (Inside.empty() ||
          Inside.find_first_not_of("0123456789/") != Inside.npos)
        continue;
      const std::string Rest = Text.substr(Close + 1);
      const size_t Slash = Inside.find('/');
      Texts[I] = Text.substr(0, Open) + Inside.substr(0, Slash) + Rest;
      Texts.push_back(
          Text.substr(0, Open) +
          (Slash == Inside.npos ? std::string() : Inside.substr(Slash + 1)) +
          Rest);
    }
  return Texts;
}

std::vector<std::string> functionsIn(const std::string &Comment) {
  std::vector<std::string> Found;
  for (const std::string &Text : versionsOf(Comment))
    forEachWord(Text, [&](std::string_view Word) {
      addFunction(Found, std::string(Word));
    });
  return Found;
}

/// Which of the columns a lone cell is in.
bool isRx(const Word &Cell, const Heads &Columns) {
  auto Off = [&](size_t Column) {
    return Cell.Column > Column ? Cell.Column - Column : Column - Cell.Column;
  };
  return Off(Columns.Rx) < Off(Columns.Tx);
}

std::optional<TableRow> rowOf(const std::string &Line, const Heads &Columns) {
  const std::vector<Word> Words = wordsOf(Line);
  if (Words.size() < 2)
    return std::nullopt;
  size_t Name = 1;
  while (Name < Words.size() && Words[Name].Column < Columns.Name)
    ++Name;
  if (Name == Words.size() || (Name > 1 && isAccess(Words[Name].Text)))
    --Name;
  TableRow Row;
  for (size_t W = 0; W != Name; ++W)
    Row.Type += (W ? " " : "") + Words[W].Text;
  Row.Name = Words[Name].Text;
  size_t Next = Name + 1;
  if (Next < Words.size() && isAccess(Words[Next].Text)) {
    const bool Two = Next + 1 < Words.size() && isAccess(Words[Next + 1].Text);
    if (Two) {
      Row.Tx = Words[Next].Text;
      Row.Rx = Words[Next + 1].Text;
      ++Next;
    } else
      (isRx(Words[Next], Columns) ? Row.Rx : Row.Tx) = Words[Next].Text;
    ++Next;
  }
  std::string Comment;
  for (; Next < Words.size(); ++Next)
    Comment += (Comment.empty() ? "" : " ") + Words[Next].Text;
  Row.Functions = functionsIn(Comment);
  return Row;
}

} // namespace

std::vector<CachelineTable> cachelineTables(const std::string &Text,
                                            const std::string &File) {
  std::vector<CachelineTable> Tables;
  std::istringstream From(Text);
  std::string Line, Title;
  Heads Columns;
  bool Inside = false;
  for (uint32_t Number = 1; std::getline(From, Line); ++Number) {
    if (!Line.empty() && Line.back() == '\r')
      Line.pop_back();
    const std::vector<Word> Words = wordsOf(Line);
    if (std::optional<Heads> Found = headsOf(Words)) {
      Columns = *Found;
      Inside = true;
      CachelineTable &New = Tables.emplace_back();
      New.File = File;
      New.Line = Number;
      New.Struct = Title;
      continue;
    }
    // "NAME struct fast path usage breakdown"
    if (Words.size() > 2 && Words[1].Text == "struct" && Words[0].Column == 0 &&
        !Inside)
      Title = Words[0].Text;
    if (!Inside || Words.empty() ||
        Line.find_first_not_of("= \t") == std::string::npos)
      continue;
    if (Words[0].Text.starts_with("..")) {
      // "..struct ..NAME"
      if (Words.size() > 1 && Words[0].Text == "..struct")
        Tables.back().Struct = Words[1].Text.substr(std::min<size_t>(
            Words[1].Text.find_first_not_of('.'), Words[1].Text.size()));
      continue;
    }
    if (std::optional<TableRow> Row = rowOf(Line, Columns)) {
      Row->Line = Number;
      Tables.back().Rows.push_back(std::move(*Row));
    }
  }
  return Tables;
}

} // namespace kst
