// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/Describe.h"

#include "hybrid/fieldorder/AdviceView.h"
#include "hybrid/fieldorder/DescribeParts.h"
#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/WorseView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {

Sentence placeOf(const Site &S) {
  Sentence Said;
  if (!S.Function.empty())
    Said += code(S.Function + "()");
  if (std::string File = location(S); !File.empty())
    Said += Sentence(Said.empty() ? "" : "  ") + soft(File);
  return Said;
}

Sentence siteOf(const AccessSite &At) {
  return strong(siteMark(At)) + " " + placeOf(At.Where);
}

Sentence fieldNames(const ReportView &View, const std::vector<uint32_t> &Fields,
                    size_t Count) {
  std::vector<Sentence> Names;
  for (uint32_t F : Fields)
    Names.push_back(code(displayName(View.E.Record, F)));
  return listed(Names, Count);
}

Sentence reasonOf(const ReportView &View, const GroupView &Group,
                  const GroupReason &Why) {
  const CoAccessSet &Set = View.E.Sets[Why.Set];
  return placeOf(Set.Where) + " (" + siteMark(Why.By) + ", " + visitWords(Set) +
         ", " + percent(Why.Saved / Group.Saved) + " of the saving)";
}

namespace {

/// Where objects begin, if that is not on a line and known. "" otherwise.
std::string startWords(const Report &R) {
  const std::vector<SlabInfo> &Slabs = R.Evidence.Record.Slabs;
  if (Slabs.empty() || R.InstanceAlignBytes >= R.CacheLineBytes)
    return "";
  std::string Text = "objects begin at any multiple of " +
                     std::to_string(R.InstanceAlignBytes) +
                     " bytes of a line (slab cache made at ";
  for (const SlabInfo &Slab : Slabs)
    Text += (&Slab == &Slabs.front() ? "" : ", ") +
            location({"", Slab.File, Slab.Line});
  return Text + "): costs are means over these";
}

void head(const ReportView &View, Document &Doc) {
  const Report &R = View.R;
  const RecordInfo &S = View.E.Record;
  const Coverage &C = View.E.Covered;
  Doc.Name = S.Name;
  Doc.Title = std::string(S.Union ? "union " : "struct ") + S.Name;
  if (std::string File = location({"", S.File, S.Line}); !File.empty())
    Doc.Title += "  " + soft(File);
  std::string First =
      View.Optimised > 1
          ? ", the first of " + counted(View.Optimised, "configuration")
          : std::string();
  auto Say = [&](Sentence Said) {
    Doc.Head.push_back(Paragraph{std::move(Said)});
  };
  Say(std::to_string(S.SizeBytes) + " bytes, " +
      counted(View.Current.Lines.size(), "cache line") + " of " +
      std::to_string(R.CacheLineBytes) + ", " +
      counted(View.Current.Places.size(), "field") + ", " +
      std::to_string(View.Seen) + " seen in use; target " +
      (R.Triple.empty() ? "unknown" : R.Triple) + First +
      "; kstatic-affinity " + R.Tool.Version + ", LLVM " + R.Tool.Llvm);
  uint64_t Places = C.AccessesResolved;
  for (const auto &[Reason, Count] : C.AccessesDropped)
    Places += Count;
  if (std::string Starts = startWords(R); !Starts.empty())
    Say(Starts);
  Say("evidence: " + evidenceWords(View.E) + "; " + unitWords(C) + "; " +
      counted(C.AccessesResolved, "place") + " that access it" +
      (Places ? ", " + percent(double(C.AccessesResolved) / double(Places)) +
                    " of those found"
              : ""));
  if (std::string Guessed = guessedWords(View.E); !Guessed.empty())
    Say({std::move(Guessed), Mark::Hot});
  if (std::string Phases = phaseWords(View.E); !Phases.empty())
    Say(Phases);
  if (!C.UnitsFailed.empty())
    Say({counted(C.UnitsFailed.size(), "translation unit") +
             " gave no facts, see the end",
         Mark::Hot});
  if (!C.FunctionsUnread.empty())
    Say({counted(C.FunctionsUnread.size(), "function") +
             " could not be read, see the end",
         Mark::Hot});
}

void verdict(const ReportView &View, Document &Doc) {
  Bullets Reasons;
  for (const std::string &Reason : View.R.Layouts.Reasons)
    Reasons.Items.push_back({Reason});
  if (std::string Weights = stabilityWords(View); !Weights.empty())
    Reasons.Items.push_back({Weights});
  const std::vector<std::string> Short = worseWords(View, 3),
                                 All = worseWords(View, ~size_t(0));
  auto In = [](const auto &Words, const std::string &Worse) {
    return std::ranges::find(Words, Worse) != Words.end();
  };
  for (const std::string &Worse : All)
    Reasons.Items.push_back(
        {Worse, In(Short, Worse) ? Shown::Always : Shown::Full});
  for (const std::string &Worse : Short)
    if (!In(All, Worse))
      Reasons.Items.push_back({Worse, Shown::Brief});
  Doc.Sections.push_back(
      {"verdict: " + Sentence(toWord(View.R.Layouts.What),
                              View.Reorders ? Mark::Warm : Mark::Plain)});
  Doc.Sections.back().Verdict = true;
  Doc.Sections.back().Body = {Reasons};
}

} // namespace

Document describe(const Report &R) {
  ReportView View(R);
  Document Doc;
  head(View, Doc);
  verdict(View, Doc);
  describeSummary(View, Doc);
  describeReplay(View, Doc);
  describeAdvice(View, Doc);
  describeLayouts(View, Doc);
  describeEvidence(View, Doc);
  describeMeasured(View, Doc);
  describeCoverage(View, Doc);
  return Doc;
}

} // namespace kst
