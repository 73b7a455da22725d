// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the orders of the report do to the caches of a model, on a trace.

#include "hybrid/fieldorder/DescribeParts.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/ReplayView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t FieldRows = 10;

/// "1234 -12.3%"; the first order has nothing to be compared with.
std::string against(uint64_t Now, uint64_t Then, bool First) {
  const std::string Change = First ? "" : change(double(Now), double(Then));
  return std::to_string(Then) + (Change.empty() ? "" : " " + Change);
}

Table orders(const ReplayedOrders &R) {
  Table T{{{"order"},
           {"misses", true},
           {"sharing misses", true},
           {"true", true},
           {"false", true},
           {"upgrades", true},
           {"lines per window", true}}};
  T.Shape = Table::Picture::Bars;
  T.BarColumn = 1;
  const ReplayedOrder &Now = R.Orders.front();
  for (const ReplayedOrder &Order : R.Orders) {
    const bool First = &Order == &Now;
    T.Rows.push_back({{Order.Name, against(Now.misses(), Order.misses(), First),
                       against(Now.sharing(), Order.sharing(), First),
                       std::to_string(Order.missed(MissClass::TrueSharing)),
                       std::to_string(Order.missed(MissClass::FalseSharing)),
                       against(Now.Upgrades, Order.Upgrades, First),
                       fixed(Order.LinesPerWindow, 2)}});
    T.Rows.back().Y = double(Order.misses());
    T.Rows.back().Strong = First || Order.Name == "proposed";
  }
  return T;
}

/// Fields that miss most, in the current or in the proposed order.
Table fields(const ReportView &View, const ReplayedOrder &Now,
             const ReplayedOrder &Then) {
  std::vector<uint32_t> ByMisses;
  auto Most = [&](uint32_t F) {
    return std::max(Now.Fields[F].Misses, Then.Fields[F].Misses);
  };
  for (uint32_t F = 0; F != Now.Fields.size(); ++F)
    if (Most(F))
      ByMisses.push_back(F);
  std::stable_sort(ByMisses.begin(), ByMisses.end(),
                   [&](uint32_t A, uint32_t B) { return Most(A) > Most(B); });
  Table T{{{"field"},
           {"misses", true},
           {"proposed", true},
           {"sharing misses", true},
           {"proposed", true}}};
  for (uint32_t F : ByMisses)
    T.Rows.push_back({{code(displayName(View.E.Record, F)),
                       std::to_string(Now.Fields[F].Misses),
                       std::to_string(Then.Fields[F].Misses),
                       std::to_string(Now.Fields[F].Sharing),
                       std::to_string(Then.Fields[F].Sharing)}});
  T.shorten(FieldRows, " that miss");
  return T;
}

} // namespace

void describeReplay(const ReportView &View, Document &Doc) {
  if (!View.R.Replay)
    return;
  const ReplayedOrders &R = *View.R.Replay;
  Section Said{"replay on a trace"};
  auto Say = [&](std::string Text) {
    Said.Body.push_back(Paragraph{{std::move(Text)}});
  };
  Say(counted(R.SubjectAccesses, "access") + " to " +
      counted(R.Objects, "object") + " of the struct, of " +
      counted(R.Accesses, "access") + " by " + counted(R.Cpus, "CPU") +
      ". Model: " + R.Geometry +
      ", MESI, LRU; no prefetcher, no speculation, no hashed slices; accesses "
      "in the order of their time stamps. Counts are the model's; they are no "
      "time.");
  if (R.onlySubject())
    Say("The trace has no access to anything else, so nothing pushes the "
        "struct's lines out of a cache: sharing is what can be compared.");
  for (const std::string &Limit : R.Limits)
    Say("Note: " + Limit + ".");
  if (R.Lost)
    Say(counted(R.Lost, "event") + " lost by the recorder.");
  if (!R.Complete)
    Say("The trace is incomplete: its recorder was killed, or the file was "
        "cut short.");
  if (R.InHoles)
    Say(counted(R.InHoles, "access") + " to no field of the struct left out.");
  if (R.OtherLayouts)
    Say(counted(R.OtherLayouts, "access") +
        " to structs of this name with another layout left out.");
  if (!R.LeftOut.empty())
    Said.Body.push_back(Paragraph{
        Sentence("Left out, as they make the struct longer, which moves what "
                 "lies behind it: ") +
        listed({R.LeftOut.begin(), R.LeftOut.end()}, R.LeftOut.size()) + "."});
  const bool Judged =
      View.Reorders && R.Orders.size() > 1 && R.Orders[1].Name == "proposed";
  if (Judged)
    Said.Body.push_back(Paragraph{strong(replayWords(View.R))});
  Said.Body.push_back(orders(R));
  Say(std::string("Misses: of ") + spelling(R.Nearest) +
      ", by accesses to the struct. Sharing misses: another CPU wrote to the "
      "line since; true: to bytes "
      "that are accessed now. Window: " +
      std::to_string(R.WindowAccesses) + " accesses of a CPU.");
  if (Judged)
    Said.Body.push_back(fields(View, R.Orders[0], R.Orders[1]));
  Doc.Sections.push_back(std::move(Said));
}

} // namespace kst
