// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/Listing.h"
#include "hybrid/report/Render.h"

#include <algorithm>

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

  /// Where the table is wider than the page: cuts the widest columns, of words,
  /// or of names over numbers. The last one is wrapped if it has words.
  void cutColumns(const std::vector<const Table::Column *> &Columns,
                  const std::vector<std::vector<MarkedLine>> &Rows,
                  std::vector<size_t> &Width) const {
    constexpr size_t LeastWords = 20, LeastName = 12, LeastWrapped = 24;
    const size_t Cut = Width.size() - !Columns.back()->Number;
    std::vector<size_t> Least(Width.size(), LeastName);
    size_t All = Indent;
    for (size_t C = 0; C < Width.size(); ++C) {
      for (size_t R = 1; R < Rows.size(); ++R)
        Least[C] = std::max(Least[C], Rows[R][C].size());
      if (!Columns[C]->Number)
        Least[C] = LeastWords;
      All +=
          (C ? 2 : 0) + (C < Cut ? Width[C] : std::min(Width[C], LeastWrapped));
    }
    for (; All > Options.Width; --All) {
      size_t Widest = Cut;
      for (size_t C = 0; C < Cut; ++C)
        if (Width[C] > Least[C] && (Widest == Cut || Width[C] > Width[Widest]))
          Widest = C;
      if (Widest == Cut)
        return;
      --Width[Widest];
    }
  }

  /// Columns are as wide as their longest cell, the last one is wrapped.
  void show(const Table &T) {
    std::vector<std::vector<MarkedLine>> Rows(1);
    std::vector<const Table::Column *> Columns;
    for (const Table::Column &Column : T.Columns)
      if (shown(Column.When)) {
        Columns.push_back(&Column);
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
    std::vector<size_t> Width(Columns.size(), 0);
    for (const auto &Row : Rows)
      for (size_t C = 0; C < Row.size(); ++C)
        Width[C] = std::max(Width[C], Row[C].size());
    if (!Columns.empty() && !Options.Full)
      cutColumns(Columns, Rows, Width);
    for (auto &Row : Rows) {
      MarkedLine First = margin();
      for (size_t C = 0; C + 1 < Row.size(); ++C) {
        Row[C].cut(Width[C]);
        Columns[C]->Number ? Row[C].push(Width[C]) : Row[C].fill(Width[C]);
        First.add(Row[C]);
        First.add("  ");
      }
      if (Columns.back()->Number) {
        Row.back().cut(Width.back());
        First.add(std::string(Width.back() - Row.back().size(), ' '));
      }
      // What a tree sets in stays so on the lines behind.
      const size_t Begin = Row.back().Text.find_first_not_of(' ');
      First.add(std::string(Begin == std::string::npos ? 0 : Begin, ' '));
      flow(First, Row.back());
    }
    if (Hidden && !T.Rest.empty())
      flow(margin("... "), marked(T.Rest, Mark::Soft));
  }

  void show(const Strip &S) {
    Out += "\n";
    heading(S.Title);
    for (const MarkedLine &Line : listing(S, Options.Width, Options.Full))
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
  return TextForm(Options).print(Part, Indent);
}

std::string toText(const Document &Doc, const TextOptions &Options) {
  return TextForm(Options).print(Doc);
}

} // namespace kst
