// SPDX-License-Identifier: GPL-2.0-or-later
//
// `trace import`, `trace dump`.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/Traces.h"
#include "tools/kstatic-affinity/MeasurementCommand.h"

namespace kst {

namespace {

ByteSink sinkTo(FileStream &Out) {
  return [&Out](std::string_view Part) {
    return Out.write({Part.data(), Part.size()});
  };
}

class TraceImportCommand : public MeasurementCommand {
public:
  TraceImportCommand()
      : MeasurementCommand("trace import",
                           "Make a trace of what code in trace mode recorded",
                           "RAW [--binary FILE]... [--label TEXT] -o FILE") {}

  llvm::Expected<ExitCode> run() override {
    if (llvm::Error E = check(1))
      return E;
    auto Out = FileStream::create(Output);
    if (!Out)
      return Out.takeError();
    const std::string &File = Files.front();
    auto Notes = importTrace({File, Binaries.all(), Label}, sinkTo(**Out));
    if (!Notes)
      return Notes.takeError();
    if (llvm::Error E = (*Out)->keep())
      return E;
    tell().note(File + ": " + *Notes);
    return ExitDone;
  }

private:
  ListFlag Binaries{binaries()};
};

class DumpCommand : public Command {
public:
  DumpCommand()
      : Command("trace dump", "Print a line for each event of a trace",
                "FILE [--struct NAME] [--limit N] [-o FILE]") {}

  llvm::Expected<ExitCode> run() override {
    if (Files.size() != 1)
      return mistake("usage: kstatic-affinity trace dump " + Usage);
    const std::string &File = Files.front();
    if (Output == File && File != "-")
      return mistake("-o " + Output + " is also an input");
    auto Out = FileStream::create(Output.empty() ? std::string("-")
                                                 : Output.getValue());
    if (!Out)
      return Out.takeError();
    llvm::Error Damage = dumpTrace({File, Struct, Limit}, sinkTo(**Out));
    if (Damage && !Output.empty() && Output != "-")
      return Damage; // no part of a file
    if (llvm::Error E = llvm::joinErrors((*Out)->keep(), std::move(Damage)))
      return E;
    return ExitDone;
  }

private:
  Flag<std::string> Struct{
      {Sub, OfAnalysis, "struct", "NAME", "Only this one"}};
  Flag<unsigned> Limit{
      {Sub, OfOutput, "limit", "N", "Events at most (default: all)"}};
  Flag<std::string> Output{{Sub, OfOutput, "o", "FILE",
                            "The file to write (default: standard output)"},
                           "-"};
  Words Files{Sub, "FILE"};
};

} // namespace

extern const MakeCommand MakeTraceImport = make<TraceImportCommand>;
extern const MakeCommand MakeTraceDump = make<DumpCommand>;

} // namespace kst
