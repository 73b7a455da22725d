// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/ReportView.h"

#include "hybrid/report/FieldView.h"
#include "hybrid/report/SummaryView.h"

namespace kst {

ReportView::ReportView(const Report &R)
    : R(R), E(R.Evidence), Heat(hotness(E)), Weight(totalWeight(E)),
      Unit(Weight > 0 ? Weight : 1), Current(currentView(R)),
      Proposed(proposedView(R)), Reorders(proposes(R)),
      Moved(movedFields(Current, Proposed)) {
  for (double Share : Heat)
    Seen += Share > 0;
}

} // namespace kst
