// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the parts of the HTML report write on, and the few forms that all of
// them use.

#ifndef KST_HYBRID_FIELDORDER_HTMLPAGE_H
#define KST_HYBRID_FIELDORDER_HTMLPAGE_H

#include "hybrid/fieldorder/ReportView.h"

#include <string>
#include <vector>

namespace kst {

/// Text with the characters that mean something to HTML replaced.
std::string escapedHtml(const std::string &Text);

/// A table cell with this content, which is HTML; numbers stand right.
std::string cell(const std::string &Html, bool Number = false);

/// The HTML so far. Keeps a reference to the report.
struct HtmlPage {
  explicit HtmlPage(const Report &R) : View(R) {}

  /// A table with a head. Cells are HTML; Align has an 'r' per column that
  /// stands right, a 't' per column whose lines do not break, anything else per
  /// other column.
  void table(const std::string &Align, const std::vector<std::string> &Head,
             const std::vector<std::vector<std::string>> &Rows);

  std::string name(uint32_t F) const;
  /// At most Limit names, then how many more there are.
  std::string names(const std::vector<uint32_t> &Fields, size_t Limit) const;
  std::string names(const std::vector<std::string> &Fields, size_t Limit) const;
  /// Function and location, as far as known.
  static std::string place(const Site &S);
  /// The same with "r", "w", "rw" in front.
  static std::string site(const AccessSite &At);

  ReportView View;
  std::string Out;
};

} // namespace kst

#endif
