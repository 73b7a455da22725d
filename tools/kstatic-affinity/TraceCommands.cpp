// SPDX-License-Identifier: GPL-2.0-or-later
//
// `trace import`, `trace dump`.

#include "hybrid/import/AccessLog.h"
#include "hybrid/import/RawTrace.h"
#include "hybrid/import/TraceJoin.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/trace/TraceText.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/InputBytes.h"
#include "tools/kstatic-affinity/OutputFile.h"
#include "tools/kstatic-affinity/ProfileCommands.h"
#include "tools/kstatic-affinity/ProgramTables.h"

namespace kst {

/// Traces are mapped and walked, never held.
static constexpr uint64_t MaxTraceBytes = uint64_t(256) << 30;

static llvm::Error failed(const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Why);
}

static llvm::Expected<TraceNotes>
importTrace(const Options &Given, const std::string &File, FileStream &Out) {
  auto Bytes = inputBytes(File, MaxTraceBytes);
  if (!Bytes)
    return Bytes.takeError();
  std::string_view Raw((*Bytes)->getBufferStart(), (*Bytes)->getBufferSize());
  if (looksLikeTrace(Raw))
    return failed(File + ": a trace already; see trace dump");
  bool Written = true;
  auto Sink = [&](std::string_view Part) {
    return Written = Out.write({Part.data(), Part.size()});
  };
  if (!looksLikeRawTrace(Raw) && looksLikeAccessLog(Raw)) {
    Result<AccessLogNotes> Log = traceOfAccessLog(Raw, Given.Label, Sink);
    if (!Log)
      return failed(File + ": " + Log.error());
    TraceNotes Notes;
    Notes.Events = Log->Accesses;
    Notes.OtherLines = Log->OtherLines;
    return Notes;
  }
  Result<RawTrace> Head = RawTrace::open(Raw);
  if (!Head)
    return failed(File + ": " + Head.error());
  ProgramTables Program(Given.Binaries);
  auto Tables = Program.of(Head->text(), File);
  if (!Tables)
    return Tables.takeError();
  Result<TraceNotes> Notes = joinTrace(Raw, **Tables, Given.Label, Sink);
  if (!Written) {
    if (llvm::Error Why = Out.keep())
      return Why;
    return failed("cannot write " + Given.OutputFile);
  }
  if (!Notes)
    return failed(File + ": " + Notes.error());
  return *Notes;
}

ExitCode runTraceImport(const Options &Given) {
  const std::string &File = Given.Paths.front();
  auto Out = FileStream::create(Given.OutputFile);
  if (!Out) {
    complain(llvm::toString(Out.takeError()));
    return ExitNoResult;
  }
  llvm::Expected<TraceNotes> Notes = importTrace(Given, File, **Out);
  if (!Notes) {
    complain(llvm::toString(Notes.takeError()));
    return ExitNoResult;
  }
  if (reportError((*Out)->keep()))
    return ExitNoResult;
  if (Given.Quiet)
    return ExitDone;
  std::string Line = counted(Notes->Events, "event");
  if (Notes->Units)
    Line += " of " + counted(Notes->Units, "unit") + " in " +
            counted(Notes->Streams, "stream");
  if (Notes->OtherLines)
    Line += "; " + counted(Notes->OtherLines, "line") + " not understood";
  if (Notes->Lost)
    Line += "; " + std::to_string(Notes->Lost) + " lost by the recorder";
  if (Notes->Unknown)
    Line += "; " + std::to_string(Notes->Unknown) +
            " of units in no table left out, give its file with --binary";
  complain(File + ": " + Line);
  return ExitDone;
}

/// Prints until the end, the limit, damage, or an output that takes no more.
static llvm::Error dump(const Options &Given, TraceReader &Trace,
                        FileStream &Out) {
  TraceText Text(Trace, Given.Structs.empty() ? "" : Given.Structs.front());
  std::string Lines = Text.head();
  uint64_t Shown = 0;
  for (TraceEvent E; (!Given.Limit || Shown < Given.Limit) && Trace.next(E);) {
    Shown += Text.line(E, Lines);
    if (Lines.size() > (1 << 16)) {
      if (!Out.write(Lines))
        return llvm::Error::success(); // keep() says why
      Lines.clear();
    }
  }
  if (Trace.failure()) {
    Out.write(Lines);
    return failed(Given.Paths.front() + ": " + Trace.failure()->Message);
  }
  Out.write(Lines + Text.foot());
  return llvm::Error::success();
}

ExitCode runTraceDump(const Options &Given) {
  const std::string &File = Given.Paths.front();
  auto Bytes = inputBytes(File, MaxTraceBytes);
  if (!Bytes) {
    complain(llvm::toString(Bytes.takeError()));
    return ExitNoResult;
  }
  std::string_view All((*Bytes)->getBufferStart(), (*Bytes)->getBufferSize());
  if (looksLikeRawTrace(All)) {
    complain(File + ": a raw trace; see trace import");
    return ExitNoResult;
  }
  Result<TraceReader> Trace = TraceReader::open(All);
  if (!Trace) {
    complain(File + ": " + Trace.error());
    return ExitNoResult;
  }
  if (!Given.Structs.empty()) {
    const Profile &P = Trace->about();
    if (llvm::none_of(P.Structs, [&](const MeasuredStruct &S) {
          return P.text(S.Name) == Given.Structs.front();
        })) {
      complain(File + " knows no struct " + Given.Structs.front());
      return ExitUsage;
    }
  }
  auto Out =
      FileStream::create(Given.OutputFile.empty() ? "-" : Given.OutputFile);
  if (!Out) {
    complain(llvm::toString(Out.takeError()));
    return ExitNoResult;
  }
  llvm::Error E = dump(Given, *Trace, **Out);
  if (E && !Given.OutputFile.empty() && Given.OutputFile != "-") {
    reportError(std::move(E)); // no part of a file
    return ExitNoResult;
  }
  bool Bad = reportError((*Out)->keep());
  Bad |= reportError(std::move(E));
  return Bad ? ExitNoResult : ExitDone;
}

} // namespace kst
