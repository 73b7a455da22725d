// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/HtmlStrip.h"

#include "hybrid/report/Listing.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

class Strips {
public:
  explicit Strips(const Strip &S)
      : S(S), LineBits(8 * S.LineBytes), OnLine(S.Lines.size()) {
    for (const Strip::Box &Box : S.Boxes) {
      uint64_t End =
          Box.EndBits > Box.BeginBits ? Box.EndBits - 1 : Box.EndBits;
      for (uint64_t I = Box.BeginBits / LineBits; I <= End / LineBits; ++I)
        if (!OnLine.empty())
          OnLine[std::min<uint64_t>(I, OnLine.size() - 1)].push_back(&Box);
    }
    for (const Strip::Line &Line : S.Lines)
      AnyHeat |= Line.Share > 0;
  }

  std::string print() const {
    std::string Out;
    for (size_t I = 0; I < S.Lines.size();) {
      size_t Run = 0;
      std::vector<const Strip::Box *> Cold;
      while (AnyHeat && I + Run < S.Lines.size() &&
             S.Lines[I + Run].Share <= 0) {
        const auto &Boxes = OnLine[I + Run++];
        Cold.insert(Cold.end(), Boxes.begin(), Boxes.end());
      }
      if (Run < 2) {
        Out += strip(I++);
        continue;
      }
      std::ranges::sort(Cold);
      Cold.erase(std::unique(Cold.begin(), Cold.end()), Cold.end());
      Out += "<details class=\"cold\"><summary>lines " + std::to_string(I) +
             " to " + std::to_string(I + Run - 1) + ": " +
             counted(Cold.size(), "field") + ", no access seen</summary>\n";
      for (size_t End = I + Run; I < End; ++I)
        Out += strip(I);
      Out += "</details>\n";
    }
    return Out;
  }

private:
  const Strip &S;
  uint64_t LineBits;
  std::vector<std::vector<const Strip::Box *>> OnLine;
  bool AnyHeat = false;

  std::string classes(const Strip::Box &Box, uint64_t Line) const {
    double Share = Box.Share;
    if (uint64_t Part = Line - Box.BeginBits / LineBits;
        Part < Box.LineShares.size())
      Share = Box.LineShares[Part];
    std::string Class = "f " + (Share < 0 ? "unknown" : heatClass(Share));
    Class += Box.Written && Share >= 0 ? " w" : "";
    Class += Box.Remote ? " rem" : "";
    Class += Box.Lock ? " lock" : "";
    Class += Box.Moved ? " moved" : "";
    return Class + (Box.BeginBits == Box.EndBits ? " zero" : "");
  }

  std::string ofLine(uint64_t Bits) const {
    return fixed(100.0 * double(Bits) / double(LineBits), 4) + "%";
  }

  std::string block(const Strip::Box &Box, uint64_t Line) const {
    bool Zero = Box.BeginBits == Box.EndBits;
    uint64_t Begin = std::max(Box.BeginBits, Line * LineBits);
    uint64_t End = std::min(Box.EndBits, (Line + 1) * LineBits);
    std::string Style = "left:" + ofLine(Begin - Line * LineBits);
    if (!Zero)
      Style += ";width:" + ofLine(End - Begin);
    return "<div class=\"" + classes(Box, Line) + "\" style=\"" + Style +
           "\" data-f=\"" + std::to_string(Box.Id) + "\" title=\"" +
           escapedHtml(Box.Tip) + "\">" + (Zero ? "" : escapedHtml(Box.Label)) +
           "</div>";
  }

  std::string strip(size_t Index) const {
    const Strip::Line &Line = S.Lines[Index];
    std::string Share = Line.Share <= 0 ? "-"
                        : Line.Known    ? escapedHtml(percent(Line.Share))
                                        : "?";
    std::string Text = "<div class=\"line\"><div class=\"num\">" +
                       std::to_string(Index) + " &middot; " + Share +
                       "</div><div class=\"strip\">";
    uint64_t Rest = 8 * S.SizeBytes - Index * LineBits;
    if (Rest < LineBits)
      Text += "<div class=\"end\" style=\"left:" + ofLine(Rest) + "\"></div>";
    for (const Strip::Box *Box : OnLine[Index])
      Text += block(*Box, Index);
    return Text + "</div></div>\n";
  }
};

} // namespace

