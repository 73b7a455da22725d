// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/AccessLog.h"

#include "hybrid/import/TextLines.h"
#include "hybrid/profile/ProfileBuilder.h"

#include <algorithm>
#include <unordered_map>

namespace kst {
namespace {

constexpr std::string_view Keyword = "Accessed ";
constexpr size_t LinesToLookAt = 200;

bool nameText(std::string_view Text, std::string_view More) {
  return !Text.empty() &&
         std::all_of(Text.begin(), Text.end(), [&](unsigned char C) {
           return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
                  (C >= '0' && C <= '9') || C == '_' ||
                  More.find(static_cast<char>(C)) != More.npos;
         });
}

/// What is left of the keyword: "[003]" and "12.345678:".
void readPrefix(std::string_view Prefix, LoggedAccess &Out) {
  std::vector<std::string_view> Words;
  wordsOf(Prefix, 16, Words);
  for (std::string_view Word : Words) {
    if (Word.starts_with('[') && Word.ends_with(']')) {
      auto Cpu = numberOf(Word.substr(1, Word.size() - 2));
      if (Cpu && *Cpu < MaxTraceStreams)
        Out.Cpu = static_cast<uint32_t>(*Cpu);
    } else if (Word.ends_with(':')) {
      if (auto Time = nanosecondsOf(Word))
        Out.TimeNs = *Time;
    }
  }
}

/// "rq[111]->cfs.h_nr_running"
bool readPlace(std::string_view Text, LoggedAccess &Out) {
  size_t Arrow = Text.find("->");
  if (Arrow == Text.npos)
    return false;
  std::string_view Object = Text.substr(0, Arrow);
  Out.Field = Text.substr(Arrow + 2);
  size_t Bracket = Object.find('[');
  Out.Struct = Object.substr(0, Bracket);
  if (Bracket != Object.npos) {
    if (!Object.ends_with(']'))
      return false;
    Out.Instance = Object.substr(Bracket + 1, Object.size() - Bracket - 2);
  }
  return nameText(Out.Struct, "") && nameText(Out.Field, ".[]->|");
}

/// Calls Each(access) for every access of the text.
template <typename Visit>
AccessLogNotes forEachAccess(std::string_view Text, Visit Each) {
  AccessLogNotes Notes;
  while (!Text.empty()) {
    std::string_view Line = takeLine(Text);
    if (Line.size() > MaxLineBytes) {
      ++Notes.OtherLines;
      continue;
    }
    if (auto Access = accessOf(Line)) {
      ++Notes.Accesses;
      Each(*Access);
    } else if (std::string_view Rest = trimmed(Line);
               !Rest.empty() && Rest[0] != '#') {
      ++Notes.OtherLines;
    }
  }
  return Notes;
}

/// Sites of a log in a builder.
class Sites {
public:
  explicit Sites(ProfileBuilder &Make) : Make(Make) {}

  /// Adds one access to its site; the number of the site.
  uint32_t add(const LoggedAccess &Access) {
    MeasuredSite Site;
    Site.Struct = Make.structure(Access.Struct, 0);
    Site.Function = Make.text(Access.Function);
    Site.Field = Make.text(Access.Field);
    Site.Kind = Access.Modify ? SiteKind::Write : SiteKind::Read;
    Site.Count = 1;
    if (Access.TimeNs) {
      First = std::min(First, Access.TimeNs);
      Last = std::max(Last, Access.TimeNs);
    }
    return Make.site(Site);
  }

  uint64_t durationNs() const { return Last > First ? Last - First : 0; }

private:
  ProfileBuilder &Make;
  uint64_t First = ~uint64_t(0), Last = 0;
};

Failure noAccess() {
  return {"no line of the form 'Accessed STRUCT[N]->FIELD in FUNCTION "
          "(access)' or '(modify)'"};
}

} // namespace

std::optional<LoggedAccess> accessOf(std::string_view Line) {
  size_t At = Line.find(Keyword);
  if (At == Line.npos || (At && Line[At - 1] != ' ' && Line[At - 1] != '\t'))
    return std::nullopt;
  std::vector<std::string_view> Words;
  wordsOf(Line.substr(At + Keyword.size()), 8, Words);
  if (Words.size() < 4 || Words[1] != "in")
    return std::nullopt;
  LoggedAccess Out;
  if (!readPlace(Words[0], Out))
    return std::nullopt;
  Out.Function = Words[2];
  Out.Function = Out.Function.substr(0, Out.Function.find_first_of("+("));
  if (!nameText(Out.Function, "."))
    return std::nullopt;
  std::string_view How = Words[3];
  if (How.starts_with('(') && How.ends_with(')'))
    How = How.substr(1, How.size() - 2);
  if (How != "access" && How != "modify")
    return std::nullopt;
  Out.Modify = How == "modify";
  readPrefix(Line.substr(0, At), Out);
  return Out;
}

bool looksLikeAccessLog(std::string_view Text) {
  Text = Text.substr(0, BytesToRecognize);
  for (size_t I = 0; I < LinesToLookAt && !Text.empty(); ++I)
    if (accessOf(takeLine(Text)))
      return true;
  return false;
}

Result<ImportedLog> readAccessLog(std::string_view Text) {
  ProfileBuilder Make;
  Sites All(Make);
  AccessLogNotes Notes =
      forEachAccess(Text, [&](const LoggedAccess &A) { All.add(A); });
  if (!Notes.Accesses)
    return noAccess();
  Make.Text["recorder"] = "access log";
  Make.DurationNs = All.durationNs();
  auto Made = Make.finish();
  if (!Made)
    return Failure{Made.error()};
  return ImportedLog{std::move(*Made), Notes};
}

Result<AccessLogNotes> traceOfAccessLog(std::string_view Text,
                                        const std::string &Label,
                                        TraceWriter::Sink To) {
  ProfileBuilder Make;
  Sites All(Make);
  // The first walk finds the sites, the second knows their numbers.
  AccessLogNotes Notes =
      forEachAccess(Text, [&](const LoggedAccess &A) { All.add(A); });
  if (!Notes.Accesses)
    return noAccess();
  Make.Text["recorder"] = "access log";
  Make.Text["addresses"] = "made up";
  if (!Label.empty())
    Make.Text["label"] = Label;
  Make.DurationNs = All.durationNs();
  ProfileBuilder::Numbers Numbers;
  auto About = Make.finish(&Numbers);
  if (!About)
    return Failure{About.error()};
  ProfileBuilder Again; // hands out the same numbers
  Sites Known(Again);
  TraceTables Tables;
  Tables.About = std::move(*About);
  TraceWriter Out(Tables, std::move(To));
  // Begins of lines, not all in one set of a cache.
  constexpr uint64_t Apart = (1 << 20) + 64;
  std::unordered_map<std::string, uint64_t> Objects;
  // A line without a time, or with that of the line before, comes behind it.
  uint64_t Time = 0, Stamp = 0;
  forEachAccess(Text, [&](const LoggedAccess &A) {
    std::string Name(A.Struct);
    Name += '[';
    Name += A.Instance;
    uint64_t Object =
        Objects.try_emplace(Name, Objects.size() + 1).first->second;
    Time = A.TimeNs && A.TimeNs != Stamp ? A.TimeNs : Time + 1;
    Stamp = A.TimeNs;
    Out.event({Time, Object * Apart, 0, Numbers.Sites[Known.add(A)], A.Cpu,
               EventKind::Access, A.Modify ? AccessStore : AccessLoad});
  });
  if (!Out.finish())
    return Failure{"the trace could not be written"};
  return Notes;
}

} // namespace kst
