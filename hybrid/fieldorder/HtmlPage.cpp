// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/HtmlPage.h"

#include "hybrid/fieldorder/FieldView.h"

#include <algorithm>

namespace kst {

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

std::string cell(const std::string &Html, bool Number) {
  return (Number ? "<td class=\"num\">" : "<td>") + Html + "</td>";
}

void HtmlPage::table(const std::string &Align,
                     const std::vector<std::string> &Head,
                     const std::vector<std::vector<std::string>> &Rows) {
  auto Row = [&](const char *Tag, const std::vector<std::string> &Cells) {
    Out += "<tr>";
    for (size_t C = 0; C < Cells.size(); ++C) {
      char How = C < Align.size() ? Align[C] : 'l';
      const char *Class = How == 'r'   ? " class=\"num\""
                          : How == 't' ? " class=\"tight\""
                                       : "";
      Out += std::string("<") + Tag + Class + ">" + Cells[C] + "</" + Tag + ">";
    }
    Out += "</tr>\n";
  };
  Out += "<div class=\"scroll\"><table>";
  Row("th", Head);
  for (const auto &Cells : Rows)
    Row("td", Cells);
  Out += "</table></div>\n";
}

std::string HtmlPage::name(uint32_t F) const {
  return escapedHtml(displayName(View.E.Record, F));
}

std::string HtmlPage::names(const std::vector<uint32_t> &Fields,
                            size_t Limit) const {
  std::vector<std::string> Names;
  for (uint32_t F : Fields)
    Names.push_back(displayName(View.E.Record, F));
  return names(Names, Limit);
}

std::string HtmlPage::names(const std::vector<std::string> &Fields,
                            size_t Limit) const {
  std::string Text;
  for (size_t I = 0; I < std::min(Fields.size(), Limit); ++I)
    Text += (I ? ", " : "") + ("<code>" + escapedHtml(Fields[I]) + "</code>");
  if (Fields.size() > Limit)
    Text += " and " + std::to_string(Fields.size() - Limit) + " more";
  return Text;
}

std::string HtmlPage::place(const Site &S) {
  std::string Function = S.Function.empty()
                             ? ""
                             : "<code>" + escapedHtml(S.Function) + "()</code>";
  std::string File = escapedHtml(location(S));
  return Function +
         (File.empty() ? "" : " <span class=\"soft\">" + File + "</span>");
}

std::string HtmlPage::site(const AccessSite &At) {
  return "<b>" + siteMark(At) + "</b> " + place(At.Where);
}

} // namespace kst
