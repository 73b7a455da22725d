// SPDX-License-Identifier: GPL-2.0-or-later
//
// Documents as HTML: one file to pass around.

#include "hybrid/core/ValidText.h"
#include "hybrid/report/HtmlStrip.h"
#include "hybrid/report/HtmlStyle.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/report/Render.h"

#include <algorithm>

namespace kst {
namespace {

const char *markClass(Mark As) {
  switch (As) {
  case Mark::Soft:
    return "soft";
  case Mark::Hot:
    return "hot";
  case Mark::Warm:
    return "warm";
  case Mark::Cool:
    return "cool";
  case Mark::Moved:
    return "gone";
  case Mark::Plain:
  case Mark::Strong:
  case Mark::Code:
    break;
  }
  return nullptr;
}

std::string words(const std::string &Text, Mark As) {
  std::string Html = escapedHtml(Text);
  if (As == Mark::Strong || As == Mark::Code) {
    const char *Tag = As == Mark::Strong ? "b" : "code";
    return std::string("<") + Tag + ">" + Html + "</" + Tag + ">";
  }
  const char *Class = markClass(As);
  return Class
             ? std::string("<span class=\"") + Class + "\">" + Html + "</span>"
             : Html;
}

/// What only the full form says is folded under what the short one says for it.
std::string inlined(const Sentence &Said) {
  std::string Html, Folded;
  auto Close = [&](const std::string &Summary) {
    if (!Folded.empty())
      Html += "<details class=\"in\"><summary>" + Summary + "</summary>" +
              Folded + "</details>";
    Folded.clear();
  };
  for (const SentencePart &Part : Said.Parts) {
    std::string Text = words(Part.Text, Part.As);
    if (!Part.Link.empty())
      Text = "<a href=\"" + escapedHtml(Part.Link) + "\">" + Text + "</a>";
    if (Part.When == Shown::Full) {
      Folded += Text;
      continue;
    }
    Close(Part.When == Shown::Brief ? Text : "more");
    if (Part.When == Shown::Always)
      Html += Text;
  }
  Close("more");
  return Html;
}

class HtmlForm {
public:
  std::string Out;

  void print(const Document &Doc, size_t Serial) {
    const std::string Id = "r" + std::to_string(Serial);
    Out += "<section class=\"report\" id=\"" + Id + "\">\n<h1>" +
           inlined(Doc.Title) + "</h1>\n";
    contents(Doc, Id);
    Out += "<div class=\"soft\">";
    blocks(Doc.Head);
    Out += "</div>\n";
    bool Beside = false;
    for (size_t I = 0; I < Doc.Sections.size(); ++I) {
      const Section &Part = Doc.Sections[I];
      const bool Wide = Part.Wide || Part.Verdict;
      if (Wide == Beside)
        Out += Beside ? "</div>\n" : "<div class=\"top\">\n";
      Beside = !Wide;
      Out += "<div id=\"" + Id + "s" + std::to_string(I) + "\">";
      if (!Part.Title.empty())
        Out += std::string("<h2") + (Part.Verdict ? " class=\"verdict\"" : "") +
               ">" + inlined(Part.Title) + "</h2>\n";
      blocks(Part.Body);
      Out += "</div>\n";
    }
    Out += Beside ? "</div>\n</section>\n" : "</section>\n";
  }

private:
  void contents(const Document &Doc, const std::string &Id) {
    std::string Links;
    for (size_t I = 0; I < Doc.Sections.size(); ++I) {
      const Section &Part = Doc.Sections[I];
      if (!Part.Title.empty() && !Part.Verdict)
        Links += "<a href=\"#" + Id + "s" + std::to_string(I) + "\">" +
                 escapedHtml(Part.Title.Parts.front().Text) + "</a>\n";
    }
    if (Doc.Sections.size() > 3)
      Out += "<details class=\"contents\"><summary>contents</summary><nav>" +
             Links + "</nav></details>\n";
  }

  static Shown whenOf(const Block &Part) {
    const auto &Known = static_cast<const Block::variant &>(Part);
    if (auto *P = std::get_if<Paragraph>(&Known))
      return P->When;
    auto *E = std::get_if<Entry>(&Known);
    return E ? E->When : Shown::Always;
  }

  void blocks(const std::vector<Block> &Body) {
    bool Beside = false; // strips stand side by side
    for (size_t I = 0; I < Body.size();) {
      const auto &Known = static_cast<const Block::variant &>(Body[I]);
      if (std::holds_alternative<Strip>(Known) != Beside)
        Out += Beside ? "</div>\n" : "<div class=\"both\">\n";
      Beside = std::holds_alternative<Strip>(Known);
      if (whenOf(Body[I]) == Shown::Full) {
        I = folded(Body, I);
        continue;
      }
      if (whenOf(Body[I]) == Shown::Always)
        std::visit([this](const auto &That) { show(That); }, Known);
      ++I;
    }
    Out += Beside ? "</div>\n" : "";
  }

  /// What a switch says: it shows the rest itself, without the option that text
  /// needs for it.
  std::string switchText(const Sentence &Said) const {
    std::string Text = inlined(Said);
    if (const std::string Option = " with --full"; Text.ends_with(Option))
      Text.erase(Text.size() - Option.size());
    return Text;
  }

