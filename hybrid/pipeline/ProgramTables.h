// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables of the program that ran: of the files that were named, or of the
// program that a recording names.

#ifndef KST_HYBRID_PIPELINE_PROGRAMTABLES_H
#define KST_HYBRID_PIPELINE_PROGRAMTABLES_H

#include "hybrid/import/CounterJoin.h"

#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

/// Reads tables once for many recordings of one program.
class ProgramTables {
public:
  explicit ProgramTables(std::vector<std::string> Binaries)
      : Binaries(std::move(Binaries)) {}

  /// For the recording File with that text about its run. The result lives
  /// until the next call.
  llvm::Expected<const std::vector<CounterTable> *>
  of(const std::map<std::string, std::string> &Text, const std::string &File);

  /// Names of members of the structs in those tables, as far as debug
  /// information has them. Lives as long.
  const NamesOfMembers &members() const { return Members; }
  /// Which debug information is not there and why; "" if all is.
  const std::string &problem() const { return Problem; }

private:
  std::vector<std::string> Binaries;
  std::vector<std::string> Held; ///< what Tables are of
  std::vector<CounterTable> Tables;
  NamesOfMembers Members;
  std::string Problem;
};

} // namespace kst

#endif
