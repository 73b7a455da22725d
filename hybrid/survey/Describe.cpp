// SPDX-License-Identifier: GPL-2.0-or-later
//
// The survey as a document, for people.

#include "hybrid/report/Numbers.h"
#include "hybrid/survey/SurveyReport.h"

#include <algorithm>
#include <map>

namespace kst {
namespace {

/// Rows of the lists behind the ranking, where it is short.
constexpr size_t RisksShown = 10, KeptShown = 15, PricedShown = 20;

double shareOf(double Part, double All) { return All > 0 ? Part / All : 0; }

Sentence nameOf(const SurveyRow &Row) { return code(Row.Name); }

/// Makes cells that are no more than the name of a struct lead to its report.
void addLinks(Document &Doc, const Survey &All) {
  std::map<std::string, std::string> Reports;
  for (const SurveyRow &Row : All.Rows)
    if (!Row.Report.empty())
      Reports[Row.Name] = Row.Report;
  for (Section &Part : Doc.Sections)
    for (Block &Of : Part.Body)
      if (auto *Rows = std::get_if<Table>(static_cast<Block::variant *>(&Of)))
        for (Table::Row &Row : Rows->Rows)
          for (Sentence &Cell : Row.Cells)
            if (!Cell.empty() && Cell.Parts.front().As == Mark::Code)
              if (auto It = Reports.find(Cell.Parts.front().Text);
                  It != Reports.end())
                Cell.Parts.front().Link = It->second;
}

std::string savingWord(const SurveyRow &Row,
                       const std::optional<SurveyRow::Found> &Order) {
  if (!Order)
    return "";
  return percent(shareOf(Row.Objective - Order->Cost, Row.Objective));
}

std::string holesWord(const SurveyRow &Row) {
  const uint64_t Bytes = Row.HoleBits / 8 + Row.PaddingBytes;
  return Bytes ? std::to_string(Bytes) : "";
}

std::string movesWord(const std::optional<SurveyRow::Found> &Order) {
  return Order ? std::to_string(Order->Moves) : "";
}

Table ranking(const Survey &All) {
  Table T{{{"rank", true},
           {"struct"},
           {"saves of all", true},
           {"of its own", true},
           {"moves", true},
           {std::to_string(FewMoves) + " moves", true},
           {"best", true},
           {"costs of all", true},
           {"sharing", true},
           {"bytes", true},
           {"unused", true},
           {"sure", true},
           {"recorded", true},
           {"held in", false, false, Shown::Full}}};
  size_t Rank = 0;
  for (const SurveyRow &Row : All.Rows) {
    if (!Row.Proposed)
      continue;
    const Shown When = Rank < All.Shown ? Shown::Always : Shown::Full;
    T.Rows.push_back(
        {{std::to_string(++Rank),
          nameOf(Row) + (Row.Searched == SearchEffort::Short ? "+" : ""),
          percent(shareOf(Row.saving(), All.TotalCost)), percent(Row.gain()),
          movesWord(Row.Proposed), savingWord(Row, Row.Few),
          savingWord(Row, Row.Best),
          percent(shareOf(Row.Objective, All.TotalCost)),
          percent(shareOf(Row.Now.Sharing, Row.Now.total())),
          std::to_string(Row.SizeBytes), holesWord(Row),
          Row.Survives > 0 ? percent(Row.Survives) : "",
          percent(Row.ReferenceShare),
          Row.HeldIn.empty()
              ? Sentence()
              : code(Row.HeldIn.front()) +
                    soft(Row.Holders > 1
                             ? " and " + std::to_string(Row.Holders - 1) +
                                   " more"
                             : "")},
         When});
  }
  if (T.Rows.size() > All.Shown)
    T.Rest = std::to_string(T.Rows.size() - All.Shown) + " more";
  return T;
}

Section risks(const Survey &All) {
  std::vector<const SurveyRow *> Rows;
  for (const SurveyRow &Row : All.Rows)
    if (Row.Worst && Row.Now.Sharing > 0)
      Rows.push_back(&Row);
  std::ranges::stable_sort(
      Rows, [](auto *A, auto *B) { return A->Now.Sharing > B->Now.Sharing; });
  Table T{{{"of all cost", true},
           {"struct"},
           {"pairs", true},
           {"worst pair: written, used by another CPU"},
           {"line", true},
           {"of its risks", true},
           {"in the proposal"}}};
  for (const SurveyRow *Row : Rows)
    T.Rows.push_back(
        {{percent(shareOf(Row->Now.Sharing, All.TotalCost)), nameOf(*Row),
          std::to_string(Row->RiskCount),
          code(Row->Worst->Written) + ", " + code(Row->Worst->Used),
          std::to_string(Row->Worst->Line), percent(Row->Worst->Share),
          !Row->Proposed              ? ""
          : Row->Worst->StillTogether ? "still together"
                                      : "apart"}});
  T.shorten(RisksShown);
  Section Part{"false sharing, by what it costs"};
  Part.Wide = true;
  if (!T.Rows.empty())
    Part.Body.push_back(std::move(T));
  return Part;
}

/// The structs that cost most and of which nothing is proposed.
Section kept(const Survey &All) {
  std::vector<const SurveyRow *> Rows;
  for (const SurveyRow &Row : All.Rows)
    if (!Row.Proposed && Row.Searched != SearchEffort::None)
      Rows.push_back(&Row);
  std::ranges::stable_sort(
      Rows, [](auto *A, auto *B) { return A->Objective > B->Objective; });
  Table T{{{"costs of all", true},
           {"struct"},
           {"bytes", true},
           {"could save at most", true},
           {"why not"}}};
  for (const SurveyRow *Row : Rows)
    T.Rows.push_back(
        {{percent(shareOf(Row->Objective, All.TotalCost)), nameOf(*Row),
          std::to_string(Row->SizeBytes),
          percent(shareOf(std::max(0.0, Row->Objective - Row->Bound),
                          Row->Objective)),
          Row->Reason}});
  T.shorten(KeptShown);
  Section Part{"expensive, and better left as they are"};
  Part.Wide = true;
  if (!T.Rows.empty())
    Part.Body.push_back(std::move(T));
  return Part;
}

/// What holds fields of those that are proposed.
Section held(const Survey &All) {
  Section Part{"rules that hold fields of the first structs in place"};
  Part.Wide = true;
  Table T{{{"struct"}, {"rules", true}, {"without proof", true}, {"such as"}}};
  size_t Left = All.Shown;
  for (const SurveyRow &Row : All.Rows) {
    if (!Row.Proposed || Row.Rules.empty())
      continue;
    if (!Left--)
      break;
    const ConstraintNote *First = &Row.Rules.front();
    size_t Soft = 0;
    for (const ConstraintNote &Note : Row.Rules) {
      Soft += Note.Strength == RuleStrength::Soft;
      if (Note.Blocks > First->Blocks)
        First = &Note;
    }
    T.Rows.push_back(
        {{nameOf(Row), std::to_string(Row.Rules.size()),
          Soft ? std::to_string(Soft) : "",
          (First->Field.empty() ? Sentence() : code(First->Field) + ": ") +
              First->Why +
              (First->Blocks > 0
                   ? soft(" (without it " +
                          percent(shareOf(First->Blocks, Row.Objective)) +
                          " more)")
                   : Sentence())}});
  }
  T.shorten(KeptShown);
  if (!T.Rows.empty())
    Part.Body.push_back(std::move(T));
  return Part;
}

Section memory(const Survey &All) {
  std::vector<const SurveyRow *> Rows;
  for (const SurveyRow &Row : All.Rows)
    if (Row.Memory.Objects)
      Rows.push_back(&Row);
  std::ranges::stable_sort(Rows, [](auto *A, auto *B) {
    return *A->Memory.bytes() > *B->Memory.bytes();
  });
  Table T{{{"bytes in use", true},
           {"struct"},
           {"objects", true},
           {"size", true},
           {"takes", true},
           {"per slab", true},
           {"unused", true},
           {"smaller by", true},
           {"would take", true},
           {"number from"}}};
  for (const SurveyRow *Row : Rows) {
    const MemoryPrice &M = Row->Memory;
    T.Rows.push_back(
        {{std::to_string(*M.bytes()), nameOf(*Row), std::to_string(*M.Objects),
          std::to_string(Row->SizeBytes), std::to_string(M.ObjectBytes),
          M.PerSlab
              ? std::to_string(M.PerSlab) + " in " + std::to_string(M.SlabBytes)
              : "",
          holesWord(*Row),
          M.Shrink ? std::to_string(M.Shrink) + (M.InReach ? "" : "*") : "",
          M.Shrink
              ? std::to_string(M.SmallerObjectBytes) +
                    (M.SmallerPerSlab
                         ? ", " + std::to_string(M.SmallerPerSlab) + " per slab"
                         : "")
              : "",
          M.Source}});
  }
  T.shorten(PricedShown);
  Section Part{"memory"};
  Part.Wide = true;
  Part.Body.push_back(std::move(T));
  Part.Body.push_back(Paragraph{
      "Smaller by: the next size at which the allocator takes less for an "
      "object; * means more than its holes and padding, so fields must go."});
  return Part;
}

std::string joined(const std::vector<std::string> &Words) {
  std::string Text;
  for (const std::string &Word : Words)
    Text += (Text.empty() ? "" : " ") + Word;
  return Text;
}

Section reading(const Survey &All) {
  Bullets Notes;
  auto Say = [&](std::string Text) {
    Notes.Items.push_back({std::move(Text)});
  };
  Say("saves of all: what the proposed order saves, as a share of what all " +
      counted(All.Defined - All.Unused - All.Visible - All.Failed, "struct") +
      " with visits cost. Of its own: the same of the struct's cost, as "
      "--struct NAME says it for these files.");
  Say("Cost is cycles for lines touched and lost to other CPUs over the "
      "estimated "
      "visits. It ranks; it was not measured. A struct inside another is paid "
      "for in "
      "both rows, so shares do not add up.");
  Say(std::to_string(FewMoves) +
      " moves: the best with at most so many moved fields; best: however many. "
      "Both are of its own cost.");
  Say("+: a search with a twenty-fifth of the steps; a whole one, as --struct "
      "makes it, usually finds more. Rows without + are what it found.");
  Say("sure: in how many of the draws of other weights the order is better. "
      "Recorded: the share of its visits whose rate was recorded" +
      (All.Reference.empty() ? "" : " (" + All.Reference + ")") +
      "; the rest is estimated.");
  Say("unused: bytes of holes and padding now.");
  Section Part{"how to read it"};
  Part.Wide = true;
  Part.Body.push_back(std::move(Notes));
  return Part;
}

/// What no row is about.
std::string scalarWords(const Survey &All) {
  constexpr size_t Named = 3;
  if (All.Scalars.empty())
    return "";
  std::string Words = "Not looked at: stores to scalars and arrays of them "
                      "behind " +
                      counted(All.Scalars.size(), "pointer") + ", ";
  for (size_t I = 0; I < std::min(Named, All.Scalars.size()); ++I) {
    const ScalarStore &Of = All.Scalars[I];
    Words += (I ? ", " : "") + Of.Pointer + " (" + Of.Where.File + ":" +
             std::to_string(Of.Where.Line) + ")";
  }
  if (All.Scalars.size() > Named)
    Words += " and others (JSON names all)";
  return Words + ". Elements that threads write share lines, too: "
                 "kstatic-affinity sharing looks at these.";
}

} // namespace

Document describe(const Survey &All, bool Links) {
  Document Doc;
  Doc.Name = "survey";
  Doc.Title =
      "survey of " + (All.Paths.empty() ? std::string(".") : joined(All.Paths));
  size_t Proposed = 0;
  for (const SurveyRow &Row : All.Rows)
    Proposed += Row.Proposed.has_value();
  Doc.Head.push_back(
      Paragraph{std::to_string(All.UnitsParsed) + " of " +
                counted(All.UnitsSelected, "translation unit") + ", " +
                joined(All.Configs) + "; " + counted(All.Defined, "struct") +
                " with at least two fields: " + std::to_string(All.Unused) +
                " not visited here, " + std::to_string(All.Visible) +
                " seen by user space, " + std::to_string(All.Filtered) +
                " left out by options, " + std::to_string(All.Rows.size()) +
                " in the survey"});
  if (std::string Words = scalarWords(All); !Words.empty())
    Doc.Head.push_back(Paragraph{soft(Words)});
  Section First{counted(Proposed, "struct") + " would cost less"};
  First.Wide = First.Verdict = true;
  if (Proposed)
    First.Body.push_back(ranking(All));
  Doc.Sections.push_back(std::move(First));
  for (Section Part : {held(All), risks(All), kept(All)})
    if (!Part.Body.empty())
      Doc.Sections.push_back(std::move(Part));
  if (std::ranges::any_of(All.Rows, [](const SurveyRow &Row) {
        return Row.Memory.Objects.has_value();
      }))
    Doc.Sections.push_back(memory(All));
  Doc.Sections.push_back(reading(All));
  if (Links)
    addLinks(Doc, All);
  return Doc;
}

} // namespace kst
