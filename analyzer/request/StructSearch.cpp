// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/StructSearch.h"

#include "analyzer/compile/StructScan.h"
#include "hybrid/core/NamesLike.h"
#include "hybrid/facts/FactsRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>
#include <tuple>

using llvm::StringRef;

namespace kst {

namespace {

/// Units that are asked about one file before the analysis has to settle it.
constexpr size_t UnitsPerFile = 3;
/// Files whose text defines one struct that are looked at.
constexpr size_t FilesPerStruct = 8;

/// One struct on its way to an answer.
struct Search {
  RecordSpelling Spelling;          ///< Name is the tag once that is known
  bool Pointer = false;             ///< a typedef of a pointer to the tag
  std::vector<uint32_t> Defining;   ///< files, by their text
  std::vector<uint32_t> Mentioning; ///< files
  std::vector<RecordInfo> Seen;     ///< by probed units, each place once
  bool Typedef = false;             ///< a typedef led to the tag
  bool Settled = false;             ///< nothing is to be asked
  bool Variable = false; ///< one of that name has a struct without a tag

  bool isAt(const RecordInfo &Record) const {
    return isNamedSo(Record.Name, Spelling.Name) &&
           Spelling.isAt(Record.File, Record.Line);
  }
};

class StructSearch {
public:
  StructSearch(const IncludeGraph &Graph, bool Complete, const Prober &Probe)
      : Graph(Graph), Complete(Complete), Probe(Probe) {}

  std::vector<FoundStruct> run(llvm::ArrayRef<std::string> Asked,
                               const std::set<size_t> &TextSuffices) {
    for (const std::string &Text : Asked)
      Searches.push_back(lookAtTexts(Text));
    for (size_t I : TextSuffices)
      Searches[I].Settled = Searches[I].Defining.size() == 1 &&
                            !Searches[I].Typedef &&
                            Searches[I].Spelling.File.empty();
    probe(/*More=*/false);
    probe(/*More=*/true);
    std::vector<FoundStruct> Found;
    for (size_t I = 0; I != Asked.size(); ++I)
      Found.push_back(answer(Asked[I], Searches[I]));
    return Found;
  }

private:
  Search lookAtTexts(const std::string &Asked);
  void findDefining(Search &Of) const;
  void probe(bool More);
  void look(const TuFacts &Facts);
  FoundStruct answer(const std::string &Asked, const Search &Of) const;
  std::string unknown(const Search &Of) const;
  std::string severalPlaces(const Search &Of) const;
  bool isNowhere(const Search &Of) const;

