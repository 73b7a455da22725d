// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/OwnershipView.h"

#include "hybrid/affinity/Conflicts.h"
#include "hybrid/report/Numbers.h"

namespace kst {

std::string ownershipWords(const Ownership &Of, bool Shares) {
  if (Of.Exclusive)
    return "each object has one user (" + Of.Source + "): no sharing is priced";
  if (Of.OthersShare)
    return brief(*Of.OthersShare * 100) +
           "% of the accesses come from another CPU or thread than the one "
           "with most (" +
           Of.Source + "): visits of unknown relation share that little";
  if (!Shares)
    return {};
  std::string Text = "not known, " +
                     percent(ConflictOptions().UnknownRemoteShare) +
                     " of visits of unknown relation count as another CPU's";
  if (Of.StartsNoThread)
    Text += "; no analysed unit starts a thread: --threads 1 prices no sharing";
  return Text;
}

} // namespace kst
