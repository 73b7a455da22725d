// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/TextEvidence.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/MeasuredView.h"
#include "hybrid/fieldorder/PhaseView.h"
#include "hybrid/fieldorder/RuleSentences.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <map>

namespace kst {
namespace {

/// The strongest site, and the strongest one that writes.
std::vector<const AccessSite *> shownSites(const FieldTouch &T) {
  std::vector<const AccessSite *> Shown;
  const AccessSite *Writer = nullptr;
  for (const AccessSite &At : T.Sites)
    if (At.Writes > (Writer ? Writer->Writes : 0))
      Writer = &At;
  if (!T.Sites.empty())
    Shown.push_back(&T.Sites.front());
  if (Writer && Writer != Shown.front())
    Shown.push_back(Writer);
  return Shown;
}

void touch(TextPage &To, const FieldTouch &T, size_t Columns) {
  FieldUse PerVisit;
  PerVisit.Reads = T.Reads;
  PerVisit.Writes = T.Writes;
  std::string Text = "       " + padLeft(percent(T.Probability), 6) + " " +
                     padRight(toMark(accessMark(PerVisit)), 2) + "  " +
                     padRight(shortened(To.name(T.Field), Columns), Columns);
  std::vector<const AccessSite *> Shown = shownSites(T);
  for (const AccessSite *At : Shown) {
    // One site that does all that the touch does needs no mark.
    bool Marked = T.Sites.size() > 1 || At->Assumed;
    Text += (At == Shown.front() ? "  " : ", ") +
            (Marked ? siteMark(*At) + " " : "") + To.place(At->Where);
  }
  if (T.Sites.size() > Shown.size())
    Text += " +" + std::to_string(T.Sites.size() - Shown.size());
  Text.resize(Text.find_last_not_of(' ') + 1);
  To.line(Text);
}

void setFields(TextPage &To, const CoAccessSet &Set) {
  std::vector<const FieldTouch *> Touches;
  size_t Columns = 8;
  for (const FieldTouch &T : Set.Touches)
    Touches.push_back(&T);
  std::stable_sort(Touches.begin(), Touches.end(), [](auto *L, auto *R) {
    return L->Probability > R->Probability;
  });
  size_t Count = To.atMost(Touches.size(), 10);
  for (size_t I = 0; I < Count; ++I)
    Columns = std::max(Columns, To.name(Touches[I]->Field).size());
  for (size_t I = 0; I < Count; ++I)
    touch(To, *Touches[I], std::min<size_t>(Columns, 28));
  if (Count < Touches.size())
    To.line(To.ink(Ink::Dim, "       ... " +
                                 std::to_string(Touches.size() - Count) +
                                 " more fields"));
}

void sets(TextPage &To) {
  if (To.View.E.Sets.empty())
    return;
  size_t Count = To.atMost(To.View.E.Sets.size(), 8);
  double Shown = 0;
  for (size_t I = 0; I < Count; ++I)
    Shown += To.View.E.Sets[I].Weight;
  To.heading("strongest co-access sets (" + std::to_string(Count) + " of " +
             std::to_string(To.View.E.Sets.size()) + ", " +
             percent(To.View.Weight > 0 ? Shown / To.View.Weight : 0) +
             " of all visits)");
  for (size_t I = 0; I < Count; ++I) {
    const CoAccessSet &Set = To.View.E.Sets[I];
    double Share = To.View.Weight > 0 ? Set.Weight / To.View.Weight : 0;
    To.line(
        "  " + padLeft(std::to_string(I + 1), 2) + ". " +
        To.ink(heatInk(Share), padLeft(percent(Share), 6)) + "  " +
        To.ink(Ink::Bold, To.place(Set.Where)) + "  " +
        (Set.When == Phase::Steady ? "" : std::string(toWord(Set.When)) + " ") +
        toWord(Set.Kind) +
        (Set.Cpu == CpuRelation::Unknown
             ? ""
             : std::string(", ") + toWord(Set.Cpu) + " CPU's instance") +
        (Set.From.From == Origin::Static
             ? ""
             : std::string(", ") + toWord(Set.From.From)));
    setFields(To, Set);
  }
}

void groupReasons(TextPage &To) {
  std::vector<GroupView> Groups = groupsOf(To.View.R, To.View.best());
  std::erase_if(Groups, [](auto &Group) { return Group.Reasons.empty(); });
  if (Groups.empty())
    return;
  To.heading(std::string("why fields share a line (") + To.View.bestWord() +
             " layout)");
  To.flow("  ",
          "Per line, the visits that would touch more lines if its fields "
          "were apart. Gain: line touches that sharing the line saves.");
  for (size_t I = 0; I < To.atMost(Groups.size(), 6); ++I) {
    const GroupView &Group = Groups[I];
    To.line("  line " + std::to_string(Group.Line) + ", " +
            percent(Group.Share) + " of accesses");
    for (size_t J = 0; J < To.atMost(Group.Reasons.size(), 3); ++J) {
      if (!To.Options.Full && J && Group.Reasons[J].Saved < 0.02 * Group.Saved)
        break;
      To.line("    " + groupReason(To, Group, Group.Reasons[J]));
      To.flow("      ", To.names(Group.Reasons[J].Fields, 10));
    }
  }
}

void actors(TextPage &To, const std::string &First,
            const std::vector<Actor> &Actors) {
  size_t Count = To.atMost(Actors.size(), 2);
  for (size_t I = 0; I < Count; ++I) {
    const Actor &A = Actors[I];
    To.line((I ? std::string(First.size(), ' ') : First) + To.site(A.At) +
            (A.Cpu == CpuRelation::Unknown
                 ? ""
                 : std::string("  ") + toWord(A.Cpu)) +
            (forWhom(A).empty() ? "" : "  " + forWhom(A)));
  }
}

void sharing(TextPage &To) {
  std::vector<SharingRisk> Risks =
      sharingRisks(To.View.R, To.View.Current, To.View.Proposed);
  if (Risks.empty())
    return;
  double Sum = 0;
  for (const SharingRisk &Risk : Risks)
    Sum += Risk.Loss;
  size_t Count = std::min(To.atMost(Risks.size(), 5), ExplainedRisks);
  To.heading("false-sharing risks of the current layout (" +
             std::to_string(Count) + " of " + counted(Risks.size(), "pair") +
             " on one line)");
  To.flow("  ", "r: the place reads the field, w: it writes it, ?: assumed of "
                "code that was not seen.");
  for (size_t I = 0; I < Count; ++I) {
    const SharingRisk &Risk = Risks[I];
    std::string Then = !To.View.Reorders ? ""
                       : Risk.StillTogether
                           ? "; still together in the proposed layout"
                           : "; apart in the proposed layout";
    std::string Measured = measuredWords(To.View.E, Risk.Measured);
    To.flow("  " + padLeft(percent(Risk.Loss / Sum), 6) + "  ",
            "line " + std::to_string(Risk.Line) + ": " + To.name(Risk.Written) +
                " is written while another CPU uses " + To.name(Risk.Used) +
                Then + (Measured.empty() ? "" : "; ") + Measured);
    actors(To, "          writers  ", Risk.Writers);
    actors(To, "          users    ", Risk.Users);
  }
}

void counts(TextPage &To, const std::string &Title,
            const std::map<std::string, uint64_t> &Counts) {
  if (Counts.empty())
    return;
  std::vector<std::pair<std::string, uint64_t>> Sorted(Counts.begin(),
                                                       Counts.end());
  std::stable_sort(Sorted.begin(), Sorted.end(),
                   [](auto &L, auto &R) { return L.second > R.second; });
  To.line("  " + Title);
  size_t Shown = To.atMost(Sorted.size(), 12);
  for (size_t I = 0; I < Shown; ++I)
    To.line("    " + padLeft(std::to_string(Sorted[I].second), 7) + "  " +
            Sorted[I].first);
  if (Shown < Sorted.size())
    To.line("             ... " + std::to_string(Sorted.size() - Shown) +
            " more");
}

void coverage(TextPage &To) {
  const Coverage &C = To.View.E.Covered;
  To.heading("what was looked at");
  To.line("  translation units  " + std::to_string(C.UnitsParsed) +
          " parsed of " + std::to_string(C.UnitsSelected) + " selected");
  To.line("  accesses           " + std::to_string(C.AccessesResolved) +
          " attributed to a field");
  counts(To, "not attributed", C.AccessesDropped);
  counts(To, "compiler flags that clang does not know, left out of commands",
         C.FlagsDropped);
  for (const Onlookers &Of : To.View.R.SeenBy)
    if (std::string Words = missedSentence(Of, To.View.R.SeenBy.size() > 1);
        !Words.empty())
      To.flow("  ", Words);
    else
      To.line("  all " + counted(Of.Units, "unit") +
              " that see the definition were looked at");
  size_t Count = To.atMost(C.UnitsFailed.size(), 10);
  for (size_t I = 0; I < Count; ++I)
    To.flow("  " + To.ink(Ink::Hot, "failed") + "  ",
            C.UnitsFailed[I].File + ": " + C.UnitsFailed[I].Reason);
  if (Count < C.UnitsFailed.size())
    To.line("  ... " + std::to_string(C.UnitsFailed.size() - Count) +
            " more that failed");
}

void measured(TextPage &To) {
  const Report &R = To.View.R;
  std::vector<ProfileRows> Profiles = profileRows(R);
  if (Profiles.empty())
    return;
  To.heading("what was measured");
  for (const ProfileRows &Of : Profiles) {
    To.line("  " + To.ink(Ink::Bold, Of.Name));
    for (const auto &[Head, What] : Of.Rows)
      To.flow("    " + padRight(Head, 10) + "  ", What);
  }
  if (std::string Words = scaleWords(To.View.E.Covered); !Words.empty())
    To.flow("  ", Words);
  std::vector<std::vector<std::string>> Fields = measuredFields(To.View);
  size_t Shown = To.atMost(Fields.size(), 16);
  bool More = Shown < Fields.size();
  size_t Rest = Fields.size() - Shown;
  Fields.resize(Shown);
  To.line("");
  To.table("llrrrrrl", Fields);
  if (More)
    To.line(To.ink(Ink::Dim, "  ... " + counted(Rest, "more field")));
  if (std::vector<std::vector<std::string>> Under = underProfiles(R);
      !Under.empty()) {
    To.line("");
    To.table("lrll", Under);
    To.flow("  ", holdsWords(R));
  }
}

} // namespace

std::string groupReason(const TextPage &To, const GroupView &Group,
                        const GroupReason &Why) {
  const CoAccessSet &Set = To.View.E.Sets[Why.Set];
  return To.place(Set.Where) + " (" + siteMark(Why.By) + ", " +
         visitWords(Set) + ", " + percent(Why.Saved / Group.Saved) +
         " of what it saves)";
}

void writeEvidence(TextPage &To) {
  sets(To);
  groupReasons(To);
  sharing(To);
  measured(To);
  coverage(To);
}

} // namespace kst
