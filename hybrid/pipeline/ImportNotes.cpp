// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ImportNotes.h"

#include "hybrid/report/Numbers.h"

namespace kst {
namespace {

struct Part {
  uint64_t Number;
  std::string Text;
};

/// Line and the parts whose number is not 0.
std::string with(std::string Line, std::initializer_list<Part> Parts) {
  for (const Part &P : Parts)
    if (P.Number)
      Line += "; " + P.Text;
  return Line;
}

std::string several(const SampleProfile &Read) {
  constexpr size_t MostNames = 5;
  std::string Line = counted(Read.Several.size(), "name") +
                     " of several functions left out, with " +
                     percent(Read.SeveralShare) + " of the samples: ";
  for (size_t I = 0; I != Read.Several.size() && I != MostNames; ++I)
    Line += (I ? ", " : "") + Read.Several[I];
  return Line + (Read.Several.size() > MostNames ? ", ..." : "");
}

} // namespace

std::string inWords(const JoinNotes &N) {
  return with(
      counted(N.UnitsJoined, "unit"),
      {{N.UnitsWithoutTable,
        counted(N.UnitsWithoutTable, "unit") +
            " with counters in no table: left out, give its file with "
            "--binary"},
       {N.TablesWithoutCounters,
        counted(N.TablesWithoutCounters, "table") +
            " without counters: never ran, counted as zero"},
       {N.NegativeRegions, counted(N.NegativeRegions, "region") +
                               " with a count below zero, taken as zero"},
       {N.ObjectsWithoutStruct,
        counted(N.ObjectsWithoutStruct, "struct") +
            " counted by address in no table: left out"}});
}

std::string inWords(const PerfNotes &N) {
  std::string Branches = "of " + std::to_string(N.Branches) +
                         " taken branches " + std::to_string(N.Entries) +
                         " to the start of a function";
  if (N.Entries)
    Branches += ", its entries; " + counted(N.SamplesLeft, "sample") +
                " of functions not used for that";
  std::string Line = counted(N.Samples, "sample") + " of functions";
  if (N.FieldSamples)
    Line += ", " + counted(N.FieldSamples, "sample") + " of fields";
  return with(
      std::move(Line),
      {{N.Branches, Branches},
       {N.UserSpace, std::to_string(N.UserSpace) + " of user space left out"},
       {N.Unknown, std::to_string(N.Unknown) + " without a symbol"},
       {N.DataAddresses, "data addresses of " +
                             counted(N.DataAddresses, "sample") +
                             " not used: no object is known there"},
       {N.OtherLines, counted(N.OtherLines, "line") + " not understood"}});
}

std::string inWords(const AccessLogNotes &N) {
  return with(
      std::to_string(N.Accesses) + (N.Accesses == 1 ? " access" : " accesses"),
      {{N.OtherLines, counted(N.OtherLines, "line") + " not understood"}});
}

std::string inWords(const LineCoverageNotes &N) {
  return with(
      counted(N.Functions, "function") + ", " + counted(N.Lines, "line"),
      {{N.EntriesOnly,
        "lines not used: LLVM's tracefiles do not say where the name of a "
        "function stands, give the program with --binary"},
       {N.NotInProgram,
        std::to_string(N.NotInProgram) + " that the program does not have"},
       {N.LinesOutside, counted(N.LinesOutside, "line") +
                            " of no function, or of several, left out"},
       {N.OtherLines,
        counted(N.OtherLines, "line") + " of the file not understood"}});
}

std::string inWords(const SampleProfile &N) {
  return with(
      counted(N.Functions, "function") + ", with " +
          counted(N.Inlined, "inlined function"),
      {{N.NotInProgram, std::to_string(N.NotInProgram) +
                            " that the program does not have, of no file"},
       {N.Hashes, counted(N.Hashes, "hashed name") +
                      " of no function of the program left out"},
       {N.Several.size(), several(N)}});
}

} // namespace kst
