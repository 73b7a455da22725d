// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/ContextsReport.h"

#include "hybrid/report/ByteAmount.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t ShownTypes = 25, ShownRows = 15, ShownWindows = 8;

double share(double Part, double Whole) { return Whole > 0 ? Part / Whole : 0; }

std::string orDash(bool There, const std::string &Text) {
  return There ? Text : "-";
}

std::string agreement(const Attributed::Agreement &Of) {
  return orDash(Of.Both, percent(share(double(Of.Same), double(Of.Both))));
}

std::string lifeText(const LifeTimes &Of) {
  if (!Of.endedCount() && !Of.livingCount())
    return "-";
  const auto Median = Of.quantile(0.5);
  return Median ? brief(*Median) : "longer than seen";
}

Table rulesTable(const ContextsReport &R) {
  Table T{{{"found by", false, true},
           {"slab bytes", true},
           {"by itself", true},
           {"bytes of pages of files", true},
           {"by itself", true},
           {"precision", true},
           {"recall", true}}};
  for (size_t I = 0; I < OwnerRules; ++I) {
    const bool None = I + 1 == OwnerRules;
    auto Of = [&](const Attributed &In, const auto &What) {
      return percent(share(double(What[I]), double(In.bytes())));
    };
    const PageTruth &Truth = R.Truth[I];
    T.Rows.push_back(
        {{None ? Sentence("nothing") : code(spelling(OwnerRule(I))),
          Of(R.Slab, R.Slab.Bytes), None ? "-" : Of(R.Slab, R.Slab.Alone),
          Of(R.FilePages, R.FilePages.Bytes),
          None ? "-" : Of(R.FilePages, R.FilePages.Alone),
          orDash(!None && Truth.Said, percent(Truth.precision())),
          orDash(!None && Truth.Pages, percent(Truth.recall()))}});
  }
  const PageTruth &Best = R.Truth[size_t(OwnerRule::None)];
  T.Rows.push_back(
      {{"the best that says something",
        percent(1 - share(double(R.Slab.Bytes[3]), double(R.Slab.bytes()))),
        "-",
        percent(1 - share(double(R.FilePages.Bytes[3]),
                          double(R.FilePages.bytes()))),
        "-", orDash(Best.Said, percent(Best.precision())),
        orDash(Best.Pages, percent(Best.recall()))}});
  return T;
}

Section attribution(const ContextsReport &R) {
  Section Out;
  Out.Title = "attribution: whose is an object";
  Out.Body.push_back(Paragraph{soft(
      "of bytes allocated in the trace. Rules, best first: pointers of the "
      "object that lead to " +
      [&] {
        std::string Names;
        for (const std::string &Name : R.Anchors)
          Names += (Names.empty() ? "" : " or ") + Name;
        return Names;
      }() +
      "; the descriptor of the system call that allocates, or what that call "
      "opens; the last file that the task used. Precision and recall: pages "
      "against the device and inode that the page cache's own events say; a "
      "context is of the file that most of its pages are of, by pointers")});
  Out.Body.push_back(rulesTable(R));
  if (R.PageCache) {
    std::string Text =
        counted(R.NamedContexts, "context") +
        " with pages that lead to them by pointers; " +
        (R.MixedContexts
             ? counted(R.MixedContexts, "one") + " of pages of several files"
             : std::string("each of pages of one file"));
    Out.Body.push_back(Paragraph{Text});
  }
  Table Agree{{{"bytes of which both say something", false, true},
               {"slab", true},
               {"same", true},
               {"pages of files", true},
               {"same", true}}};
  auto Add = [&](const char *Name, Attributed::Agreement Attributed::*Which) {
    auto Cell = [&](const Attributed &In) {
      return percent(share(double((In.*Which).Both), double(In.bytes())));
    };
    Agree.Rows.push_back({{Name, Cell(R.Slab), agreement(R.Slab.*Which),
                           Cell(R.FilePages), agreement(R.FilePages.*Which)}});
  };
  Add("pointers and descriptor", &Attributed::PointerCall);
  Add("pointers and last file", &Attributed::PointerTask);
  Add("descriptor and last file", &Attributed::CallTask);
  Out.Body.push_back(Agree);
  Out.Body.push_back(Paragraph{
      "In softirq, hardirq and NMI: " +
      percent(share(double(R.Slab.SoftirqBytes), double(R.Slab.bytes()))) +
      " of the slab bytes; of these " +
      percent(share(double(R.Slab.SoftirqNone), double(R.Slab.SoftirqBytes))) +
      " have no context."});
  return Out;
}

