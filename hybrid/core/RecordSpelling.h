// SPDX-License-Identifier: GPL-2.0-or-later
//
// How people name a record when its name alone does not tell which: NAME,
// NAME@FILE or NAME@FILE:LINE.

#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace kst {

/// The last part of a name, as its definition has it: `s` of `ns::s`, `list` of
/// `ns::list<int>`.
inline std::string_view lastNameOf(std::string_view Name) {
  if (Name.starts_with("("))
    return Name;
  Name = Name.substr(0, Name.find('<'));
  const size_t Scope = Name.rfind("::");
  return Scope == Name.npos ? Name : Name.substr(Scope + 2);
}

/// Whether people may mean a record by Asked: all of its name, or all behind
/// some of the namespaces and classes around it.
inline bool isNamedSo(std::string_view Name, std::string_view Asked) {
  if (!Name.ends_with(Asked))
    return false;
  Name.remove_suffix(Asked.size());
  return Name.empty() || Name.ends_with("::");
}

struct RecordSpelling {
  std::string Name;
  std::string File;  ///< the end of its path, whole parts; empty: any
  uint32_t Line = 0; ///< 0: any

  /// Whether a definition in this place, of whatever name, is meant.
  bool isAt(std::string_view Path, uint32_t DefinedAt) const {
    if (Line && DefinedAt != Line)
      return false;
    if (!Path.ends_with(File))
      return false;
    Path.remove_suffix(File.size());
    return File.empty() || Path.empty() || Path.ends_with('/');
  }

  std::string text() const {
    return Name + (File.empty() ? "" : "@" + File) +
           (Line ? ":" + std::to_string(Line) : "");
  }
};

inline RecordSpelling parseRecordSpelling(const std::string &Text) {
  RecordSpelling Parsed;
  const size_t Sign = Text.find('@');
  Parsed.Name = Text.substr(0, Sign);
  if (Sign == std::string::npos)
    return Parsed;
  Parsed.File = Text.substr(Sign + 1);
  if (Parsed.File.starts_with("./"))
    Parsed.File.erase(0, 2);
  const size_t Colon = Parsed.File.rfind(':');
  if (Colon == std::string::npos)
    return Parsed;
  const char *End = Parsed.File.data() + Parsed.File.size();
  uint32_t Line = 0;
  auto [Stop, Error] =
      std::from_chars(Parsed.File.data() + Colon + 1, End, Line);
  if (Error == std::errc() && Stop == End) {
    Parsed.Line = Line;
    Parsed.File.erase(Colon);
  }
  return Parsed;
}

} // namespace kst
