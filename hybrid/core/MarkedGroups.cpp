// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/MarkedGroups.h"

namespace kst {

static constexpr const char BeginMark[] = "__cacheline_group_begin__",
                            EndMark[] = "__cacheline_group_end__";

std::vector<MarkedGroup> markedGroups(const RecordInfo &Record) {
  std::vector<MarkedGroup> Groups, Open;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    const FieldInfo &Field = Record.Fields[F];
    if (Field.Absent)
      continue;
    if (Field.SizeBits == 0 && Field.Name.starts_with(BeginMark)) {
      Open.push_back({Field.Name.substr(sizeof(BeginMark) - 1), F, F, {}, 0});
      continue;
    }
    if (Field.SizeBits == 0 && Field.Name.starts_with(EndMark)) {
      const std::string Name = Field.Name.substr(sizeof(EndMark) - 1);
      for (size_t I = 0; I != Open.size(); ++I)
        if (Open[I].Name == Name) {
          Open[I].End = F;
          Open[I].Bytes =
              (Field.OffsetBits - Record.Fields[Open[I].Begin].OffsetBits) / 8;
          Groups.push_back(std::move(Open[I]));
          Open.erase(Open.begin() + static_cast<std::ptrdiff_t>(I));
          break;
        }
      continue;
    }
    for (MarkedGroup &Group : Open)
      Group.Fields.push_back(F);
  }
  return Groups;
}

std::vector<std::string> groupOfFields(const RecordInfo &Record) {
  std::vector<std::string> Names(Record.Fields.size());
  std::vector<size_t> Size(Record.Fields.size(), ~size_t(0));
  for (const MarkedGroup &Group : markedGroups(Record))
    for (uint32_t F : Group.Fields)
      if (Group.Fields.size() < Size[F]) {
        Size[F] = Group.Fields.size();
        Names[F] = Group.Name;
      }
  return Names;
}

GroupUse useByName(const std::string &Group) {
  const bool Read = Group.find("read") != std::string::npos,
             Written = Group.find("write") != std::string::npos;
  return Read == Written ? GroupUse::Unknown
         : Read          ? GroupUse::Read
                         : GroupUse::Written;
}

} // namespace kst
