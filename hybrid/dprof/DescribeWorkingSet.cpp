// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of each type there is, over time, and in which sets.

#include "hybrid/dprof/DescribeParts.h"
#include "hybrid/report/ByteAmount.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace kst {
namespace {

constexpr size_t ShownSetTypes = 20, PlottedTypes = 6, ShownWindows = 8;

Table sizesTable(const DprofReport &R) {
  const DataProfile &P = R.Data;
  Table T{{{"type", false, true},
           {"live", true},
           {"at most", true},
           {"active", true},
           {"at most", true}}};
  for (CacheLevel Level : {CacheLevel::L1, CacheLevel::L2, CacheLevel::Llc})
    if (P.Geometry[Level].exists())
      T.Columns.push_back({"in " + levelName(Level), true});
  std::vector<const TypeRow *> Types;
  for (const TypeRow &Of : P.Types)
    Types.push_back(&Of);
  std::stable_sort(Types.begin(), Types.end(), [](auto *A, auto *B) {
    return A->Active.Mean > B->Active.Mean;
  });
  for (const TypeRow *Of : Types) {
    Table::Row Row{
        {code(Of->Name), Of->Live.Most ? byteAmount(Of->Live.Mean) : "-",
         Of->Live.Most ? byteAmount(double(Of->Live.Most)) : "-",
         byteAmount(Of->Active.Mean), byteAmount(double(Of->Active.Most))}};
    for (size_t L = 0; L < CacheLevels; ++L)
      if (P.Geometry.Shapes[L].exists())
        Row.Cells.push_back(byteAmount(Of->Resident[L].Mean));
    Row.Strong = Of->Name == R.Views.Type;
    T.Rows.push_back(std::move(Row));
  }
  T.shorten(ShownSetTypes, " types");
  return T;
}

/// Bytes of one kind over time: all types, and those with most of it; of live
/// bytes those that change most, since static objects never do.
Table overTime(const DprofReport &R, std::vector<uint64_t> WindowRow::*What) {
  const DataProfile &P = R.Data;
  std::vector<std::tuple<uint64_t, uint64_t, uint32_t>> Types;
  for (uint32_t T = 0; T < P.Types.size(); ++T) {
    uint64_t Sum = 0, Least = ~uint64_t(0), Most = 0;
    for (const WindowRow &Row : P.Windows) {
      const uint64_t Bytes = (Row.*What)[T];
      Sum += Bytes;
      Least = std::min(Least, Bytes);
      Most = std::max(Most, Bytes);
    }
    if (Sum && (R.Views.Type.empty() || P.Types[T].Name == R.Views.Type))
      Types.push_back(
          {What == &WindowRow::Live ? ~(Most - Least) : ~Sum, ~Sum, T});
  }
  std::sort(Types.begin(), Types.end());
  Types.resize(std::min(Types.size(), PlottedTypes));
  Table Out{{{"time", true}, {"all", true}}};
  for (const auto &[First, Sum, T] : Types)
    Out.Columns.push_back({typeName(P, P.Types[T]), true});
  Out.Shape = Table::Picture::Lines;
  const size_t Step = std::max<size_t>(1, P.Windows.size() / ShownWindows);
  for (size_t W = 0; W < P.Windows.size(); ++W) {
    const auto &Bytes = P.Windows[W].*What;
    Table::Row Row;
    Row.X = double(P.Windows[W].Time);
    uint64_t All = 0;
    for (uint64_t Of : Bytes)
      All += Of;
    Row.Ys = {double(All)};
    for (const auto &[First, Sum, T] : Types)
      Row.Ys.push_back(double(Bytes[T]));
    Row.Cells = {std::to_string(P.Windows[W].Time)};
    for (double Of : Row.Ys)
      Row.Cells.push_back(byteAmount(Of));
    Row.When = (W + 1) % Step ? Shown::Full : Shown::Always;
    Out.Rows.push_back(std::move(Row));
  }
  Out.Rest =
      "every one of " + counted(P.Windows.size(), "window") + " with --full";
  return Out;
}

Table histogram(const DataProfile &P) {
  const SetHistogram &Sets = P.Sets;
  Table T{{{"lines per way"},
           {"sets", true},
           {"share", true},
           {"conflict misses", true}}};
  T.Shape = Table::Picture::Bars;
  T.BarColumn = 2;
  for (unsigned Bin = 0; Bin < Sets.Bins; ++Bin) {
    if (!Sets.Number[Bin])
      continue;
    Table::Row Row;
    Row.Y = share(double(Sets.Number[Bin]), double(Sets.Sets));
    Row.Cells = {(Bin + 1 == Sets.Bins ? fixed(Bin / 4.0, 2) + " and more"
                                       : fixed(Bin / 4.0, 2) + " to " +
                                             fixed((Bin + 1) / 4.0, 2)),
                 std::to_string(Sets.Number[Bin]), percent(Row.Y),
                 amount(double(Sets.Conflicts[Bin]))};
    T.Rows.push_back(std::move(Row));
  }
  return T;
}

Table fullest(const DataProfile &P) {
  Table T{{{"set", true},
           {"lines in a window", true},
           {"conflict", true},
           {"capacity", true},
           {"types that lost lines there"}}};
  if (P.Level != CacheLevel::Llc)
    T.Columns.insert(T.Columns.begin(), {"CPU", true});
  for (const SetRow &Of : P.Sets.Fullest) {
    uint64_t All = 0;
    for (const auto &[Type, Misses] : Of.Types)
      All += Misses;
    std::vector<Sentence> Types;
    for (const auto &[Type, Misses] : Of.Types)
      Types.push_back(code(typeName(P, P.Types[Type])) + " " +
                      percent(share(double(Misses), double(All))));
    Table::Row Row{{std::to_string(Of.Set), fixed(Of.Lines, 1),
                    amount(double(Of.Conflicts)), amount(double(Of.Capacity)),
                    listed(Types, 4)}};
    if (P.Level != CacheLevel::Llc)
      Row.Cells.insert(Row.Cells.begin(), std::to_string(Of.Cpu));
    T.Rows.push_back(std::move(Row));
  }
  return T;
}

} // namespace

