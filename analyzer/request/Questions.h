// SPDX-License-Identifier: GPL-2.0-or-later
//
// What options say in names of fields, checked against the bare definition:
// the same readers that the analysis uses, on a struct without evidence.

#ifndef KST_ANALYZER_REQUEST_QUESTIONS_H
#define KST_ANALYZER_REQUEST_QUESTIONS_H

#include "hybrid/core/Record.h"
#include "hybrid/layout/LayoutProblem.h"

#include <string>
#include <vector>

namespace kst {

/// What is said about one struct. Text: what was asked; Said: the option as it
/// was given, for messages.
struct FieldQuestions {
  struct Words {
    std::string Said, Text;
  };
  std::vector<Words> Pins, WhatIf;
  std::vector<Words> Orders; ///< Said: the file; Text: its contents
  std::vector<std::string> UsedWith;

  bool empty() const {
    return Pins.empty() && WhatIf.empty() && Orders.empty() && UsedWith.empty();
  }
};

/// Every mistake in the words, each a message; none: all can be understood.
/// `Records`: the struct in each configuration that has it, at least one.
/// `Rules`: those of its text.
std::vector<std::string> fieldMistakes(const FieldQuestions &Asked,
                                       const std::vector<RecordInfo> &Records,
                                       std::vector<SourceRule> Rules);

} // namespace kst

#endif
