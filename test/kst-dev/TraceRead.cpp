// SPDX-License-Identifier: GPL-2.0-or-later
//
// `trace-read`: what it takes to read a trace, and nothing else.

#include "analyzer/files/InputFile.h"
#include "analyzer/files/OutputFile.h"
#include "hybrid/trace/TraceReader.h"
#include "test/kst-dev/Commands.h"

namespace kst {
namespace {

class TraceReadCommand : public Command {
public:
  TraceReadCommand()
      : Command("trace-read", "Read a trace and print its number of events",
                "FILE") {}

  llvm::Expected<ExitCode> run() override {
    if (Files.size() != 1)
      return usageError("usage: kst-dev trace-read FILE");
    auto Bytes = inputBytes(Files[0], uint64_t(256) << 30);
    if (!Bytes)
      return Bytes.takeError();
    auto Trace =
        orFailure(TraceReader::open(bytesOf(**Bytes)), Files[0] + ": ");
    if (!Trace)
      return Trace.takeError();
    uint64_t Events = 0;
    for (TraceEvent E; Trace->next(E);)
      ++Events;
    if (Trace->failure())
      return failure(Files[0] + ": " + Trace->failure()->Message);
    if (llvm::Error E = writeFile("-", std::to_string(Events) + "\n"))
      return E;
    return ExitDone;
  }

private:
  Words Files{Sub, "FILE"};
};

} // namespace

extern const MakeCommand MakeTraceRead = make<TraceReadCommand>;

} // namespace kst
