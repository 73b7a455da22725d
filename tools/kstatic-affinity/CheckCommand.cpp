// SPDX-License-Identifier: GPL-2.0-or-later
//
// `check`: are layouts still as good as they were, and are the kernel's
// cacheline groups what the code needs.

#include "analyzer/files/OutputFile.h"
#include "hybrid/findings/FindingForms.h"
#include "hybrid/findings/Ignored.h"
#include "hybrid/pipeline/CheckBaseline.h"
#include "hybrid/pipeline/CheckGroups.h"
#include "hybrid/review/ReviewReport.h"
#include "tools/kstatic-affinity/FindingFlags.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

namespace kst {

namespace {

class CheckCommand : public StructsCommand {
public:
  CheckCommand()
      : StructsCommand("check",
                       "Hold layouts against a baseline, or cacheline "
                       "groups against the code",
                       "--baseline FILE|--groups|--write-baseline FILE "
                       "[--struct NAME] [-p DIR]... PATH...") {
    IgnoreWords.separated();
    for (cl::Option &Rare :
         std::initializer_list<std::reference_wrapper<cl::Option>>{Pins,
                                                                   LiftRule})
      Rare.setHiddenFlag(cl::ReallyHidden);
  }
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(AnalyzeRequest &Asked);
  llvm::Error fillWords();
  llvm::Expected<ExitCode> groups();
  llvm::Expected<ExitCode> baseline();
  llvm::Expected<ExitCode> write();
  template <typename Report>
  llvm::Expected<ExitCode> finish(Report &Answer, ExitCode Status);

  Flag<std::string> BaselineFile{
      {Sub, OfAnalysis, "baseline", "FILE", "Say what is worse than there"}};
  Flag<std::string> WriteBaseline{{Sub, OfOutput, "write-baseline", "FILE",
                                   "Write the layouts of --struct"}};
  Flag<bool> Groups{{Sub, OfAnalysis, "groups", "",
                     "Hold __cacheline_group members and the kernel's tables "
                     "of them against the code"}};
  ListFlag Tables{{Sub, OfAnalysis, "table", "FILE",
                   "With --groups: this table, in place of those of "
                   "Documentation/networking/net_cachelines"}};
  ListFlag IgnoreWords{{Sub, OfOutput, "ignore", "WHAT[,WHAT]",
                        "Say nothing of these kinds, structs or "
                        "STRUCT.FIELDs"}};
  FindingFlags Found{Sub};
  ReportFlags Files{Sub};
  Ignored Silent;
};

llvm::Error CheckCommand::fillWords() {
  const std::span<const FindingKind> Kinds =
      Groups ? groupKinds() : baselineKinds();
  if (llvm::Error E = Found.check(Kinds))
    return E;
  auto Names = orMistake(Ignored::parse(IgnoreWords.all(), Kinds));
  if (!Names)
    return Names.takeError();
  Silent = std::move(*Names);
  return llvm::Error::success();
}

llvm::Error CheckCommand::fill(AnalyzeRequest &Asked) {
  if (Groups + BaselineFile.given() + WriteBaseline.given() != 1)
    return usageError("check takes one of --baseline FILE, --groups and "
                      "--write-baseline FILE");
  if (!Tables.empty() && !Groups)
    return usageError("--table goes with --groups");
  if (WriteBaseline.given()) {
    if (Structs.empty())
      return usageError("--write-baseline needs --struct NAME[,NAME]");
    for (const cl::Option &No :
         std::initializer_list<std::reference_wrapper<const cl::Option>>{
             Found.FailOnWords, IgnoreWords, Found.Suppressions, Found.Sarif,
             Found.MinShare})
      if (No.getNumOccurrences())
        return usageError("--" + No.ArgStr +
                          " is about findings; --write-baseline has none");
  }
  if (Paths.empty())
    return usageError("usage: kstatic-affinity check " + Usage);
  if (llvm::Error E = fillWords())
    return E;
  if (llvm::Error E = StructsCommand::fill(Asked))
    return E;
  OutputFiles More;
  if (Found.Sarif.given())
    More.push_back({"--sarif", Found.Sarif});
  if (WriteBaseline.given())
    More.push_back({"--write-baseline", WriteBaseline});
  std::vector<std::string> Inputs = inputs(Asked);
  Inputs.insert(Inputs.end(), {BaselineFile, Found.Suppressions});
  Inputs.insert(Inputs.end(), Tables.begin(), Tables.end());
  return Files.check(More, Inputs);
}

template <typename Report>
llvm::Expected<ExitCode> CheckCommand::finish(Report &Answer, ExitCode Status) {
  for (const std::string &Name : Silent.apply(Answer))
    Answer.Notes.push_back("--ignore " + Name + ": no finding is about it");
  if (Found.Sarif.given())
    if (llvm::Error E = writeFile(Found.Sarif, toSarif(Answer)))
      return E;
  if (llvm::Error E = Files.write(
          {describe(Answer)}, [&] { return toJson(Answer); }, Quiet))
    return E;
  return worse(Status, Found.Fatal.matches(Answer) ? ExitFailOn : ExitDone);
}

llvm::Expected<ExitCode> CheckCommand::groups() {
  GroupsRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  Asked.Tables = Tables.all();
  Asked.LineGiven = CacheLine.given();
  Asked.Suppressions = Found.Suppressions;
  auto Answer = checkGroups(Asked);
  if (!Answer)
    return Answer.takeError();
  return finish(Answer->Report, Answer->Status);
}

llvm::Expected<ExitCode> CheckCommand::baseline() {
  BaselineRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  Asked.File = BaselineFile;
  Asked.LineGiven = CacheLine.given();
  Asked.Review.MinShare = Found.MinShare;
  // Less than a thousandth is noise.
  if (std::optional<double> Allowed =
          Found.Fatal.allowed(FindingKind::CostGrew))
    Asked.Review.MinShare =
        std::min(Asked.Review.MinShare, std::max(*Allowed, 1e-3));
  Asked.Suppressions = Found.Suppressions;
  auto Answer = checkBaseline(Asked);
  if (!Answer)
    return Answer.takeError();
  return finish(Answer->Report, Answer->Status);
}

llvm::Expected<ExitCode> CheckCommand::write() {
  BaselineRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  Asked.LineGiven = CacheLine.given();
  ExitCode Status = ExitDone;
  auto Made = makeBaseline(Asked, Status);
  if (!Made)
    return Made.takeError();
  if (llvm::Error E = writeFile(WriteBaseline, toJson(*Made)))
    return E;
  return Status;
}

llvm::Expected<ExitCode> CheckCommand::run() {
  return Groups ? groups() : WriteBaseline.given() ? write() : baseline();
}

} // namespace

extern const MakeCommand MakeCheck = make<CheckCommand>;

} // namespace kst
