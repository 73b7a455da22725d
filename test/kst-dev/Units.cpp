// SPDX-License-Identifier: GPL-2.0-or-later
//
// `units`: what a selection consists of, and with which arguments each unit is
// parsed. Serves the comparison of partly built trees with whole builds.

#include "analyzer/files/OutputFile.h"
#include "test/kst-dev/Commands.h"
#include "tools/support/SourceFlags.h"

#include "nlohmann/json.hpp"

namespace kst {

static const char *toWord(CommandOrigin Origin) {
  switch (Origin) {
  case CommandOrigin::Own:
    return "own";
  case CommandOrigin::Model:
    return "derived";
  case CommandOrigin::Template:
    return "template";
  }
  return "";
}

namespace {

class UnitsListCommand : public UnitsCommand {
public:
  UnitsListCommand()
      : UnitsCommand(
            "units", "The units of a selection and their arguments",
            "[--struct NAME[,NAME]] [-p DIR]... [--json FILE] PATH...") {}

  llvm::Expected<ExitCode> run() override {
    UnitsRequest Asked;
    if (llvm::Error E = fill(Asked))
      return E;
    llvm::Expected<UnitList> List = loadUnits(Asked.Units);
    if (!List)
      return usageError(llvm::toString(List.takeError()));
    nlohmann::ordered_json Units = nlohmann::ordered_json::array();
    for (const CompileUnit &Unit : List->Units)
      Units.push_back({{"file", Unit.Relative},
                       {"build", Unit.Build},
                       {"commands", toWord(Unit.Origin)},
                       {"directory", Unit.Directory},
                       {"arguments", Unit.Args}});
    nlohmann::ordered_json Failed = nlohmann::ordered_json::array();
    for (const FailedUnit &Unit : List->Failed)
      Failed.push_back({{"file", Unit.File}, {"reason", Unit.Reason}});
    nlohmann::ordered_json All{
        {"origin", List->Origin},   {"flags_from", List->Builds.front().Model},
        {"failed", Failed},         {"ungenerated", List->Ungenerated},
        {"skipped", List->Skipped}, {"units", Units}};
    if (llvm::Error E =
            writeFile(Json, All.dump(1, ' ', false,
                                     nlohmann::json::error_handler_t::replace) +
                                "\n"))
      return E;
    return ExitDone;
  }

private:
  Flag<std::string> Json{{Sub, OfOutput, "json", "FILE",
                          "The file to write (default: standard output)"},
                         "-"};
};

} // namespace

const MakeCommand MakeUnits = make<UnitsListCommand>;

} // namespace kst
