// SPDX-License-Identifier: GPL-2.0-or-later
//
// `frequencies`: what the source says of how often functions, branches and
// loops run, beside what recordings counted. Serves the fit of the rules.

#include "hybrid/program/Frequencies.h"
#include "analyzer/files/OutputFile.h"
#include "hybrid/evidence/ProfileMatch.h"
#include "hybrid/pipeline/FactsSession.h"
#include "hybrid/pipeline/ProfileFiles.h"
#include "hybrid/program/CallGraph.h"
#include "test/kst-dev/Commands.h"
#include "tools/support/SourceFlags.h"

#include "nlohmann/json.hpp"

#include <set>

namespace kst {

namespace {

using Json = nlohmann::ordered_json;

/// Per function the numbers of each profile.
struct Counted {
  std::vector<Json> Entries, Blocks;
};

Counted countedIn(const Program &Whole, const std::vector<Profile> &Profiles) {
  Counted Made{std::vector<Json>(Whole.Functions.size(), Json::array()),
               std::vector<Json>(Whole.Functions.size(), Json::array())};
  ProfileMatcher Matcher(Whole, {});
  for (size_t I = 0; I != Profiles.size(); ++I)
    for (const auto &[Id, Of] : Matcher.match(Profiles[I], {}).Functions)
      if (Of.Entries > 0) {
        Made.Entries[Id].push_back({I, Of.Entries});
        Json Blocks = Json::array();
        for (auto [Block, Runs] : Of.Blocks)
          Blocks.push_back({Block, Runs});
        Made.Blocks[Id].push_back({I, Blocks});
      }
  return Made;
}

/// The lines of each block's accesses and calls.
Json linesOf(const TuFacts &Unit, const FunctionFact &Of) {
  std::vector<std::set<uint32_t>> Lines(Of.Blocks.size());
  for (const AccessFact &Access : rowsOf(Unit.Accesses, Of.Accesses))
    Lines[Access.Block].insert(Access.Line);
  for (const CallFact &Call : rowsOf(Unit.Calls, Of.Calls))
    Lines[Call.Block].insert(Call.Line);
  return Lines;
}

Json functionJson(const Program &Whole, FunctionId Id, const Estimate &Often,
                  const CallGraph &Graph, const Counted &Runs) {
  const LinkedFunction &Of = Whole.Functions[Id];
  const TuFacts &Unit = Whole.unitOf(Id);
  Json Blocks = Json::array(), Edges = Json::array(), Loops = Json::array(),
       Calls = Json::array();
  for (const BlockFact &Block : rowsOf(Unit.Blocks, Of.Fact->Blocks))
    Blocks.push_back(
        {Block.Frequency, Block.Loop == None ? -1 : int(Block.Loop)});
  for (const EdgeFact &Edge : rowsOf(Unit.Edges, Of.Fact->Edges))
    Edges.push_back({Edge.From, Edge.To, Edge.Probability});
  for (const LoopFact &Loop : rowsOf(Unit.Loops, Of.Fact->Loops))
    Loops.push_back({Loop.EntryFrequency, Loop.HeaderFrequency, Loop.Line});
  for (const CallEdge &Call : Graph[Id])
    Calls.push_back({Call.Callee, Call.Times});
  return {{"name", Whole.text(Of.Unit, Of.Fact->Name)},
          {"file", Whole.text(Of.Unit, Of.Fact->File)},
          {"line", Of.Fact->Line},
          {"flags", Of.Fact->Flags},
          {"address_taken", Of.AddressTaken},
          {"in_table", Of.InTable},
          {"in_work_table", Of.InWorkTable},
          {"table_called", Of.TableCalled},
          {"called", Of.Called},
          {"entry", Often.Often.Entry[Id]},
          {"total", Often.Often.Total[Id]},
          {"calls", Calls},
          {"blocks", Blocks},
          {"lines", linesOf(Unit, *Of.Fact)},
          {"edges", Edges},
          {"loops", Loops},
          {"entries", Runs.Entries[Id]},
          {"runs", Runs.Blocks[Id]}};
}

class FrequenciesCommand : public UnitsCommand {
public:
  FrequenciesCommand()
      : UnitsCommand("frequencies",
                     "How often code runs, estimated and counted",
                     "[--profile FILE]... [-p DIR]... [-o FILE] PATH...") {}

  llvm::Expected<ExitCode> run() override {
    UnitsRequest Asked;
    if (llvm::Error E = fill(Asked))
      return E;
    std::vector<Profile> Read;
    for (const std::string &File : Profiles) {
      llvm::Expected<NamedProfile> One = loadProfile(File);
      if (!One)
        return usageError(llvm::toString(One.takeError()));
      Read.push_back(std::move(One->What));
    }
    llvm::Expected<UnitList> List = loadUnits(Asked.Units);
    if (!List)
      return usageError(llvm::toString(List.takeError()));
    const FactsSession Session = collectFacts(Asked, *List);
    if (Session.Statistics.Interrupted)
      return interrupted();
    if (Session.Units.empty())
      return ExitNoResult;
    Program Whole(Session.Units);
    const Estimate Often = estimateFrequencies(Whole, {});
    const CallGraph Graph = callGraph(Whole, Often.Code);
    const Counted Runs = countedIn(Whole, Read);
    std::string Text;
    for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
      Text += functionJson(Whole, Id, Often, Graph, Runs).dump() + "\n";
    if (llvm::Error E = writeFile(Output, Text))
      return E;
    return ExitDone;
  }

private:
  ListFlag Profiles{
      {Sub, OfAnalysis, "profile", "FILE", "A recording; may be repeated"}};
  Flag<std::string> Output{{Sub, OfOutput, "o", "FILE",
                            "The file to write (default: standard output)"},
                           "-"};
};

} // namespace

const MakeCommand MakeFrequencies = make<FrequenciesCommand>;

} // namespace kst
