// SPDX-License-Identifier: GPL-2.0-or-later
//
// What lives at the end of a trace, object by object.

#include "hybrid/contexts/ContextsReport.h"

#include "hybrid/report/Numbers.h"

namespace kst {
namespace {

std::string hex(uint64_t Address) {
  char Text[24];
  std::snprintf(Text, sizeof(Text), "0x%llx", (unsigned long long)Address);
  return Text;
}

} // namespace

std::string objectListing(const OwnedLivings &Of) {
  std::string Out =
      "# address number type bytes rule pointers descriptor last-file\n";
  auto Add = [&](const std::string &Word) { Out += " " + Word; };
  for (const OwnedLiving &Row : Of.Objects) {
    Out += hex(Row.Address);
    Add(std::to_string(Row.Number));
    Add(Row.Type);
    Add(std::to_string(Row.SizeBytes));
    Add(Row.Rule == OwnerRule::Task ? "last-file" : spelling(Row.Rule));
    for (uint32_t Id : {Row.Guess.Pointer, Row.Guess.Call, Row.Guess.Task}) {
      const OwnedLivings::Context &By = Of.Contexts[Id];
      Add(Id ? (By.Ended ? "gone:" : "") + By.Type + "@" + hex(By.Anchor)
             : "-");
    }
    Out += "\n";
  }
  return Out;
}

} // namespace kst