Section types(const ContextsReport &R) {
  Section Out;
  Out.Title = "types";
  Out.Body.push_back(Paragraph{soft(
      "bytes: allocated in the trace; way: the pointers that are followed; "
      "median life in units of the trace's clock, what lives on counted as "
      "long as it was seen")});
  Table T{{{"type", false, true},
           {"objects", true},
           {"bytes", true},
           {"pointers", true},
           {"descriptor", true},
           {"last file", true},
           {"none", true},
           {"pointers = descriptor", true},
           {"changed", true},
           {"median life", true},
           {"way", false}}};
  for (const OwnedType &Of : R.Types) {
    const Attributed &F = Of.Found;
    Table::Row Row{{code(Of.Name), std::to_string(F.objects()),
                    byteAmount(double(F.bytes()))}};
    for (size_t I = 0; I < OwnerRules; ++I)
      Row.Cells.push_back(
          percent(share(double(F.Bytes[I]), double(F.bytes()))));
    Row.Cells.push_back(agreement(F.PointerCall));
    Row.Cells.push_back(std::to_string(F.Changed));
    Row.Cells.push_back(lifeText(Of.Lives));
    Row.Cells.push_back(Of.Path.empty()
                            ? Sentence("-")
                            : code(Of.Path.substr(0, Of.Path.find(" | "))));
    T.Rows.push_back(std::move(Row));
  }
  T.shorten(ShownTypes, " types");
  Out.Body.push_back(T);
  return Out;
}

Section classes(const ContextsReport &R) {
  Section Out;
  Out.Title = "contexts by class";
  Out.Body.push_back(Paragraph{soft(
      "a context: one object that has the anchor, and all that is attributed "
      "to it; open while a `file` leads to it; late: accesses to its objects "
      "after the last close; between: while it was closed, before it was "
      "opened again; stranded: live bytes of closed contexts at the ends of "
      "windows")});
  Table T{{{"class", false, true},
           {"contexts", true},
           {"opened", true},
           {"again", true},
           {"gone", true},
           {"slab", true},
           {"pages", true},
           {"accesses", true},
           {"between", true},
           {"late", true},
           {"stranded", true},
           {"at most", true},
           {"at the end", true}}};
  for (const OwnerClass &Of : R.Classes)
    T.Rows.push_back(
        {{code(Of.Name), std::to_string(Of.Contexts), std::to_string(Of.Opened),
          std::to_string(Of.Reopened), std::to_string(Of.Ended),
          byteAmount(double(Of.SlabBytes)), byteAmount(double(Of.FileBytes)),
          std::to_string(Of.Accesses),
          percent(share(double(Of.BetweenAccesses), double(Of.Accesses))),
          percent(share(double(Of.LateAccesses), double(Of.Accesses))),
          byteAmount(Of.StrandedMean), byteAmount(double(Of.StrandedMost)),
          byteAmount(double(Of.StrandedAtEnd))}});
  Out.Body.push_back(T);
  Table Rows{{{"context", false, true},
              {"file", false},
              {"opens", true},
              {"slab objects", true},
              {"slab", true},
              {"pages", true},
              {"live at the end", true},
              {"late accesses", true},
              {"", false}}};
  for (const OwnerRow &Of : R.Largest)
    Rows.Rows.push_back(
        {{code(Of.Class),
          orDash(Of.Named, "device " + std::to_string(Of.Device >> 20) + ":" +
                               std::to_string(Of.Device & 0xfffff) + " inode " +
                               std::to_string(Of.Inode)),
          std::to_string(Of.Opens), std::to_string(Of.SlabObjects),
          byteAmount(double(Of.SlabBytes)), std::to_string(Of.FilePages),
          byteAmount(double(Of.LiveBytesAtEnd)),
          std::to_string(Of.LateAccesses),
          Of.Ended    ? "gone"
          : Of.Closed ? "closed"
                      : "open"}});
  Rows.shorten(ShownRows, " contexts");
  Out.Body.push_back(Rows);
  return Out;
}