std::string escapedHtml(const std::string &Text) {
  std::string Out;
  for (char C : Text) {
    switch (C) {
    case '&':
      Out += "&amp;";
      break;
    case '<':
      Out += "&lt;";
      break;
    case '>':
      Out += "&gt;";
      break;
    case '"':
      Out += "&quot;";
      break;
    case '\'':
      Out += "&#39;";
      break;
    default:
      Out += C;
    }
  }
  return Out;
}

std::string heatClass(double Share) {
  if (Share <= 0)
    return "h0";
  int Step = 1;
  for (double Limit : {0.005, 0.01, 0.03, 0.08})
    Step += Share >= Limit;
  return "h" + std::to_string(Step);
}

std::string legendHtml(const StripLegend &Of) {
  std::string Out = "<div class=\"key soft\"><span>share of accesses:</span>";
  const char *Steps[] = {"none", "below 0.5%", "0.5%", "1%", "3%", "8%"};
  for (int I = 0; I < 6; ++I)
    Out += "<span><i class=\"f h" + std::to_string(I) + "\"></i>" + Steps[I] +
           "</span>";
  if (Of.Unknown)
    Out += "<span><i class=\"f unknown\"></i>used, not known on which of its "
           "lines</span>";
  Out += "<span><i class=\"f h2 w\"></i>written</span>"
         "<span><i class=\"f h2 rem\"></i>used by other CPUs</span>"
         "<span><i class=\"f h2 lock\">lock</i></span>";
  if (Of.Moved)
    Out += "<span><i class=\"f h2 moved\"></i>moved</span>";
  return Out + "</div>\n";
}

std::string stripHtml(const Strip &S) {
  std::string Code;
  for (const MarkedLine &Line : listing(S, 100, true))
    Code += escapedHtml(Line.Text) + "\n";
  return "<div><h3>" + escapedHtml(S.Title) + "</h3>\n" + Strips(S).print() +
         "<details><summary>as source</summary><div class=\"scroll\"><pre>" +
         Code + "</pre></div></details></div>\n";
}

std::string plotHtml(const Table &T) {
  constexpr double Width = 480, Height = 140, Margin = 20;
  if (T.Rows.size() < 3)
    return "";
  auto [Least, Most] = std::minmax_element(
      T.Rows.begin(), T.Rows.end(), [](auto &L, auto &R) { return L.Y < R.Y; });
  double MostX = T.Rows.back().X, Range = Most->Y - Least->Y;
  if (!(MostX > 0 && Range > 0))
    return "";
  auto TextOf = [](const Sentence &Cell) {
    std::string Text;
    for (const SentencePart &Part : Cell.Parts)
      Text += Part.Text;
    return escapedHtml(Text);
  };
  std::string Line, Dots, Labels;
  for (const Table::Row &Row : T.Rows) {
    std::string X = fixed(Margin + Row.X / MostX * (Width - 2 * Margin), 1);
    std::string Y =
        fixed(Margin + (Most->Y - Row.Y) / Range * (Height - 2 * Margin), 1);
    std::string Value = TextOf(Row.Cells[T.BarColumn]);
    Line += (Line.empty() ? "" : " ") + X + "," + Y;
    Dots += "<circle cx=\"" + X + "\" cy=\"" + Y + "\" r=\"" +
            (Row.Strong ? "5\" class=\"chosen" : "3") + "\"><title>" +
            TextOf(Row.Cells.front()) + ": " + Value + "</title></circle>";
    if (&Row == &*Least || &Row == &*Most)
      Labels +=
          "<text x=\"" + X + "\" y=\"" + Y + "\" dy=\"-8\" text-anchor=\"" +
          (Row.X > MostX / 2 ? "end" : "start") + "\">" + Value + "</text>";
  }
  return "<svg class=\"plot\" viewBox=\"0 0 480 156\" role=\"img\"><polyline "
         "points=\"" +
         Line + "\"></polyline>" + Dots + Labels +
         "<text x=\"240\" text-anchor=\"middle\" y=\"150\">" +
         escapedHtml(T.Columns[T.BarColumn].Name) + " against " +
         escapedHtml(T.Columns.front().Name) + "</text></svg>\n";
}

} // namespace kst
