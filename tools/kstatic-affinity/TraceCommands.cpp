// SPDX-License-Identifier: GPL-2.0-or-later
//
// `trace record`, `trace import`, `trace dump`.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/RecordKernel.h"
#include "hybrid/pipeline/RecordedKernel.h"
#include "tools/kstatic-affinity/GuestFlags.h"
#include "tools/kstatic-affinity/MeasurementCommand.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace kst {

namespace {

ByteSink sinkTo(FileStream &Out) {
  return [&Out](std::string_view Part) {
    return Out.write({Part.data(), Part.size()});
  };
}

class TraceRecordCommand : public Command {
public:
  TraceRecordCommand()
      : Command("trace record", "Boot a kernel in QEMU and record what it does",
                "--kernel DIR [--initrd FILE] [--disk IMAGE] [--append WORDS] "
                "[--type NAME[,NAME]] [--window START:STOP] -o FILE") {
    Types.separated();
    Addresses.separated();
    Pointers.separated();
    Contexts.separated();
  }

  llvm::Expected<ExitCode> run() override {
    RecordRequest Asked;
    if (llvm::Error E = fill(Asked))
      return E;
    auto Out = FileStream::create(Output);
    if (!Out)
      return Out.takeError();
    auto Interrupted = recordKernel(Asked, diagnostics());
    if (!Interrupted)
      return Interrupted.takeError();
    auto Notes = importRecording(Asked.Directory, "", "", sinkTo(**Out));
    if (!Notes)
      return within("the recording is in " + Asked.Directory,
                    Notes.takeError());
    if (llvm::Error E = (*Out)->keep())
      return E;
    diagnostics().note(Output + ": " + Notes->InWords);
    if (!Notes->Accesses)
      sayWithout(Asked);
    if (!Keep)
      (void)llvm::sys::fs::remove_directories(Asked.Directory);
    return *Interrupted ? ExitInterrupted : ExitDone;
  }

private:
  /// Of a trace without accesses: whoever asks for those of nmi wants none.
  void sayWithout(const RecordRequest &Asked) {
    if (!Asked.Types.empty() || !Asked.Addresses.empty())
      diagnostics().warn(Output +
                         " has no access: nothing that was asked for "
                         "happened; slab objects are found by the name of "
                         "their cache, as /proc/slabinfo has it");
    else if (!Asked.Contexts.empty())
      diagnostics().note(Output +
                         " has lives and contexts, and no access: there was "
                         "none by " +
                         llvm::join(Asked.Contexts, ", "));
    else
      diagnostics().warn(Output + " has no access: " +
                         (Asked.Window.empty() ? "nothing ran"
                                               : "the window " + Asked.Window +
                                                     " did not begin"));
  }

  llvm::Error fill(RecordRequest &Asked) {
    if (Output.empty() || Output == "-" || !NoWords.empty())
      return usageError("usage: kstatic-affinity trace record " + Usage);
    if (llvm::Error E = Machine.fill("trace record", "KstRecorder.so", Quiet,
                                     Output, Asked.Guest))
      return E;
    Asked.Types = Types.all();
    Asked.Addresses = Addresses.all();
    Asked.Pointers = Pointers.all();
    Asked.Contexts = Contexts.all();
    Asked.Window = Window;
    Asked.Sample = Sample;
    Asked.Label = Label;
    Asked.Directory = Output + ".recording";
    return llvm::Error::success();
  }

