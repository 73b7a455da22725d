// SPDX-License-Identifier: GPL-2.0-or-later
//
// A link replayed from its map: where everything comes to lie when inputs have
// other sizes or alignments. The statements of the linker script are evaluated
// as the map repeats them; what a map does not say (how an output section
// begins) is learned from the link that the map is of.

#pragma once

#include "hybrid/isolation/DataSegment.h"
#include "hybrid/isolation/LinkMap.h"

#include <functional>
#include <map>
#include <optional>

namespace kst {

/// What the linker places at a statement.
struct Extent {
  uint64_t SizeBytes = 0, AlignBytes = 1;
};

/// How an output section begins behind what is before it.
enum class PartStart : char {
  Between,  ///< no section
  Aligned,  ///< at the location counter, aligned
  NextPage, ///< a page on, at the same place in it: lld between segments
  PageStart,
  Fixed, ///< where it was: an address that the script or nobody here knows
};

struct PartRule {
  PartStart Start = PartStart::Between;
  uint64_t AlignBytes = 1;    ///< as it was linked
  uint64_t OwnAlignBytes = 1; ///< that part of it which no input demands
  uint64_t PageBytes = 0;
  bool Advances = true; ///< what is behind it lies behind it: no .tbss
  /// It is empty, and assignments to the location counter that the map has
  /// inside stand behind it: they count from where it was in front of it.
  bool Around = false;
  /// `. = N` inside counts from the beginning of the section.
  std::vector<bool> FromStart;
  /// Bytes between where a statement should be and where it is, which nothing
  /// here explains; and behind the last one.
  std::vector<int64_t> Slack;
  int64_t Tail = 0;
};

struct Unexplained {
  std::string What; ///< the section and the file, or the assignment
  uint64_t Expected = 0, Found = 0;
};

struct LinkRules {
  bool Relocatable = false; ///< every section begins at 0
  uint64_t FirstDot = 0;    ///< where the location counter begins
  DataStart Data = DataStart::AsBefore;
  std::vector<PartRule> Parts;
  std::vector<Unexplained> Odd;
  size_t Explained = 0; ///< statements that are where they should be
};

struct LinkPlacement {
  std::vector<uint64_t> PartAddress, PartSize;
  std::vector<std::vector<uint64_t>> Address; ///< of Assign: the value
  std::map<std::string, uint64_t> Assigned;   ///< symbols by the script
};

/// One extent for each statement of each part; unused for Assign.
using Extents = std::vector<std::vector<Extent>>;
/// The address of a symbol that a file defines.
using SymbolValue = std::function<std::optional<uint64_t>(const std::string &)>;

/// Learned from the map, the extents that it was made of and the alignments of
/// output sections, by part; 0 for parts that are not in the image. FirstDot:
/// behind the headers, where the linker has no script.
LinkRules learnRules(const LinkMap &Map, bool Relocatable, uint64_t FirstDot,
                     const Extents &Were,
                     const std::vector<uint64_t> &PartAlign,
                     const SymbolValue &Symbol);

/// The same walk with other extents. `Symbol` and `Before` have what is not
/// known yet when an expression asks: results of an earlier call. Calls repeat
/// until nothing changes.
LinkPlacement place(const LinkMap &Map, const LinkRules &Rules,
                    const Extents &Are, const SymbolValue &Symbol,
                    const LinkPlacement *Before);

/// As the map has it.
LinkPlacement placedByMap(const LinkMap &Map);

} // namespace kst