std::vector<Section> workingSetView(const DprofReport &R) {
  const DataProfile &P = R.Data;
  std::vector<Section> Out;
  Section &Sizes = Out.emplace_back();
  Sizes.Title = "working set";
  Sizes.Body.push_back(Paragraph{soft(
      "live: allocated, or static; active: lines touched in a window of " +
      counted(P.WindowEvents, "event") +
      "; in a cache: lines there, of all CPUs together; means over the ends "
      "of " +
      counted(P.Windows.size(), "window"))});
  Sizes.Body.push_back(sizesTable(R));
  const std::pair<const char *, std::vector<uint64_t> WindowRow::*> Kinds[] = {
      {"live bytes over time", &WindowRow::Live},
      {"active bytes over time", &WindowRow::Active},
      {"resident bytes over time", &WindowRow::Resident}};
  for (const auto &[Title, What] : Kinds) {
    Section &Over = Out.emplace_back();
    Over.Title = Title;
    if (What == &WindowRow::Resident)
      Over.Title = "bytes in " + levelName(P.Level) + " over time";
    Over.Body.push_back(overTime(R, What));
    if (What != &WindowRow::Live)
      Over.When = Shown::Full;
  }
  Section &Sets = Out.emplace_back();
  Sets.Title = "sets of " + levelName(P.Level);
  Sets.Body.push_back(Paragraph{soft(
      counted(P.Sets.Sets, "set") + " of " +
      counted(P.Geometry[P.Level].Ways, "way") +
      "; lines: different ones that were accessed in a window, mean; a set "
      "that loses lines to others while the cache has room has conflicts")});
  Sets.Body.push_back(histogram(P));
  const bool Lost =
      std::any_of(P.Sets.Fullest.begin(), P.Sets.Fullest.end(),
                  [](const SetRow &Of) { return Of.Conflicts || Of.Capacity; });
  if (Lost)
    Sets.Body.push_back(fullest(P));
  else
    Sets.Body.push_back(Paragraph{
        "No set had a conflict miss; none of the fullest lost a line."});
  if (P.Sets.TypesCut)
    Sets.Body.push_back(
        Paragraph{"not all types of these sets are known: too many"});
  return Out;
}

} // namespace kst
