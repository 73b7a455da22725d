// SPDX-License-Identifier: GPL-2.0-or-later
//
// The report on contexts as a document: rules, types, classes.

#include "hybrid/contexts/ContextSections.h"
#include "hybrid/contexts/ContextsReport.h"

#include "hybrid/report/ByteAmount.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t ShownRows = 15, ShownParts = 15;

std::string orDash(bool There, const std::string &Text) {
  return There ? Text : "-";
}

std::string agreement(const Attributed::Agreement &Of) {
  return orDash(Of.Both, percent(shareOf(double(Of.Same), double(Of.Both))));
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
      return percent(shareOf(double(What[I]), double(In.bytes())));
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
        percent(1 - shareOf(double(R.Slab.Bytes[3]), double(R.Slab.bytes()))),
        "-",
        percent(1 - shareOf(double(R.FilePages.Bytes[3]),
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
    std::string Text = counted(R.NamedContexts, "context") +
                       " with pages that lead to them by pointers; " +
                       (R.MixedContexts ? std::to_string(R.MixedContexts) +
                                              " of them of several files"
                                        : std::string("each of one file"));
    Out.Body.push_back(Paragraph{Text});
  }
  Table Agree{{{"bytes of which both say something", false, true},
               {"slab", true},
               {"same", true},
               {"pages of files", true},
               {"same", true}}};
  auto Add = [&](const char *Name, Attributed::Agreement Attributed::*Which) {
    auto Cell = [&](const Attributed &In) {
      return percent(shareOf(double((In.*Which).Both), double(In.bytes())));
    };
    Agree.Rows.push_back({{Name, Cell(R.Slab), agreement(R.Slab.*Which),
                           Cell(R.FilePages), agreement(R.FilePages.*Which)}});
  };
  Add("pointers and descriptor", &Attributed::PointerCall);
  Add("pointers and last file", &Attributed::PointerTask);
  Add("descriptor and last file", &Attributed::CallTask);
  Out.Body.push_back(Agree);
  Out.Body.push_back(Paragraph{
      !R.Slab.SoftirqBytes
          ? std::string("No slab object was allocated in softirq, hardirq or "
                        "NMI.")
          : "In softirq, hardirq and NMI: " +
                percent(shareOf(double(R.Slab.SoftirqBytes),
                                double(R.Slab.bytes()))) +
                " of the slab bytes; of these " +
                percent(shareOf(double(R.Slab.SoftirqNone),
                                double(R.Slab.SoftirqBytes))) +
                " have no context."});
  return Out;
}

Section types(const ContextsReport &R) {
  Section Out;
  Out.Title = "types";
  Out.Body.push_back(Paragraph{soft(
      "bytes: allocated in the trace; way: the first of those that are "
      "followed; "
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
          percent(shareOf(double(F.Bytes[I]), double(F.bytes()))));
    Row.Cells.push_back(agreement(F.PointerCall));
    Row.Cells.push_back(std::to_string(F.Changed));
    Row.Cells.push_back(lifeText(Of.Lives));
    Row.Cells.push_back(Of.Path.empty()
                            ? Sentence("-")
                            : code(Of.Path.substr(0, Of.Path.find(" | "))));
    T.Rows.push_back(std::move(Row));
  }
  T.shorten(ShownContextTypes, " types");
  Out.Body.push_back(T);
  return Out;
}

/// What contexts consist of, and what of it closed ones have.
Table partsTable(const ContextsReport &R) {
  Table T{{{"class", false, true},
           {"its objects, by type", false, true},
           {"objects", true},
           {"bytes", true},
           {"stranded", true}}};
  std::vector<std::pair<const OwnerClass *, const OwnerClass::Part *>> Parts;
  for (const OwnerClass &Class : R.Classes)
    for (const OwnerClass::Part &Of : Class.Parts)
      Parts.push_back({&Class, &Of});
  std::stable_sort(Parts.begin(), Parts.end(), [](auto &A, auto &B) {
    return A.second->Bytes > B.second->Bytes;
  });
  for (const auto &[Class, Of] : Parts)
    T.Rows.push_back(
        {{code(Class->Name), code(Of->Type), std::to_string(Of->Objects),
          byteAmount(double(Of->Bytes)), byteAmount(Of->StrandedMean)}});
  T.shorten(ShownParts, " of class and type");
  return T;
}

Section classes(const ContextsReport &R) {
  Section Out;
  Out.Title = "contexts by class";
  Out.Body.push_back(Paragraph{soft(
      "a context: one object that has the anchor, and all that is attributed "
      "to it; open while a struct file leads to it; late: accesses to its "
      "objects after the last close; between: while it was closed, before it "
      "was "
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
  auto Share = [](uint64_t Part, uint64_t All) {
    return orDash(All, percent(shareOf(double(Part), double(All))));
  };
  for (const OwnerClass &Of : R.Classes)
    T.Rows.push_back(
        {{code(Of.Name), std::to_string(Of.Contexts), std::to_string(Of.Opened),
          std::to_string(Of.Reopened), std::to_string(Of.Ended),
          byteAmount(double(Of.SlabBytes)), byteAmount(double(Of.FileBytes)),
          std::to_string(Of.Accesses), Share(Of.BetweenAccesses, Of.Accesses),
          Share(Of.LateAccesses, Of.Accesses), byteAmount(Of.StrandedMean),
          byteAmount(double(Of.StrandedMost)),
          byteAmount(double(Of.StrandedAtEnd))}});
  Out.Body.push_back(T);
  Out.Body.push_back(Paragraph{
      "What they consist of; stranded: of these in closed contexts, mean"});
  Out.Body.push_back(partsTable(R));
  Out.Body.push_back(Paragraph{"The contexts with most bytes"});
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
          : Of.Opens  ? "open"
                      : "never opened"}});
  Rows.shorten(ShownRows, " contexts");
  Out.Body.push_back(Rows);
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
  Doc.Sections = {attribution(R),      types(R),           classes(R),
                  lifetimesSection(R), strandedSection(R), puritySection(R)};
  for (Section &Part : Doc.Sections)
    Part.Wide = true;
  return Doc;
}

} // namespace kst