  const IncludeGraph &Graph;
  const bool Complete;
  const Prober &Probe;
  std::vector<Search> Searches;
  std::set<uint32_t> Probed;   ///< units
  std::set<uint32_t> Answered; ///< of these, those that gave facts
};

void StructSearch::findDefining(Search &Of) const {
  Of.Defining.clear();
  for (uint32_t F = 0; F != Graph.files().size(); ++F)
    if (definesStruct(Graph.text(F), Of.Spelling.Name) &&
        Of.Defining.size() != FilesPerStruct)
      Of.Defining.push_back(F);
}

Search StructSearch::lookAtTexts(const std::string &Asked) {
  Search Of;
  Of.Spelling = parseRecordSpelling(Asked);
  StringRef Tag = lastNameOf(Of.Spelling.Name);        // what texts have of it
  if (Tag.consume_front("(") && Tag.consume_back(")")) // of a variable
    Tag = lastNameOf(Tag);
  findDefining(Of);
  std::vector<ScannedTypedef> Typedefs;
  bool IsTag = false;
  for (uint32_t F = 0; F != Graph.files().size(); ++F)
    if (StringRef Text = Graph.text(F); mentions(Text, Tag)) {
      Of.Mentioning.push_back(F);
      for (const char *Keyword : {"struct ", "union ", "class "})
        IsTag |= mentions(Text, Keyword + Tag.str());
      llvm::append_range(Typedefs, typedefsOf(Text, Tag));
    }
  if (IsTag && !Of.Defining.empty())
    Typedefs.clear();
  // What names a record itself comes before what leads to one.
  llvm::stable_sort(Typedefs,
                    [](const ScannedTypedef &A, const ScannedTypedef &B) {
                      return A.Pointer < B.Pointer;
                    });
  if (!Typedefs.empty()) {
    Of.Typedef = true;
    Of.Spelling.Name = Typedefs.front().Tag;
    Of.Pointer = Typedefs.front().Pointer;
    findDefining(Of);
  }
  return Of;
}

/// Asks units about the files that may define what is searched: the nearest
/// unit of each, and when that says nothing, others.
void StructSearch::probe(bool More) {
  std::vector<uint32_t> Units;
  for (const Search &Of : Searches) {
    if (Of.Settled || (More && !Of.Seen.empty()))
      continue;
    for (uint32_t File : Of.Defining.empty() ? Of.Mentioning : Of.Defining) {
      std::vector<uint32_t> Near = Graph.unitsReading(File, UnitsPerFile);
      const bool Known = llvm::any_of(Near, [&](uint32_t Unit) {
        return Probed.count(Unit) || llvm::is_contained(Units, Unit);
      });
      for (uint32_t Unit : Near)
        if ((More || !Known) && !Probed.count(Unit) &&
            !llvm::is_contained(Units, Unit)) {
          Units.push_back(Unit);
          if (!More)
            break;
        }
      if (Units.size() >= UnitsPerFile * FilesPerStruct)
        break;
    }
  }
  if (Units.empty())
    return;
  std::vector<std::optional<TuFacts>> Facts = Probe(Units);
  for (size_t I = 0; I != Units.size() && I != Facts.size(); ++I) {
    Probed.insert(Units[I]);
    if (!Facts[I])
      continue;
    Answered.insert(Units[I]);
    look(*Facts[I]);
  }
}

void StructSearch::look(const TuFacts &Facts) {
  for (const RecordFact &Fact : Facts.Records)
    for (Search &Of : Searches) {
      Of.Variable |= Facts.Strings[Fact.Name] == "(" + Of.Spelling.Name + ")";
      if (!isNamedSo(Facts.Strings[Fact.Name], Of.Spelling.Name))
        continue;
      RecordInfo Record = recordInfo(Facts, Fact);
      if (llvm::none_of(Of.Seen, [&](const RecordInfo &Other) {
            return std::tie(Other.Name, Other.File, Other.Line) ==
                   std::tie(Record.Name, Record.File, Record.Line);
          }))
        Of.Seen.push_back(std::move(Record));
    }
}

/// True if no file can define it: nothing but a macro that pastes names could
/// spell what is mentioned nowhere, and a mention is settled by asking all
/// units there are.
bool StructSearch::isNowhere(const Search &Of) const {
  if (!Complete || !Of.Defining.empty())
    return false;
  std::set<uint32_t> Units;
  for (const IncludeGraph::File &File : Graph.files())
    Units.insert(File.Units.begin(), File.Units.end());
  if (Answered == Units)
    return true;
  return Of.Mentioning.empty() &&
         llvm::none_of(Graph.files(), [&](const IncludeGraph::File &File) {
           return mayPaste(File.Text->getBuffer(), Of.Spelling.Name);
         });
}

std::string StructSearch::unknown(const Search &Of) const {
  std::set<std::string> Tags;
  for (uint32_t F = 0; F != Graph.files().size(); ++F)
    collectStructs(Graph.text(F), Tags);
  if (Of.Variable)
    return "no analysed file defines struct or union '" + Of.Spelling.text() +
           "'; the struct without a tag of that variable is '(" +
           Of.Spelling.Name + ")'";
  return "no analysed file defines struct or union '" + Of.Spelling.text() +
         "'" + didYouMean(namesLike(Of.Spelling.Name, Tags));
}

std::string StructSearch::severalPlaces(const Search &Of) const {
  std::string Text;
  for (const RecordInfo &Record : Of.Seen) {
    RecordSpelling There{Record.Name, Record.File, 0};
    if (llvm::count_if(Of.Seen, [&](const RecordInfo &Other) {
          return Other.File == Record.File;
        }) > 1)
      There.Line = Record.Line;
    Text += "\n  " + There.text() + "  (line " + std::to_string(Record.Line) +
            ", " + std::to_string(Record.SizeBytes) + " bytes, " +
            std::to_string(Record.Fields.size()) + " fields)";
  }
  return Text;
}

FoundStruct StructSearch::answer(const std::string &Asked,
                                 const Search &Of) const {
  FoundStruct Found{Asked, Of.Spelling.text(), std::nullopt, ""};
  std::vector<const RecordInfo *> Meant;
  for (const RecordInfo &Record : Of.Seen)
    if (Of.isAt(Record))
      Meant.push_back(&Record);
  // A whole name comes before the end of one.
  if (llvm::any_of(Meant, [&](const RecordInfo *Record) {
        return Record->Name == Of.Spelling.Name;
      }))
    llvm::erase_if(Meant, [&](const RecordInfo *Record) {
      return Record->Name != Of.Spelling.Name;
    });
  if (Of.Pointer)
    Found.Mistake = leadsToStruct(Asked, Of.Spelling.Name);
  else if (Meant.size() > 1)
    Found.Mistake = "struct '" + Of.Spelling.Name + "' has " +
                    std::to_string(Meant.size()) +
                    " different definitions; say which:" + severalPlaces(Of);
  else if (Meant.empty() && !Of.Seen.empty())
    Found.Mistake = notInPlace(Of.Spelling) + severalPlaces(Of);
  else if (Meant.empty() && isNowhere(Of))
    Found.Mistake = unknown(Of);
  else if (!Meant.empty())
    Found.Record = *Meant.front();
  return Found;
}

} // namespace

std::string leadsToStruct(const std::string &Asked, const std::string &Tag) {
  return "'" + Asked + "' is no struct but leads to struct '" + Tag +
         "'; say --struct " + Tag;
}

std::string notInPlace(const RecordSpelling &Asked) {
  std::string Text = "no definition of struct '" + Asked.Name + "'";
  if (!Asked.File.empty())
    Text += " in " + Asked.File;
  if (Asked.Line)
    Text += ":" + std::to_string(Asked.Line);
  return Text + "; there is:";
}

std::vector<FoundStruct> findStructs(const IncludeGraph &Graph,
                                     llvm::ArrayRef<std::string> Asked,
                                     bool Complete, const Prober &Probe,
                                     const std::set<size_t> &TextSuffices) {
  return StructSearch(Graph, Complete, Probe).run(Asked, TextSuffices);
}

} // namespace kst
