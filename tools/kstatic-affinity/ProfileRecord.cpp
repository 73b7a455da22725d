// SPDX-License-Identifier: GPL-2.0-or-later
//
// `profile record`.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/CountKernel.h"
#include "hybrid/profile/ProfileFile.h"
#include "tools/kstatic-affinity/GuestFlags.h"

namespace kst {

namespace {

class ProfileRecordCommand : public Command {
public:
  ProfileRecordCommand()
      : Command("profile record",
                "Boot a kernel in QEMU and count how often its lines run",
                "--kernel DIR [--initrd FILE] [--disk IMAGE] [--append WORDS] "
                "[--window START:STOP] [--label TEXT] -o FILE") {}

  llvm::Expected<ExitCode> run() override {
    if (Output.empty() || !NoWords.empty())
      return usageError("usage: kstatic-affinity profile record " + Usage);
    CountRequest Asked;
    if (llvm::Error E = Machine.fill("profile record", "KstCountRuns.so", Quiet,
                                     Output, Asked.Guest))
      return E;
    Asked.Window = Window;
    Asked.Label = Label;
    if (llvm::Error E = checkWritable(Output))
      return E;
    auto Made = countKernel(Asked, diagnostics());
    if (!Made)
      return Made.takeError();
    if (llvm::Error E = writeFile(Output, writeProfile(Made->What)))
      return E;
    diagnostics().note(Output + ": " + Made->InWords);
    return Made->Interrupted ? ExitInterrupted : ExitDone;
  }

private:
  GuestFlags Machine{Sub};
  Flag<std::string> Window{
      {Sub, OfAnalysis, "window", "START:STOP",
       "From the first execution of START to the next of STOP: symbols or "
       "addresses"}};
  Flag<std::string> Output{
      {Sub, OfOutput, "o", "FILE",
       "The profile to write (.kstp); - is standard output"}};
  Flag<std::string> Label{
      {Sub, OfOutput, "label", "TEXT", "Name of the workload"}};
  Words NoWords{Sub, ""};
};

} // namespace

extern const MakeCommand MakeProfileRecord = make<ProfileRecordCommand>;

} // namespace kst
