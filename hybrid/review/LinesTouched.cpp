// SPDX-License-Identifier: GPL-2.0-or-later
//
// The finding hot-line-grew: visits touch more cache lines.

#include "hybrid/layout/Scores.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/review/StructFindings.h"

#include <algorithm>
#include <functional>
#include <map>

namespace kst {

namespace {

/// A function, and the lines that its visits touch for fields of both versions.
struct Visitor {
  Site Where;
  double Visits = 0, Before = 0, After = 0, More = 0;
};

/// Those that touch more lines, those first to which most are added.
std::vector<Visitor> burdened(const ComparedStruct &Struct) {
  std::map<std::string, Visitor> Visitors;
  for (const CoAccessSet &Set :
       withoutFields(Struct.Head.Sets, Struct.newFields())) {
    Visitor &One = Visitors[Set.Where.Function + " " + Set.Where.File];
    One.Where = Set.Where;
    auto Lines = [&](const Layout &Plan) {
      return expectedLines(Struct.Record, Set, Plan, Struct.Versions.Layout);
    };
    const double Before = Lines(Struct.Prices.base()),
                 After = Lines(Struct.Prices.head());
    One.Visits += Set.Weight;
    One.Before += Set.Weight * Before;
    One.After += Set.Weight * After;
    One.More += Set.Weight * (After - Before);
  }
  std::vector<Visitor> Found;
  for (const auto &[Name, One] : Visitors)
    if (One.More > 0)
      Found.push_back(One);
  std::ranges::stable_sort(Found, std::greater(), &Visitor::More);
  return Found;
}

/// Names of what the diff is about, in base and head.
std::vector<std::string> causes(const ComparedStruct &Struct) {
  std::vector<std::string> Names;
  for (uint32_t F = 0; F != Struct.fieldCount(); ++F)
    if (Struct.isCause(F) && Struct.isReal(F))
      Names.push_back(Struct.name(F));
  for (uint32_t B = 0; B != Struct.Pairs.HeadOf.size(); ++B)
    if (Struct.Pairs.HeadOf[B] == NoField &&
        !Struct.Base.Fields[B].Name.empty())
      Names.push_back(Struct.Base.Fields[B].Name);
  return Names;
}

/// Fields that are used and are on a line with others than they were, those
/// first that are used most; at most six.
std::string partedFields(const ComparedStruct &Struct) {
  const LayoutCost &Old = Struct.Prices.old();
  std::vector<std::pair<double, uint32_t>> Parted;
  for (uint32_t F = 0; F != Struct.fieldCount(); ++F)
    if (!Struct.isNew(F) && Old.active(F) &&
        Struct.beside(F) != Struct.besideBefore(F))
      Parted.push_back({-Old.heat(F), F});
  std::ranges::sort(Parted);
  std::string Words;
  for (size_t I = 0; I < std::min<size_t>(6, Parted.size()); ++I)
    Words += (I ? ", " : "") + Struct.name(Parted[I].second);
  return Words;
}

} // namespace

void addLinesTouched(const ComparedStruct &Struct, std::vector<Finding> &To) {
  const LayoutCost &Old = Struct.Prices.old();
  const Cost Before = Old.price(Struct.Prices.base()),
             After = Old.price(Struct.Prices.head());
  const double More = After.Lines - Before.Lines;
  if (!(Before.total() > 0) || More < Struct.Options.MinShare * Before.total())
    return;
  Finding &New = To.emplace_back(
      Struct.finding(FindingKind::HotLineGrew, More / Before.total()));
  New.Fields = Struct.Versions.Through.empty() ? causes(Struct)
                                               : Struct.Versions.Through;
  New.Said = "visits touch " + percent(More / Before.Lines) +
             " more lines for the same fields";
  constexpr size_t Shown = 3;
  const std::vector<Visitor> Most = burdened(Struct);
  for (size_t I = 0; I < std::min(Shown, Most.size()); ++I) {
    const Visitor &One = Most[I];
    New.Why.push_back(inWords(One.Where) + " touches " +
                      brief(One.After / One.Visits) + " lines instead of " +
                      brief(One.Before / One.Visits));
  }
  if (std::string Words = partedFields(Struct); !Words.empty())
    New.Why.push_back("hottest fields with other neighbours: " + Words);
}

} // namespace kst
