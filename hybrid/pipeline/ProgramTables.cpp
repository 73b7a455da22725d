// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ProgramTables.h"

#include "hybrid/pipeline/Errors.h"
#include "passes/readers/DebugMembers.h"
#include "passes/readers/ObjectTables.h"

#include <iterator>

namespace kst {

llvm::Expected<const std::vector<CounterTable> *>
ProgramTables::of(const std::map<std::string, std::string> &Text,
                  const std::string &File) {
  std::vector<std::string> From = Binaries;
  if (From.empty()) {
    auto Program = Text.find("program");
    if (Program == Text.end() || Program->second.empty())
      return failure(
          File + ": name the program that ran with --binary: its tables say "
                 "what the recording means");
    From = {Program->second};
  }
  if (Held == From)
    return &Tables;
  Tables.clear();
  Members.clear();
  Held.clear();
  Problem.clear();
  for (const std::string &Binary : From) {
    auto Read = objectTables(Binary);
    if (!Read) {
      Held.clear();
      return Read.takeError();
    }
    for (CounterTable &Table : *Read)
      Table.Binary = Held.size();
    Held.push_back(Binary);
    Tables.insert(Tables.end(), std::make_move_iterator(Read->begin()),
                  std::make_move_iterator(Read->end()));
  }
  std::set<SizedStruct> Structs;
  for (const CounterTable &Table : Tables)
    for (const kst_table_record &Of : Table.Structs)
      Structs.insert({std::string(Table.text(Of.name)), Of.size});
  for (const std::string &Binary : Held) {
    // Without debug information counts are as good, by offset.
    if (auto Found = debugMembers(Binary, Structs))
      Members.merge(*Found);
    else
      Problem = llvm::toString(Found.takeError());
  }
  return &Tables;
}

} // namespace kst
