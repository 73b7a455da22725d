// SPDX-License-Identifier: GPL-2.0-or-later
//
// `review`: what a change of the source does to layouts.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/ReviewChange.h"
#include "hybrid/review/ReviewReport.h"
#include "tools/kstatic-affinity/FindingFlags.h"
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
    for (cl::Option &Rare :
         std::initializer_list<std::reference_wrapper<cl::Option>>{Pins,
                                                                   LiftRule})
      Rare.setHiddenFlag(cl::ReallyHidden);
  }
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(ReviewRequest &Asked);

  FindingFlags Found{Sub};
  ReportFlags Files{Sub};
};

llvm::Error ReviewCommand::fill(ReviewRequest &Asked) {
  if (Paths.empty())
    return usageError("usage: kstatic-affinity review " + Usage);
  if (llvm::Error E = Found.check(reviewKinds()))
    return E;
  if (llvm::Error E = StructsCommand::fill(Asked))
    return E;
  Asked.Change = Paths.front();
  Asked.Units.Paths.erase(Asked.Units.Paths.begin());
  Asked.Suppressions = Found.Suppressions;
  Asked.Review.MinShare = Found.MinShare;
  OutputFiles More;
  if (Found.Sarif.given())
    More.push_back({"--sarif", Found.Sarif});
  std::vector<std::string> Inputs = inputs(Asked);
  Inputs.insert(Inputs.end(), {Asked.Change, Asked.Suppressions});
  return Files.check(More, Inputs);
}

llvm::Expected<ExitCode> ReviewCommand::run() {
  ReviewRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  auto Answer = reviewChange(Asked);
  if (!Answer)
    return Answer.takeError();
  const ReviewReport &Report = Answer->Report;
  if (Found.Sarif.given())
    if (llvm::Error E = writeFile(Found.Sarif, toSarif(Report)))
      return E;
  if (llvm::Error E = Files.write(
          {describe(Report)}, [&] { return toJson(Report); }, Quiet))
    return E;
  return worse(Answer->Status,
               Found.Fatal.matches(Report) ? ExitFailOn : ExitDone);
}

} // namespace

extern const MakeCommand MakeReview = make<ReviewCommand>;

} // namespace kst
