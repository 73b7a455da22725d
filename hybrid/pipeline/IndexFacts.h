// SPDX-License-Identifier: GPL-2.0-or-later
//
// Facts from an index instead of a front end, where they still hold.

#ifndef KST_HYBRID_PIPELINE_INDEXFACTS_H
#define KST_HYBRID_PIPELINE_INDEXFACTS_H

#include "analyzer/run/FactsCache.h"
#include "hybrid/index/Index.h"

#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <vector>

namespace kst {

/// An index that this build of the tool may use.
class IndexFacts {
public:
  /// An error names the file and says what to do.
  static llvm::Expected<IndexFacts> open(const std::string &File);

  const Index &index() const { return What; }
  const FactsStore &store() const { return What.Store; }
  /// Adds the facts of a unit that the index lacks; its number in the store.
  uint32_t add(const TuFacts &Facts);
  /// The unit with that key; it need not hold any more.
  std::optional<uint32_t> find(const Hash128 &Key) const;

private:
  IndexFacts(std::string File, Index Read);

  std::string File;
  Index What;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> Units; ///< by key
  friend class IndexLookup;
};

/// Which units of a run an index has as they are now. Looks at each file once.
class IndexLookup {
public:
  IndexLookup(const IndexFacts &From, const FactsCacheOptions &Options);

  std::optional<uint32_t> find(const RunUnit &Unit);
  /// What to say of units that were not found; "" if that is nothing new.
  std::string missing(const std::vector<RunUnit> &Units) const;

private:
  bool holds(uint32_t Answer);

  const IndexFacts &From;
  const std::string ToolId;
  FileStates States;
  enum class Held : uint8_t { Unknown, Yes, No };
  std::vector<Held> Answers; ///< of the index
  size_t Found = 0;
};

} // namespace kst

#endif
