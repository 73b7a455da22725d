// SPDX-License-Identifier: GPL-2.0-or-later
//
// A document cut to so many lines of Markdown: the first of everything, and
// sections from the front.

#include "hybrid/report/Render.h"

#include <algorithm>

namespace kst {
namespace {

/// The first of what a block has, as far as it is shown in short; false: it has
/// no place in a summary.
class Shorten {
public:
  explicit Shorten(size_t Most) : Most(Most) {}

  std::vector<Block> operator()(const std::vector<Block> &Body) const {
    std::vector<Block> Out;
    size_t Entries = 0;
    for (const Block &Part : Body)
      if (const auto *One = std::get_if<Entry>(&Part)) {
        if (One->When != Shown::Full && ++Entries <= Most)
          Out.push_back(entry(*One));
      } else if (!std::holds_alternative<Strip>(Part) &&
                 !std::holds_alternative<StripLegend>(Part))
        Out.push_back(std::visit([&](const auto &It) { return Block(cut(It)); },
                                 static_cast<const Block::variant &>(Part)));
    if (Entries > Most)
      Out.push_back(Paragraph{std::to_string(Entries - Most) + " more"});
    return Out;
  }

private:
  template <typename T> T cut(T Part) const { return Part; }
  Bullets cut(Bullets Part) const {
    size_t Left = Most;
    std::erase_if(Part.Items, [&](const Bullets::Item &Item) {
      return Item.When == Shown::Full || !Left || !Left--;
    });
    return Part;
  }
  Table cut(Table Part) const {
    size_t Seen = 0, Gone = 0;
    for (Table::Row &Row : Part.Rows)
      if (Row.When != Shown::Full && ++Seen > 2 * Most) {
        Row.When = Shown::Full;
        ++Gone;
      }
    if (Gone)
      Part.Rest = Sentence();
    return Part;
  }
  Entry entry(Entry One) const {
    if (One.Body.size() > 1)
      One.Body.resize(1);
    One.Body = Shorten(1)(One.Body);
    return One;
  }

  size_t Most;
};

size_t linesOf(const std::string &Text) {
  return static_cast<size_t>(std::ranges::count(Text, '\n'));
}

std::string cutTo(const Document &Doc, size_t Lines, size_t Each) {
  const Shorten Cut(Each);
  Document Short;
  Short.Title = Doc.Title;
  Short.Head = Cut(Doc.Head);
  if (Short.Head.size() > Each)
    Short.Head.resize(Each);
  for (const Section &Part : Doc.Sections) {
    Short.Sections.push_back(Part);
    Short.Sections.back().Body = Cut(Part.Body);
  }
  std::string Text = toMarkdown(Short);
  size_t Dropped = 0;
  while (linesOf(Text) + (Dropped ? 2 : 0) > Lines && !Short.Sections.empty()) {
    Short.Sections.pop_back();
    ++Dropped;
    Text = toMarkdown(Short);
  }
  while (linesOf(Text) + (Dropped ? 2 : 0) > Lines && !Short.Head.empty()) {
    Short.Head.pop_back();
    Text = toMarkdown(Short);
  }
  if (Dropped && linesOf(Text) + 2 <= Lines)
    Text += "\nThe full report has more.\n";
  return Text;
}

} // namespace

std::string toSummary(const std::vector<Document> &Docs, size_t Lines) {
  std::string Text;
  size_t Left = Lines;
  for (size_t D = 0; D != Docs.size(); ++D) {
    // A blank line stands between two.
    const size_t Blank = D ? 1 : 0, Rest = Docs.size() - D;
    if (Left < Blank + 1)
      break;
    const size_t Share = std::max<size_t>(1, (Left - Blank * Rest) / Rest);
    // Fewer of each part, so that more parts have a place.
    std::string Best;
    size_t Most = 0;
    for (size_t Each : {5, 3, 2, 1}) {
      std::string Try = cutTo(Docs[D], std::min(Share, Left - Blank), Each);
      size_t Heads = 0;
      for (size_t At = 0; (At = Try.find("\n## ", At)) != Try.npos; ++At)
        ++Heads;
      if (Best.empty() || Heads > Most + 1) {
        Best = std::move(Try);
        Most = Heads;
      }
    }
    Left -= std::min(Left, linesOf(Best) + Blank);
    Text += (D ? "\n" : "") + Best;
  }
  return Text;
}

} // namespace kst
