// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/TextPage.h"

#include "hybrid/fieldorder/FieldView.h"

#include <algorithm>

namespace kst {

TextPage::TextPage(const Report &R, const TextOptions &Given)
    : View(R), Options(Given) {
  Options.Width = std::max(72u, Options.Width);
}

void TextPage::table(const std::string &Align,
                     const std::vector<std::vector<std::string>> &Rows) {
  std::vector<size_t> Width(Align.size(), 0);
  for (const auto &Row : Rows)
    for (size_t C = 0; C < Row.size() && C < Width.size(); ++C)
      Width[C] = std::max(Width[C], Row[C].size());
  for (const auto &Row : Rows) {
    std::string Text;
    for (size_t C = 0; C + 1 < Row.size() && C < Width.size(); ++C)
      Text += "  " + (Align[C] == 'r' ? padLeft(Row[C], Width[C])
                                      : padRight(Row[C], Width[C]));
    flow(Text + "  ", Row.back());
  }
}

size_t TextPage::atMost(size_t Count, size_t Limit) const {
  return Options.Full ? Count : std::min(Count, Limit);
}

std::string TextPage::name(uint32_t F) const {
  return displayName(View.E.Record, F);
}

std::string TextPage::names(const std::vector<uint32_t> &Fields,
                            size_t Limit) const {
  std::vector<std::string> Names;
  for (uint32_t F : Fields)
    Names.push_back(name(F));
  return names(Names, Limit);
}

std::string TextPage::names(const std::vector<std::string> &Fields,
                            size_t Limit) const {
  std::string Text;
  size_t Count = atMost(Fields.size(), Limit);
  for (size_t I = 0; I < Count; ++I)
    Text += (I ? ", " : "") + Fields[I];
  if (Count < Fields.size())
    Text += " and " + std::to_string(Fields.size() - Count) + " more";
  return Text;
}

std::string TextPage::place(const Site &S) {
  std::string Text = S.Function.empty() ? "" : S.Function + "()";
  std::string File = location(S);
  return Text + (Text.empty() || File.empty() ? "" : "  ") + File;
}

std::string TextPage::site(const AccessSite &At) {
  return padRight(siteMark(At), 3) + " " + place(At.Where);
}

} // namespace kst
