// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Traces.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/import/AccessLog.h"
#include "hybrid/import/Lackey.h"
#include "hybrid/import/RawTrace.h"
#include "hybrid/import/TraceJoin.h"
#include "hybrid/pipeline/KernelEvents.h"
#include "hybrid/pipeline/KernelTraceTables.h"
#include "hybrid/pipeline/ProgramTables.h"
#include "hybrid/pipeline/TraceBytes.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/trace/TraceText.h"
#include "hybrid/trace/TypeListing.h"
#include "hybrid/trace/UserListing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace kst {

/// Lines are handed out in pieces of about this size.
static constexpr size_t PieceBytes = 1 << 16;

static std::string inWords(const TraceNotes &Notes) {
  std::string Line = counted(Notes.Events, "event");
  if (Notes.Units)
    Line += " of " + counted(Notes.Units, "unit") + " in " +
            counted(Notes.Streams, "stream");
  if (Notes.Allocations || Notes.Frees)
    Line += ", " + counted(Notes.Allocations, "allocation") + " and " +
            counted(Notes.Frees, "free");
  if (Notes.OtherLines)
    Line += "; " + counted(Notes.OtherLines, "line") + " not understood";
  if (Notes.Lost)
    Line += "; " + std::to_string(Notes.Lost) + " lost by the recorder";
  if (Notes.Unknown)
    Line += "; " + std::to_string(Notes.Unknown) +
            " of units in no table left out, give its file with --binary";
  return Line;
}

/// Of code of the first binary.
static CallerNames callerNames(const std::vector<std::string> &Binaries) {
  if (Binaries.empty())
    return {};
  auto Read = KernelImage::open(Binaries.front());
  if (!Read) {
    llvm::consumeError(Read.takeError()); // its tables were read
    return {};
  }
  auto Image = std::make_shared<KernelImage>(std::move(*Read));
  return [Image](uint64_t Pc) -> CallerPlace {
    // The call is before where it returns to.
    const auto Places = Image->placesOf(Pc - 1);
    const SourcePlace &Of = ownPlace(Places);
    if (Of.Line || Of.Function.empty())
      return {Of.Function, Of.Function, Of.File, Of.Line, Of.Column};
    const auto Symbol = Image->symbol(Of.Function);
    return {Of.Function,
            Of.Function + "+0x" +
                llvm::utohexstr(Pc - (Symbol ? Symbol->Address : 0),
                                /*LowerCase=*/true),
            Of.File, 0, 0};
  };
}

llvm::Expected<std::string> importTrace(const TraceImportRequest &Asked,
                                        const ByteSink &Sink) {
  const std::string Context = Asked.File + ": ";
  auto Buffer = inputBytes(Asked.File, MaxTraceBytes);
  if (!Buffer)
    return usageError(llvm::toString(Buffer.takeError()));
  std::string_view Bytes = bytesOf(**Buffer);
  if (looksLikeTrace(Bytes))
    return usageError(Context + "a trace already; see trace dump");
  if (looksLikeKernelEvents(Bytes))
    return importKernelEvents(Asked, Bytes, Sink);
  bool Taken = true;
  auto Written = [&](std::string_view Part) { return Taken = Sink(Part); };
  if (!looksLikeRawTrace(Bytes) && looksLikeAccessLog(Bytes)) {
    auto Log =
        orFailure(traceOfAccessLog(Bytes, Asked.Label, Written), Context);
    if (!Log)
      return Log.takeError();
    TraceNotes Notes;
    Notes.Events = Log->Accesses;
    Notes.OtherLines = Log->OtherLines;
    return inWords(Notes);
  }
  if (looksLikeLackey(Bytes)) {
    auto Lackey =
        orFailure(traceOfLackey(Bytes, Asked.Label, Written), Context);
    if (!Lackey)
      return Lackey.takeError();
    TraceNotes Notes;
    Notes.Events = Lackey->Accesses;
    Notes.OtherLines = Lackey->OtherLines;
    return inWords(Notes);
  }
  if (!looksLikeRawTrace(Bytes))
    return usageError(Context + "not a raw trace");
  auto Head = orFailure(RawTrace::open(Bytes), Context);
  if (!Head)
    return Head.takeError();
  ProgramTables Program(Asked.Binaries);
  auto Tables = Program.of(Head->text(), Asked.File);
  if (!Tables)
    return Tables.takeError();
  auto Notes = orFailure(joinTrace(Bytes, **Tables, Asked.Label, Written,
                                   callerNames(Asked.Binaries)),
                         Context);
  if (Notes)
    return inWords(*Notes) +
           (Program.problem().empty()
                ? ""
                : "; members have no names: " + Program.problem());
  if (Taken)
    return Notes.takeError();
  llvm::consumeError(Notes.takeError());
  return ""; // who takes no more knows why
}

llvm::Error dumpTrace(const TraceDumpRequest &Asked, const ByteSink &Sink) {
  const std::string Context = Asked.File + ": ";
  auto Buffer = inputBytes(Asked.File, MaxTraceBytes);
  if (!Buffer)
    return usageError(llvm::toString(Buffer.takeError()));
  if (looksLikeRawTrace(bytesOf(**Buffer)))
    return usageError(Context + "a raw trace; see trace import");
  if (!looksLikeTrace(bytesOf(**Buffer)))
    return usageError(Context + "not a trace (.kstt)");
  auto Trace = orFailure(TraceReader::open(bytesOf(**Buffer)), Context);
  if (!Trace)
    return Trace.takeError();
  const Profile &About = Trace->about();
  if (!Asked.Struct.empty() &&
      llvm::none_of(About.Structs, [&](const MeasuredStruct &S) {
        return About.text(S.Name) == Asked.Struct;
      }))
    return usageError(Asked.File + " knows no struct " + Asked.Struct);
  if (Asked.Types || Asked.Users) {
    const std::string Listing = Asked.Types ? typeListing(*Trace, Asked.Struct)
                                            : userListing(*Trace, Asked.Struct);
    if (Trace->failure())
      return failure(Context + Trace->failure()->Message);
    Sink(Listing + TraceText(*Trace, "").foot());
    return llvm::Error::success();
  }
  TraceText Text(*Trace, Asked.Struct);
  std::string Lines = Text.head();
  uint64_t Shown = 0;
  for (TraceEvent Event;
       (!Asked.Limit || Shown < Asked.Limit) && Trace->next(Event);) {
    Shown += Text.line(Event, Lines);
    if (Lines.size() <= PieceBytes)
      continue;
    if (!Sink(Lines))
      return llvm::Error::success();
    Lines.clear();
  }
  if (Trace->failure()) {
    Sink(Lines);
    return failure(Context + Trace->failure()->Message);
  }
  Sink(Lines + Text.foot());
  return llvm::Error::success();
}

} // namespace kst
