// SPDX-License-Identifier: GPL-2.0-or-later
//
// The style sheet and the few lines of script of the HTML report: apart from
// the code that writes content, because they are another language.

#pragma once

namespace kst {

/// Content of the <style> element: light and dark by the reader's preference.
extern const char *const HtmlStyleSheet;

/// Content of the <script> element: pointing at a field marks it in both
/// layouts. Nothing depends on it.
extern const char *const HtmlScript;

} // namespace kst
