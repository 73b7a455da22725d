// SPDX-License-Identifier: GPL-2.0-or-later
//
// The structs that a review is asked for: a name that neither state of the tree
// has is a usageError, not a struct in which nothing was found.

#ifndef KST_HYBRID_PIPELINE_ASKEDSTRUCTS_H
#define KST_HYBRID_PIPELINE_ASKEDSTRUCTS_H

#include "hybrid/pipeline/ChangedCode.h"
#include "hybrid/pipeline/Request.h"
#include "hybrid/program/Program.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kst {

class AskedStructs {
public:
  /// Looks through the files of both states, those near the change first, until
  /// all are found.
  AskedStructs(const ChangedCode &Change,
               const std::vector<StructRequest> &Structs);

  /// Those that may exist, by the names that the analysis knows.
  const std::vector<StructRequest> &known() const { return Known; }
  /// What is wrong with the others.
  const std::vector<std::string> &mistakes() const { return Mistakes; }

  /// Notes which of the known ones the units of a configuration have.
  void look(const Program &Head, const Program &Base);
  /// After look() for each configuration: of known ones that are not in the
  /// line that was named, what is wrong.
  std::vector<std::string> misplaced() const;
  /// Likewise those that only a macro can define, and no unit does.
  std::vector<std::string> undefined() const;

private:
  std::vector<StructRequest> Known;
  std::vector<std::string> Mistakes;
  std::set<std::string> Defined; ///< by a text
  std::set<std::string> Seen;    ///< by a unit
  /// Definitions of the name in the file that was named, by the spelling.
  std::map<std::string, std::set<std::string>> OtherLines;
};

} // namespace kst

#endif
