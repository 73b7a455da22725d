// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of that document about memory over time: lifetimes, stranded pages,
// purity of slabs.

#include "hybrid/contexts/ContextSections.h"

#include "hybrid/report/ByteAmount.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {

static constexpr size_t ShownWindows = 8;

/// From the shortest life to the longest, a row for each doubling.
static Table survival(const ContextsReport &R) {
  Table T{{{"time, by doublings", true}}};
  T.Shape = Table::Picture::Lines;
  T.Rest = "numbers with --full";
  std::vector<const LifeTimes *> Kinds;
  for (const auto &[Name, Of] :
       {std::pair{"slab objects of contexts", &R.SlabOwned},
        std::pair{"other slab objects", &R.SlabOther},
        std::pair{"pages of files", &R.FileLives},
        std::pair{"pages of applications", &R.ApplicationLives}})
    if (Of->endedCount()) {
      T.Columns.push_back({Name, true});
      Kinds.push_back(Of);
    }
  auto Ended = [&](unsigned Power) {
    return std::any_of(Kinds.begin(), Kinds.end(), [&](const LifeTimes *Of) {
      for (unsigned I = 0; I < LifeTimes::PerDoubling; ++I)
        if (Of->endedIn(Power * LifeTimes::PerDoubling + I))
          return true;
      return false;
    });
  };
  constexpr unsigned Powers = LifeTimes::Bins / LifeTimes::PerDoubling;
  unsigned First = 0, Last = Powers - 1;
  while (First < Last && !Ended(First))
    ++First;
  while (First < Last && !Ended(Last))
    --Last;
  for (unsigned Power = First; Power <= Last && !Kinds.empty(); ++Power) {
    const unsigned End = (Power + 1) * LifeTimes::PerDoubling;
    Table::Row Row;
    Row.X = double(Power); // a doubling is as wide as any other
    Row.Cells = {brief(LifeTimes::beginOf(End))};
    for (const LifeTimes *Of : Kinds) {
      Row.Ys.push_back(Of->outliving(End - 1));
      Row.Cells.push_back(percent(Row.Ys.back()));
    }
    Row.When = Shown::Full;
    T.Rows.push_back(std::move(Row));
  }
  return T;
}

Section lifetimesSection(const ContextsReport &R) {
  Section Out;
  Out.Title = "lifetimes";
  Out.Body.push_back(Paragraph{soft(
      "in units of the trace's clock (" + R.Clock +
      "); quantiles by Kaplan and Meier: what lives on counts as long as it "
      "was seen. An order of lifetimes, not a number of seconds")});
  Table T{{{"what", false, true},
           {"ended", true},
           {"live on", true},
           {"a quarter ended by", true},
           {"half", true},
           {"three quarters", true}}};
  auto Add = [&](const std::string &Name, const LifeTimes &Of) {
    auto At = [&](double Share) {
      const auto Time = Of.quantile(Share);
      return Time ? brief(*Time) : std::string("-");
    };
    T.Rows.push_back(
        {{Name, std::to_string(Of.endedCount()),
          std::to_string(Of.livingCount()), At(0.25), At(0.5), At(0.75)}});
  };
  Add("slab objects of contexts", R.SlabOwned);
  Add("other slab objects", R.SlabOther);
  Add("pages of files", R.FileLives);
  Add("pages of applications", R.ApplicationLives);
  Out.Body.push_back(T);
  Table Curves = survival(R);
  if (Curves.Rows.size() < 2 || Curves.Columns.size() < 2)
    return Out; // no curve
  Out.Body.push_back(
      Paragraph{"What share outlives a time (Kaplan and Meier)"});
  Out.Body.push_back(std::move(Curves));
  return Out;
}

/// One kind of memory by what its contexts are.
static Table overTime(const ContextsReport &R, const std::string &Kind,
                      OwnerWindow::Bytes OwnerWindow::*Which) {
  Table T{{{"time", true},
           {Kind + ", open", true},
           {"closed", true},
           {"never opened", true},
           {"no context", true}}};
  T.Shape = Table::Picture::Lines;
  const size_t Step = std::max<size_t>(1, R.Windows.size() / ShownWindows);
  for (size_t W = 0; W < R.Windows.size(); ++W) {
    const OwnerWindow::Bytes &Of = R.Windows[W].*Which;
    Table::Row Row;
    Row.X = double(R.Windows[W].Time);
    Row.Ys = {double(Of.Open), double(Of.Closed), double(Of.Unopened),
              double(Of.None)};
    Row.Cells = {std::to_string(R.Windows[W].Time)};
    for (double Bytes : Row.Ys)
      Row.Cells.push_back(byteAmount(Bytes));
    Row.When = (W + 1) % Step ? Shown::Full : Shown::Always;
    T.Rows.push_back(std::move(Row));
  }
  T.Rest =
      "every one of " + counted(R.Windows.size(), "window") + " with --full";
  return T;
}

Section strandedSection(const ContextsReport &R) {
  Section Out;
  Out.Title = "open, closed and nobody's bytes over time";
  Out.Body.push_back(overTime(R, "slab", &OwnerWindow::Slab));
  Out.Body.push_back(overTime(R, "pages of files", &OwnerWindow::File));
  return Out;
}

Section puritySection(const ContextsReport &R) {
  Section Out;
  Out.Title = "purity of slabs";
  Out.Body.push_back(Paragraph{soft(
      "slabs with two live objects or more at the ends of windows: the share "
      "of a slab's live objects that belong to one context, mean; an object of "
      "no known context shares with none. By chance: the same objects placed "
      "at random in the same slabs. Pure: all of one context. A context's "
      "memory can be moved by itself where this is near 1")});
  Table T{{{"type", false, true},
           {"slabs", true},
           {"bytes of one", true},
           {"objects in one", true},
           {"known", true},
           {"purity", true},
           {"by chance", true},
           {"pure", true}}};
  for (const OwnedType &Of : R.Types) {
    const Purity &P = Of.Pages;
    if (!P.Known)
      continue;
    T.Rows.push_back({{code(Of.Name), std::to_string(P.Slabs),
                       byteAmount(double(P.SlabBytes) / double(P.Slabs)),
                       fixed(double(P.Objects) / double(P.Slabs), 1),
                       percent(shareOf(double(P.Known), double(P.Objects))),
                       fixed(P.mean(), 3), fixed(P.chance(), 3),
                       percent(shareOf(double(P.Pure), double(P.Slabs)))}});
  }
  T.shorten(ShownContextTypes, " types");
  if (T.Rows.empty())
    Out.Body.push_back(Paragraph{"No slab had two live objects, one of them of "
                                 "a known context."});
  else
    Out.Body.push_back(T);
  return Out;
}

} // namespace kst
