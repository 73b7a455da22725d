// SPDX-License-Identifier: GPL-2.0-or-later
//
// The review as a document, for people.

#include "hybrid/findings/FindingForms.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/review/ReviewReport.h"

#include <algorithm>
#include <map>

namespace kst {

namespace {

std::string offset(std::optional<uint64_t> Bits, uint32_t LineBytes) {
  if (!Bits)
    return "-";
  std::string Text = std::to_string(*Bits / 8);
  if (*Bits % 8)
    Text += ":" + std::to_string(*Bits % 8);
  return Text + " (line " + std::to_string(*Bits / 8 / LineBytes) + ")";
}

std::string users(const std::vector<FieldUser> &Users) {
  std::vector<std::string> Words;
  for (const FieldUser &User : Users)
    Words.push_back((User.By.empty() ? User.Where.Function : User.By) + "() " +
                    percent(User.Share));
  return joined(Words);
}

/// Who lies beside it now, those first that it costs most.
std::string beside(const FieldChange &F) {
  std::vector<std::string> Words;
  for (const Neighbour &One : F.Beside)
    Words.push_back(One.Field +
                    (One.Share >= 0.0005 ? " " + percent(One.Share) : ""));
  return joined(Words, 5);
}

Table fields(const StructChange &S) {
  Table T{{{"field", false, true},
           {"change"},
           {"base", false, true},
           {"head", false, true},
           {"reads", true},
           {"writes", true},
           {"read by"},
           {"written by"},
           {"new neighbours"}}};
  size_t Shifted = 0;
  for (const FieldChange &F : S.Fields) {
    const bool Quiet = F.Fate == FieldFate::Shifted;
    Shifted += Quiet;
    T.Rows.push_back(
        {{F.Name, F.Was.empty() ? std::string(toWord(F.Fate)) : "was " + F.Was,
          offset(F.BaseBits, S.LineBytes), offset(F.HeadBits, S.LineBytes),
          brief(F.Reads), brief(F.Writes), users(F.Readers), users(F.Writers),
          beside(F)},
         Quiet ? Shown::Full : Shown::Always});
  }
  if (Shifted)
    T.Rest = counted(Shifted, "field") + " shifted to other neighbours";
  return T;
}

std::string sizes(const StructChange &S) {
  auto Lines = [&](uint64_t Bytes) {
    return counted((Bytes + S.LineBytes - 1) / S.LineBytes, "line");
  };
  if (S.BaseBytes == S.HeadBytes)
    return counted(S.HeadBytes, "byte") + ", " + Lines(S.HeadBytes);
  return std::to_string(S.BaseBytes) + " to " + counted(S.HeadBytes, "byte") +
         ", " + Lines(S.BaseBytes) + " to " + Lines(S.HeadBytes);
}

Section describeStruct(const StructChange &S, bool Several) {
  Section Part;
  Part.Title = "struct " + S.Name + "  " +
               soft(S.File + ":" + std::to_string(S.Line)) +
               (Several ? Sentence("  in " + S.Config) : Sentence());
  Part.Wide = true;
  std::string Said = sizes(S);
  if (!S.Was.empty())
    Said += "; it was struct " + S.Was;
  Part.Body.push_back(Paragraph{Said});
  if (!S.Used)
    Part.Body.push_back(
        Paragraph{"no use of it was seen in the units that were looked at"});
  else if (S.Base.total() > 0)
    Part.Body.push_back(Paragraph{
        "cost of the fields of both: " + brief(S.Base.total()) + " to " +
        brief(S.Head.total()) + " (" + change(S.Base.total(), S.Head.total()) +
        ") over " + brief(S.Visits) + " visits"});
  if (!S.Fields.empty())
    Part.Body.push_back(fields(S));
  return Part;
}

} // namespace

Document describe(const ReviewReport &R) {
  Document Doc;
  Doc.Name = "review";
  Doc.Title = R.Baseline.empty() ? "review of " + R.Base + ".." + R.Head
                                 : "layouts against " + R.Baseline;
  auto Say = [&](Sentence Said) {
    Doc.Head.push_back(Paragraph{std::move(Said)});
  };
  if (!R.Baseline.empty())
    Say(counted(R.Compared, "layout") + " compared, " +
        counted(R.UnitsLooked, "unit") + " looked at; " + joined(R.Configs));
  else if (R.ChangedFiles.empty())
    Say("no code differs: no layout, and no use of one, can have changed");
  else {
    Say("code differs in " + joined(R.ChangedFiles, 8));
    Say(counted(R.UnitsLooked, "unit") + " looked at, " +
        std::to_string(R.UnitsChanged) + " of them see the change" +
        (R.Configs.empty() ? "" : "; " + joined(R.Configs)));
  }
  for (const std::string &Note : R.Notes)
    Say("note: " + Note);
  Doc.Sections.push_back(findingsSection(R));
  std::map<std::string, std::vector<std::string>> Through;
  for (const StructChange &S : R.Structs)
    if (S.Through.empty())
      Doc.Sections.push_back(describeStruct(S, R.Configs.size() > 1));
    else
      Through["shifted by what they hold"].push_back(
          S.Name + " (" + std::to_string(S.BaseBytes) + " to " +
          std::to_string(S.HeadBytes) + ")");
  for (const auto &[Title, Names] : Through) {
    Section &Part = Doc.Sections.emplace_back();
    Part.Title = Title;
    Part.Body.push_back(Paragraph{joined(Names, 12), "", Shown::Brief});
    Part.Body.push_back(Paragraph{joined(Names), "", Shown::Full});
  }
  if (!R.Findings.empty() || !R.Structs.empty()) {
    Section &Words = Doc.Sections.emplace_back();
    Words.Body.push_back(Paragraph{
        "Both layouts are priced under the visits of the head; shares are of "
        "the cost of the struct. Reads and writes are per visit. Estimates "
        "of a model: no time was measured."});
  }
  return Doc;
}

} // namespace kst
