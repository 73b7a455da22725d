// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/ReportView.h"

#include "hybrid/fieldorder/FieldView.h"

#include <algorithm>

namespace kst {
namespace {

bool proposes(const Report &R) { return R.Layouts.What == Verdict::Reorder; }

const FrontierPoint *chosenPoint(const Report &R) {
  if (proposes(R))
    for (const FrontierPoint &Point : R.Layouts.Frontier)
      if (Point.Moves && Point.TotalCost == R.Layouts.ObjectiveNew)
        return &Point;
  return nullptr;
}

std::vector<uint32_t> unmoved(const LayoutView &View,
                              const std::vector<bool> &Moved) {
  std::vector<uint32_t> Fields;
  for (const FieldPlace &P : View.Places)
    if (!Moved[P.Field])
      Fields.push_back(P.Field);
  return Fields;
}

std::vector<bool> chosenMoves(const RecordInfo &Record,
                              const FrontierPoint *Chosen,
                              const LayoutView &Current,
                              const LayoutView &Proposed) {
  if (!Chosen)
    return movedFields(Current, Proposed);
  std::vector<bool> Moved(Record.Fields.size(), false);
  for (uint32_t F = 0; F < Moved.size(); ++F)
    Moved[F] = !Record.Fields[F].Absent &&
               std::ranges::find(Chosen->Moved, Record.Fields[F].Name) !=
                   Chosen->Moved.end();
  return unmoved(Current, Moved) == unmoved(Proposed, Moved)
             ? Moved
             : movedFields(Current, Proposed);
}

} // namespace

ReportView::ReportView(const Report &R)
    : R(R), E(R.Evidence), Heat(hotness(E)), Weight(totalWeight(E)),
      Unit(Weight > 0 ? Weight : 1), Current(currentView(R)),
      Proposed(proposedView(R)), Reorders(proposes(R)), Chosen(chosenPoint(R)),
      Moved(chosenMoves(E.Record, Chosen, Current, Proposed)) {
  for (double Share : Heat)
    Seen += Share > 0;
  for (const ConfigScore &Config : R.Layouts.Configs)
    if (!Config.Shared || R.Layouts.Configs.front().Shared)
      Optimised += Config.Optimised;
    else if (!Shared && Config.Config == R.Layouts.Configs.front().Config)
      Shared = &Config;
}

std::string nameOf(const ConfigScore &Of) {
  return (Of.Name.empty() ? Of.Triple : Of.Name) +
         (Of.Shared ? ", shared" : "");
}

uint32_t ReportView::moves() const {
  return Chosen ? Chosen->Moves : uint32_t(std::ranges::count(Moved, true));
}

} // namespace kst
