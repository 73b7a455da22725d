// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/PerfText.h"

#include "hybrid/import/PerfAnnotate.h"
#include "hybrid/import/PerfCounts.h"
#include "hybrid/import/PerfReport.h"
#include "hybrid/import/PerfScript.h"
#include "hybrid/import/TextLines.h"

namespace kst {
namespace {

class Reader {
public:
  explicit Reader(std::string_view Text)
      : Text(Text), Script(Counts, Text.substr(0, BytesToRecognize)) {}

  Result<ImportedPerf> run();
  /// Whether there is a sample near the beginning.
  bool anySample();

private:
  void line(std::string_view Line);
  void comment(std::string_view Line);

  std::string_view Text;
  PerfCounts Counts;
  PerfAnnotate Annotate{Counts};
  PerfScript Script;
  std::vector<std::string_view> Words;
};

void Reader::comment(std::string_view Line) {
  Line.remove_prefix(1);
  size_t Colon = Line.find(':');
  if (Colon == Line.npos)
    return;
  std::string_view Key = trimmed(Line.substr(0, Colon)),
                   Value = trimmed(Line.substr(Colon + 1));
  if (Key == "os release")
    Counts.Make.Text["release"] = Value;
  else if (Key == "arch")
    Counts.Make.Text["machine"] = Value;
  else if (Key == "nrcpus online")
    Counts.Make.Text["cpus"] = Value;
  else if (Key == "Total Lost Samples")
    Counts.Make.Lost = numberOf(Value).value_or(0);
  else if (Key == "Samples" && Value.find("of event '") != Value.npos) {
    // "# Samples: 2K of event 'cycles:P'", of perf report.
    size_t Begin = Value.find('\'') + 1;
    std::string_view Event =
        Value.substr(Begin, Value.find('\'', Begin) - Begin);
    Counts.Store = Event.find("store") != Event.npos;
    Counts.event(Event);
  }
}

void Reader::line(std::string_view Line) {
  if (Line.size() > MaxLineBytes) {
    ++Counts.Notes.OtherLines;
    return;
  }
  if (Line.starts_with('#')) {
    comment(Line);
    return;
  }
  if (!Annotate.line(Line) && !takePerfReportRow(Line, Counts, Words) &&
      !Script.line(Line))
    ++Counts.Notes.OtherLines;
}

bool Reader::anySample() {
  Text = Text.substr(0, BytesToRecognize);
  uint64_t Lines = 0;
  while (!Text.empty()) {
    line(takeLine(Text));
    ++Lines;
  }
  // Prose may have a word that looks like an address here and there.
  return (Counts.any() || Script.pending()) &&
         (Script.heads() || Counts.anyPlace() || Counts.WithoutCount ||
          Counts.Notes.OtherLines * 2 < Lines);
}

Result<ImportedPerf> Reader::run() {
  while (!Text.empty())
    line(takeLine(Text));
  return Counts.finish();
}

} // namespace

bool looksLikePerfText(std::string_view Text) {
  return Reader(Text).anySample();
}

Result<ImportedPerf> readPerfText(std::string_view Text) {
  return Reader(Text).run();
}

} // namespace kst
