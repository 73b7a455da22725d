// SPDX-License-Identifier: GPL-2.0-or-later
//
// The main command: reports, patches and changed headers.

#include "analyzer/files/OutputFile.h"
#include "hybrid/fieldorder/Describe.h"
#include "hybrid/fieldorder/JsonReport.h"
#include "hybrid/pipeline/Patch.h"
#include "hybrid/report/ByteAmount.h"
#include "tools/kstatic-affinity/Check.h"
#include "tools/support/CacheFlag.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>
#include <utility>

namespace kst {

namespace {

class AnalyzeCommand : public StructsCommand {
public:
  AnalyzeCommand();
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(AnalyzeRequest &Asked);
  llvm::Error fillLayout(AnalyzeRequest &Asked) const;
  llvm::Error fillOrders(AnalyzeRequest &Asked) const;
  llvm::Error fillValidate(AnalyzeRequest &Asked) const;
  llvm::Error fillPatches(AnalyzeRequest &Asked) const;
  OutputFiles moreFiles(const AnalyzeRequest &Asked) const;
  llvm::Error writeReports(const std::vector<Report> &Reports) const;
  llvm::Error writeGraphs(const Report &Shown, const std::string &Suffix) const;
  llvm::Error writePatches(const Analysis &Answer) const;
  void printStatistics(const Configs &All) const;

