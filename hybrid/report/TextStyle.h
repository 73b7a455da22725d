// SPDX-License-Identifier: GPL-2.0-or-later
//
// How text looks on a terminal: colours, columns and wrapping. Everything
// here works on plain ASCII and keeps its hands off meaning.

#ifndef KST_HYBRID_REPORT_TEXTSTYLE_H
#define KST_HYBRID_REPORT_TEXTSTYLE_H

#include <cstddef>
#include <optional>
#include <string>

namespace kst {

enum class ColorWhen { Auto, Always, Never };

/// "auto", "always" or "never"; nothing for any other text.
std::optional<ColorWhen> parseColorWhen(const std::string &Text);

/// Whether to colour what goes to file descriptor Fd. Auto: a terminal, TERM
/// not "dumb", NO_COLOR unset or empty.
bool wantsColor(ColorWhen When, int Fd);

/// Columns of the terminal behind Fd; Otherwise when it is none.
unsigned terminalWidth(int Fd, unsigned Otherwise);

enum class Ink { Plain, Bold, Dim, Hot, Warm, Cool, Mark };

/// The ink for a share of all accesses: from 5% hot, from 1% warm.
Ink heatInk(double Share);

/// Text in colour when On, otherwise as it is.
std::string painted(bool On, Ink With, const std::string &Text);

/// Text with blanks up to Width; longer text stays whole.
std::string padRight(const std::string &Text, size_t Width);
std::string padLeft(const std::string &Text, size_t Width);

/// Text cut to Width with ".." at its end.
std::string shortened(const std::string &Text, size_t Width);

/// Words of Text in lines of at most Width columns; the first line starts
/// with First, the others with as many blanks. Ends with a newline.
std::string wrapped(const std::string &First, const std::string &Text,
                    size_t Width);

} // namespace kst

#endif
