// SPDX-License-Identifier: GPL-2.0-or-later
//
// Documents as Markdown, for mails and review comments.

#include "hybrid/core/ValidText.h"
#include "hybrid/report/Listing.h"
#include "hybrid/report/Render.h"

#include <algorithm>
#include <cctype>

namespace kst {
namespace {

constexpr size_t CodeWidth = 100;

/// Text that Markdown and HTML leave alone. An underscore within a word means
/// nothing to GitHub, so names stay readable in mails.
std::string escaped(const std::string &Text) {
  std::string Out;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    const bool Within = C == '_' && I && I + 1 < Text.size() &&
                        std::isalnum(uint8_t(Text[I - 1])) &&
                        std::isalnum(uint8_t(Text[I + 1]));
    if (!Within && std::string("\\`*_[]<>|~#").find(C) != std::string::npos)
      Out += '\\';
    Out += C == '&' ? "&amp;" : C == '\n' ? " " : std::string(1, C);
  }
  return Out;
}

/// Text between backticks, more of them than it has in a row itself. Tables
/// look for bars before they look for code.
std::string codeSpan(const std::string &Text) {
  size_t Most = 0, Run = 0;
  std::string Inner;
  for (char C : Text) {
    Run = C == '`' ? Run + 1 : 0;
    Most = std::max(Most, Run);
    Inner += C == '|' ? "\\|" : C == '\n' ? " " : std::string(1, C);
  }
  std::string ImmovableField(Most + 1, '`');
  std::string Pad = Most ? " " : "";
  return ImmovableField + Pad + Inner + Pad + ImmovableField;
}

class MarkdownForm {
public:
  explicit MarkdownForm(bool Full) : Full(Full) {}

  std::string print(const Document &Doc) {
    Out += "# " + inlined(Doc.Title) + "\n";
    blocks(Doc.Head);
    for (const Section &Part : Doc.Sections) {
      if (!shown(Part.When))
        continue;
      if (!Part.Title.empty())
        Out += "\n## " + inlined(Part.Title) + "\n";
      blocks(Part.Body);
    }
    return std::move(Out);
  }

private:
  bool Full;
  std::string Out;
  std::string Margin; ///< of what is in a list
  bool InList = false;

  bool shown(Shown When) const {
    return When != (Full ? Shown::Brief : Shown::Full);
  }

  std::string inlined(const Sentence &Said, bool Bars = false) const {
    std::string Text;
    for (const SentencePart &Part : Said.Parts) {
      if (!shown(Part.When))
        continue;
      if (Part.As == Mark::Code) {
        std::string Code = codeSpan(Part.Text);
        // Outside of tables a bar between backticks stands for itself.
        for (size_t At = 0;
             !Bars && (At = Code.find("\\|", At)) != std::string::npos; ++At)
          Code.erase(At, 1);
        Text += Code;
        continue;
      }
      // Emphasis may not touch blanks inside.
      size_t Begin = Part.Text.find_first_not_of(' ');
      size_t End = Part.Text.find_last_not_of(' ') + 1;
      std::string Around =
          Part.As == Mark::Strong || Part.As == Mark::Hot ? "**" : "";
      if (Begin == std::string::npos) {
        Text += Part.Text;
        continue;
      }
      Text += Part.Text.substr(0, Begin) + Around +
              escaped(Part.Text.substr(Begin, End - Begin)) + Around +
              Part.Text.substr(End);
    }
    return Text;
  }

  void blocks(const std::vector<Block> &Body) {
    for (const Block &Part : Body)
      std::visit([this](const auto &Known) { show(Known); },
                 static_cast<const Block::variant &>(Part));
  }

  /// Everything but the next item of a list has an empty line before it.
  void begin(bool ListItem = false) {
    if (!(ListItem && InList))
      Out += "\n";
    InList = ListItem;
    Out += Margin;
  }

  void show(const Paragraph &P) {
    if (!shown(P.When))
      return;
    std::string Lead = P.Lead;
    size_t Blank = Lead.find_first_not_of(' ');
    begin();
    Out += (Blank == std::string::npos ? "" : escaped(Lead.substr(Blank))) +
           inlined(P.Said) + "\n";
  }

  void show(const Bullets &List) {
    for (const Bullets::Item &Item : List.Items)
      if (shown(Item.When)) {
        begin(true);
        Out += "- " + inlined(Item.Said) + "\n";
      }
    InList = false;
  }

  void show(const Table &T) {
    std::string Head = "|", Rule = "|", Rows;
    bool Hidden = false;
    for (const Table::Column &Column : T.Columns)
      if (shown(Column.When)) {
        Head += " " + escaped(Column.Name) + " |";
        Rule += Column.Number ? " ---: |" : " --- |";
      }
    for (const Table::Row &Row : T.Rows) {
      Hidden |= !shown(Row.When);
      if (!shown(Row.When))
        continue;
      Rows += Margin + "|";
      for (size_t C = 0; C < Row.Cells.size(); ++C)
        if (shown(T.Columns[C].When)) {
          Rows += " ";
          if (T.Shape == Table::Picture::Tree && C == T.BarColumn)
            for (double Level = 0; Level < Row.X; ++Level)
              Rows += ". ";
          Rows += inlined(Row.Cells[C], true) + " |";
        }
      Rows += "\n";
    }
    if (!Rows.empty()) {
      begin();
      Out += Head + "\n" + Margin + Rule + "\n" + Rows;
    }
    if (Hidden && !T.Rest.empty())
      Out += "\n" + Margin + "... " + inlined(T.Rest) + "\n";
  }

  void show(const Strip &S) {
    Out += "\n### " + escaped(S.Title) + "\n\n";
    std::string Code, ImmovableField = "```";
    for (const MarkedLine &Line : listing(S, CodeWidth, Full))
      Code += Line.Text + "\n";
    while (Code.find(ImmovableField) != std::string::npos)
      ImmovableField += "`";
    Out += ImmovableField + "c\n" + Code + ImmovableField + "\n";
  }

  void show(const StripLegend &) {} // there are no colors to explain

  void show(const Entry &E) {
    if (!shown(E.When))
      return;
    begin(true);
    Out += "- " + (E.Label.empty() ? "" : "**" + escaped(E.Label) + "** ") +
           inlined(E.Head) + "\n";
    Margin += "  ";
    blocks(E.Body);
    Margin.resize(Margin.size() - 2);
    InList = true;
  }
};

} // namespace

std::string toMarkdown(const Document &Doc, bool Full) {
  return validText(MarkdownForm(Full).print(Doc));
}

} // namespace kst
