// SPDX-License-Identifier: GPL-2.0-or-later
//
// Documents as text, for a terminal.

#include "hybrid/core/ValidText.h"
#include "hybrid/report/Listing.h"
#include "hybrid/report/Render.h"

#include <algorithm>
#include <map>

namespace kst {
namespace {

class TextForm {
public:
  explicit TextForm(const TextOptions &Given) : Options(Given) {
    Options.Width = std::max(72u, Options.Width);
  }

  std::string print(const Document &Doc) {
    heading(Doc.Title);
    blocks(Doc.Head, 0);
    for (const Section &Part : Doc.Sections) {
      if (!shown(Part.When))
        continue;
      Out += "\n";
      if (!Part.Title.empty())
        heading(Part.Title);
      blocks(Part.Body, 2);
    }
    return std::move(Out);
  }

  std::string print(const Block &Part, size_t At) {
    blocks({Part}, At);
    return std::move(Out);
  }

private:
  TextOptions Options;
  std::string Out;
  size_t Indent = 0;

  bool shown(Shown When) const {
    return When != (Options.Full ? Shown::Brief : Shown::Full);
  }

  MarkedLine marked(const Sentence &Said, Mark Plain = Mark::Plain) const {
    MarkedLine Line;
    Line.add(Said, Options.Full);
    if (Plain != Mark::Plain)
      std::ranges::replace(Line.Marks, Mark::Plain, Plain);
    return Line;
  }

  void line(MarkedLine Line) {
    Line.dropBlanks();
    Out += Line.painted(Options.Color) + "\n";
  }

  void heading(const Sentence &Title) { line(marked(Title, Mark::Strong)); }

  /// Wrapped, after what stands in front of it.
  void flow(MarkedLine First, const MarkedLine &Said) {
    for (const MarkedLine &Line : wrapped(First, Said, Options.Width))
      line(Line);
  }

  MarkedLine margin(const std::string &Lead = {}) const {
    return std::string(Indent, ' ') + Lead;
  }

  void blocks(const std::vector<Block> &Body, size_t At) {
    size_t Before = std::exchange(Indent, At);
    for (const Block &Part : Body)
      std::visit([this](const auto &Known) { show(Known); },
                 static_cast<const Block::variant &>(Part));
    Indent = Before;
  }

  void show(const Paragraph &P) {
    if (shown(P.When))
      flow(margin(P.Lead), marked(P.Said));
  }

  void show(const Bullets &List) {
    for (const Bullets::Item &Item : List.Items)
      if (shown(Item.When))
        flow(margin("- "), marked(Item.Said));
  }

  /// Rows of a tree are set in so far at most.
  static constexpr size_t MostTreeIndent = 20;

  static size_t indentOf(const Table &T, const Table::Row &Row, size_t Column) {
    return T.Shape == Table::Picture::Tree && Column == T.BarColumn
               ? std::min(static_cast<size_t>(Row.X), MostTreeIndent)
               : 0;
  }

  /// Columns of words are cut so far at most.
  static constexpr size_t LeastWords = 20;

  /// What a table shows: the head and each row, a cell for each column.
  struct Grid {
    std::vector<const Table::Column *> Columns;
    std::vector<std::vector<MarkedLine>> Rows;
    std::vector<size_t> Width; ///< by column

    void measure() {
      Width.assign(Columns.size(), 0);
      for (const auto &Row : Rows)
        for (size_t C = 0; C < Row.size(); ++C)
          Width[C] = std::max(Width[C], Row[C].size());
    }
    /// The widest column of long words but the first one, which says what a row
    /// is of; none: how many columns there are.
    size_t widestWords() const {
      size_t Widest = Columns.size();
      bool First = true;
      for (size_t C = 0; C < Columns.size(); ++C) {
        if (Columns[C]->Number)
          continue;
        if (!First && Width[C] > LeastWords &&
            (Widest == Columns.size() || Width[C] >= Width[Widest]))
          Widest = C;
        First = false;
      }
      return Widest;
    }
    /// The column leaves the grid.
    std::vector<MarkedLine> take(size_t Column) {
      std::vector<MarkedLine> Out;
      for (auto &Row : Rows) {
        Out.push_back(std::move(Row[Column]));
        Row.erase(Row.begin() + ptrdiff_t(Column));
      }
      Columns.erase(Columns.begin() + ptrdiff_t(Column));
      Width.erase(Width.begin() + ptrdiff_t(Column));
      return Out;
    }
  };

