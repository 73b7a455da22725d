// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which page an object is on: where the kernel has it, or with what is of the
// same context.

#pragma once

#include "hybrid/contexts/OwnerTable.h"
#include "hybrid/contexts/TierPages.h"

#include <functional>

namespace kst {

/// Pages begin with their first access.
class PlacedPages {
public:
  struct Sinks {
    std::function<void(TierPage)> Begin, End;
  };
  PlacedPages(bool Grouped, Sinks Tell)
      : Grouped(Grouped), Tell(std::move(Tell)) {}

  /// The page of an access to an object; `Context`: of the object, or 0.
  TierPage page(const OwnedObject &Of, uint64_t Address, uint32_t Context);
  /// The object goes.
  void end(const OwnedObject &Of);
  /// Pages are given away, or taken back.
  void endPages(uint64_t Address, uint64_t Bytes);

  TierPages Pages;

private:
  static constexpr uint64_t PageBytes = 4096;
  struct Stock {
    TierPage Page;
    bool Mixed = false;
  };
  struct Group {
    TierPage Page = NoPage;
    uint32_t UsedBytes = 0;
  };
  TierPage stock(uint64_t Address, uint32_t Context);
  TierPage grouped(const OwnedObject &Of, uint32_t Context);
  TierPage begin(uint32_t Context);
  void finish(TierPage Page);

  const bool Grouped;
  Sinks Tell;
  std::unordered_map<uint64_t, Stock> ByNumber;  ///< page's address / 4096
  std::unordered_map<uint64_t, TierPage> Placed; ///< by address of an object
  std::map<std::pair<uint32_t, uint32_t>, Group> Filling; ///< context, type
  std::vector<uint32_t> OnPage; ///< objects, of pages of groups
};

} // namespace kst
