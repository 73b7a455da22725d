// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/UsedStructs.h"

#include "hybrid/core/RecordSpelling.h"

#include <map>

namespace kst {

UsedStructs usedStructs(const Configs &All) {
  UsedStructs Out;
  std::map<std::string, std::set<std::pair<std::string, uint32_t>>> Places;
  std::set<std::pair<std::string, uint32_t>> Used;
  for (const auto &In : All.each()) {
    const Program &Whole = *In->Whole;
    for (RecordId Id = 0; Id != Whole.recordCount(); ++Id) {
      const RecordFact &Fact = Whole.recordFact(Id);
      const std::string &Name = Whole.recordName(Id);
      if ((Fact.Flags & RecUnion) || Fact.Fields.size() < 2 || Name.empty() ||
          Name.starts_with("(anonymous"))
        continue;
      std::pair<std::string, uint32_t> Place(Whole.recordText(Id, Fact.File),
                                             Fact.Line);
      if (In->Source->isNamed(Id))
        Used.insert(Place);
      Places[Name].insert(std::move(Place));
    }
  }
  for (const auto &[Name, Definitions] : Places)
    for (const auto &[File, Line] : Definitions) {
      ++Out.Defined;
      if (!Used.count({File, Line}))
        ++Out.Unused;
      else
        Out.Names.insert(Definitions.size() == 1
                             ? Name
                             : RecordSpelling{Name, File, Line}.text());
    }
  return Out;
}

} // namespace kst