  /// Where the table is wider than the page: cuts the widest columns, of words,
  /// or of names over numbers. The last one is wrapped if it has words. False:
  /// it stays wider.
  bool cutColumns(Grid &Of) const {
    constexpr size_t LeastName = 12, LeastWrapped = 24;
    std::vector<size_t> &Width = Of.Width;
    const size_t Cut = Width.size() - !Of.Columns.back()->Number;
    std::vector<size_t> Least(Width.size(), LeastName);
    size_t All = Indent;
    for (size_t C = 0; C < Width.size(); ++C) {
      for (size_t R = 1; R < Of.Rows.size(); ++R)
        Least[C] = std::max(Least[C], Of.Rows[R][C].size());
      if (!Of.Columns[C]->Number)
        Least[C] = LeastWords;
      if (Options.Full)
        Least[C] = Width[C];
      All +=
          (C ? 2 : 0) + (C < Cut ? Width[C] : std::min(Width[C], LeastWrapped));
    }
    for (; All > Options.Width; --All) {
      size_t Widest = Cut;
      for (size_t C = 0; C < Cut; ++C)
        if (Width[C] > Least[C] && (Widest == Cut || Width[C] > Width[Widest]))
          Widest = C;
      if (Widest == Cut) {
        // A narrow last column is better than a row in pieces.
        const size_t Last = Cut < Width.size() ? Width.back() : 0;
        return All - Options.Width + std::min(Last, LeastName) <=
               std::min(Last, LeastWrapped);
      }
      --Width[Widest];
    }
    return true;
  }

  /// Columns are as wide as their longest cell, the last one is wrapped. Those
  /// of words that the page has no place for follow below each row.
  void show(const Table &T) {
    Grid Of;
    auto &Rows = Of.Rows;
    Rows.resize(1);
    for (const Table::Column &Column : T.Columns)
      if (shown(Column.When)) {
        Of.Columns.push_back(&Column);
        Rows[0].push_back(Column.Name);
      }
    if (T.Quiet && !Options.Full)
      Rows.clear();
    for (const Table::Row &Row : T.Rows) {
      if (!shown(Row.When))
        continue;
      Rows.emplace_back();
      for (size_t C = 0; C < Row.Cells.size(); ++C)
        if (shown(T.Columns[C].When)) {
          MarkedLine Cell(std::string(indentOf(T, Row, C), ' '));
          Cell.add(marked(Row.Cells[C]));
          Rows.back().push_back(std::move(Cell));
        }
    }
    bool Hidden = std::ranges::any_of(
        T.Rows, [&](auto &Row) { return !shown(Row.When); });
    if (Rows.size() == 1 && !(T.Quiet && !Options.Full))
      Rows.clear();
    Of.measure();
    std::map<const Table::Column *, std::vector<MarkedLine>> Below;
    while (!Of.Columns.empty() && !cutColumns(Of)) {
      Of.measure();
      const size_t Column = Of.widestWords();
      if (Rows.empty() || T.Quiet || T.Shape == Table::Picture::Tree ||
          Column == Of.Columns.size()) {
        cutColumns(Of);
        break;
      }
      const Table::Column *Named = Of.Columns[Column];
      Below[Named] = Of.take(Column);
    }
    for (size_t R = 0; R < Rows.size(); ++R) {
      row(Of, Rows[R]);
      for (const auto &[Column, Cells] : Below)
        if (R && !Cells[R].Text.empty() && Cells[R].Text != "-")
          flow(margin("  " + Column->Name + ": "), Cells[R]);
    }
    if (Hidden && !T.Rest.empty())
      flow(margin("... "), marked(T.Rest, Mark::Soft));
  }

  void row(const Grid &Of, std::vector<MarkedLine> &Row) {
    MarkedLine First = margin();
    for (size_t C = 0; C + 1 < Row.size(); ++C) {
      Row[C].cut(Of.Width[C]);
      Of.Columns[C]->Number ? Row[C].push(Of.Width[C])
                            : Row[C].fill(Of.Width[C]);
      First.add(Row[C]);
      First.add("  ");
    }
    if (Of.Columns.back()->Number) { // a number is no text to wrap
      Row.back().cut(Of.Width.back());
      Row.back().push(Of.Width.back());
      First.add(Row.back());
      return line(First);
    }
    // What a tree sets in stays so on the lines behind.
    const size_t Begin = Row.back().Text.find_first_not_of(' ');
    First.add(std::string(Begin == std::string::npos ? 0 : Begin, ' '));
    flow(First, Row.back());
  }

  void show(const Strip &S) {
    const auto Lines = listing(S, Options.Width, Options.Full);
    if (Lines.empty() && S.Title.empty())
      return;
    Out += "\n";
    heading(S.Title);
    for (const MarkedLine &Line : Lines)
      line(Line);
  }

  void show(const StripLegend &) {} // there are no colors to explain

  void show(const Entry &E) {
    if (!shown(E.When))
      return;
    MarkedLine First = margin();
    if (!E.Label.empty()) {
      MarkedLine Label(E.Label, E.Share < 0 ? Mark::Plain : heatMark(E.Share));
      Label.push(6);
      First.add(Label);
      First.add(" ");
    }
    flow(First, marked(E.Head));
    blocks(E.Body, E.Label.empty() ? Indent + 2 : First.size());
  }
};

} // namespace

std::string toText(const Block &Part, const TextOptions &Options,
                   size_t Indent) {
  return validText(TextForm(Options).print(Part, Indent));
}

std::string toText(const Document &Doc, const TextOptions &Options) {
  return validText(TextForm(Options).print(Doc));
}

} // namespace kst
