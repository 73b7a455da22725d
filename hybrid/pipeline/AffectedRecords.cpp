// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/AffectedRecords.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>

namespace kst {

namespace {

/// Files, split into lines, each once.
class FileLines {
public:
  explicit FileLines(
      const std::function<std::string(const std::string &)> &TextOf)
      : TextOf(TextOf) {}

  /// From 1; a record of the compiler's own is on line 0.
  std::string text(const std::string &File, size_t First, size_t Last);

private:
  const std::function<std::string(const std::string &)> &TextOf;
  std::map<std::string, std::vector<std::string>> Files;
};

std::string FileLines::text(const std::string &File, size_t First,
                            size_t Last) {
  auto [Place, New] = Files.try_emplace(File);
  std::vector<std::string> &Lines = Place->second;
  if (New) {
    llvm::SmallVector<llvm::StringRef, 0> Parts;
    const std::string Text = TextOf(File);
    llvm::StringRef(Text).split(Parts, '\n');
    Lines.assign(Parts.begin(), Parts.end());
  }
  std::string Text;
  for (size_t L = std::max<size_t>(1, First); L <= Last && L <= Lines.size();
       ++L)
    Text += Lines[L - 1] + "\n";
  return Text;
}

} // namespace

/// Whether the bounds of arrays in this text may be sizes of other records.
static bool hasComputedBound(llvm::StringRef Text) {
  for (size_t Open = Text.find('['); Open != llvm::StringRef::npos;
       Open = Text.find('[', Open + 1)) {
    const llvm::StringRef Bound = Text.slice(Open + 1, Text.find(']', Open));
    if (Bound.contains('(') || Bound.contains("sizeof"))
      return true;
  }
  return false;
}

static bool holdsOne(const Program &Whole, RecordId Id,
                     const std::vector<bool> &Records) {
  for (uint32_t F = 0; F != Whole.recordFact(Id).Fields.size(); ++F)
    if (const RecordId Held = Whole.embedded(Id, F);
        Held != None && Records[Held])
      return true;
  return false;
}

std::set<RecordPlace>
affectedRecords(const Program &Whole, const std::set<std::string> &Files,
                const std::function<std::string(const std::string &)> &TextOf) {
  FileLines Lines(TextOf);
  std::vector<bool> Affected(Whole.recordCount());
  for (RecordId Id = 0; Id != Whole.recordCount(); ++Id) {
    const RecordFact &Fact = Whole.recordFact(Id);
    const std::string &File = Whole.recordText(Id, Fact.File);
    Affected[Id] = Files.contains(File) ||
                   hasComputedBound(Lines.text(File, Fact.Line, Fact.EndLine));
  }
  for (bool More = true; std::exchange(More, false);)
    for (RecordId Id = 0; Id != Whole.recordCount(); ++Id)
      if (!Affected[Id] && holdsOne(Whole, Id, Affected))
        Affected[Id] = More = true;
  std::set<RecordPlace> Places;
  for (RecordId Id = 0; Id != Whole.recordCount(); ++Id)
    if (const RecordFact &Fact = Whole.recordFact(Id); Affected[Id])
      Places.emplace(Whole.recordName(Id), Whole.recordText(Id, Fact.File),
                     Fact.Line);
  return Places;
}

/// Units may lay a record out, and name its fields, in several ways.
static uint64_t formOf(const TuFacts &Facts, const RecordFact &Record) {
  llvm::hash_code Form = llvm::hash_value(Record.SizeBytes);
  for (const FieldFact &Field : rowsOf(Facts.Fields, Record.Fields))
    Form = llvm::hash_combine(Form, Facts.Strings[Field.Name], Field.OffsetBits,
                              Field.SizeBits);
  return Form;
}

std::vector<size_t> coveringUnits(const FactsSession &Session,
                                  const std::set<std::string> &Seeing,
                                  const std::set<RecordPlace> *Only) {
  using Layout = std::pair<RecordPlace, uint64_t>; ///< with a hash of its form
  std::vector<std::pair<size_t, std::vector<Layout>>> Units;
  for (size_t U = 0; U != Session.Units.size(); ++U) {
    if (!Seeing.contains(Session.Commands[U].File))
      continue;
    const TuFacts &Facts = Session.Units[U];
    std::vector<Layout> Records;
    for (const RecordFact &Record : Facts.Records) {
      RecordPlace Where(Facts.Strings[Record.Name], Facts.Strings[Record.File],
                        Record.Line);
      if (!Only || Only->contains(Where))
        Records.push_back({std::move(Where), formOf(Facts, Record)});
    }
    Units.push_back({U, std::move(Records)});
  }
  std::ranges::stable_sort(Units, [](const auto &A, const auto &B) {
    return A.second.size() > B.second.size();
  });
  std::set<Layout> Known;
  std::vector<size_t> Chosen;
  for (const auto &[U, Records] : Units) {
    const size_t Before = Known.size();
    Known.insert(Records.begin(), Records.end());
    if (Known.size() != Before)
      Chosen.push_back(U);
  }
  return Chosen;
}

} // namespace kst
