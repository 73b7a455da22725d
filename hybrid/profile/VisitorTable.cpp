// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/VisitorTable.h"

#include <algorithm>
#include <charconv>

namespace kst {

VisitorTable::VisitorTable(std::string_view Reference) {
  std::string File, Function;
  while (!Reference.empty()) {
    const std::string_view Line = Reference.substr(0, Reference.find('\n'));
    Reference.remove_prefix(std::min(Line.size() + 1, Reference.size()));
    if (Line.empty() || Line.front() == '+' || Line.front() == '-')
      continue;
    const size_t Blank = std::min(Line.find(' '), Line.size());
    if (Line.front() == '@') {
      File = Line.substr(1);
    } else if (Line.front() == '=' && Blank < Line.size()) {
      double Percent = 0;
      std::from_chars(Line.data() + Blank + 1, Line.data() + Line.size(),
                      Percent);
      ByStruct[std::string(Line.substr(1, Blank - 1))][File + ":" + Function] =
          Percent / 100;
    } else {
      Function = Line.substr(0, Blank);
    }
  }
}

const VisitorTable::Shares *VisitorTable::of(const std::string &Struct) const {
  const auto At = ByStruct.find(Struct);
  return At == ByStruct.end() ? nullptr : &At->second;
}

} // namespace kst
