// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/StructLookup.h"

#include "analyzer/request/StructSearch.h"
#include "hybrid/core/NamesLike.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

StructLookup::StructLookup(llvm::ArrayRef<std::string> Asked) {
  for (const std::string &Spelled : Asked) {
    Search &New = Searches.emplace_back();
    New.Asked = Spelled;
    New.Spelling = parseRecordSpelling(Spelled);
  }
}

void StructLookup::look(const std::string &File, llvm::StringRef Text) {
  for (Search &Of : Searches) {
    const std::string &Name = Of.Spelling.Name;
    if (Of.Found || Name.empty())
      continue;
    if (!mentions(Text, Name)) {
      Of.Possible |= mayPaste(Text, Name);
      continue;
    }
    const bool IsTag =
        mentions(Text, "struct " + Name) || mentions(Text, "union " + Name);
    Of.Possible |= IsTag || mayPaste(Text, Name);
    std::vector<ScannedTypedef> Typedefs = typedefsOf(Text, Name);
    if (!IsTag && !Typedefs.empty())
      llvm::append_range(Of.Typedefs, std::move(Typedefs));
    else if (definesStruct(Text, Name)) {
      if (Of.Spelling.isAt(File, Of.Spelling.Line))
        Of.Found = true;
      else
        Of.Elsewhere.insert(File);
    }
  }
}

bool StructLookup::done() const {
  return llvm::all_of(Searches, [](const Search &Of) { return Of.Found; });
}

StructAnswer StructLookup::answer(const Search &Of,
                                  const std::set<std::string> &Tags) {
  StructAnswer Answer{Of.Spelling.text(), "", true};
  if (Of.Found)
    return Answer;
  if (!Of.Typedefs.empty()) {
    // What names a record itself comes before what leads to one.
    const ScannedTypedef &Best =
        *std::ranges::min_element(Of.Typedefs, {}, &ScannedTypedef::Pointer);
    if (Best.Pointer)
      Answer.Mistake = leadsToStruct(Of.Asked, Best.Tag);
    Answer.Name =
        RecordSpelling{Best.Tag, Of.Spelling.File, Of.Spelling.Line}.text();
    return Answer;
  }
  Answer.Defined = false;
  if (!Of.Elsewhere.empty()) {
    Answer.Mistake = notInPlace(Of.Spelling);
    for (const std::string &File : Of.Elsewhere)
      Answer.Mistake +=
          "\n  " + RecordSpelling{Of.Spelling.Name, File, 0}.text();
  } else if (!Of.Possible)
    Answer.Mistake = "no file of base or head defines struct or union '" +
                     Of.Spelling.text() + "'" +
                     didYouMean(namesLike(Of.Spelling.Name, Tags));
  return Answer;
}

std::vector<StructAnswer>
StructLookup::answers(const std::set<std::string> &Tags) const {
  std::vector<StructAnswer> Answers;
  for (const Search &Of : Searches)
    Answers.push_back(answer(Of, Tags));
  return Answers;
}

} // namespace kst
