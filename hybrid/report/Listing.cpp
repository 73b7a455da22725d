// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/Listing.h"

#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t BarColumns = 8, WithBars = 88;
/// Mark, offset and size, share, use: all but the declaration.
constexpr size_t FixedColumns = 2 + 1 + 1 + 17 + 1 + 6 + 1 + 2 + 1 + 13;

std::string indented(const Strip::Row &Row) {
  return std::string(2 * Row.Depth, ' ') + Row.Type;
}

class Columns {
public:
  Columns(const std::vector<const Strip::Row *> &Rows, size_t Width)
      : Bars(Width >= WithBars) {
    size_t Room = Width - FixedColumns - (Bars ? BarColumns + 1 : 0);
    for (const Strip::Row *Row : Rows) {
      Hottest = std::max(Hottest, Row->Share);
      if (Row->Name.empty())
        continue;
      Type = std::max(Type, indented(*Row).size());
      Name = std::max(Name, Row->Name.size() + 1);
    }
    // A long type keeps two fifths of the room, a long name the rest.
    size_t TypeRoom = std::min(std::max<size_t>(Type, 8), Room * 2 / 5);
    Name = std::clamp<size_t>(Name, 8, Room - TypeRoom - 1);
    Type = std::clamp<size_t>(Type, 8, Room - Name - 1);
  }

  /// A line that is no declaration.
  MarkedLine free(const Strip::Row &Row, bool Full) const {
    MarkedLine Line(std::string(2 * Row.Depth, ' '));
    Line.add(Row.Type, Row.As);
    if (!Row.Said.empty()) {
      Line.fill(2 + Type + 1 + Name + 1 + 17);
      Line.add(" ");
      Line.add(Row.Said, Full);
    }
    return Line;
  }

  MarkedLine declaration(const Strip::Row &Row, bool Full) const {
    MarkedLine Line(Row.Moved ? ">" : " ", Mark::Moved);
    Line.add(" " + declared(Row) + " " + Row.Place);
    if (Row.Share > 0)
      Line.add(" " + padLeft(percent(Row.Share), 6) + " " + bar(Row.Share),
               heatMark(Row.Share));
    Line.add(Row.Said, Full);
    return Line;
  }

private:
  size_t Type = 0, Name = 0;
  bool Bars;
  double Hottest = 0;

  std::string declared(const Strip::Row &Row) const {
    size_t Room = Type + 1 + Name;
    if (Row.Name.empty())
      return padRight(shortened(indented(Row), Room - 1) + ";", Room);
    return padRight(shortened(indented(Row), Type), Type) + " " +
           padRight(shortened(Row.Name, Name - 1) + ";", Name);
  }

  std::string bar(double Share) const {
    if (!Bars)
      return "";
    size_t Marks = size_t(Share / Hottest * BarColumns + 0.5);
    return padRight(std::string(std::max<size_t>(Marks, 1), '#'), BarColumns) +
           " ";
  }
};

} // namespace

std::vector<MarkedLine> listing(const Strip &Of, size_t Width, bool Full) {
  std::vector<const Strip::Row *> Rows;
  for (const Strip::Row &Row : Of.Rows)
    if (Row.When != (Full ? Shown::Brief : Shown::Full))
      Rows.push_back(&Row);
  Columns Shape(Rows, std::max<size_t>(72, Width));
  std::vector<MarkedLine> Lines;
  for (const Strip::Row *Row : Rows) {
    Lines.push_back(Row->Place.empty() ? Shape.free(*Row, Full)
                                       : Shape.declaration(*Row, Full));
    Lines.back().dropBlanks();
  }
  return Lines;
}

} // namespace kst
