// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which records a change may lay out otherwise, and which units have them all:
// of the base, no others are parsed.

#ifndef KST_HYBRID_PIPELINE_AFFECTEDRECORDS_H
#define KST_HYBRID_PIPELINE_AFFECTEDRECORDS_H

#include "hybrid/pipeline/FactsSession.h"
#include "hybrid/program/Program.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace kst {

/// Name, file and line of a record: tells it from others, whatever its fields.
using RecordPlace = std::tuple<std::string, std::string, uint32_t>;

/// Records that a change of nothing but members in `Files` may lay out
/// otherwise: those in these files, those that hold such a record by value, and
/// those whose array bounds are computed. TextOf: of a file of the program, by
/// its relative name.
std::set<RecordPlace>
affectedRecords(const Program &Whole, const std::set<std::string> &Files,
                const std::function<std::string(const std::string &)> &TextOf);

/// Units, by their number in the session, that together have all forms of all
/// records of the units whose files are in `Seeing`, or those of them that
/// `Only` names if it is given. As few as taking the largest first finds.
std::vector<size_t> coveringUnits(const FactsSession &Session,
                                  const std::set<std::string> &Seeing,
                                  const std::set<RecordPlace> *Only);

} // namespace kst

#endif
