// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/TextReport.h"

#include "hybrid/fieldorder/TextAdvice.h"
#include "hybrid/fieldorder/TextEvidence.h"
#include "hybrid/fieldorder/TextLayout.h"
#include "hybrid/fieldorder/TextPage.h"
#include "hybrid/fieldorder/TextSummary.h"

namespace kst {
namespace {

void layouts(TextPage &To) {
  To.heading("current layout");
  if (To.View.Seen)
    To.flow("  ",
            "Columns: offset, size, share of all accesses, r only read, R "
            "read-mostly (16 reads and more per write), rw, w only "
            "written, rem: by other CPUs, lock.");
  To.Out += layoutText(To.View.R, To.View.Current, To.Options);
  if (!To.View.Reorders)
    return;
  To.heading("proposed layout (> moved)");
  To.Out += layoutText(To.View.R, To.View.Proposed, To.Options,
                       &To.View.Current, To.View.Moved);
}

} // namespace

std::string toText(const Report &R, const TextOptions &Options) {
  TextPage Page(R, Options);
  writeSummary(Page);
  writeAdvice(Page);
  layouts(Page);
  writeEvidence(Page);
  return std::move(Page.Out);
}

} // namespace kst
