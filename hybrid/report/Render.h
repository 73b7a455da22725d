// SPDX-License-Identifier: GPL-2.0-or-later
//
// Documents as text, HTML and Markdown. Equal documents and options give equal
// bytes. What one form shows all show: the same headings, sentences and cells.

#pragma once

#include "hybrid/report/Document.h"

#include <string>
#include <vector>

namespace kst {

struct TextOptions {
  bool Color = false;   ///< ANSI colors; see wantsColor()
  bool Full = false;    ///< nothing is left out
  unsigned Width = 100; ///< columns; less than 72 counts as 72
};

/// For a terminal, newline at the end. Color adds escape sequences to the same
/// text. Tables and code may be wider than Width.
std::string toText(const Document &Doc, const TextOptions &Options = {});

/// A part of one, Indent columns from the left.
std::string toText(const Block &Part, const TextOptions &Options,
                   size_t Indent);

/// One file that loads nothing and can be read without scripts, in light and
/// dark, on paper too; with links at the top to several documents. What short
/// forms leave out is folded.
std::string toHtml(const std::vector<Document> &Docs);

/// For mails and review comments: GitHub's tables, code blocks, no HTML.
std::string toMarkdown(const Document &Doc, bool Full = false);

/// At most so many lines of Markdown, for all documents together: their first
/// sections, and the first of what these list. Documents beyond the lines are
/// left out.
std::string toSummary(const std::vector<Document> &Docs, size_t Lines = 40);

} // namespace kst
