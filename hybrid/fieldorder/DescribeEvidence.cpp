// SPDX-License-Identifier: GPL-2.0-or-later
//
// Co-access sets, reasons, who shares lines, fields, and what the evidence
// covers.

#include "hybrid/fieldorder/DescribeParts.h"
#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/RuleSentences.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <map>

namespace kst {
namespace {

/// What a short report shows of each list; SetsDetailed: what a full one says
/// more of than a row.
constexpr size_t SetsShown = 8, SetsDetailed = 100, TouchesShown = 10,
                 GroupsShown = 6, ReasonsShown = 3, RisksShown = 5,
                 AccessorsShown = 2, CountsShown = 12, FailuresShown = 10;

/// Entries and what is said of those that are not shown in short.
void add(Section &Part, std::vector<Entry> Entries, size_t Count,
         const std::string &Rest) {
  size_t More = Entries.size() - std::min(Count, Entries.size());
  for (size_t I = 0; I < Entries.size(); ++I) {
    Entries[I].When = I < Count ? Shown::Always : Shown::Full;
    Part.Body.push_back(std::move(Entries[I]));
  }
  if (More)
    Part.Body.push_back(Paragraph{
        soft("... " + counted(More, "more " + Rest)), {}, Shown::Brief});
}

/// The strongest site and the strongest one that writes; in full all.
Sentence sites(const FieldTouch &T) {
  const AccessSite *Writer = nullptr;
  for (const AccessSite &At : T.Sites)
    if (At.Writes > (Writer ? Writer->Writes : 0))
      Writer = &At;
  std::vector<const AccessSite *> Order;
  for (const AccessSite &At : T.Sites)
    if (&At != Writer || Order.empty())
      Order.insert(Order.end(), &At);
  if (Writer && Order.front() != Writer)
    Order.insert(Order.begin() + 1, Writer);
  std::vector<Sentence> Said;
  for (const AccessSite *At : Order)
    // One site that does all that the touch does needs no mark.
    Said.push_back(T.Sites.size() > 1 || At->Assumed ? siteOf(*At)
                                                     : placeOf(At->Where));
  return listed(Said, Writer && Writer != &T.Sites.front() ? 2 : 1);
}

Table touches(const ReportView &View, const CoAccessSet &Set) {
  std::vector<const FieldTouch *> Touches;
  for (const FieldTouch &T : Set.Touches)
    Touches.push_back(&T);
  std::ranges::stable_sort(Touches, [](auto *L, auto *R) {
    return L->Probability > R->Probability;
  });
  Table Rows{{{"touched", true},
              {"use"},
              {"field"},
              {"reads", true, false, Shown::Full},
              {"writes", true, false, Shown::Full},
              {"where"}}};
  Rows.Quiet = true;
  for (const FieldTouch *T : Touches) {
    FieldUse Use;
    Use.Reads = T->Reads;
    Use.Writes = T->Writes;
    Rows.Rows.push_back({{percent(T->Probability), toMark(accessMark(Use)),
                          code(displayName(View.E.Record, T->Field)),
                          brief(T->Reads), brief(T->Writes), sites(*T)}});
  }
  Rows.shorten(TouchesShown, " fields");
  return Rows;
}

/// What there is to say of a set in one line.
Sentence visitOf(const CoAccessSet &Set) {
  Sentence Said = placeOf(Set.Where);
  return Said + (Said.empty() ? "" : "  ") + visitWords(Set) +
         (Set.From.From == Origin::Static
              ? ""
              : std::string(", ") + toWord(Set.From.From)) +
         ", " + counted(Set.Touches.size(), "field");
}

/// One row for each, with fields and probabilities.
Table weakSets(const ReportView &View) {
  Table T{{{"visits", true}, {"visit"}, {"fields, if not always: how often"}}};
  for (size_t I = SetsDetailed; I < View.E.Sets.size(); ++I) {
    const CoAccessSet &Set = View.E.Sets[I];
    std::string Fields;
    for (const FieldTouch &Touch : Set.Touches)
      Fields += (Fields.empty() ? "" : ", ") +
                displayName(View.E.Record, Touch.Field) +
                (Touch.Probability < 1 ? " " + percent(Touch.Probability) : "");
    T.Rows.push_back({{percent(View.Weight > 0 ? Set.Weight / View.Weight : 0),
                       visitOf(Set), Fields},
                      Shown::Full});
  }
  T.Rest = std::to_string(T.Rows.size()) + " weaker ones";
  return T;
}

void sets(const ReportView &View, Document &Doc) {
  const std::vector<CoAccessSet> &Sets = View.E.Sets;
  if (Sets.empty())
    return;
  std::vector<Entry> Entries;
  double Few = 0;
  for (size_t I = 0; I < std::min(Sets.size(), SetsDetailed); ++I) {
    double Share = View.Weight > 0 ? Sets[I].Weight / View.Weight : 0;
    Few += I < SetsShown ? Share : 0;
    Entries.push_back(
        {percent(Share), visitOf(Sets[I]), {touches(View, Sets[I])}, Share});
    Entries.back().Open = I < 2;
  }
  Section Part{"strongest co-access sets"};
  Part.Wide = true;
  Part.Body.push_back(
      Paragraph{"A set is the fields that one visit to an object uses. " +
                counted(Sets.size(), "set") + ", the " +
                std::to_string(std::min(SetsShown, Sets.size())) +
                " strongest stand for " + percent(Few) +
                " of all visits. Remote: another CPU's object."});
  add(Part, std::move(Entries), SetsShown, "set");
  if (Sets.size() > SetsDetailed)
    Part.Body.push_back(weakSets(View));
  Doc.Sections.push_back(std::move(Part));
}

void groupReasons(const ReportView &View, Document &Doc) {
  std::vector<Entry> Entries;
  for (const GroupView &Group : groupsOf(View.R, View.best())) {
    if (Group.Reasons.empty())
      continue;
    Bullets Reasons;
    for (const GroupReason &Why : Group.Reasons) {
      bool Shows =
          Reasons.Items.empty() || (Reasons.Items.size() < ReasonsShown &&
                                    Why.Saved >= 0.02 * Group.Saved);
      Reasons.Items.push_back(
          {reasonOf(View, Group, Why) + ": " + fieldNames(View, Why.Fields, 10),
           Shows ? Shown::Always : Shown::Full});
    }
    Entries.push_back({"",
                       "line " + std::to_string(Group.Line) + ", " +
                           percent(Group.Share) + " of accesses",
                       {std::move(Reasons)}});
  }
  if (Entries.empty())
    return;
  Section Part{std::string("why fields share a line (") + View.bestWord() +
               " layout)"};
  Part.Wide = true;
  Part.Body.push_back(Paragraph{
      "Saving: the touches of lines that there would be more if the fields of "
      "a "
      "line were apart. Below each line the visits that save most, and their "
      "share of it."});
  add(Part, std::move(Entries), GroupsShown, "line");
  Doc.Sections.push_back(std::move(Part));
}

void accessors(Table &To, const char *Role,
               const std::vector<Accessor> &Accessors) {
  for (size_t I = 0; I < Accessors.size(); ++I) {
    const Accessor &Who = Accessors[I];
    Sentence Where = placeOf(Who.At.Where);
    if (Who.Cpu != CpuRelation::Unknown)
      Where += std::string("  ") + toWord(Who.Cpu);
    if (std::string Whom = forWhom(Who); !Whom.empty())
      Where += "  " + Whom;
    To.Rows.push_back({{I ? "" : Role, strong(siteMark(Who.At)), Where},
                       I < AccessorsShown ? Shown::Always : Shown::Full});
  }
}

void sharing(const ReportView &View, Document &Doc) {
  std::vector<SharingRisk> Risks =
      sharingRisks(View.R, View.Current, View.Proposed);
  if (Risks.empty())
    return;
  Section Part{"false-sharing risks of the current layout (" +
               counted(Risks.size(), "pair") + " on one line)"};
  Part.Wide = true;
  Part.Body.push_back(
      Paragraph{"r: the place reads the field, w: it writes it, ?: assumed of "
                "code that was not seen."});
  double Sum = 0;
  for (const SharingRisk &Risk : Risks)
    Sum += Risk.Loss;
  std::vector<Entry> Entries;
  for (size_t I = 0; I < std::min(Risks.size(), ExplainedRisks); ++I) {
    const SharingRisk &Risk = Risks[I];
    std::string Measured = measuredWords(View.E, Risk.Measured);
    Table Who{{{"who"}, {"does"}, {"where"}}};
    Who.Quiet = true;
    accessors(Who, "writers", Risk.Writers);
    accessors(Who, "users", Risk.Users);
    Entries.push_back(
        {percent(Risk.Loss / Sum),
         "line " + std::to_string(Risk.Line) + ": " +
             code(displayName(View.E.Record, Risk.Written)) +
             " is written while another CPU uses " +
             code(displayName(View.E.Record, Risk.Used)) +
             (!View.Reorders       ? ""
              : Risk.StillTogether ? "; still together in the proposed layout"
                                   : "; apart in the proposed layout") +
             (Measured.empty() ? "" : "; ") + Measured,
         {std::move(Who)}});
  }
  add(Part, std::move(Entries), RisksShown, "pair");
  if (Risks.size() > ExplainedRisks)
    Part.Body.push_back(Paragraph{
        soft("The JSON report has " +
             std::to_string(Risks.size() - ExplainedRisks) + " weaker ones."),
        {},
        Shown::Full});
  Doc.Sections.push_back(std::move(Part));
}

/// One row for each field; nothing that a layout does not show in short.
void fields(const ReportView &View, Document &Doc) {
  Table T{{{"field"},
           {"type"},
           {"offset", true},
           {"proposed", true},
           {"size", true},
           {"share", true},
           {"use"},
           {"by other CPUs", true},
           {"lockless", true}}};
  std::vector<uint64_t> Now(View.E.Record.Fields.size(), 0), Then = Now;
  for (const FieldPlace &P : View.Proposed.Places)
    Then[P.Field] = P.BeginBits / 8;
  for (const FieldPlace &P : View.Current.Places)
    Now[P.Field] = P.BeginBits / 8;
  for (uint32_t F = 0; F < View.E.Record.Fields.size(); ++F) {
    const FieldInfo &Info = View.E.Record.Fields[F];
    if (Info.Absent)
      continue;
    FieldUse Use = useOf(View.E, F);
    bool Used = Use.total() > 0;
    auto OfUsed = [&](double Share) { return Used ? percent(Share) : ""; };
    T.Rows.push_back({{code(displayName(View.E.Record, F)), code(Info.TypeName),
                       std::to_string(Now[F]), std::to_string(Then[F]),
                       Info.BitField ? counted(Info.SizeBits, "bit")
                                     : std::to_string(Info.SizeBits / 8),
                       OfUsed(View.Heat[F]),
                       std::string(toWords(accessMark(Use))) +
                           (Use.Lock > 0 ? ", lock" : ""),
                       OfUsed(remoteShare(Use)), OfUsed(locklessShare(Use))}});
  }
  std::string All = std::to_string(T.Rows.size());
  T.shorten(0);
  T.Rest = "all " + All + " in the order of declaration";
  Section Part{"fields", {std::move(T)}};
  Part.Wide = true;
  Part.When = Shown::Full;
  Doc.Sections.push_back(std::move(Part));
}

void counts(Table &To, const std::map<std::string, uint64_t> &Counts,
            const std::string &What) {
  std::vector<std::pair<std::string, uint64_t>> Sorted(Counts.begin(),
                                                       Counts.end());
  std::ranges::stable_sort(
      Sorted, [](auto &L, auto &R) { return L.second > R.second; });
  for (size_t I = 0; I < Sorted.size(); ++I)
    To.Rows.push_back({{I ? "" : What, std::to_string(Sorted[I].second) + "  " +
                                           code(Sorted[I].first)},
                       I < CountsShown ? Shown::Always : Shown::Full});
}

/// Whose flags the units have, where not all were built.
std::string commandWords(const Coverage &C) {
  std::string Words = std::to_string(C.UnitsSelected) + " units selected, " +
                      std::to_string(ownCommands(C)) +
                      " with the build's own commands";
  if (C.UnitsDerived)
    Words += ", " + std::to_string(C.UnitsDerived) +
             " by kbuild's rules with the flags of " + C.FlagsFrom;
  if (C.UnitsByTemplate)
    Words += ", " + std::to_string(C.UnitsByTemplate) +
             " by kbuild's rules with the template's flags";
  return Words;
}

/// Bodies without facts are an error of this tool: each is named.
void unreadFunctions(const Coverage &C, Section &Part) {
  size_t Count = 0;
  for (const Site &Where : C.FunctionsUnread)
    Part.Body.push_back(
        Paragraph{Sentence("not read", Mark::Hot) + "  " +
                      code(Where.Function + "()") + "  " + location(Where),
                  {},
                  Count++ < FailuresShown ? Shown::Always : Shown::Full});
}

} // namespace

void describeCoverage(const ReportView &View, Document &Doc) {
  const Coverage &C = View.E.Covered;
  Section Part{"what was looked at"};
  Part.Wide = true;
  Table T{{{"what"}, {"count"}}};
  T.Quiet = true;
  T.Rest = "more";
  T.Rows = {{{"translation units",
              std::to_string(C.UnitsParsed) + " parsed of " +
                  std::to_string(C.UnitsSelected) + " selected"}},
            {{"accesses",
              std::to_string(C.AccessesResolved) + " attributed to a field"}}};
  if (ownCommands(C) != C.UnitsSelected)
    T.Rows.insert(T.Rows.begin() + 1, {{"compiled by", commandWords(C)}});
  if (C.FunctionsRead || !C.FunctionsUnread.empty())
    T.Rows.push_back(
        {{"function bodies",
          std::to_string(C.FunctionsRead) + " read of " +
              std::to_string(C.FunctionsRead + C.FunctionsUnread.size())}});
  counts(T, C.AccessesDropped, "not attributed");
  counts(T, C.FlagsDropped, "flags that clang does not know");
  Part.Body.push_back(std::move(T));
  if (std::string Also = alsoChangedSentence(View.R); !Also.empty())
    Part.Body.push_back(Paragraph{Also});
  for (const UnanalyzedUsers &Seers : View.R.SeenBy) {
    std::string Missed = missedSentence(Seers, View.R.SeenBy.size() > 1);
    Part.Body.push_back(
        Paragraph{Missed.empty() ? "all " + counted(Seers.Units, "unit") +
                                       " that see the definition were looked at"
                                 : Missed});
  }
  size_t Count = 0;
  for (const FailedUnit &Unit : C.UnitsFailed)
    Part.Body.push_back(
        Paragraph{Sentence("failed", Mark::Hot) + "  " + code(Unit.File) +
                      ": " + Unit.Reason,
                  {},
                  Count++ < FailuresShown ? Shown::Always : Shown::Full});
  if (Count > FailuresShown)
    Part.Body.push_back(Paragraph{
        "... " + std::to_string(Count - FailuresShown) + " more that failed",
        {},
        Shown::Brief});
  unreadFunctions(C, Part);
  Doc.Sections.push_back(std::move(Part));
}

void describeEvidence(const ReportView &View, Document &Doc) {
  sets(View, Doc);
  groupReasons(View, Doc);
  sharing(View, Doc);
  fields(View, Doc);
}

} // namespace kst
