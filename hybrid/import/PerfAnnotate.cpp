// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/PerfAnnotate.h"

#include "hybrid/import/TextLines.h"

#include <charconv>
#include <cmath>

namespace kst {

constexpr std::string_view Begin = "Annotate type: '";
constexpr size_t DeepestMember = 64;

/// Line: behind Begin.
bool PerfAnnotate::begin(std::string_view Line) {
  Block = Annotated();
  size_t End = Line.find('\'');
  size_t Samples = Line.rfind('(');
  if (End == Line.npos || Samples == Line.npos)
    return false;
  std::string_view Type = Line.substr(0, End);
  Block.Struct = Type.substr(Type.rfind(' ') + 1);
  Block.Kernel = kernelDso(Line.substr(End));
  wordsOf(Line.substr(Samples + 1), 1, Words);
  Block.Samples =
      static_cast<double>(Words.empty() ? 0 : numberOf(Words[0]).value_or(0));
  return true;
}

/// The line above the rows.
void PerfAnnotate::columns() {
  Block.Exact = Words[0] == "Samples" || Words[0] == "samples";
  if (Block.Stores.empty())
    Block.Stores.push_back(To.Store);
  // Period, and shares of several events together, count no samples.
  if (!Block.Exact && (Words[0] != "Percent" || Block.Stores.size() != 1)) {
    ++To.WithoutCount;
    Block.Stores.clear();
  }
}

bool PerfAnnotate::line(std::string_view Line) {
  if (Line.starts_with(Begin))
    return begin(Line.substr(Begin.size()));
  if (Block.Struct.empty())
    return false;
  std::string_view Rest = trimmed(Line);
  if (Rest.empty()) {
    Block = Annotated();
    return true;
  }
  if (Rest.starts_with("event[")) {
    Block.Stores.push_back(Rest.find("store") != Rest.npos);
    return true;
  }
  if (Rest.starts_with("==="))
    return true;
  wordsOf(Line, MostPerfWords, Words);
  if (Words.size() == 4 && Words[1] == "offset" && Words[2] == "size") {
    columns();
    return true;
  }
  return row(Rest);
}

/// The name at the end of a row, behind the type.
static std::string_view memberName(std::string_view Row,
                                   const std::vector<std::string_view> &Words) {
  std::string_view Name;
  if (size_t Tab = Row.rfind('\t'); Tab != Row.npos)
    Name = trimmed(Row.substr(Tab + 1));
  else
    Name = Words.back() == "{" ? Words[Words.size() - 2] : Words.back();
  while (!Name.empty() &&
         (Name.back() == '{' || Name.back() == ';' || Name.back() == ' '))
    Name.remove_suffix(1);
  return Name;
}

bool PerfAnnotate::row(std::string_view Row) {
  size_t Columns = Block.Stores.size();
  if (Row.starts_with('}')) {
    if (!Block.Path.empty())
      Block.Path.pop_back();
    return true;
  }
  if (!Columns || Words.size() < Columns + 3)
    return !Columns;
  auto Offset = offsetOf(Words[Columns]), Size = offsetOf(Words[Columns + 1]);
  if (!Offset || !Size)
    return false;
  bool Opens = Row.ends_with('{');
  if (!Block.Known) { // the first row: the type itself
    if (!Opens) {
      Block = Annotated(); // no struct
      return true;
    }
    Block.Index = To.Make.structure(Block.Struct, *Size);
    Block.Known = true;
    return true;
  }
  std::string_view Name = memberName(Row, Words);
  if (Opens) {
    Block.Path.push_back(std::string(Name));
    return Block.Path.size() < DeepestMember;
  }
  return member(Name, *Offset, *Size);
}

/// The counts of a row, one in each column.
bool PerfAnnotate::member(std::string_view Name, uint32_t OffsetBytes,
                          uint32_t SizeBytes) {
  std::string Path;
  for (const std::string &Part : Block.Path)
    if (!Part.empty())
      Path += Part + ".";
  Path += Name;
  for (size_t C = 0; C < Block.Stores.size(); ++C) {
    uint64_t Count = 0;
    if (Block.Exact) {
      Count = numberOf(Words[C]).value_or(0);
    } else {
      double Percent = 0;
      std::from_chars(Words[C].data(), Words[C].data() + Words[C].size(),
                      Percent);
      if (!(Percent >= 0 && Percent <= 100))
        return false;
      Count =
          static_cast<uint64_t>(std::llround(Percent / 100 * Block.Samples));
    }
    if (Count)
      To.place(Block.Index, {Block.Struct, Path, OffsetBytes}, SizeBytes, "",
               Block.Kernel, Block.Stores[C], Count);
  }
  return true;
}

} // namespace kst
