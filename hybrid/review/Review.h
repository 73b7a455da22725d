// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a change of the source does to layouts, as plain data: structs that are
// laid out otherwise, and findings, which are what a reviewer should look at.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/core/Layout.h"
#include "hybrid/core/ToolId.h"
#include "hybrid/findings/FieldUsers.h"
#include "hybrid/findings/Finding.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kst {

enum class FieldFate { New, Moved, Removed, Renamed, Grown, Shifted };
const char *toWord(FieldFate Fate);

/// A field beside another on a line, and what that costs.
struct Neighbour {
  std::string Field;
  double Share = 0; ///< of the struct's cost: visits that lose the line
  bool operator==(const Neighbour &) const = default;
};

struct FieldChange {
  std::string Name, Type;
  std::string Was; ///< Renamed: its name in the base
  FieldFate Fate = FieldFate::New;
  std::optional<uint64_t> BaseBits, HeadBits; ///< offsets
  uint32_t Line = 0;                          ///< of the head's text
  double Reads = 0, Writes = 0;               ///< per visit of the struct
  double BaseWrites = -1;                     ///< less than 0: as in the head
  std::vector<FieldUser> Readers, Writers;    ///< strongest first
  std::vector<Neighbour> Beside;              ///< that are new, costliest first
  std::vector<std::string> Lost;              ///< that were beside it
};

/// A struct in one configuration.
struct StructChange {
  std::string Config, Triple;
  std::string Name, File;
  std::string Was; ///< its name in the base, if that was another
  uint32_t Line = 0, LineBytes = 64;
  uint64_t BaseBytes = 0, HeadBytes = 0; ///< BaseBytes 0: it is new
  /// Only what it holds by value changed: the names of these fields.
  std::vector<std::string> Through;
  Cost Base, Head;   ///< of the fields of both, with the head's visits
  double Visits = 0; ///< of the head
  double Calls = 0;  ///< of all functions of the program, in the same unit
  bool Used = false; ///< some visit was seen
  std::vector<FieldChange> Fields;
};

/// A change whose configurations could not be compared in full, and so on.
struct ReviewReport : FindingList {
  ToolId Tool;
  std::string Base, Head; ///< what the two are called
  /// The file that has the layouts of the base; "": a change of the source.
  std::string Baseline;
  uint32_t Compared = 0; ///< with a baseline: structs, in each configuration
  std::vector<std::string> ChangedFiles; ///< that the units see, relative
  uint32_t UnitsLooked = 0, UnitsChanged = 0;
  std::vector<StructChange> Structs;
  std::vector<std::string> Notes;
};

} // namespace kst
