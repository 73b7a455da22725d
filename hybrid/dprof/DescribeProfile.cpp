// SPDX-License-Identifier: GPL-2.0-or-later
//
// A row for each type; and what another trace changes.

#include "hybrid/dprof/DescribeParts.h"
#include "hybrid/report/ByteAmount.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kst {
namespace {

constexpr size_t ShownTypes = 20;

} // namespace

Section profileView(const DprofReport &R) {
  const DataProfile &P = R.Data;
  const double Misses = double(P.All.misses(P.Level)), Cost = P.cost(P.All);
  Table T{{{"type", false, true},
           {"misses", true},
           {"share", true},
           {"accesses", true},
           {"missing", true},
           {"cost", true},
           {"moved", true},
           {"moves", true},
           {"live", true},
           {"in " + levelName(P.Level), true}}};
  T.Shape = Table::Picture::Bars;
  T.BarColumn = 2;
  size_t Untouched = 0;
  bool User = false;
  for (const TypeRow &Of : P.Types) {
    if (!Of.Counts.accesses()) {
      ++Untouched;
      continue;
    }
    User |= Of.Kind == TypeKind::User;
    const double Own = double(Of.Counts.misses(P.Level)),
                 Accesses = double(Of.Counts.accesses());
    Table::Row Row;
    Row.Y = share(Own, Misses);
    Row.Strong = Of.Name == R.Views.Type;
    Row.Cells = {
        code(typeName(P, Of)),
        amount(Own),
        heat(Row.Y),
        amount(Accesses),
        percent(share(Own, Accesses)),
        percent(share(P.cost(Of.Counts), Cost)),
        Of.Objects ? percent(share(double(Of.MovedObjects), double(Of.Objects)))
                   : "-",
        Of.Objects ? percent(share(double(Of.Moves), Accesses)) : "-",
        Of.Live.Most ? byteAmount(Of.Live.Mean) : "-",
        byteAmount(Of.Resident[size_t(P.Level)].Mean)};
    T.Rows.push_back(std::move(Row));
  }
  T.shorten(ShownTypes, " types");
  Section Part{"data profile: " + levelName(P.Level) + " misses by type"};
  Part.Body.push_back(Paragraph{soft(
      "missing: share of its accesses; cost: share of all; moved: share of "
      "objects that more than one CPU had; moves: share of accesses by "
      "another CPU than the one before to the same object; live, in " +
      levelName(P.Level) + ": mean bytes over the trace")});
  Part.Body.push_back(std::move(T));
  if (User)
    Part.Body.push_back(
        Paragraph{soft("user space: equal addresses of two processes are taken "
                       "for one, so its sharing says nothing")});
  if (Untouched)
    Part.Body.push_back(Paragraph{soft(counted(Untouched, "more type") +
                                       " without an access in the trace")});
  return Part;
}

Section diffView(const DprofReport &R) {
  const DataProfile &Before = R.Data, &After = *R.Other;
  std::map<std::string, std::pair<TypeRow, TypeRow>> Rows;
  auto Add = [](TypeRow &To, const TypeRow &More) {
    To.Counts += More.Counts;
    To.Objects += More.Objects;
    To.MovedObjects += More.MovedObjects;
    To.Live.Mean += More.Live.Mean;
  };
  for (const TypeRow &Of : Before.Types)
    Add(Rows[Of.Name].first, Of);
  for (const TypeRow &Of : After.Types)
    Add(Rows[Of.Name].second, Of);
  // Traces differ in length.
  auto Rate = [](const DataProfile &P, const TypeRow &Of) {
    return share(1000 * double(Of.Counts.misses(P.Level)),
                 double(P.All.accesses()));
  };
  auto Moved = [](const TypeRow &Of) {
    return Of.Objects
               ? percent(share(double(Of.MovedObjects), double(Of.Objects)))
               : "-";
  };
  Table T{{{"type", false, true},
           {"misses/1000", true},
           {"other", true},
           {"change", true},
           {"share", true},
           {"other", true},
           {"moved", true},
           {"other", true},
           {"live", true},
           {"other", true}}};
  for (const auto &[Name, Pair] : Rows) {
    const auto &[A, B] = Pair;
    const double Now = Rate(Before, A), Then = Rate(After, B);
    Table::Row Row{{code(Name), brief(Now), brief(Then), changeOf(Now, Then),
                    percent(share(double(A.Counts.misses(Before.Level)),
                                  double(Before.All.misses(Before.Level)))),
                    percent(share(double(B.Counts.misses(After.Level)),
                                  double(After.All.misses(After.Level)))),
                    Moved(A), Moved(B), byteAmount(A.Live.Mean),
                    byteAmount(B.Live.Mean)}};
    Row.Y = std::fabs(Then - Now);
    T.Rows.push_back(std::move(Row));
  }
  std::stable_sort(T.Rows.begin(), T.Rows.end(),
                   [](auto &A, auto &B) { return A.Y > B.Y; });
  T.shorten(ShownTypes, " types");
  Section Part{"change of " + levelName(Before.Level) + " misses, this and " +
               After.File};
  Part.Body.push_back(Paragraph{
      soft("misses/1000: of a type, for each 1000 accesses of the whole trace; "
           "largest change first")});
  Part.Body.push_back(std::move(T));
  return Part;
}

} // namespace kst