Section lifetimes(const ContextsReport &R) {
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
  for (const auto &[Name, Of] :
       {std::pair{"slab objects of contexts", &R.SlabOwned},
        std::pair{"pages of files", &R.FileLives},
        std::pair{"pages of applications", &R.ApplicationLives}}) {
    if (!Of->endedCount())
      continue;
    Table Lives{{{std::string("life of ") + Name + ", up to", true},
                 {"ended", true},
                 {"share", true}}};
    Lives.Shape = Table::Picture::Plot;
    Lives.BarColumn = 2;
    for (unsigned Power = 0; Power < 64; ++Power) {
      uint64_t Number = 0;
      for (unsigned I = 0; I < LifeTimes::PerDoubling; ++I)
        Number += Of->endedIn(Power * LifeTimes::PerDoubling + I);
      if (!Number)
        continue;
      Table::Row Row;
      Row.X = double(Power); // a doubling is as wide as any other
      Row.Y = share(double(Number), double(Of->endedCount()));
      Row.Cells = {
          brief(LifeTimes::beginOf((Power + 1) * LifeTimes::PerDoubling)),
          std::to_string(Number), percent(Row.Y)};
      Row.When = Shown::Full;
      Lives.Rows.push_back(std::move(Row));
    }
    if (Lives.Rows.size() < 2)
      continue; // no curve
    Lives.Rest = "numbers with --full";
    Out.Body.push_back(Paragraph{
        std::string("Life of ") + Name +
        ": of those that ended, the share by doublings of their life"});
    Out.Body.push_back(std::move(Lives));
  }
  return Out;
}

Section stranded(const ContextsReport &R) {
  Section Out;
  Out.Title = "open, closed and nobody's bytes over time";
  Table T{{{"time", true},
           {"slab, open", true},
           {"slab, closed", true},
           {"slab, never opened", true},
           {"slab, no context", true},
           {"pages, open", true},
           {"pages, closed", true}}};
  T.Shape = Table::Picture::Lines;
  const size_t Step = std::max<size_t>(1, R.Windows.size() / ShownWindows);
  for (size_t W = 0; W < R.Windows.size(); ++W) {
    const OwnerWindow &Of = R.Windows[W];
    Table::Row Row;
    Row.X = double(Of.Time);
    Row.Ys = {double(Of.Slab.Open),     double(Of.Slab.Closed),
              double(Of.Slab.Unopened), double(Of.Slab.None),
              double(Of.File.Open),     double(Of.File.Closed)};
    Row.Cells = {std::to_string(Of.Time)};
    for (double Bytes : Row.Ys)
      Row.Cells.push_back(byteAmount(Bytes));
    Row.When = (W + 1) % Step ? Shown::Full : Shown::Always;
    T.Rows.push_back(std::move(Row));
  }
  T.Rest =
      "every one of " + counted(R.Windows.size(), "window") + " with --full";
  Out.Body.push_back(T);
  return Out;
}

Section purity(const ContextsReport &R) {
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
                       percent(share(double(P.Known), double(P.Objects))),
                       fixed(P.mean(), 3), fixed(P.chance(), 3),
                       percent(share(double(P.Pure), double(P.Slabs)))}});
  }
  T.shorten(ShownTypes, " types");
  if (T.Rows.empty())
    Out.Body.push_back(Paragraph{"No slab had two live objects, one of them of "
                                 "a known context."});
  else
    Out.Body.push_back(T);
  return Out;
}

} // namespace

Document describe(const ContextsReport &R) {
  Document Doc;
  Doc.Name = "contexts";
  Doc.Title = "object contexts of " + R.File +
              (R.Label.empty() ? "" : " (" + R.Label + ")") + ": " +
              counted(R.Events, "event");
  auto Note = [&](const std::string &Text) {
    Doc.Head.push_back(Paragraph{strong("note: ") + Text});
  };
  for (const std::string &Limit : R.Limits)
    Note(Limit);
  if (R.Lost)
    Note(counted(R.Lost, "event") + " lost by the recorder");
  if (!R.Complete)
    Note("the trace is incomplete: its recorder was killed, or the file was "
         "cut short");
  if (!R.Pointers)
    Note("the trace has no stores of pointers: record with --pointers all; "
         "contexts are those of descriptors and tasks");
  if (!R.Descriptors)
    Note("the trace does not tell the inodes of descriptors");
  if (!R.PageCache)
    Note("the trace has no events of the page cache: nothing to check against");
  if (R.Samples)
    Note("accesses are samples: late accesses are a part of all");
  for (const std::string &Name : R.Misfits)
    Note(Name + " has another size in the trace than in the debug "
                "information; it is left alone");
  Doc.Sections = {attribution(R), types(R),    classes(R),
                  lifetimes(R),   stranded(R), purity(R)};
  for (Section &Part : Doc.Sections)
    Part.Wide = true;
  return Doc;
}

} // namespace kst
