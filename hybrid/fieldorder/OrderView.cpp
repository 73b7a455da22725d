// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/OrderView.h"

#include <algorithm>

namespace kst {
namespace {

OrderRow rowOf(const OrderScore &Score) {
  OrderRow Row;
  Row.Name = Score.Name;
  Row.Cost = Score.Objective;
  Row.Moves = Score.Moves;
  Row.SizeBytes = Score.Plan.SizeBytes;
  for (const std::string &Note : Score.Notes)
    Row.Note += (Row.Note.empty() ? "" : "; ") + Note;
  return Row;
}

} // namespace

uint32_t movesOf(const ReportView &View) {
  return View.Chosen
             ? View.Chosen->Moves
             : uint32_t(std::count(View.Moved.begin(), View.Moved.end(), true));
}

std::vector<OrderRow> ordersOf(const ReportView &View) {
  const Advice &A = View.R.Layouts;
  if (A.Compared.empty() && A.Asked.empty() && !A.Best)
    return {};
  std::vector<OrderRow> Rows;
  Rows.push_back(
      {"current", A.ObjectiveNow, 0, View.Current.SizeBytes, "", true});
  if (View.Reorders) {
    Rows.push_back({"proposed", A.ObjectiveNew, movesOf(View),
                    View.Proposed.SizeBytes, "", true});
  }
  if (A.Best)
    Rows.push_back(rowOf(*A.Best));
  for (const OrderScore &Score : A.Compared)
    Rows.push_back(rowOf(Score));
  for (const OrderScore &Score : A.Asked)
    Rows.push_back(rowOf(Score));
  return Rows;
}

std::vector<FrontierRow> frontierOf(const ReportView &View, bool Full) {
  const std::vector<FrontierPoint> &Points = View.R.Layouts.Frontier;
  std::vector<bool> Shown(Points.size(), Full);
  if (!Points.empty())
    Shown.front() = Shown.back() = true;
  for (uint64_t Decade = 1; Decade < 1000; Decade *= 10)
    for (uint64_t Limit : {Decade, Decade == 1 ? 3 : 2 * Decade, 5 * Decade})
      for (size_t I = Points.size(); I-- > 0;)
        if (Points[I].Moves <= Limit) {
          Shown[I] = true;
          break;
        }
  std::vector<FrontierRow> Rows;
  for (size_t I = 0; I < Points.size(); ++I)
    if (bool Chosen = &Points[I] == View.Chosen; Shown[I] || Chosen)
      Rows.push_back({Points[I], Chosen});
  return Rows;
}

} // namespace kst
