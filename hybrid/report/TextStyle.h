// SPDX-License-Identifier: GPL-2.0-or-later
//
// How text looks on a terminal: colors, columns and wrapping. Everything
// here works on plain ASCII and keeps its hands off meaning.

#pragma once

#include "hybrid/report/Document.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kst {

enum class ColorWhen { Auto, Always, Never };

/// "auto", "always" or "never"; nothing for any other text.
std::optional<ColorWhen> parseColorWhen(const std::string &Text);

/// Whether to color what goes to file descriptor Fd. Auto: a terminal, TERM
/// not "dumb", NO_COLOR unset or empty.
bool wantsColor(ColorWhen When, int Fd);

/// Columns of the terminal behind Fd; Otherwise when it is none.
unsigned terminalWidth(int Fd, unsigned Otherwise);

/// Text with blanks up to Width; longer text stays whole.
std::string padRight(const std::string &Text, size_t Width);
std::string padLeft(const std::string &Text, size_t Width);

/// Text cut to Width with ".." at its end.
std::string shortened(const std::string &Text, size_t Width);

/// A line whose every byte has a mark, so that width and color do not meet.
struct MarkedLine {
  std::string Text;
  std::vector<Mark> Marks; ///< one for each byte

  MarkedLine() = default;
  MarkedLine(const std::string &Text, Mark As = Mark::Plain) { add(Text, As); }
  void add(const std::string &More, Mark As = Mark::Plain);
  /// What is shown of it in full, or in short.
  void add(const Sentence &More, bool Full);
  void add(const MarkedLine &More, size_t Begin = 0,
           size_t End = std::string::npos);
  /// With blanks up to Width, or from the left.
  void fill(size_t Width);
  void push(size_t Width);
  /// To Width, with ".." at its end, as shortened() has it.
  void cut(size_t Width);
  void dropBlanks(); ///< at the end
  size_t size() const { return Text.size(); }
  /// With escape sequences if Color.
  std::string painted(bool Color) const;
};

/// Words of Text in lines of at most Width columns; the first line starts
/// with First, the others with as many blanks. Blanks between words stay.
std::vector<MarkedLine> wrapped(const MarkedLine &First, const MarkedLine &Text,
                                size_t Width);

} // namespace kst
