// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ReferenceText.h"

#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/profile/ProfileCheck.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_set>

namespace kst {
namespace {

constexpr std::string_view FirstLine = "kstatic-affinity reference 3\n";

template <typename T> bool number(std::string_view Text, T &To) {
  auto [End, Wrong] =
      std::from_chars(Text.data(), Text.data() + Text.size(), To);
  return Wrong == std::errc() && End == Text.data() + Text.size();
}

/// The anchor of two digits, or 0.
uint32_t anchor(std::string_view Text) {
  static constexpr std::string_view Digits =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._";
  if (Text.size() != 2)
    return 0;
  const size_t High = Digits.find(Text[0]), Low = Digits.find(Text[1]);
  return High == Digits.npos || Low == Digits.npos
             ? 0
             : uint32_t(High << 6 | Low) + 1;
}

/// The words of a row, at most three.
struct Row {
  explicit Row(std::string_view Line) {
    while (Words < 3 && !Line.empty()) {
      const size_t Blank = std::min(Line.find(' '), Line.size());
      Word[Words++] = Line.substr(0, Blank);
      Line.remove_prefix(std::min(Blank + 1, Line.size()));
    }
    Rest = !Line.empty();
  }
  std::string_view Word[3];
  unsigned Words = 0;
  bool Rest = false;
};

class Reader {
public:
  explicit Reader(const std::function<bool(std::string_view)> &Wanted)
      : Wanted(Wanted) {}

  bool line(std::string_view Line) {
    if (Line.empty() || Line.back() == ' ' ||
        std::ranges::any_of(Line, [](unsigned char C) { return C < ' '; }))
      return false;
    if (Line.front() == '@')
      return file(Line.substr(1));
    if (!InFile) {
      const size_t Blank = Line.find(' ');
      return Blank != Line.npos &&
             about(Line.substr(0, Blank), Line.substr(Blank + 1));
    }
    const Row Of(Line);
    if (Of.Rest)
      return false;
    if (Line.front() == '=')
      return visitors(Of);
    return Line.front() == '+' || Line.front() == '-' ? runs(Of) : entries(Of);
  }

  Result<Profile> finish() {
    endFile();
    return Make.finish();
  }

private:
  bool about(std::string_view Key, std::string_view Value) {
    if (Value.empty() || !Keys.insert(std::string(Key)).second)
      return false;
    if (Key == "runs")
      return number(Value, Make.Runs) && Make.Runs;
    Make.Text.try_emplace(std::string(Key), Value);
    return true;
  }

  bool file(std::string_view Name) {
    endFile();
    InFile = true;
    Functions.clear();
    Kept = true;
    Function = {};
    Function.File = Make.text(Name);
    return !Name.empty() && Files.insert(Name).second;
  }

  void endFile() {
    if (InFile && Functions.empty())
      add(SiteKind::Entry, 0, 0, 0);
    endFunction();
  }

  /// A last row without an end is of one line.
  void endFunction() {
    if (Step.Begun && Step.Known)
      add(SiteKind::Line, Step.Line, 1, Step.Count, Step.Anchor);
    Step = {};
  }

  bool entries(const Row &Of) {
    uint64_t Count = 0;
    if (Of.Words > 2 || (Of.Words == 2 && !number(Of.Word[1], Count)))
      return false;
    endFunction();
    Kept = !Wanted || Wanted(Of.Word[0]);
    if (Kept)
      Function.Function = Make.text(Of.Word[0]);
    Step = {.Known = true, .Count = Count};
    add(SiteKind::Entry, 0, 0, Count);
    return Functions.insert(Of.Word[0]).second;
  }

  /// VisitorTable reads what it says.
  bool visitors(const Row &Of) const {
    uint32_t Percent = 0;
    return !Functions.empty() && Of.Words == 2 && Of.Word[0].size() > 1 &&
           number(Of.Word[1], Percent) && Percent <= 100;
  }

  bool runs(const Row &Of) {
    uint32_t Distance = 0;
    if (Functions.empty() || !number(Of.Word[0].substr(1), Distance) ||
        Distance > MostLines)
      return false;
    LineStep New{.Line = Of.Word[0][0] == '-' ? -int32_t(Distance)
                                              : int32_t(Distance)};
    New.Known = Of.Words > 1;
    if ((New.Known && !number(Of.Word[1], New.Count)) ||
        (Of.Words > 2 && !(New.Anchor = anchor(Of.Word[2]))))
      return false;
    if (Step.Begun && New.Line <= Step.Line)
      return false;
    New.Begun = true;
    // Lines above the function's name are none of those that it begins with.
    const int32_t Lines = New.Line - Step.Line;
    if (Step.Known && Lines > 0)
      add(SiteKind::Line, Step.Line, uint32_t(Lines), Step.Count, Step.Anchor);
    Step = New;
    return true;
  }

  void add(SiteKind Kind, int32_t Line, uint32_t Lines, uint64_t Count,
           uint32_t Anchor = 0) {
    if (!Kept)
      return;
    MeasuredSite Site = Function;
    Site.Kind = Kind;
    Site.Line = uint32_t(Line);
    Site.SizeBytes = Lines;
    Site.Count = Count;
    Site.Column = Anchor;
    Make.site(Site);
  }

  static constexpr uint32_t MostLines = 1 << 20;
  struct LineStep {
    int32_t Line = 0;
    bool Known = false, Begun = false; ///< Begun: it has a row of its own
    uint64_t Count = 0;
    uint32_t Anchor = 0;
  };
  const std::function<bool(std::string_view)> &Wanted;
  ProfileBuilder Make;
  std::set<std::string> Keys;
  std::unordered_set<std::string_view> Files, Functions; ///< of this file
  MeasuredSite Function; ///< the last one that is kept
  LineStep Step;         ///< the last row
  bool InFile = false;
  bool Kept = false; ///< whether what the next lines are about is wanted
};

} // namespace

bool looksLikeReference(std::string_view Text) {
  return Text.starts_with(FirstLine);
}

Result<Profile>
readReference(std::string_view Text,
              const std::function<bool(std::string_view)> &Wanted) {
  if (!looksLikeReference(Text))
    return Failure{"not a reference"};
  Reader Rows(Wanted);
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
