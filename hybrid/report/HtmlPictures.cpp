// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pictures of many rows: quantities over time, trees.

#include "hybrid/report/HtmlStrip.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

std::string plain(const Sentence &Said) {
  std::string Text;
  for (const SentencePart &Part : Said.Parts)
    Text += Part.Text;
  return escapedHtml(Text);
}

/// Colors of the style sheet, s0 to s7.
constexpr size_t LineColors = 8;

std::string lineClass(size_t Line) {
  return "s" + std::to_string(Line % LineColors);
}

struct TreeBox {
  double Top = 0, Height = 0;
};

} // namespace

std::string linesHtml(const Table &T) {
  constexpr double Width = 720, Height = 220, Margin = 20;
  if (T.Rows.size() < 2)
    return "";
  const double First = T.Rows.front().X, Last = T.Rows.back().X;
  double Most = 0;
  std::string Label;
  for (const Table::Row &Row : T.Rows)
    for (size_t L = 0; L < Row.Ys.size(); ++L)
      if (Row.Ys[L] > Most) {
        Most = Row.Ys[L];
        Label = plain(Row.Cells[L + 1]);
      }
  if (!(Last > First && Most > 0))
    return "";
  auto X = [&](double Of) {
    return fixed(Margin + (Of - First) / (Last - First) * (Width - 2 * Margin),
                 1);
  };
  auto Y = [&](double Of) {
    return fixed(Height - Margin - Of / Most * (Height - 2 * Margin), 1);
  };
  std::string Lines, Key;
  for (size_t L = 0; L + 1 < T.Columns.size(); ++L) {
    std::string Points;
    for (const Table::Row &Row : T.Rows)
      Points += (Points.empty() ? "" : " ") + X(Row.X) + "," + Y(Row.Ys[L]);
    const std::string Name = escapedHtml(T.Columns[L + 1].Name);
    Lines += "<polyline class=\"" + lineClass(L) + "\" points=\"" + Points +
             "\"><title>" + Name + "</title></polyline>";
    Key +=
        "<span><i class=\"dot " + lineClass(L) + "\"></i>" + Name + "</span>";
  }
  const std::string Floor = fixed(Height - 6, 0);
  return "<svg class=\"lines\" viewBox=\"0 0 720 220\" role=\"img\">"
         "<text x=\"20\" y=\"14\">" +
         Label +
         "</text><text x=\"16\" text-anchor=\"end\" y=\"204\">0</text>" +
         Lines + "<text x=\"20\" y=\"" + Floor + "\">" +
         plain(T.Rows.front().Cells.front()) +
         "</text><text x=\"360\" text-anchor=\"middle\" y=\"" + Floor + "\">" +
         escapedHtml(T.Columns.front().Name) +
         "</text><text x=\"700\" text-anchor=\"end\" y=\"" + Floor + "\">" +
         plain(T.Rows.back().Cells.front()) +
         "</text></svg>\n<div class=\"key "
         "soft\">" +
         Key + "</div>\n";
}

std::string treeHtml(const Table &T) {
  constexpr double ColumnWidth = 160, MostHeight = 320, LeastHeight = 18;
  if (T.Rows.size() < 2 || !(T.Rows.front().Y > 0))
    return "";
  // As high as the thinnest box needs for its name, within reason.
  double Thinnest = T.Rows.front().Y, Deepest = 0;
  for (const Table::Row &Row : T.Rows) {
    Thinnest = Row.Y > 0 ? std::min(Thinnest, Row.Y) : Thinnest;
    Deepest = std::max(Deepest, Row.X);
  }
  const double Scale =
      std::min(LeastHeight / Thinnest, MostHeight / T.Rows.front().Y);
  std::vector<double> Next(size_t(Deepest) + 2); ///< free height in each column
  std::string Boxes;
  for (const Table::Row &Row : T.Rows) {
    const size_t Level = size_t(Row.X);
    const TreeBox Box{Next[Level], std::max(Row.Y * Scale, 1.0)};
    Next[Level] = Box.Top + Box.Height;
    for (size_t Below = Level + 1; Below < Next.size(); ++Below)
      Next[Below] = Box.Top;
    std::string Tip;
    for (const Sentence &Cell : Row.Cells)
      Tip += (Tip.empty() ? "" : "  ") + plain(Cell);
    const std::string Left = fixed(double(Level) * ColumnWidth, 0),
                      Top = fixed(Box.Top, 1);
    Boxes += "<svg x=\"" + Left + "\" y=\"" + Top + "\" width=\"" +
             fixed(ColumnWidth, 0) + "\" height=\"" + fixed(Box.Height, 1) +
             "\"><title>" + Tip + "</title><rect class=\"" +
             (Row.Strong ? "set" : "node") +
             "\" width=\"100%\" height=\"100%\"></rect>";
    if (Box.Height >= 11)
      Boxes += "<text x=\"" + std::string(Row.Strong ? "9" : "5") + "\" y=\"" +
               fixed(std::min(Box.Height / 2, 40.0) + 4, 1) + "\">" +
               plain(Row.Cells[T.BarColumn]) + "</text>";
    if (Row.Strong)
      Boxes += "<rect class=\"edge\" width=\"5\" height=\"100%\"></rect>";
    Boxes += "</svg>";
  }
  const double Width = (Deepest + 1) * ColumnWidth,
               Height = std::max(1.0, T.Rows.front().Y * Scale);
  return "<div class=\"scroll\"><svg class=\"tree\" width=\"" +
         fixed(Width, 0) + "\" height=\"" + fixed(Height, 0) +
         "\" role=\"img\">" + Boxes + "</svg></div>\n";
}

} // namespace kst
