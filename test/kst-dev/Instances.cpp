// SPDX-License-Identifier: GPL-2.0-or-later
//
// `instances`: what the layout stage would be given for each struct, as
// kst-instance/1 (docs/guide/formats.md), one line for each configuration.
// Feeds the published instance set and bug reports.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/Session.h"
#include "test/kst-dev/Commands.h"
#include "test/kst-dev/InstanceFile.h"
#include "test/kst-dev/MakeInstance.h"
#include "tools/support/SourceFlags.h"

namespace kst {

namespace {

std::string linesOf(const Session::Prepared &Ready) {
  const StructInConfigs &Struct = Ready.Struct;
  std::string Text;
  for (size_t I = 0; I < Struct.Where.size(); ++I) {
    Instance New = makeInstance(Struct.Evidence.Configs[I], Ready.Layout,
                                Struct.Where[I]->Triple);
    if (Struct.Where.size() > 1)
      New.Name += "@" + Struct.Where[I]->Name;
    Text += writeInstance(New);
  }
  return Text;
}

class InstancesCommand : public StructsCommand {
public:
  InstancesCommand()
      : StructsCommand("instances", "The layout problems of structs",
                       "--struct NAME[,NAME] [-p DIR]... [-o FILE] PATH...") {}

  llvm::Expected<ExitCode> run() override {
    AnalyzeRequest Asked;
    if (Structs.empty())
      return usageError("name the structs with --struct");
    if (llvm::Error E = fill(Asked))
      return E;
    auto From = Session::open(std::move(Asked));
    if (!From)
      return From.takeError();
    std::string Text;
    ExitCode Worst = From->Status;
    for (const StructRequest &Struct : From->Asked.Structs) {
      auto Ready = From->prepare(Struct);
      if (Ready)
        Text += linesOf(*Ready);
      else
        Worst = std::max(Worst, diagnostics().report(Ready.takeError()));
    }
    if (!Text.empty())
      if (llvm::Error E = writeFile(Output, Text))
        return E;
    return Worst;
  }

private:
  Flag<std::string> Output{{Sub, OfOutput, "o", "FILE",
                            "The file to write (default: standard output)"},
                           "-"};
};

} // namespace

const MakeCommand MakeInstances = make<InstancesCommand>;

} // namespace kst