  /// Blocks that only the full form shows, from Begin on, under what the short
  /// one says for them. Returns what follows.
  size_t folded(const std::vector<Block> &Body, size_t Begin) {
    size_t End = Begin;
    while (End < Body.size() && whenOf(Body[End]) == Shown::Full)
      ++End;
    std::string Rest = "more";
    if (End < Body.size() && whenOf(Body[End]) == Shown::Brief)
      if (auto *P = std::get_if<Paragraph>(
              &static_cast<const Block::variant &>(Body[End])))
        Rest = switchText(P->Said);
    Out += "<details><summary>" + Rest + "</summary>\n";
    for (size_t I = Begin; I < End; ++I)
      std::visit([this](const auto &That) { show(That); },
                 static_cast<const Block::variant &>(Body[I]));
    Out += "</details>\n";
    return End;
  }

  void show(const Paragraph &P) {
    Out += "<div class=\"p\">" + escapedHtml(P.Lead) + inlined(P.Said) +
           "</div>\n";
  }

  void show(const Bullets &List) {
    std::string Always, Full, Rest = "more";
    for (const Bullets::Item &Item : List.Items) {
      if (Item.When == Shown::Brief)
        Rest = switchText(Item.Said);
      else
        (Item.When == Shown::Full ? Full : Always) +=
            "<li>" + inlined(Item.Said) + "</li>\n";
    }
    Out += "<ul>" + Always + "</ul>\n";
    if (!Full.empty())
      Out += "<details><summary>" + Rest + "</summary><ul>" + Full +
             "</ul></details>\n";
  }

  void cells(const Table &T, const char *Tag, const Table::Row &Row,
             double Largest) {
    for (size_t C = 0; C < Row.Cells.size(); ++C) {
      const char *Class = T.Columns[C].Number  ? " class=\"num\">"
                          : T.Columns[C].Tight ? " class=\"tight\">"
                                               : ">";
      std::string Html = inlined(Row.Cells[C]);
      if (T.Shape == Table::Picture::Tree && C == T.BarColumn && Row.X > 0)
        Html = "<span style=\"display:block;padding-left:" + fixed(Row.X, 0) +
               "em\">" + Html + "</span>";
      Out += std::string("<") + Tag + Class +
             (Row.Strong ? "<b>" + Html + "</b>" : Html) + "</" + Tag + ">";
      if (T.Shape == Table::Picture::Bars && C == T.BarColumn) {
        double Share = Largest > 0 ? std::clamp(Row.Y / Largest, 0.0, 1.0) : 0;
        Out += std::string("<") + Tag +
               "><span class=\"bar cost\" style=\"width:" +
               fixed(*Tag == 't' && Tag[1] == 'h' ? 0 : Share * 60, 0) +
               "px\"></span></" + Tag + ">";
      }
    }
  }

  void show(const Table &T) {
    if (T.Rows.empty())
      return;
    Table::Row Head;
    double Largest = 0;
    bool Hidden = false;
    for (const Table::Column &Column : T.Columns)
      Head.Cells.push_back(Column.Name);
    for (const Table::Row &Row : T.Rows) {
      Largest = std::max(Largest, Row.Y);
      Hidden |= Row.When == Shown::Full;
    }
    if (T.Shape == Table::Picture::Plot)
      Out += plotHtml(T);
    if (T.Shape == Table::Picture::Lines)
      Out += linesHtml(T);
    if (T.Shape == Table::Picture::Tree)
      Out += treeHtml(T);
    // The folded rows follow their switch, which stands below the table.
    Out += "<div class=\"folds\">";
    if (Hidden)
      Out += "<details class=\"rest\"><summary>" +
             (T.Rest.empty() ? "more" : switchText(T.Rest)) +
             "</summary></details>";
    bool All = std::ranges::all_of(
        T.Rows, [](auto &Row) { return Row.When == Shown::Full; });
    Out += std::string("<div class=\"scroll\"><table><tr") +
           (All ? " class=\"more\">" : ">");
    cells(T, "th", Head, Largest);
    Out += "</tr>\n";
    for (const Table::Row &Row : T.Rows) {
      if (Row.When == Shown::Brief)
        continue;
      Out += Row.When == Shown::Full ? "<tr class=\"more\">" : "<tr>";
      cells(T, "td", Row, Largest);
      Out += "</tr>\n";
    }
    Out += "</table></div></div>\n";
  }

  void show(const Strip &S) { Out += stripHtml(S); }
  void show(const StripLegend &Of) { Out += legendHtml(Of); }

  void show(const Entry &E) {
    std::string Bar;
    if (E.Share >= 0)
      Bar = "<span class=\"bar " + heatClass(E.Share) + "\" style=\"width:" +
            fixed(std::max(2.0, std::min(E.Share, 1.0) * 120), 0) +
            "px\"></span>";
    Out += std::string("<details class=\"entry\"") + (E.Open ? " open" : "") +
           "><summary>" + Bar +
           (E.Label.empty() ? "" : "<b>" + escapedHtml(E.Label) + "</b> ") +
           inlined(E.Head) + "</summary>\n";
    blocks(E.Body);
    Out += "</details>\n";
  }
};

} // namespace

std::string toHtml(const std::vector<Document> &Docs) {
  std::string Title = "kstatic-affinity";
  for (const Document &Doc : Docs)
    Title += " " + Doc.Name;
  HtmlForm Page;
  Page.Out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      escapedHtml(Title) + "</title>\n<style>" + HtmlStyleSheet +
      "</style></head>\n<body>\n";
  if (Docs.size() > 1) {
    Page.Out += "<nav>";
    for (size_t I = 0; I < Docs.size(); ++I)
      Page.Out += "<a href=\"#r" + std::to_string(I) + "\">" +
                  escapedHtml(Docs[I].Name) + "</a>";
    Page.Out += "</nav>\n";
  }
  for (size_t I = 0; I < Docs.size(); ++I)
    Page.print(Docs[I], I);
  return validText(Page.Out) + "<script>" + HtmlScript +
         "</script>\n</body></html>\n";
}

} // namespace kst
