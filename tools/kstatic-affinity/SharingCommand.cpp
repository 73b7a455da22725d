// SPDX-License-Identifier: GPL-2.0-or-later
//
// `sharing`: what threads or CPUs share, falsely and truly.

#include "analyzer/files/OutputFile.h"
#include "hybrid/findings/FindingForms.h"
#include "hybrid/pipeline/Sharing.h"
#include "hybrid/sharing/SharingDocument.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

namespace kst {
namespace {

class SharingCommand : public StructsCommand {
public:
  SharingCommand()
      : StructsCommand("sharing",
                       "Say what threads share falsely, and what would help",
                       "[-p DIR]... PATH... | --trace FILE [--binary FILE]... "
                       "[[-p DIR]... PATH...]") {
    for (cl::Option &Rare :
         std::initializer_list<std::reference_wrapper<cl::Option>>{
             Structs, Pins, LiftRule, Evidence, PoolProfiles, Users, Contention,
             Threads, Lifecycle, InstanceAlign})
      Rare.setHiddenFlag(cl::ReallyHidden);
  }
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(SharingRequest &Asked);

  Flag<std::string> Trace{
      {Sub, OfAnalysis, "trace", "FILE",
       "A trace (.kstt) of the program: what its threads accessed"}};
  ListFlag Binaries{{Sub, OfAnalysis, "binary", "FILE",
                     "With --trace: a file that ran; its debug information "
                     "names variables and members; may be repeated"}};
  Flag<std::string> Patch{{Sub, OfOutput, "patch", "FILE",
                           "Write the remedies that are text as one patch, "
                           "those that help when asked again"}};
  Flag<std::string> Sarif{{Sub, OfOutput, "sarif", "FILE",
                           "Also write what is shared falsely as SARIF 2.1.0"}};
  ReportFlags Files{Sub};
};

llvm::Error SharingCommand::fill(SharingRequest &Asked) {
  using OptionRef = std::reference_wrapper<const cl::Option>;
  for (const cl::Option &No : std::initializer_list<OptionRef>{
           Structs, Pins, LiftRule, Evidence, PoolProfiles, Users, Contention,
           Threads, Lifecycle, InstanceAlign})
    if (No.getNumOccurrences())
      return usageError(
          "--" + No.ArgStr +
          " is about single structs; sharing looks at all memory");
  if (llvm::Error E = StructsCommand::fill(Asked.Source))
    return E;
  for (const ProfileRequest &Of : Asked.Source.Profiles) {
    if (Of.Weight != 1)
      return usageError("--profile: counts are added up as they are, without "
                        "weights");
    Asked.Counts.push_back(Of.File);
  }
  Asked.Source.Profiles.clear();
  Asked.HasSource = !Paths.empty();
  Asked.Trace = Trace;
  for (llvm::StringRef File : Binaries)
    Asked.Binaries.push_back(File.str());
  if (!Asked.Counts.empty() && (!Asked.HasSource || !Asked.Trace.empty()))
    return usageError("--profile counts code of PATH...; a trace has its own "
                      "counts");
  if (Asked.Trace.empty() && !Asked.Binaries.empty())
    return usageError("--binary names what a trace is of: --trace FILE");
  if (!Asked.HasSource && Asked.Trace.empty())
    return usageError("usage: kstatic-affinity " + Sub.getName() + " " + Usage);
  Asked.Source.Units.SomePaths = true;
  Asked.WithPatch = !Patch.empty();
  if (Asked.WithPatch && (!Asked.HasSource || !Asked.Trace.empty()))
    return usageError("--patch changes the source of PATH...; a trace does not "
                      "say where it is");
  Asked.Quiet = Quiet;
  std::vector<std::string> Inputs = inputs(Asked.Source);
  Inputs.push_back(Trace);
  Inputs.insert(Inputs.end(), Asked.Counts.begin(), Asked.Counts.end());
  Inputs.insert(Inputs.end(), Asked.Binaries.begin(), Asked.Binaries.end());
  OutputFiles More;
  if (Asked.WithPatch)
    More.push_back({"--patch", Patch});
  if (!Sarif.empty())
    More.push_back({"--sarif", Sarif});
  return Files.check(More, Inputs);
}

llvm::Expected<ExitCode> SharingCommand::run() {
  SharingRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  auto Answer = findSharing(std::move(Asked));
  if (!Answer)
    return Answer.takeError();
  if (llvm::Error E = Files.write(
          {describe(Answer->What)}, [&] { return toJson(Answer->What); },
          Quiet))
    return E;
  const FindingKind Kinds[] = {FindingKind::FalseSharing};
  if (!Sarif.empty())
    if (llvm::Error E = writeFile(
            Sarif, toSarif(Answer->What.Tool, toFindings(Answer->What), Kinds)))
      return E;
  if (!Answer->Patch.empty())
    if (llvm::Error E = writeFile(Patch, Answer->Patch))
      return E;
  return Answer->Status;
}

} // namespace

extern const MakeCommand MakeSharing = make<SharingCommand>;

} // namespace kst
