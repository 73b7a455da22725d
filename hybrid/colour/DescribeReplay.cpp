// SPDX-License-Identifier: GPL-2.0-or-later
//
// The replay of page placements as a document, for people.

#include "hybrid/colour/ColourReport.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <numeric>

namespace kst {
namespace {

constexpr size_t StripRows = 32;

double hitsAt(const PolicyResult &Of, double Size) {
  for (const SweepPoint &P : Of.Sweep)
    if (P.WorkingSet == Size)
      return P.HitShare;
  return -1;
}

Sentence hitsInWords(double Hits) {
  return Hits < 0 ? Sentence("-") : Sentence(percent(Hits));
}

const PolicyResult *resultOf(const PageReplay &In, PagePolicy Policy) {
  for (const PolicyResult &Of : In.Policies)
    if (Of.Policy == Policy)
      return &Of;
  return nullptr;
}

Sentence verdict(const ReplayReport &R) {
  const PolicyResult *Stock = resultOf(R.Data, PagePolicy::Stock);
  if (!Stock)
    return "hits of working sets in the model";
  std::string Best;
  double Most = 0, At = 0;
  bool Compared = false;
  for (const PolicyResult &Of : R.Data.Policies)
    for (const SweepPoint &P : Of.Sweep)
      if (P.WorkingSet <= 1 && Of.Policy != PagePolicy::Random &&
          Of.Policy != PagePolicy::Stock) {
        const double Before = hitsAt(*Stock, P.WorkingSet);
        Compared |= Before >= 0;
        if (Before >= 0 && P.HitShare - Before > Most) {
          Most = P.HitShare - Before;
          At = P.WorkingSet;
          Best = spelling(Of.Policy);
        }
      }
  if (!Compared) // no other policy, or no working set that fits
    return "hits of working sets in the model";
  if (Most < LeastHitGain)
    return "nothing to gain: no policy has 1% more hits than stock while the "
           "working set fits the cache";
  return Best + " gains most over stock: hits rise by " + percent(Most) +
         " of all page accesses at a working set of " + brief(At) + " caches";
}

Section agreementView(const ReplayReport &R) {
  const PageAgreement &A = R.Data.Agreement;
  Section Out;
  Out.Title = "the model against the kernel";
  const uint64_t All = A.allocations();
  Out.Body.push_back(Paragraph{
      percent(All ? double(A.equal()) / double(All) : 0) + " of " +
      counted(All, "allocation") +
      " got the page frame that the model of the stock allocator foretold, "
      "each with what the kernel did before"});
  Table T{{{"order", true},
           {"allocations", true},
           {"equal", true},
           {"own list", true},
           {"other list", true},
           {"free lists", true},
           {"in use", true},
           {"outside", true}}};
  for (unsigned Order = 0; Order < PageOrders; ++Order) {
    const PageAgreement::Row &Of = A.Orders[Order];
    if (!Of.Allocations)
      continue;
    Table::Row Row{{std::to_string(Order), std::to_string(Of.Allocations)}};
    for (uint64_t Number : Of.Was)
      Row.Cells.push_back(std::to_string(Number));
    T.Rows.push_back(std::move(Row));
  }
  Out.Body.push_back(std::move(T));
  Out.Body.push_back(Paragraph{soft(
      "where the kernel's page was in the model instead: behind the first on "
      "the list of that CPU (the model got more or fewer pages at a time, or "
      "gave back others), on another list, on the free lists, in use (its "
      "free was not seen)")});
  Out.Body.push_back(Paragraph{
      counted(A.Frees, "free") + ", " + std::to_string(A.FreesOfOrder) +
      " of the order of the allocation, " + std::to_string(A.FreesOfPart) +
      " of a part of it; " + counted(A.FreesOfUnknown, "free") +
      " of pages that were allocated without an event"});
  if (A.Drains)
    Out.Body.push_back(Paragraph{
        counted(A.Drains, "block") +
        " went from lists of CPUs to free lists: " +
        std::to_string(A.DrainsForetold) + " foretold, " +
        std::to_string(A.DrainsFollowed) +
        " for reasons that no request tells (the clock, other CPUs)"});
  return Out;
}

Section sweepView(const ReplayReport &R) {
  Section Out;
  Out.Title = "hits of a working set that is swept again and again";
  Table T{{{"set / cache", true}}};
  for (const PolicyResult &Of : R.Data.Policies)
    T.Columns.push_back({spelling(Of.Policy), true});
  const bool Direct = R.Options.Cache.Ways == 1;
  if (Direct) {
    T.Columns.push_back({"contiguous", true});
    T.Columns.push_back({"by chance", true});
  }
  T.Shape = Table::Picture::Lines;
  for (double Size : R.Options.Sizes) {
    Table::Row Row{{brief(Size)}};
    Row.X = Size;
    bool Any = false;
    for (const PolicyResult &Of : R.Data.Policies) {
      const double Hits = hitsAt(Of, Size);
      Any |= Hits >= 0;
      Row.Cells.push_back(hitsInWords(Hits));
      Row.Ys.push_back(std::max(Hits, 0.0));
    }
    if (Direct)
      for (double Hits : {contiguousHits(Size), randomHits(Size)}) {
        Row.Cells.push_back(hitsInWords(Hits));
        Row.Ys.push_back(Hits);
      }
    if (Any)
      T.Rows.push_back(std::move(Row));
  }
  const size_t Rows = T.Rows.size();
  Out.Body.push_back(std::move(T));
  if (Direct)
    Out.Body.push_back(Paragraph{soft(
        "contiguous: (2-w)/w for w from 1 to 2; by chance: e^-w; they cross at "
        "w = " +
        fixed(hitCrossing(), 2) +
        ": beyond it a placement without conflicts loses to chance")});
  if (Rows < R.Options.Sizes.size())
    Out.Body.push_back(
        Paragraph{"Memory has no pages for larger working sets."});
  return Out;
}

Section colourView(const ReplayReport &R) {
  Section Out;
  Out.Title = "pages of each colour at the end of the trace";
  Table T{{{"", false, true},
           {"pages", true},
           {"fullest", true},
           {"emptiest", true},
           {"failed", true},
           {"equal", true},
           {"chi-square", true},
           {"probability", true},
           {"overlap", true}}};
  auto Add = [&](const std::string &Name, const std::vector<uint32_t> &Pages,
                 uint64_t Failed, const Sentence &Equal) {
    const ColourDistance Far = colourDistance(Pages, R.Data.RecordedPages);
    auto [Least, Most] = std::minmax_element(Pages.begin(), Pages.end());
    T.Rows.push_back(
        {{Name,
          std::to_string(
              std::accumulate(Pages.begin(), Pages.end(), uint64_t(0))),
          std::to_string(*Most), std::to_string(*Least), std::to_string(Failed),
          Equal, brief(Far.ChiSquare) + " of " + std::to_string(Far.Degrees),
          brief(Far.Probability), percent(Far.Overlap)}});
  };
  Add("recorded", R.Data.RecordedPages, 0, "-");
  for (const PolicyResult &Of : R.Data.Policies)
    Add(spelling(Of.Policy), Of.Pages, Of.Failed,
        percent(Of.Requests ? double(Of.Equal) / double(Of.Requests) : 0));
  if (!R.OtherPages.empty())
    Add(R.OtherFile, R.OtherPages, 0, "-");
  Out.Body.push_back(std::move(T));
  if (!R.OtherPages.empty()) {
    Table Other{{{"against " + R.OtherFile, false, true},
                 {"chi-square", true},
                 {"probability", true},
                 {"overlap", true}}};
    for (const PolicyResult &Of : R.Data.Policies) {
      const ColourDistance Far = colourDistance(Of.Pages, R.OtherPages);
      Other.Rows.push_back(
          {{spelling(Of.Policy),
            brief(Far.ChiSquare) + " of " + std::to_string(Far.Degrees),
            brief(Far.Probability), percent(Far.Overlap)}});
    }
    Out.Body.push_back(std::move(Other));
  }
  Out.Body.push_back(Paragraph{soft(
      "chi-square of two samples and common share, over 64 runs of colours, "
      "against where the kernel put its pages; pages of one allocation are "
      "not independent, so a small probability comes easily; equal: "
      "requests that got the kernel's page frame, with no correction")});
  Table Strip{{{"colours"}, {"recorded", true}}};
  Strip.Shape = Table::Picture::Bars;
  Strip.BarColumn = 1;
  for (const PolicyResult &Of : R.Data.Policies)
    Strip.Columns.push_back({spelling(Of.Policy), true});
  const size_t Colours = R.Data.RecordedPages.size(),
               Rows = std::min(StripRows, Colours);
  for (size_t I = 0; I < Rows; ++I) {
    const size_t Begin = I * Colours / Rows, End = (I + 1) * Colours / Rows;
    auto Sum = [&](const std::vector<uint32_t> &Of) {
      return std::accumulate(Of.begin() + Begin, Of.begin() + End, uint64_t(0));
    };
    Table::Row Row{{std::to_string(Begin) + ".." + std::to_string(End - 1),
                    std::to_string(Sum(R.Data.RecordedPages))}};
    Row.Y = double(Sum(R.Data.RecordedPages));
    for (const PolicyResult &Of : R.Data.Policies)
      Row.Cells.push_back(std::to_string(Sum(Of.Pages)));
    Row.When = I % 4 ? Shown::Full : Shown::Always;
    Strip.Rows.push_back(std::move(Row));
  }
  Strip.Rest = "every row with --full";
  Out.Body.push_back(std::move(Strip));
  return Out;
}

} // namespace

Document describe(const ReplayReport &R) {
  Document Doc;
  Doc.Name = "colour replay";
  Doc.Title =
      "page colours of " +
      (R.File.empty() ? std::string("a machine with free memory") : R.File);
  uint64_t Frames = 0;
  for (const ZoneShape &Of : R.Data.Start.Zones)
    Frames += Of.Frames;
  Doc.Head.push_back(Paragraph{
      "model: cache on the memory side of " + spelling(R.Options.Cache) +
      " by pages of 4 KiB, " + counted(R.Options.Cache.colours(), "colour") +
      "; LRU, no prefetcher, no hashed slices; buddy allocator and lists of "
      "CPUs of Linux 6.12, " +
      counted(Frames, "page frame") + " in " +
      counted(R.Data.Start.Zones.size(), "zone") +
      ". All counts are the model's, none is a time."});
  auto Note = [&](const std::string &Said) {
    Doc.Head.push_back(Paragraph{strong("note: ") + Said});
  };
  if (R.Lost)
    Note(counted(R.Lost, "event") + " lost by the recorder");
  if (!R.Complete)
    Note("the trace is incomplete: its recorder was killed, or the file was "
         "cut short");
  if (!R.File.empty() && !R.Data.Start.Recorded)
    Note("the trace does not tell which pages were free when it began: pages "
         "that no event shows in use are taken as free, in the order of a "
         "fresh machine; page frames of the model cannot equal the kernel's");
  if (R.Data.Start.Overlaps)
    Note(counted(R.Data.Start.Overlaps, "block") +
         " of the state at the beginning left out: other CPUs changed it "
         "meanwhile");
  if (R.Options.Churn)
    Note("aged by " + counted(R.Options.Churn, "random free") +
         " and allocation behind the trace, before the sweep");
  Section Top;
  Top.Title = verdict(R);
  Top.Verdict = true;
  Doc.Sections.push_back(std::move(Top));
  Doc.Sections.push_back(sweepView(R));
  if (!R.File.empty()) {
    Doc.Sections.push_back(colourView(R));
    Doc.Sections.push_back(agreementView(R));
  }
  for (Section &Part : Doc.Sections)
    Part.Wide = true;
  return Doc;
}

} // namespace kst
