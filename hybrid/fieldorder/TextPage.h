// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the parts of the text report write on, and the few forms that all of
// them use.

#ifndef KST_HYBRID_FIELDORDER_TEXTPAGE_H
#define KST_HYBRID_FIELDORDER_TEXTPAGE_H

#include "hybrid/fieldorder/ReportView.h"
#include "hybrid/fieldorder/TextReport.h"
#include "hybrid/report/TextStyle.h"

#include <string>
#include <vector>

namespace kst {

/// The text so far. Keeps a reference to the report.
struct TextPage {
  TextPage(const Report &R, const TextOptions &Options);

  std::string ink(Ink With, const std::string &Text) const {
    return painted(Options.Color, With, Text);
  }
  void line(const std::string &Text) { Out += Text + "\n"; }
  /// After an empty line.
  void heading(const std::string &Text) { line("\n" + ink(Ink::Bold, Text)); }
  /// As wrapped() at the width of the page.
  void flow(const std::string &First, const std::string &Text) {
    Out += wrapped(First, Text, Options.Width);
  }
  /// Rows in columns as wide as their longest cell, two blanks apart, indented
  /// by two. The first row is the head. Columns are set right where Align has
  /// an 'r', else left; the last one is wrapped.
  void table(const std::string &Align,
             const std::vector<std::vector<std::string>> &Rows);

  /// Limit, or everything when the full report is wanted.
  size_t atMost(size_t Count, size_t Limit) const;
  std::string name(uint32_t F) const;
  /// At most Limit names, then how many more there are.
  std::string names(const std::vector<uint32_t> &Fields, size_t Limit) const;
  std::string names(const std::vector<std::string> &Fields, size_t Limit) const;
  /// "function() file:line", as far as known.
  static std::string place(const Site &S);
  /// "rw  function()  file:line".
  static std::string site(const AccessSite &At);

  ReportView View;
  TextOptions Options; ///< with the least width applied
  std::string Out;
};

} // namespace kst

#endif
