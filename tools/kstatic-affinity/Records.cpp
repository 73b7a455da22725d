// SPDX-License-Identifier: GPL-2.0-or-later
//
// `kstatic-affinity records`: the layouts of all records of a selection, with
// the word whether our own offset model agrees. Serves the checks against
// other layout tools; not part of the documented interface.

#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/program/Program.h"
#include "tools/kstatic-affinity/Analyze.h"
#include "tools/kstatic-affinity/FactsSession.h"
#include "tools/kstatic-affinity/Interrupt.h"
#include "tools/kstatic-affinity/OutputFile.h"

#include "nlohmann/json.hpp"

#include "llvm/Support/raw_ostream.h"

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

ExitCode runRecords(const Options &Given) {
  llvm::Expected<UnitList> List = loadUnits(selectedUnits(Given));
  if (!List) {
    llvm::errs() << "kstatic-affinity: " << llvm::toString(List.takeError())
                 << "\n";
    return ExitUsage;
  }
  const FactsSession Session = collectFacts(Given, *List);
  if (Session.Statistics.Interrupted)
    return interruptedExit();
  Program Whole(Session.Units);
  nlohmann::ordered_json Records = nlohmann::ordered_json::array();
  for (RecordId Id = 0; Id != Whole.recordCount(); ++Id)
    Records.push_back(recordJson(Whole.recordInfo(Id)));
  nlohmann::ordered_json Failed = nlohmann::ordered_json::array();
  for (const FailedUnit &Unit : Session.Covered.UnitsFailed)
    Failed.push_back({{"file", Unit.File}, {"reason", Unit.Reason}});
  nlohmann::ordered_json All{{"failed", Failed}, {"records", Records}};
  std::string Text =
      All.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::string File = Given.JsonFile.empty() ? "-" : Given.JsonFile;
  if (llvm::Error E = writeFile(File, Text)) {
    llvm::errs() << "kstatic-affinity: " << llvm::toString(std::move(E))
                 << "\n";
    return ExitNoResult;
  }
  return Session.Units.empty() ? ExitNoResult : ExitDone;
}

} // namespace kst
