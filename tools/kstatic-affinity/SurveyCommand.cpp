// SPDX-License-Identifier: GPL-2.0-or-later
//
// `survey`: which structs of a tree are worth an afternoon.

#include "analyzer/files/OutputFile.h"
#include "hybrid/fieldorder/Describe.h"
#include "hybrid/pipeline/SurveyTree.h"
#include "hybrid/report/Render.h"
#include "hybrid/survey/SurveyReport.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

namespace kst {
namespace {

class SurveyCommand : public StructsCommand {
public:
  SurveyCommand()
      : StructsCommand("survey", "Rank all structs of the selected code",
                       "PATH... [-p DIR]... [OPTION]...") {
    for (cl::Option &Rare :
         std::initializer_list<std::reference_wrapper<cl::Option>>{
             Structs, Profiles, Pins, LiftRule, Evidence, PoolProfiles, Users,
             Contention})
      Rare.setHiddenFlag(cl::ReallyHidden);
    DefinedIn.separated();
    Objects.separated();
  }
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(SurveyRequest &Asked);
  llvm::Error fillFilters(SurveyRequest &Asked) const;
  llvm::Error makeFolder() const;
  llvm::Error writeReports(Survey &All) const;

  Flag<unsigned> Top{{Sub, OfAnalysis, "top", "N",
                      "Rows to search as --struct does, and to show (default "
                      "30)"},
                     30};
  Flag<std::string> Size{{Sub, OfAnalysis, "size", "[MIN]:[MAX]",
                          "Structs of so many bytes only"}};
  ListFlag DefinedIn{{Sub, OfAnalysis, "defined-in", "PATH[,PATH]",
                      "Structs that are defined in these files and directories "
                      "of the tree only"}};
  Flag<double> MinGain{{Sub, OfAnalysis, "min-gain", "X",
                        "Structs that would save this share of their own cost "
                        "only"}};
  Flag<bool> Visible{{Sub, OfAnalysis, "user-visible", "",
                      "Also structs of headers for user space"}};
  Flag<std::string> Slabinfo{{Sub, OfAnalysis, "slabinfo", "FILE",
                              "Numbers of objects, from /proc/slabinfo"}};
  ListFlag Objects{{Sub, OfAnalysis, "objects", "NAME=N[,NAME=N]",
                    "Numbers of objects, by struct"}};
  Flag<std::string> Reports{{Sub, OfOutput, "reports", "DIR",
                             "Write there, as HTML, index.html and the report "
                             "of each struct shown"}};
  Flag<bool> Statistics{{Sub, OfOutput, "statistics", "",
                         "Statistics of the run on stderr", cl::Hidden}};
  ReportFlags Files{Sub};
  std::map<std::string, std::string> Pages; ///< by struct
};

/// A number of bytes; nothing for a bad one.
std::optional<uint64_t> bytesOf(llvm::StringRef Text, uint64_t Default) {
  uint64_t Value = 0;
  if (Text.empty())
    return Default;
  if (Text.getAsInteger(10, Value))
    return std::nullopt;
  return Value;
}

llvm::Error SurveyCommand::fillFilters(SurveyRequest &Asked) const {
  if (Size.given()) {
    auto [Least, Most] = llvm::StringRef(Size).split(':');
    auto Min = bytesOf(Least, 0), Max = bytesOf(Most, ~0ull);
    if (!llvm::StringRef(Size).contains(':') || !Min || !Max || *Min > *Max)
      return usageError("--size takes MIN:MAX, MIN: or :MAX, in bytes, not '" +
                        Size + "'");
    Asked.LeastBytes = *Min;
    Asked.MostBytes = *Max;
  }
  if (!(MinGain >= 0 && MinGain <= 1))
    return usageError("--min-gain takes a share from 0 to 1");
  Asked.LeastGain = MinGain;
  for (llvm::StringRef Path : DefinedIn) {
    Path.consume_front("./");
    if (Path.empty())
      return usageError("--defined-in has an empty name");
    Asked.DefinedIn.push_back(Path.str());
  }
  for (llvm::StringRef Text : Objects) {
    auto [Name, Number] = Text.split('=');
    uint64_t Count = 0;
    if (Name.empty() || Number.getAsInteger(10, Count))
      return usageError("--objects takes STRUCT=NUMBER, not '" + Text + "'");
    Asked.Objects[Name.str()] = Count;
  }
  Asked.Slabinfo = Slabinfo;
  Asked.Visible = Visible;
  Asked.Top = Top;
  return llvm::Error::success();
}

llvm::Error SurveyCommand::fill(SurveyRequest &Asked) {
  using OptionRef = std::reference_wrapper<const cl::Option>;
  for (const cl::Option &No : std::initializer_list<OptionRef>{
           Structs, Profiles, Pins, LiftRule, Evidence, PoolProfiles, Users,
           Contention})
    if (No.getNumOccurrences())
      return usageError("--" + No.ArgStr +
                        " is about single structs; survey looks at all");
  if (llvm::Error E = StructsCommand::fill(Asked))
    return E;
  Asked.Units.SomePaths = true;
  if (llvm::Error E = fillFilters(Asked))
    return E;
  std::vector<std::string> Inputs = inputs(Asked);
  Inputs.push_back(Slabinfo);
  return Files.check({}, Inputs);
}

/// A file name that tells structs apart.
std::string pageOf(const std::string &Struct) {
  std::string Name = Struct;
  for (char &C : Name)
    if (C == '/' || C == '@' || C == ':')
      C = '_';
  return Name + ".html";
}

/// Before the work: who cannot have the reports shall not wait for them.
llvm::Error SurveyCommand::makeFolder() const {
  if (!Reports.given())
    return llvm::Error::success();
  std::error_code Wrong = llvm::sys::fs::create_directories(Reports);
  if (!Wrong)
    Wrong = llvm::sys::fs::access(Reports, llvm::sys::fs::AccessMode::Write);
  return Wrong ? failure("--reports " + Reports + ": " + Wrong.message())
               : llvm::Error::success();
}

/// The reports of the rows that are shown, and an index that leads to them.
llvm::Error SurveyCommand::writeReports(Survey &All) const {
  if (!Reports.given())
    return llvm::Error::success();
  for (size_t I = 0; I != All.Shown; ++I) {
    SurveyRow &Row = All.Rows[I];
    auto Page = Pages.find(Row.File + ":" + std::to_string(Row.Line));
    if (Page == Pages.end())
      continue;
    Row.Report = pageOf(Row.Name);
    if (llvm::Error E = writeFile(Reports + "/" + Row.Report, Page->second))
      return E;
  }
  return writeFile(Reports + "/index.html", toHtml({describe(All, true)}));
}

llvm::Expected<ExitCode> SurveyCommand::run() {
  SurveyRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  if (llvm::Error E = makeFolder())
    return E;
  auto Answer = surveyTree(std::move(Asked), [&](const Report &R) {
    const RecordInfo &Record = R.Evidence.Record;
    if (Reports.given())
      Pages[Record.File + ":" + std::to_string(Record.Line)] =
          toHtml({describe(R)});
  });
  if (!Answer)
    return Answer.takeError();
  if (llvm::Error E = writeReports(Answer->What))
    return E;
  if (Statistics)
    llvm::errs() << llvm::formatv(
        "seconds: {0:f1} facts and program, {1:f1} all structs, {2:f1} whole "
        "searches\n",
        Answer->Times.Open, Answer->Times.Short, Answer->Times.Whole);
  if (llvm::Error E = Files.write(
          {describe(Answer->What)}, [&] { return toJson(Answer->What); },
          Quiet))
    return E;
  return Answer->Status;
}

} // namespace

extern const MakeCommand MakeSurvey = make<SurveyCommand>;

} // namespace kst