  Flag<unsigned> MaxMoves{
      {Sub, OfLayout, "max-moves", "N", "Make at most this many moves"}};
  Flag<bool> Ambitious{
      {Sub, OfLayout, "ambitious", "",
       "Propose the best order found, however many fields move"}};
  Flag<bool> AllowGrowth{{Sub, OfLayout, "allow-growth", "",
                          "Also propose orders that take more bytes than now",
                          cl::Hidden}};
  Flag<double> KeepBelow{
      {Sub, OfLayout, "keep-below", "X",
       "Keep the order if the best one gains a smaller share of its "
       "cost (default 0.05)",
       cl::Hidden},
      0.05};
  Flag<unsigned> Seed{{Sub, OfLayout, "seed", "N",
                       "Seed of clustering, search and resampling (default 1)",
                       cl::Hidden},
                      1};
  ListFlag Align{{Sub, OfLayout, "align", "[STRUCT:]FIELD[,FIELD]",
                  "Give the fields a line of their own, by an attribute"}};
  ListFlag WhatIf{{Sub, OfLayout, "what-if", "[STRUCT:]QUESTION",
                   "Price your order: 'move A after B', 'swap A and B'"}};
  ListFlag Order{{Sub, OfLayout, "order", "[STRUCT:]FILE",
                  "Price the order of the fields in a file; random:SEED: a "
                  "legal one, for tests, which --patch and --write then take"}};
  Flag<std::string> Validate{{Sub, OfLayout, "validate", "TRACE",
                              "Replay the orders on the accesses of a trace"}};
  CacheFlag Cache{Sub, cl::Hidden};
  ListFlag Patch{{Sub, OfOutput, "patch", "[STRUCT:]FILE",
                  "Write the proposed orders as a patch"}};
  ListFlag Write{{Sub, OfOutput, "write", "STRUCT",
                  "Change the definitions in their headers"}};
  Flag<bool> Force{
      {Sub, OfOutput, "force", "",
       "--write even if uses of the struct are opaque, or units that see the "
       "definition were not analyzed",
       cl::Hidden}};
  Flag<bool> Markers{{Sub, OfOutput, "markers", "",
                      "Put cacheline group markers into the patch",
                      cl::Hidden}};
  Flag<std::string> GraphMl{{Sub, OfOutput, "graphml", "FILE",
                             "Write the affinity graph as GraphML",
                             cl::Hidden}};
  Flag<std::string> Dot{{Sub, OfOutput, "dot", "FILE",
                         "Write the affinity graph as DOT", cl::Hidden}};
  Flag<double> MinCoverage{{Sub, OfOutput, "min-coverage", "X",
                            "Exit with 3 if a smaller share (0..1) is resolved",
                            cl::Hidden}};
  Flag<std::string> Check{{Sub, OfAnalysis, "check", "FILE",
                           "Show step by step what is done with one file"}};
  Flag<bool> Statistics{{Sub, OfOutput, "statistics", "",
                         "Statistics of the run on stderr", cl::Hidden}};
  ReportFlags Files{Sub};
};

AnalyzeCommand::AnalyzeCommand()
    : StructsCommand("analyze", "Find a better order of the fields of structs",
                     "--struct NAME[,NAME] [-p DIR]... [OPTION]... PATH...") {
  IndexFile.setHiddenFlag(cl::Hidden); // --help fits a screen
  Write.setNumOccurrencesFlag(cl::ZeroOrMore);
  Write.separated();
  Write.setValueExpectedFlag(cl::ValueOptional);
}

llvm::Error AnalyzeCommand::fillLayout(AnalyzeRequest &Asked) const {
  if (!(KeepBelow >= 0 && KeepBelow <= 1))
    return usageError("--keep-below takes a share from 0 to 1");
  Asked.Layout.KeepBelow = KeepBelow;
  Asked.Layout.Ambitious = Ambitious;
  Asked.Layout.MayGrow = AllowGrowth;
  Asked.Layout.Seed = Seed;
  if (MaxMoves.given())
    Asked.Layout.MaxMoves = MaxMoves;
  if (Markers && Align.begin() != Align.end())
    return usageError("--markers: not with --align");
  if (llvm::Error E = address(Align, AddressedText::Words, true,
                              &StructRequest::Align, Asked))
    return E;
  if (llvm::Error E = address(WhatIf, AddressedText::Words, true,
                              &StructRequest::WhatIf, Asked))
    return E;
  return fillOrders(Asked);
}

/// FILE of one struct, or random:SEED of any number of them.
llvm::Error AnalyzeCommand::fillOrders(AnalyzeRequest &Asked) const {
  for (const std::string &Text : Order) {
    const bool Random = llvm::StringRef(Text).contains("random:");
    auto Parsed = orMistake((Random ? parseAddress : parseOneStruct)(
                                Text, structNames(), AddressedText::File),
                            "--order " + Text + ": ");
    if (!Parsed)
      return Parsed.takeError();
    llvm::StringRef Named = Parsed->Text;
    uint64_t Seed = 0;
    const bool Draw = Named.consume_front("random:");
    if (Draw && Named.getAsInteger(10, Seed))
      return usageError("--order " + Text +
                        ": random: takes a number, the seed");
    for (size_t I = 0; I != Asked.Structs.size(); ++I) {
      if (!Parsed->concerns(I))
        continue;
      StructRequest &Struct = Asked.Structs[I];
      if (!Draw)
        Struct.OrderFiles.push_back(Parsed->Text);
      else if (std::exchange(Struct.TestSeed, Seed))
        return usageError("--order " + Text + ": struct " + Struct.Name +
                          " has a random order already");
    }
  }
  return llvm::Error::success();
}

llvm::Error AnalyzeCommand::fillValidate(AnalyzeRequest &Asked) const {
  if (Cache.given() && Validate.empty())
    return usageError("--cache goes with --validate");
  if (Validate.given() && Validate.empty())
    return usageError("--validate has an empty file name");
  Asked.Validate.Trace = Validate;
  auto Geometry = Cache.geometry(Asked.Layout.LineBytes);
  if (!Geometry)
    return Geometry.takeError();
  Asked.Validate.Geometry = *Geometry;
  return llvm::Error::success();
}

llvm::Error AnalyzeCommand::fillPatches(AnalyzeRequest &Asked) const {
  if (Force && Write.empty())
    return usageError("--force goes with --write");
  if (Markers && Patch.empty() && Write.empty())
    return usageError("--markers goes with --patch or --write");
  for (const StructRequest &Struct : Asked.Structs)
    if (Markers && Struct.TestSeed)
      return usageError(
          "--markers goes with a proposed order, not with a random "
          "one");
  Asked.WriteUnseen = Force;
  for (const std::string &Name : Write) {
    auto Struct =
        orMistake(Name.empty() ? Addressed()
                               : parseAddress(Name + ":", structNames(),
                                              AddressedText::Words),
                  "--write=" + Name + ": ");
    if (!Struct)
      return Struct.takeError();
    for (size_t I = 0; I != Asked.Structs.size(); ++I)
      Asked.Structs[I].Write |= Struct->concerns(I);
  }
  return address(Patch, AddressedText::File, false, &StructRequest::PatchFiles,
                 Asked);
}

/// The name of a graph; `Suffix` tells it from those of other structs.
std::string graphFile(const std::string &File, const std::string &Suffix) {
  return File.empty() || File == "-" ? File : File + Suffix;
}

OutputFiles AnalyzeCommand::moreFiles(const AnalyzeRequest &Asked) const {
  OutputFiles More;
  for (const Flag<std::string> *File : {&GraphMl, &Dot})
    if (File->given()) // of several structs each has a graph of its own
      More.push_back({"--" + File->ArgStr.str(),
                      graphFile(*File, Asked.Structs.size() > 1 ? ".x" : "")});
  std::set<std::string> Patches;
  for (const StructRequest &Struct : Asked.Structs)
    for (const std::string &File : Struct.PatchFiles)
      if (Patches.insert(File).second)
        More.push_back({"--patch", File});
  return More;
}

llvm::Error AnalyzeCommand::fill(AnalyzeRequest &Asked) {
  if (Structs.empty())
    return usageError("name the struct to look at: kstatic-affinity --struct "
                      "NAME PATH...; see --help");
  if (llvm::Error E = StructsCommand::fill(Asked))
    return E;
  Asked.Units.SomePaths = true;
  if (!(MinCoverage >= 0 && MinCoverage <= 1))
    return usageError("--min-coverage takes a share from 0 to 1");
  if (llvm::Error E = fillLayout(Asked))
    return E;
  if (llvm::Error E = fillValidate(Asked))
    return E;
  if (llvm::Error E = fillPatches(Asked))
    return E;
  std::vector<std::string> Inputs = inputs(Asked);
  Inputs.push_back(Validate);
  return Files.check(moreFiles(Asked), Inputs);
}

/// What tells the graph of one report from those of the others: the struct's
/// name and, if others have the same, its file.
std::string suffixOf(const std::vector<Report> &Reports, const Report &Shown) {
  const RecordInfo &Record = Shown.Evidence.Record;
  if (Reports.size() == 1)
    return "";
  std::string Place = "@" + Record.File;
  std::replace(Place.begin(), Place.end(), '/', '_');
  const bool Alone = llvm::count_if(Reports, [&](const Report &Other) {
                       return Other.Evidence.Record.Name == Record.Name;
                     }) == 1;
  return "." + Record.Name + (Alone ? "" : Place);
}

llvm::Error AnalyzeCommand::writeGraphs(const Report &Shown,
                                        const std::string &Suffix) const {
  for (const Flag<std::string> *File : {&GraphMl, &Dot}) {
    if (!File->given())
      continue;
    auto Text = File == &Dot ? dotOf(Shown) : graphMlOf(Shown);
    if (!Text)
      return Text.takeError();
    if (llvm::Error E = writeFile(graphFile(*File, Suffix), *Text))
      return E;
  }
  return llvm::Error::success();
}

llvm::Error
AnalyzeCommand::writeReports(const std::vector<Report> &Reports) const {
  std::vector<Document> Docs;
  llvm::Error Wrong = llvm::Error::success();
  for (const Report &Shown : Reports) {
    Docs.push_back(describe(Shown));
    Wrong = llvm::joinErrors(std::move(Wrong),
                             writeGraphs(Shown, suffixOf(Reports, Shown)));
  }
  auto Json = [&] { return toJson(Reports, Files.full()); };
  return llvm::joinErrors(std::move(Wrong), Files.write(Docs, Json, Quiet));
}

llvm::Error AnalyzeCommand::writePatches(const Analysis &Answer) const {
  if (Patch.empty() && Write.empty())
    return llvm::Error::success();
  if (!Answer.Whole)
    return failure("no patch and no header is written, as not every struct "
                   "could be answered");
  auto Patches = makePatches(Answer, Markers);
  if (!Patches)
    return Patches.takeError();
  for (const PatchText &One : *Patches)
    if (llvm::Error E = writeFile(One.File, One.Text))
      return E;
  auto Headers = changedHeaders(Answer, Markers);
  if (!Headers)
    return Headers.takeError();
  for (const TextFile &Header : *Headers)
    diagnostics().note("--write: changing " + Header.Path);
  return writeAllOrNone(*Headers);
}

void AnalyzeCommand::printStatistics(const Configs &All) const {
  for (const auto &One : All.each()) {
    const RunStatistics &Run = One->Session.Statistics;
    llvm::errs() << "units: " << Run.Units << ", from cache: " << Run.CacheHits
                 << ", parsed: " << Run.Parsed << ", failed: " << Run.Failed
                 << ", largest process: "
                 << byteAmount(1024.0 * double(Run.PeakRssKb)) << "\n";
  }
}

llvm::Expected<ExitCode> AnalyzeCommand::run() {
  if (Check.given()) {
    UnitsRequest Units;
    if (llvm::Error E = UnitsCommand::fill(Units))
      return E;
    return checkFile(Units, Check, structNames());
  }
  AnalyzeRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  auto Answer = analyze(std::move(Asked));
  if (!Answer)
    return Answer.takeError();
  if (Statistics)
    printStatistics(Answer->From->All);
  std::vector<Report> Reports;
  for (const AnalyzedStruct &Struct : Answer->Structs)
    Reports.push_back(Struct.Proposed);
  ExitCode Worst = Answer->Status;
  auto Did = [&](llvm::Error E) {
    Worst = worse(Worst, diagnostics().report(std::move(E)));
  };
  if (!Reports.empty())
    Did(writeReports(Reports));
  Did(writePatches(*Answer));
  if (Worst == ExitDone && Answer->Coverage < MinCoverage) {
    diagnostics().warn(
        llvm::formatv("coverage is {0:f3}, below --min-coverage {1:f3}",
                      Answer->Coverage, MinCoverage.getValue()));
    return ExitLowCoverage;
  }
  return Worst;
}

} // namespace

extern const MakeCommand MakeAnalyze = make<AnalyzeCommand>;

} // namespace kst
