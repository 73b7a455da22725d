// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ReferenceText.h"

#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/profile/ProfileCheck.h"

#include <charconv>

namespace kst {
namespace {

constexpr std::string_view FirstLine = "kstatic-affinity reference 1\n";

template <typename T> bool number(std::string_view Text, T &To) {
  auto [End, Wrong] =
      std::from_chars(Text.data(), Text.data() + Text.size(), To);
  return Wrong == std::errc() && End == Text.data() + Text.size();
}

class Reader {
public:
  bool line(std::string_view Line) {
    if (Line.empty())
      return false;
    if (Line.front() == '@') {
      Site.File = Make.text(Line.substr(1));
      HasFile = Line.size() > 1;
      HasFunction = false;
      return HasFile;
    }
    const size_t Blank = Line.find(' ');
    const std::string_view What = Line.substr(0, Blank);
    std::string_view Value;
    if (Blank != Line.npos)
      Value = Line.substr(Blank + 1);
    if (!HasFile)
      return about(What, Value);
    if (Blank != Line.npos && !number(Value, Site.Count))
      return false;
    if (What.starts_with('+') || What.starts_with('-'))
      return runs(What);
    if (Blank == Line.npos)
      Site.Count = 0;
    return entries(What);
  }

  Result<Profile> finish() { return Make.finish(); }

private:
  bool about(std::string_view Key, std::string_view Value) {
    if (Key == "runs")
      return number(Value, Make.Runs) && Make.Runs;
    return !Value.empty() &&
           Make.Text.try_emplace(std::string(Key), Value).second;
  }

  bool entries(std::string_view Function) {
    Site.Function = Make.text(Function);
    Site.Kind = SiteKind::Entry;
    Site.Line = 0;
    HasFunction = !Function.empty();
    return HasFunction && add();
  }

  bool runs(std::string_view Line) {
    const bool Before = Line.front() == '-';
    uint32_t Distance = 0;
    if (!HasFunction || !number(Line.substr(1), Distance))
      return false;
    Site.Kind = SiteKind::Line;
    Site.Line = Before ? 0 - Distance : Distance;
    return add();
  }

  /// False: there is such a row already.
  bool add() {
    const size_t Before = Make.sites();
    Make.site(Site);
    return Make.sites() > Before;
  }

  ProfileBuilder Make;
  MeasuredSite Site; ///< the last row
  bool HasFile = false, HasFunction = false;
};

} // namespace

bool looksLikeReference(std::string_view Text) {
  return Text.starts_with(FirstLine);
}

Result<Profile> readReference(std::string_view Text) {
  if (!looksLikeReference(Text))
    return Failure{"not a reference"};
  Reader Rows;
  for (size_t Number = 1; !Text.empty(); ++Number) {
    const size_t End = Text.find('\n');
    const std::string_view Line = Text.substr(0, End);
    if (End == Text.npos)
      return Failure{"the reference is cut short"};
    if (Number > 1 && !Rows.line(Line))
      return Failure{"line " + std::to_string(Number) + " is not understood"};
    Text.remove_prefix(End + 1);
  }
  Result<Profile> Read = Rows.finish();
  if (!Read)
    return Read;
  if (auto Broken = checkProfile(*Read))
    return *Broken;
  return Read;
}

} // namespace kst
