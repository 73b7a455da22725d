// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <vector>

namespace kst {

namespace {

constexpr uint8_t Result = NameUse::Result, Member = NameUse::Member;

struct Row {
  NameKind Kind;
  std::string_view Names;
  bool Words = false;
  bool Uses = false;
  uint8_t Argument = 0;
  uint8_t Other = 0;
};

constexpr Row Rows[] = {
#define KIND(Kind, Meaning)
#define NAMES(Kind, Source, Names) {NameKind::Kind, Names},
#define WORDS(Kind, Source, Names) {NameKind::Kind, Names, true},
#define USES(Kind, Argument, Other, Source, Names)                             \
  {NameKind::Kind, Names, false, true, Argument, Other},
#include "hybrid/vocabulary/Names.def"
};

constexpr std::string_view Meanings[] = {
#define KIND(Kind, Meaning) Meaning,
#define NAMES(Kind, Source, Names)
#include "hybrid/vocabulary/Names.def"
};

constexpr size_t KindCount = std::size(Meanings);

/// `*` stands for any text, `?` for a blank or tab.
bool matches(std::string_view Pattern, std::string_view Name) {
  if (Pattern.empty())
    return Name.empty();
  if (Pattern[0] == '*') {
    Pattern.remove_prefix(1);
    for (size_t Begin = 0; Begin <= Name.size(); ++Begin)
      if (matches(Pattern, Name.substr(Begin)))
        return true;
    return false;
  }
  bool Same =
      !Name.empty() && (Pattern[0] == '?' ? Name[0] == ' ' || Name[0] == '\t'
                                          : Pattern[0] == Name[0]);
  return Same && matches(Pattern.substr(1), Name.substr(1));
}

/// Calls Visit with each part of Text between separators until it says true.
template <typename Visitor>
bool anyPart(std::string_view Text, char Separator, Visitor Visit) {
  for (;;) {
    size_t End = Text.find(Separator);
    if (Visit(Text.substr(0, End)))
      return true;
    if (End == Text.npos)
      return false;
    Text.remove_prefix(End + 1);
  }
}

struct KindNames {
  std::vector<std::string_view> Names;    ///< as in the table
  std::vector<std::string_view> Plain;    ///< those without `*` and `?`, sorted
  std::vector<std::string_view> Patterns; ///< the others
  bool Words = false;

  bool has(std::string_view Name) const {
    return std::ranges::binary_search(Plain, Name) ||
           std::ranges::any_of(Patterns, [&](std::string_view Pattern) {
             return matches(Pattern, Name);
           });
  }
};

/// The table, split into names, once for the process.
struct Index {
  KindNames Kinds[KindCount];
  std::vector<NameUse> Uses;      ///< as in the table
  std::vector<NameUse> Lifetimes; ///< of the kinds Dying to Keeps, by name

  Index() {
    for (const Row &Row : Rows) {
      KindNames &Kind = Kinds[size_t(Row.Kind)];
      Kind.Words = Row.Words;
      anyPart(Row.Names, ' ', [&](std::string_view Name) {
        Kind.Names.push_back(Name);
        bool Pattern = Name.find_first_of("*?") != Name.npos;
        (Pattern ? Kind.Patterns : Kind.Plain).push_back(Name);
        NameUse Use{Row.Kind, Name, Row.Argument, Row.Other};
        if (Row.Uses)
          Uses.push_back(Use);
        if (Row.Kind >= NameKind::Dying && Row.Kind <= NameKind::Keeps)
          Lifetimes.push_back(Use);
        return false;
      });
    }
    for (KindNames &Kind : Kinds)
      std::ranges::sort(Kind.Plain);
    std::ranges::stable_sort(Lifetimes, {}, &NameUse::Name);
  }
};

const Index &index() {
  static const Index Built;
  return Built;
}

const KindNames &kind(NameKind Kind) { return index().Kinds[size_t(Kind)]; }

} // namespace

bool isA(NameKind Kind, std::string_view Name) {
  const KindNames &Known = kind(Kind);
  return Known.Words
             ? anyPart(Name, '_',
                       [&](std::string_view Word) { return Known.has(Word); })
             : Known.has(Name);
}

std::span<const std::string_view> namesOf(NameKind Kind) {
  return kind(Kind).Names;
}

std::string_view meaningOf(NameKind Kind) { return Meanings[size_t(Kind)]; }

std::string_view prefixOf(NameKind Kind) {
  std::string_view Pattern = kind(Kind).Names.front();
  return Pattern.substr(0, Pattern.find('*'));
}

std::span<const NameUse> usesOf(NameKind First, NameKind Last) {
  const std::vector<NameUse> &Uses = index().Uses;
  auto Wanted = [&](const NameUse &Use) {
    return Use.Kind >= First && Use.Kind <= Last;
  };
  auto Begin = std::ranges::find_if(Uses, Wanted);
  return {Begin, std::find_if_not(Begin, Uses.end(), Wanted)};
}

std::span<const NameUse> lifetimeRoles(std::string_view Function) {
  auto Known = [](std::string_view Name) -> std::span<const NameUse> {
    auto [Begin, End] =
        std::ranges::equal_range(index().Lifetimes, Name, {}, &NameUse::Name);
    return {Begin, End};
  };
  Function.remove_prefix(
      std::min(Function.find_first_not_of('_'), Function.size()));
  std::span<const NameUse> Roles = Known(Function);
  if (!Roles.empty())
    return Roles;
  for (std::string_view Ending : namesOf(NameKind::Variant))
    if (Ending.remove_prefix(1); Function.ends_with(Ending))
      Function.remove_suffix(Ending.size());
  return Known(Function);
}

bool isRareName(std::string_view Function) {
  return isA(NameKind::ConfigurationFunction, Function) ||
         isA(NameKind::RareEntry, Function);
}

bool isAskingName(std::string_view Function) {
  return isA(NameKind::AskingFunction, Function) &&
         !isA(NameKind::ChangingFunction, Function);
}

} // namespace kst
