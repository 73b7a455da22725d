// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/Suppressions.h"

#include <algorithm>
#include <sstream>

namespace kst {

static bool isFingerprint(const std::string &Word) {
  return Word.size() == 16 &&
         Word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// In quotes, unless a terminal had better not see it.
static std::string shownLine(const std::string &Line) {
  constexpr size_t Longest = 200;
  const bool Plain =
      Line.size() <= Longest && std::ranges::none_of(Line, [](unsigned char C) {
        return C < ' ' && C != '\t';
      });
  return Plain ? "'" + Line + "'" : "what stands there";
}

Result<Suppressions> Suppressions::parse(const std::string &Text,
                                         const std::string &File) {
  Suppressions All;
  std::istringstream From(Text);
  std::string Line;
  for (unsigned Number = 1; std::getline(From, Line); ++Number) {
    std::istringstream Words(Line.substr(0, Line.find('#')));
    std::vector<std::string> Found;
    for (std::string Word; Words >> Word;)
      Found.push_back(Word);
    if (Found.empty())
      continue;
    const std::string Where = File + ":" + std::to_string(Number);
    const bool Print = Found.size() == 1 && isFingerprint(Found[0]);
    if (!Print && (Found.size() != 2 || !parseFindingKind(Found[0]) ||
                   Found[1].starts_with('.') || Found[1].ends_with('.')))
      return Failure{Where + ": " + shownLine(Line) +
                     " is not KIND STRUCT[.FIELD...] or a fingerprint"};
    All.Lines.push_back({Print ? Found[0] : Found[0] + " " + Found[1], Where});
  }
  return All;
}

std::vector<std::string> Suppressions::apply(FindingList &Report) const {
  std::vector<std::string> Unused;
  std::vector<bool> Gone(Report.Findings.size());
  for (const Line &One : Lines) {
    bool Any = false;
    for (size_t I = 0; I != Report.Findings.size(); ++I)
      if (Report.Findings[I].key() == One.Key ||
          Report.Findings[I].fingerprint() == One.Key)
        Gone[I] = Any = true;
    if (!Any)
      Unused.push_back(One.Where + ": '" + One.Key + "' matches no finding");
  }
  std::vector<Finding> Left;
  for (size_t I = 0; I != Report.Findings.size(); ++I)
    if (Gone[I])
      ++Report.Suppressed;
    else
      Left.push_back(std::move(Report.Findings[I]));
  Report.Findings = std::move(Left);
  return Unused;
}

} // namespace kst
