// SPDX-License-Identifier: GPL-2.0-or-later
//
// `records`: the layouts of all records of a selection, with the word whether
// our own offset model agrees. Serves the checks against other layout tools.

#include "analyzer/files/OutputFile.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/pipeline/FactsSession.h"
#include "hybrid/program/Program.h"
#include "test/kst-dev/Commands.h"
#include "tools/support/SourceFlags.h"

#include "nlohmann/json.hpp"

namespace kst {

static nlohmann::ordered_json recordJson(const RecordInfo &Record) {
  nlohmann::ordered_json Fields = nlohmann::ordered_json::array();
  for (const FieldInfo &Field : Record.Fields)
    Fields.push_back({{"name", Field.Name},
                      {"offset_bits", Field.OffsetBits},
                      {"size_bits", Field.SizeBits}});
  return {{"name", Record.Name},
          {"file", Record.File},
          {"line", Record.Line},
          {"size", Record.SizeBytes},
          {"align", Record.AlignBytes},
          {"union", Record.Union},
          {"reproduced", reproduces(Record)},
          {"mismatch", offsetMismatch(Record)},
          {"fields", Fields}};
}

namespace {

class RecordsCommand : public UnitsCommand {
public:
  RecordsCommand()
      : UnitsCommand(
            "records", "All records of a selection with their layouts",
            "[--struct NAME[,NAME]] [-p DIR]... [--json FILE] PATH...") {}

  llvm::Expected<ExitCode> run() override {
    UnitsRequest Asked;
    if (llvm::Error E = fill(Asked))
      return E;
    llvm::Expected<UnitList> List = loadUnits(Asked.Units);
    if (!List)
      return usageError(llvm::toString(List.takeError()));
    const FactsSession Session = collectFacts(Asked, *List);
    if (Session.Statistics.Interrupted)
      return interrupted();
    Program Whole(Session.Units);
    nlohmann::ordered_json Records = nlohmann::ordered_json::array();
    for (RecordId Id = 0; Id != Whole.recordCount(); ++Id)
      Records.push_back(recordJson(Whole.recordInfo(Id)));
    nlohmann::ordered_json Failed = nlohmann::ordered_json::array();
    for (const FailedUnit &Unit : Session.Covered.UnitsFailed)
      Failed.push_back({{"file", Unit.File}, {"reason", Unit.Reason}});
    nlohmann::ordered_json All{{"failed", Failed}, {"records", Records}};
    if (llvm::Error E =
            writeFile(Json, All.dump(1, ' ', false,
                                     nlohmann::json::error_handler_t::replace) +
                                "\n"))
      return E;
    return Session.Units.empty() ? ExitNoResult : ExitDone;
  }

private:
  Flag<std::string> Json{{Sub, OfOutput, "json", "FILE",
                          "The file to write (default: standard output)"},
                         "-"};
};

} // namespace

const MakeCommand MakeRecords = make<RecordsCommand>;

} // namespace kst
