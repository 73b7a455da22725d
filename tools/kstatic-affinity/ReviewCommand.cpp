// SPDX-License-Identifier: GPL-2.0-or-later
//
// `review`: what a change of the source does to layouts.

#include "analyzer/files/OutputFile.h"
#include "hybrid/findings/FailOn.h"
#include "hybrid/pipeline/ReviewChange.h"
#include "hybrid/review/ReviewReport.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

namespace {

class ReviewCommand : public StructsCommand {
public:
  ReviewCommand()
      : StructsCommand("review", "Say what a change does to layouts",
                       "BASE..HEAD|PATCH [-p DIR]... [PATH...]") {
    FailOnWords.separated();
    for (cl::Option &Rare :
         std::initializer_list<std::reference_wrapper<cl::Option>>{Pins,
                                                                   LiftRule})
      Rare.setHiddenFlag(cl::ReallyHidden);
  }
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(ReviewRequest &Asked);

  Flag<std::string> Suppressions{
      {Sub, OfAnalysis, "suppressions", "FILE", "Findings that are accepted"}};
  Flag<double> MinShare{{Sub, OfAnalysis, "min-share", "X",
                         "Say nothing of what is less of a struct's cost "
                         "(default 0.01)"},
                        0.01};
  ListFlag FailOnWords{
      {Sub, OfOutput, "fail-on", "WHAT[,WHAT]",
       "Exit status 4 for findings of these kinds, or from a grade "
       "on: low, medium, high"}};
  Flag<std::string> Sarif{
      {Sub, OfOutput, "sarif", "FILE", "Write the findings as SARIF"}};
  ReportFlags Files{Sub};
  FailOn Fatal;
};

llvm::Error ReviewCommand::fill(ReviewRequest &Asked) {
  if (Paths.empty())
    return mistake("usage: kstatic-affinity review " + Usage);
  auto Words = orMistake(FailOn::parse(FailOnWords.all(), reviewKinds()));
  if (!Words)
    return Words.takeError();
  Fatal = std::move(*Words);
  if (!(MinShare > 0 && MinShare <= 1))
    return mistake("--min-share takes a number above 0, at most 1");
  if (llvm::Error E = StructsCommand::fill(Asked))
    return E;
  Asked.Change = Paths.front();
  Asked.Units.Paths.erase(Asked.Units.Paths.begin());
  Asked.Suppressions = Suppressions;
  Asked.Review.MinShare = MinShare;
  OutputFiles More;
  if (Sarif.given())
    More.push_back({"--sarif", Sarif});
  std::vector<std::string> Inputs = inputs(Asked);
  Inputs.insert(Inputs.end(), {Asked.Change, Asked.Suppressions});
  return Files.check(More, Inputs);
}

llvm::Expected<ExitCode> ReviewCommand::run() {
  ReviewRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  auto Report = reviewChange(Asked);
  if (!Report)
    return Report.takeError();
  if (Sarif.given())
    if (llvm::Error E = writeFile(Sarif, toSarif(*Report)))
      return E;
  if (llvm::Error E = Files.write(
          {describe(*Report)}, [&] { return toJson(*Report); }, Quiet))
    return E;
  return Fatal.matches(*Report) ? ExitFailOn : ExitDone;
}

} // namespace

extern const MakeCommand MakeReview = make<ReviewCommand>;

} // namespace kst
