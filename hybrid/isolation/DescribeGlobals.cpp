// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `isolation globals` says, as a document for people.

#include "hybrid/isolation/GlobalsReport.h"
#include "hybrid/isolation/IsolationReport.h"
#include "hybrid/report/Numbers.h"

#include <bit>

namespace kst {
namespace {

constexpr size_t ShownLines = 10, ShownArrays = 20;

std::string placeOf(const Global &G) {
  if (G.Is.File.empty())
    return G.Section;
  return G.Is.File + (G.Is.Line ? ":" + std::to_string(G.Is.Line) : "");
}

std::string addressOf(const GlobalsReport &R, uint64_t Address,
                      const std::string &Section) {
  return R.Module ? Section + ", " + hexText(Address % 4096) + " in its page"
                  : hexText(Address);
}

const char *roleWords(LineRole Role) {
  return Role == LineRole::Written ? "written"
         : Role == LineRole::Read  ? "read"
                                   : "";
}

std::string cpuNumbers(uint64_t Mask) {
  std::string Out;
  for (unsigned C = 0; C < 64; ++C)
    if (Mask >> C & 1)
      Out += (Out.empty() ? "" : ",") + std::to_string(C);
  return Out.empty() ? "-" : Out;
}

Strip pictureOf(const GlobalsReport &R, const GlobalsLine &Line) {
  Strip Out;
  Out.LineBytes = Out.SizeBytes = R.LineBytes;
  Out.Lines.push_back({0, false});
  for (const LineMember &M : Line.Members) {
    const Global &G = R.Globals[M.Global];
    const uint64_t Begin = std::max(G.Is.Address, Line.Address) - Line.Address,
                   End = std::min(G.end(), Line.Address + R.LineBytes) -
                         Line.Address;
    Strip::Box Box{G.Is.Name,
                   G.Is.Name + "; bytes " + std::to_string(Begin) + " to " +
                       std::to_string(End - 1) + " of the line; " +
                       (M.Role == LineRole::Quiet ? "not used by what is known"
                                                  : roleWords(M.Role)),
                   8 * Begin,
                   8 * End,
                   M.Global,
                   M.Writes + M.Reads};
    Box.Written = M.Role == LineRole::Written;
    Out.Boxes.push_back(std::move(Box));
    Strip::Row Row;
    Row.Type = (G.Is.Type.empty() ? "" : G.Is.Type + " ") + G.Is.Name +
               (G.Is.Number ? "[" + std::to_string(G.Is.Number) + "]" : "") +
               "; /* " + placeOf(G) + " */";
    Row.When = Shown::Full;
    Out.Rows.push_back(std::move(Row));
  }
  return Out;
}

Bullets adviceOn(const GlobalsReport &R, const GlobalsLine &Line) {
  Bullets Out;
  for (const AdvisedGlobal &A : Line.Advice) {
    const Global &G = R.Globals[A.Global];
    const char *Why = "";
    switch (A.What) {
    case GlobalAdvice::ReadMostly:
      Why = ": it is read, and written at most once for 16 reads";
      break;
    case GlobalAdvice::AfterInit:
      Why =
          ": no code that stays after the boot names it to write it; look for "
          "writes through pointers first";
      break;
    case GlobalAdvice::Aligned:
      Why = ": it is written; nothing is behind it on its last line";
      break;
    case GlobalAdvice::OwnLines:
      Why = ": it is written, and others follow on its last line, so that "
            "alignment alone would leave them there";
      break;
    case GlobalAdvice::NotMostly:
      Why = ": it is written, and lies among what is read";
      break;
    }
    Out.Items.push_back({code(spelling(A.What, R.Kernel, R.LineBytes)) +
                         Sentence(" on ") + code(G.Is.Name) +
                         Sentence(" (" + placeOf(G) + ")") + Sentence(Why)});
  }
  if (!Line.Order.empty()) {
    std::string Names;
    for (uint32_t G : Line.Order)
      Names += (Names.empty() ? "" : ", ") + R.Globals[G].Is.Name;
    Out.Items.push_back({"or this order in " +
                         R.Globals[Line.Order.front()].Is.File + ": " + Names});
  }
  return Out;
}

Entry lineEntry(const GlobalsReport &R, const GlobalsLine &Line, bool Shown) {
  Entry Out;
  Out.When = Shown ? Shown::Always : Shown::Full;
  const Global &First = R.Globals[Line.Members.front().Global];
  Out.Label = R.Replay ? std::to_string(Line.False) : percent(Line.Cost);
  Out.Head =
      Sentence("line " + addressOf(R, Line.Address, First.Section) + ": ");
  std::vector<Sentence> Names;
  for (const LineMember &M : Line.Members)
    if (M.Role != LineRole::Quiet)
      Names.push_back(
          Sentence(R.Globals[M.Global].Is.Name,
                   M.Role == LineRole::Written ? Mark::Hot : Mark::Code));
  Out.Head += listed(Names, 6);
  Out.Body.push_back(pictureOf(R, Line));
  Table T{{{"global", false, true},
           {"at", true},
           {"bytes", true},
           {"defined in"},
           {"is"},
           {"written by"},
           {"read by"}}};
  if (R.Replay)
    for (const char *Name :
         {"loads", "stores", "readers", "writers", "misses", "advised"})
      T.Columns.push_back({Name, true});
  for (const LineMember &M : Line.Members) {
    const Global &G = R.Globals[M.Global];
    const int64_t At = int64_t(G.Is.Address - Line.Address);
    Table::Row Row{{code(G.Is.Name), std::to_string(At),
                    std::to_string(G.Is.SizeBytes), placeOf(G),
                    roleWords(M.Role), joined(M.Writers), joined(M.Readers)}};
    if (R.Replay) {
      const GlobalCounts &Of = R.Replay->Counts[M.Global];
      for (std::string Cell :
           {std::to_string(Of.Loads), std::to_string(Of.Stores),
            cpuNumbers(Of.Readers), cpuNumbers(Of.Writers),
            std::to_string(Of.False),
            std::to_string(R.Replay->CountsAdvised[M.Global].False)})
        Row.Cells.push_back(std::move(Cell));
    }
    Row.When = M.Role == LineRole::Quiet ? Shown::Full : Shown::Always;
    T.Rows.push_back(std::move(Row));
  }
  T.Rest = "globals that nothing is known to use with --full";
  Out.Body.push_back(std::move(T));
  Out.Body.push_back(adviceOn(R, Line));
  return Out;
}

/// What the trace says of them; a table of its own, as both are wide.
Table replayedArrays(const GlobalsReport &R) {
  Table T{{{"in the trace", false, true},
           {"one CPU wrote", true},
           {"several wrote", true},
           {"shared lines", true},
           {"false misses", true},
           {"padded", true}}};
  for (const SharedArray &A : R.Arrays)
    T.Rows.push_back(
        {{code(R.Globals[A.Global].Is.Name), std::to_string(A.OwnElements),
          std::to_string(A.CommonElements), std::to_string(A.OwnersBesides),
          std::to_string(A.False),
          std::to_string(R.Replay->CountsAdvised[A.Global].False)}});
  T.shorten(ShownArrays);
  return T;
}

Section arraySection(const GlobalsReport &R) {
  Section Out{"arrays with elements that share lines"};
  if (!R.Debug) {
    Out.Body.push_back(
        Paragraph{"Not known: the image has no debug information, which says "
                  "what is an array."});
    return Out;
  }
  if (R.Arrays.empty()) {
    Out.Body.push_back(Paragraph{
        R.Kernel ? "None that is written by an index after the boot, or by "
                   "several CPUs in the trace."
                 : "None that is written by an index while there are threads, "
                   "or by several threads in the trace."});
    return Out;
  }
  Table T{{{"array", false, true},
           {"elements", true},
           {"stride", true},
           {"share a line", true},
           {"written by"},
           {"read by"},
           {"padding", true},
           {"lines of a walk", true}}};
  for (const SharedArray &A : R.Arrays) {
    const Global &G = R.Globals[A.Global];
    Table::Row Row{
        {code(G.Is.Name) + Sentence(A.PerCpu ? " (one for each CPU)" : ""),
         std::to_string(G.Is.Number), std::to_string(G.Is.StrideBytes),
         std::to_string(A.Sharing), joined(A.Writers), joined(A.Readers),
         std::to_string(A.PaddedStride - G.Is.StrideBytes) + " * " +
             std::to_string(G.Is.Number) + " = " +
             std::to_string(A.PaddingBytes),
         std::to_string(A.LinesNow) + " to " + std::to_string(A.LinesPadded)}};
    T.Rows.push_back(std::move(Row));
  }
  T.shorten(ShownArrays);
  Out.Body.push_back(std::move(T));
  if (R.Replay)
    Out.Body.push_back(replayedArrays(R));
  Out.Body.push_back(Paragraph{
      soft("Arrays of static storage only. Which element belongs to whom, a "
           "trace says; without one these are all that code writes by an "
           "index. padding: bytes for elements that begin at lines. lines of a "
           "walk: what a reader of all elements loads, before and after.")});
  return Out;
}

} // namespace

Document describe(const GlobalsReport &R) {
  Document Doc;
  Doc.Name = "globals";
  Doc.Title = "globals that share cache lines in " + R.Image;
  Doc.Head.push_back(Paragraph{
      counted(R.Globals.size(), "global") + " that can be written, lines of " +
      std::to_string(R.LineBytes) + " bytes" +
      (R.Within.empty() ? "" : "; those defined in " + R.Within) +
      ". Who writes and who reads, is from " + std::to_string(R.Uses) +
      " instructions of the image that name data. Heat: " + R.HeatOf + "."});
  Doc.Head.push_back(Paragraph{
      soft("Seen are instructions that name data, and what functions do with "
           "an address that is passed to them, as that of a lock; other "
           "accesses through pointers only a trace has. What is "
           "written is told from what is read on the line at hand, not "
           "elsewhere in a large global.")});
  if (!R.Kernel)
    Doc.Head.push_back(
        Paragraph{soft("Objects of other kinds, and what each thread is given: "
                       "kstatic-affinity sharing.")});
  if (!R.Kernel)
    Doc.Head.push_back(Paragraph{soft(
        R.Threads
            ? "Code of main() before it makes the first thread, and what only "
              "such code calls, runs alone and does not count; nor does what "
              "only the first thread uses."
            : "No call in it makes a thread: if no library does, nothing is "
              "shared.")});
  if (!R.InputSections && R.Kernel)
    Doc.Head.push_back(Paragraph{
        soft("Sections of object files are not known (vmlinux.o is not beside "
             "the image, see --relocatable): what is __read_mostly already is "
             "not told from other data.")});
  if (R.Module)
    Doc.Head.push_back(
        Paragraph{"A module: sections lie as the kernel's loader places them, "
                  "from a page on; addresses are those in the page."});
  Section S;
  S.Verdict = true;
  S.Title =
      strong(R.Lines.empty()
                 ? "no line with a written global and another one that is read"
                 : counted(R.Lines.size(), "line") +
                       (R.Lines.size() == 1 ? " has" : " have") +
                       " a written global beside one that other code reads");
  if (R.Replay) {
    const ReplayedGlobals &P = *R.Replay;
    S.Body.push_back(Paragraph{
        "Replay of " + P.Trace + " on " + counted(P.Cpus, "CPU") + ": " +
        std::to_string(P.Accesses) + " of " + counted(P.OfAccesses, "access") +
        " to globals, " + counted(P.False, "miss") + " by false sharing (" +
        std::to_string(P.FalseWithin) +
        " of them inside one global, where no place of it helps); if "
        "all of the advice is taken " +
        std::to_string(P.FalseAdvised) +
        ". By true sharing: " + std::to_string(P.True) + ", then " +
        std::to_string(P.TrueAdvised) + "."});
    for (const std::string &Limit : P.Limits)
      S.Body.push_back(Paragraph{"Note: " + Limit + "."});
    S.Body.push_back(Paragraph{
        soft("The number in front of a line: misses by false sharing on it. In "
             "the tables: readers and writers are CPUs, misses are by false "
             "sharing, advised is what is left of them if the advice is "
             "taken. A model of caches that hold all globals; counts, not "
             "time.")});
  } else if (!R.Lines.empty()) {
    S.Body.push_back(Paragraph{
        soft("The share in front of a line: the lesser of the heat of who "
             "writes there and of who reads another global. Heat is that of "
             "whole functions: a store on a path that is hardly ever taken "
             "counts as its function.")});
  }
  for (size_t I = 0; I < R.Lines.size(); ++I)
    S.Body.push_back(lineEntry(R, R.Lines[I], I < ShownLines));
  if (R.Lines.size() > ShownLines)
    S.Body.push_back(Paragraph{
        counted(R.Lines.size() - ShownLines, "more line") + " with --full", "",
        Shown::Brief});
  Doc.Sections.push_back(std::move(S));
  Doc.Sections.push_back(arraySection(R));
  return Doc;
}

} // namespace kst
