// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/Review.h"

#include "hybrid/core/Hash.h"

#include <cstdio>

namespace kst {

const char *toWord(FindingKind Kind) {
  switch (Kind) {
  case FindingKind::FalseSharing:
    return "false-sharing";
  case FindingKind::WriteAdded:
    return "write-added";
  case FindingKind::HotLineGrew:
    return "hot-line-grew";
  case FindingKind::BetterPlace:
    return "better-place";
  case FindingKind::LineMore:
    return "line-more";
  case FindingKind::LeftGroup:
    return "left-group";
  case FindingKind::WrongGroup:
    return "wrong-group";
  case FindingKind::Assertion:
    return "assertion";
  }
  return "";
}

const char *toWord(Grade How) {
  return How == Grade::High ? "high" : How == Grade::Medium ? "medium" : "low";
}

const char *toWord(FieldFate Fate) {
  switch (Fate) {
  case FieldFate::New:
    return "new";
  case FieldFate::Moved:
    return "moved";
  case FieldFate::Removed:
    return "removed";
  case FieldFate::Renamed:
    return "renamed";
  case FieldFate::Grown:
    return "another size";
  case FieldFate::Shifted:
    return "shifted";
  }
  return "";
}

std::optional<FindingKind> parseFindingKind(const std::string &Word) {
  for (FindingKind Kind : AllFindingKinds)
    if (Word == toWord(Kind))
      return Kind;
  return std::nullopt;
}

std::optional<Grade> parseGrade(const std::string &Word) {
  for (Grade How : {Grade::Low, Grade::Medium, Grade::High})
    if (Word == toWord(How))
      return How;
  return std::nullopt;
}

std::string Finding::key() const {
  std::string Key = std::string(toWord(Kind)) + " " + Struct;
  for (const std::string &Field : Fields)
    Key += "." + Field;
  return Key;
}

std::string Finding::fingerprint() const {
  char Text[17];
  std::snprintf(Text, sizeof(Text), "%016llx",
                static_cast<unsigned long long>(hash64(key())));
  return Text;
}

} // namespace kst
