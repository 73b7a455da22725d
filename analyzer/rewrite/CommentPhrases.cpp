// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/CommentPhrases.h"

#include "llvm/Support/Regex.h"

#include <string>
#include <vector>

namespace kst {

namespace {

struct Row : Phrase {
  Row(DemandWord What, bool Firm, const char *Pattern, const char *Unless)
      : Phrase{What, Firm}, Pattern(Pattern), Unless(Unless) {}
  const char *Pattern; ///< NAMES in it stand for the groups below
  const char *Unless;  ///< no demand if the sentence has this too; or null
};

/// Without one of these, words demand nothing of the kind: looking for them is
/// much cheaper than the patterns. By DemandWord.
const char *const Stems[] = {
    "first|start|beginning|top|head|front|offset|above|before",
    "last|end|bottom|tail|below|after|behind|beyond|past",
    "mov|relocat|displac|offset|position|location|placement|above|below|"
    "before|after|here",
    "order|permut|arrange|shuffle|swap|separate|split|sequence|layout|end|"
    "bottom|tail|last|before|after|struct",
    "together|adjacent|contiguous|consecutive|next to|side by|back to|close "
    "to|near|cache|sharing|hot|cold|layout",
    "follow|precede|after|before|next to|adjacent",
    "layout|match|mirror|agree|correspond|identical|same|compatible|sync|"
    "consistent|equal|align|overla|shar|common|offset|map|abi|uapi|asm|assembl|"
    ".s |hardware|hw|firmware|fw|hypervisor|microcode|wire|disk|chang|modif|"
    "alter"};

/// Groups of words, for the patterns.
const std::pair<const char *, const char *> Groups[] = {
#define GROUP(Name, Words) {#Name, Words},
#include "analyzer/rewrite/CommentPhrases.def"
};

constexpr bool Firm = true, Loose = false;
constexpr const char *Always = nullptr;

const Row Rows[] = {
#define PHRASE(What, Firmness, Pattern, Unless)                                \
  {DemandWord::What, Firmness, Pattern, Unless},
#include "analyzer/rewrite/CommentPhrases.def"
};

/// Replaces the names of groups by the groups.
std::string expanded(llvm::StringRef Pattern) {
  std::string Text = Pattern.str();
  bool Again = true;
  while (Again) {
    Again = false;
    for (auto [Name, Words] : Groups)
      for (size_t At; (At = Text.find(Name)) != std::string::npos;) {
        Text.replace(At, llvm::StringRef(Name).size(), Words);
        Again = true;
      }
  }
  return Text;
}

struct CompiledRow {
  const Row *Of;
  llvm::Regex Pattern, Unless;
};

const std::vector<CompiledRow> &compiledRows() {
  static const std::vector<CompiledRow> All = [] {
    std::vector<CompiledRow> Made;
    for (const Row &R : Rows)
      Made.push_back({&R, llvm::Regex(expanded(R.Pattern)),
                      llvm::Regex(R.Unless ? R.Unless : "^\\.$")});
    return Made;
  }();
  return All;
}

bool hasStem(llvm::StringRef Words, DemandWord What) {
  llvm::StringRef Rest = Stems[static_cast<size_t>(What)];
  while (!Rest.empty()) {
    auto [Stem, Others] = Rest.split('|');
    if (Words.contains(Stem))
      return true;
    Rest = Others;
  }
  return false;
}

} // namespace

const Phrase *phraseIn(llvm::StringRef Words) {
  bool Possible[std::size(Stems)];
  for (size_t What = 0; What != std::size(Stems); ++What)
    Possible[What] = hasStem(Words, static_cast<DemandWord>(What));
  for (const CompiledRow &R : compiledRows())
    if (Possible[static_cast<size_t>(R.Of->What)] && R.Pattern.match(Words) &&
        !R.Unless.match(Words))
      return R.Of;
  return nullptr;
}

} // namespace kst
