// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an analysis says to people, as data: headings, sentences, tables, plots
// and cache lines. An analysis describes its result once; Render.h makes text,
// HTML and Markdown of it, and knows no analysis.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kst {

/// How words stand out. Hot, Warm and Cool color shares of all accesses; Hot
/// also warns.
enum class Mark : char { Plain, Strong, Code, Soft, Hot, Warm, Cool, Moved };

/// What is shown when a reader wants it short. HTML lets the reader choose;
/// text and Markdown are made one way or the other. Brief stands for what Full
/// would say, and is not shown beside it.
enum class Shown : char { Always, Full, Brief };

struct SentencePart {
  std::string Text;
  Mark As = Mark::Plain;
  Shown When = Shown::Always;
  std::string Link = {}; ///< where it leads, in forms that have links
};

/// A sentence, a heading or the content of a cell. Line breaks mean nothing.
struct Sentence {
  std::vector<SentencePart> Parts;

  Sentence() = default;
  Sentence(const char *Text) : Sentence(std::string(Text)) {}
  Sentence(std::string Text, Mark As = Mark::Plain,
           Shown When = Shown::Always) {
    if (!Text.empty())
      Parts.push_back({std::move(Text), As, When});
  }
  Sentence &operator+=(const Sentence &More) {
    Parts.insert(Parts.end(), More.Parts.begin(), More.Parts.end());
    return *this;
  }
  bool empty() const { return Parts.empty(); }
};
inline Sentence operator+(Sentence Left, const Sentence &Right) {
  return std::move(Left += Right);
}
inline Sentence strong(std::string Text) {
  return {std::move(Text), Mark::Strong};
}
inline Sentence code(std::string Text) { return {std::move(Text), Mark::Code}; }
inline Sentence soft(std::string Text) { return {std::move(Text), Mark::Soft}; }

/// Hot from 5 % on, warm from 1 % on, soft for nothing.
Mark heatMark(double Share);

/// A share of all accesses in the color of its heat: "14.8%".
Sentence heat(double Share);

/// Items with commas between them; in short the first Count of them, and how
/// many more there are.
Sentence listed(const std::vector<Sentence> &Items, size_t Count);

struct Paragraph {
  Sentence Said;
  std::string Lead = {}; ///< in front; further lines begin below its end
  Shown When = Shown::Always;
};

struct Bullets {
  struct Item {
    Sentence Said;
    Shown When = Shown::Always;
  };
  std::vector<Item> Items;
};

struct Table {
  struct Column {
    std::string Name;
    bool Number = false; ///< stands right
    bool Tight = false;  ///< its lines do not break, where a form breaks cells
    Shown When = Shown::Always;
  };
  struct Row {
    std::vector<Sentence> Cells; ///< one for each column
    Shown When = Shown::Always;
    bool Strong = false;
    double X = 0, Y = 0;         ///< where there is a picture
    std::vector<double> Ys = {}; ///< for Lines: of the columns behind the first
  };
  enum class Picture { None, Bars, Plot, Lines, Tree };

  std::vector<Column> Columns;
  std::vector<Row> Rows = {};
  /// What is said of the rows that are not shown in short.
  Sentence Rest = {};
  /// The head names what anybody sees: text shows it in full only.
  bool Quiet = false;
  /// Of Y over X, in forms that have pictures: a bar in each row behind column
  /// BarColumn, which has Y in words, or a plot of rows by X. Lines: one for
  /// each column behind the first, over all rows by X. Tree: rows are nodes,
  /// the children of each behind it, X levels below the first; Y is how much of
  /// the first node's comes there, column BarColumn has the name, Strong
  /// rows are set off. It shows what the rows say, and no
  /// more.
  Picture Shape = Picture::None;
  size_t BarColumn = 0;

  /// In short the first Count rows, and Rest of those that are not shown:
  /// "1 more", "2 more" and what follows.
  void shorten(size_t Count, const std::string &What = {});
};

/// A definition and how it lies in memory: one line of source for each row, and
/// the boxes that its fields are on cache lines.
struct Strip {
  struct Box {
    std::string Label, Tip;
    uint64_t BeginBits = 0, EndBits = 0; ///< none: a mark without a size
    uint64_t Id = 0; ///< boxes of all strips with this number are one field
    double Share = 0;
    /// Of each line that it is on, if it is on several and is used at all:
    /// its share of all accesses, or less than 0 when that is not known.
    std::vector<double> LineShares = {};
    bool Written = false, Remote = false, Lock = false, Moved = false;
  };
  struct Line {
    double Share = 0;
    bool Known = true; ///< something of Share is known to be on this line
  };
  /// A row with a Place is a declaration in columns; else Type is the line, and
  /// Said stands in the column of shares.
  struct Row {
    std::string Type, Name = {}, Place = {};
    Mark As = Mark::Plain; ///< of Type
    unsigned Depth = 0;    ///< braces around it
    double Share = 0;
    Sentence Said = {};
    bool Moved = false;
    Shown When = Shown::Always;
  };

  std::string Title;
  uint64_t LineBytes = 64, SizeBytes = 0;
  std::vector<Line> Lines;
  std::vector<Box> Boxes; ///< in memory order
  std::vector<Row> Rows;
};

/// What the colors and marks of strips mean.
struct StripLegend {
  bool Moved = false, Unknown = false; ///< there are such boxes
};

struct Block;

/// Something with details: one place of a ranking, for example.
struct Entry {
  std::string Label; ///< a number in front, "14.8%"; may be empty
  Sentence Head;
  std::vector<Block> Body;
  double Share = -1; ///< of all, drawn beside it; less than 0: not drawn
  bool Open = true;  ///< where the reader can open it: it is
  Shown When = Shown::Always;
};

struct Block
    : std::variant<Paragraph, Bullets, Table, Strip, StripLegend, Entry> {
  using variant::variant;
};

struct Section {
  Sentence Title; ///< may be empty
  std::vector<Block> Body = {};
  bool Wide = false;    ///< nothing stands beside it
  bool Verdict = false; ///< the title is what the document is about
  Shown When = Shown::Always;
};

struct Document {
  std::string Name; ///< short; where there are several
  Sentence Title;
  std::vector<Block> Head; ///< above the first section
  std::vector<Section> Sections;
};

} // namespace kst