  GuestFlags Machine{Sub};
  ListFlag Types{{Sub, OfAnalysis, "type", "NAME[,NAME]",
                  "Only objects of these types: structs, slab "
                  "caches, kmalloc@FUNCTION"}};
  ListFlag Addresses{{Sub, OfAnalysis, "address", "RANGE[,RANGE]",
                      "Only these addresses: BEGIN-END, or a variable"}};
  ListFlag Pointers{
      {Sub, OfAnalysis, "pointers", "MEMBER[,MEMBER]",
       "Values of these pointers, too: all, or TYPE.MEMBER of slab "
       "objects"}};
  ListFlag Contexts{
      {Sub, OfAnalysis, "context", "NAME[,NAME]",
       "Only accesses by these: task, call, softirq, hardirq, nmi"}};
  Flag<std::string> Window{
      {Sub, OfAnalysis, "window", "START:STOP",
       "From the first execution of START to the next of STOP: symbols or "
       "addresses"}};
  Flag<std::string> Sample{
      {Sub, OfAnalysis, "sample", "N/M",
       "Only accesses in N of M intervals, each of about a million accesses"}};
  Flag<std::string> Output{
      {Sub, OfOutput, "o", "FILE", "The trace to write (.kstt)"}};
  Flag<std::string> Label{
      {Sub, OfOutput, "label", "TEXT", "Name of the workload"}};
  Flag<bool> Keep{{Sub, OfOutput, "keep-raw", "",
                   "Keep the raw recording, FILE.recording"}};
  Words NoWords{Sub, ""};
};

class TraceImportCommand : public MeasurementCommand {
public:
  TraceImportCommand()
      : MeasurementCommand("trace import",
                           "Make a trace of what others recorded",
                           "FILE [--binary FILE]... [--page-offset ADDRESS] "
                           "[--label TEXT] -o FILE") {}

  llvm::Expected<ExitCode> run() override {
    if (llvm::Error E = check(1, Binaries.all()))
      return E;
    uint64_t DirectMap = 0;
    if (llvm::StringRef(PageOffset.getValue()).getAsInteger(0, DirectMap) !=
        PageOffset.empty())
      return usageError("--page-offset takes an address, not '" + PageOffset +
                        "'");
    auto Out = FileStream::create(Output);
    if (!Out)
      return Out.takeError();
    const std::string &File = Files.front();
    const std::vector<std::string> Given = Binaries.all();
    auto Notes = import({File, Given, Label, DirectMap}, sinkTo(**Out));
    if (!Notes)
      return Notes.takeError();
    if (llvm::Error E = (*Out)->keep())
      return E;
    diagnostics().note(File + ": " + *Notes);
    return ExitDone;
  }

private:
  static llvm::Expected<std::string> import(const TraceImportRequest &Asked,
                                            const ByteSink &Sink) {
    if (!looksLikeRecording(Asked.File))
      return importTrace(Asked, Sink);
    auto Read = importRecording(
        Asked.File, Asked.Binaries.empty() ? "" : Asked.Binaries.front(),
        Asked.Label, Sink);
    if (!Read)
      return Read.takeError();
    return Read->InWords;
  }

  ListFlag Binaries{binaries()};
  Flag<std::string> PageOffset{
      {Sub, OfAnalysis, "page-offset", "ADDRESS",
       "Address of page 0 in the kernel that trace-cmd or perf recorded "
       "(default: found in the recording)"}};
};

class DumpCommand : public Command {
public:
  DumpCommand()
      : Command(
            "trace dump", "Print a line for each event of a trace",
            "FILE [--struct NAME] [--limit N] [--types | --users] [-o FILE]") {}

  llvm::Expected<ExitCode> run() override {
    if (Files.size() != 1)
      return usageError("usage: kstatic-affinity trace dump " + Usage);
    if (Types && Users)
      return usageError("--types and --users are two listings");
    const std::string &File = Files.front();
    if (llvm::Error E = checkInputs({{"-o", Output}}, {File}))
      return E;
    auto Out = FileStream::create(Output.empty() ? std::string("-")
                                                 : Output.getValue());
    if (!Out)
      return Out.takeError();
    llvm::Error Damage =
        dumpTrace({File, Struct, Limit, Types, Users}, sinkTo(**Out));
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
  Flag<bool> Types{
      {Sub, OfOutput, "types", "",
       "In place of events: what was allocated, where, and how its "
       "type is known"}};
  Flag<bool> Users{
      {Sub, OfOutput, "users", "",
       "In place of events: which functions visit objects, and how "
       "often from another CPU than the object's own"}};
  Flag<std::string> Output{{Sub, OfOutput, "o", "FILE",
                            "The file to write (default: standard output)"},
                           "-"};
  Words Files{Sub, "FILE"};
};

} // namespace

extern const MakeCommand MakeTraceRecord = make<TraceRecordCommand>;
extern const MakeCommand MakeTraceImport = make<TraceImportCommand>;
extern const MakeCommand MakeTraceDump = make<DumpCommand>;

} // namespace kst
