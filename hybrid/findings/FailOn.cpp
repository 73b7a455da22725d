// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/FailOn.h"

#include <algorithm>
#include <cstdlib>

namespace kst {

namespace {

/// "5%" as 0.05, "8" as 8; none for what is no number from 0 on.
std::optional<double> amountOf(const std::string &Text) {
  const bool Percent = Text.ends_with('%');
  const std::string Number = Text.substr(0, Text.size() - Percent);
  if (Number.empty() ||
      Number.find_first_not_of("0123456789.") != std::string::npos ||
      std::ranges::count(Number, '.') > 1 || Number == ".")
    return std::nullopt;
  const double Value = std::strtod(Number.c_str(), nullptr);
  return Percent ? Value / 100 : Value;
}

/// Whether amounts of a kind are shares; none: it has no amount.
std::optional<bool> isShare(FindingKind Kind) {
  switch (Kind) {
  case FindingKind::CostGrew:
  case FindingKind::FalseSharing:
  case FindingKind::HotLineGrew:
  case FindingKind::BetterPlace:
  case FindingKind::WriteAdded:
  case FindingKind::SizeGrew:
    return true;
  case FindingKind::LineMore:
    return false;
  default:
    return std::nullopt;
  }
}

std::string listed(std::span<const FindingKind> Kinds) {
  std::string Text;
  for (FindingKind Kind : Kinds)
    Text += std::string(Text.empty() ? "" : ", ") + toWord(Kind);
  return Text;
}

} // namespace

Result<FailOn> FailOn::parse(const std::vector<std::string> &Words,
                             std::span<const FindingKind> Kinds) {
  FailOn All;
  for (const std::string &Text : Words) {
    Word One;
    const size_t Plus = Text.find('+');
    const std::string Name =
        Text.substr(0, Plus) == "lines" ? "line-more" : Text.substr(0, Plus);
    One.From = parseGrade(Name);
    One.Kind = parseFindingKind(Name);
    if (One.Kind && std::ranges::find(Kinds, *One.Kind) == Kinds.end())
      One.Kind.reset();
    if (!One.From && !One.Kind)
      return Failure{
          "--fail-on takes low, medium, high or kinds of findings (" +
          listed(Kinds) + "), not '" + Text + "'"};
    if (Plus != std::string::npos) {
      const std::optional<bool> Share =
          One.Kind ? isShare(*One.Kind) : std::nullopt;
      if (!Share)
        return Failure{"--fail-on: '" + Name + "' has no amount to allow"};
      const std::optional<double> Amount = amountOf(Text.substr(Plus + 1));
      if (!Amount || *Share != Text.ends_with('%'))
        return Failure{"--fail-on takes " + Name +
                       (*Share ? "+PERCENT%" : "+NUMBER") + ", not '" + Text +
                       "'"};
      One.Allowed = *Amount;
    }
    All.Words.push_back(One);
  }
  return All;
}

bool FailOn::matches(const Finding &F) const {
  return std::ranges::any_of(Words, [&](const Word &One) {
    if (One.From)
      return F.How >= *One.From;
    return F.Kind == *One.Kind && F.Amount > One.Allowed;
  });
}

bool FailOn::matches(const FindingList &List) const {
  return std::ranges::any_of(List.Findings,
                             [&](const Finding &F) { return matches(F); });
}

std::optional<double> FailOn::allowed(FindingKind Kind) const {
  std::optional<double> Least;
  for (const Word &One : Words)
    if (One.Kind == Kind && One.Allowed >= 0 &&
        (!Least || One.Allowed < *Least))
      Least = One.Allowed;
  return Least;
}

} // namespace kst
