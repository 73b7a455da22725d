// SPDX-License-Identifier: GPL-2.0-or-later
//
// `profile import|merge|downsample|show`. Each writes its output completely or
// not at all.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/ProfileFiles.h"
#include "hybrid/pipeline/ProfileImport.h"
#include "hybrid/profile/ProfileDownsample.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/report/Numbers.h"
#include "tools/kstatic-affinity/MeasurementCommand.h"
#include "tools/support/ReportFlags.h"

namespace kst {

namespace {

llvm::Expected<ExitCode> ended(llvm::Error E) {
  if (E)
    return E;
  return ExitDone;
}

class ImportCommand : public MeasurementCommand {
public:
  ImportCommand()
      : MeasurementCommand("profile import",
                           "Make a profile of counters, samples or logs",
                           "RAW... [--binary FILE]... [--label TEXT] "
                           "[--format NAME] -o FILE") {}

  llvm::Expected<ExitCode> run() override {
    if (llvm::Error E = check(Many, Binaries.all()))
      return E;
    ImportRequest Asked{Files.all(), Binaries.all(), Label, {}, diagnostics()};
    if (Format == "counters")
      Asked.Form = Recording::Counters;
    else if (Format == "perf-script")
      Asked.Form = Recording::PerfScript;
    else if (Format == "access-log")
      Asked.Form = Recording::AccessLog;
    else if (Format == "sample-profile")
      Asked.Form = Recording::SampleProfile;
    else if (Format == "line-coverage")
      Asked.Form = Recording::LineCoverage;
    else if (Format != "auto")
      return usageError(
          "--format takes auto, counters, perf-script, access-log, "
          "sample-profile or line-coverage, not '" +
          Format + "'");
    llvm::Expected<Profile> Sum = importProfile(Asked);
    if (!Sum)
      return Sum.takeError();
    return ended(writeFile(Output, writeProfile(*Sum)));
  }

private:
  ListFlag Binaries{binaries()};
  Flag<std::string> Format{
      {Sub, OfAnalysis, "format", "NAME",
       "auto, counters, perf-script, access-log, sample-profile or "
       "line-coverage (default auto)"},
      "auto"};
};

class MergeCommand : public MeasurementCommand {
public:
  MergeCommand()
      : MeasurementCommand("profile merge", "Add profiles up",
                           "FILE... [--label TEXT] -o FILE") {}

  llvm::Expected<ExitCode> run() override {
    if (llvm::Error E = check(Many))
      return E;
    std::vector<NamedProfile> Profiles;
    for (const std::string &File : Files) {
      llvm::Expected<NamedProfile> One = loadProfile(File);
      if (!One)
        return One.takeError();
      Profiles.push_back(std::move(*One));
    }
    llvm::Expected<Profile> Sum = sumOf(std::move(Profiles), Label);
    if (!Sum)
      return Sum.takeError();
    if (llvm::Error E = writeFile(Output, writeProfile(*Sum)))
      return E;
    diagnostics().note(Output + ": " + counted(Files.size(), "profile") + ", " +
                       counted(Sum->Runs, "run"));
    return ExitDone;
  }
};

class DownsampleCommand : public MeasurementCommand {
public:
  DownsampleCommand()
      : MeasurementCommand("profile downsample",
                           "The profile that a shorter run could have given",
                           "FILE --keep X [--seed N] [--label TEXT] -o FILE") {}

  llvm::Expected<ExitCode> run() override {
    if (llvm::Error E = check(1))
      return E;
    if (!(Keep > 0 && Keep <= 1))
      return usageError(
          "profile downsample needs the share of counts to keep: --keep "
          "X, 0 < X <= 1");
    llvm::Expected<NamedProfile> Read = loadProfile(Files.front());
    if (!Read)
      return Read.takeError();
    Profile Fewer = downsampleProfile(std::move(Read->What), Keep, Seed);
    if (!Label.empty())
      Fewer.Text["label"] = Label;
    return ended(writeFile(Output, writeProfile(Fewer)));
  }

private:
  Flag<double> Keep{{Sub, OfAnalysis, "keep", "X",
                     "Share of the counts to keep, 0 < X <= 1"}};
  Flag<unsigned> Seed{
      {Sub, OfAnalysis, "seed", "N", "Seed of the draws (default 1)"}, 1};
};

class ShowCommand : public Command {
public:
  ShowCommand()
      : Command("profile show", "Print what was measured",
                "FILE [--struct NAME] [--binary FILE]... [--top N] "
                "[--json FILE]") {}

  llvm::Expected<ExitCode> run() override {
    if (Files.size() != 1)
      return usageError("usage: kstatic-affinity profile show " + Usage);
    std::vector<std::string> Inputs = Binaries.all();
    Inputs.push_back(Files.front());
    if (llvm::Error E = Report.check({}, Inputs))
      return E;
    auto Shown = describeProfile(Files.front(), Struct, Binaries.all());
    if (!Shown)
      return Shown.takeError();
    Shown->Top = Top;
    return ended(Report.write(
        {describe(*Shown)}, [&] { return toJson(*Shown); }, Quiet));
  }

private:
  Flag<std::string> Struct{
      {Sub, OfAnalysis, "struct", "NAME", "Only this one"}};
  ListFlag Binaries{{Sub, OfAnalysis, "binary", "FILE",
                     "The program that ran, for names of members"}};
  Flag<unsigned> Top{
      {Sub, OfOutput, "top", "N", "Rows of each list, 0 for all"}, 20};
  ReportFlags Report{Sub};
  Words Files{Sub, "FILE"};
};

} // namespace

extern const MakeCommand MakeProfileImport = make<ImportCommand>;
extern const MakeCommand MakeProfileMerge = make<MergeCommand>;
extern const MakeCommand MakeProfileDownsample = make<DownsampleCommand>;
extern const MakeCommand MakeProfileShow = make<ShowCommand>;

} // namespace kst
