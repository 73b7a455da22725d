// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/ComparedStruct.h"

#include "hybrid/affinity/Ownership.h"

#include <algorithm>
#include <functional>

namespace kst {

static double totalWeight(const std::vector<CoAccessSet> &Sets) {
  double Sum = 0;
  for (const CoAccessSet &Set : Sets)
    Sum += Set.Weight;
  return Sum;
}

ComparedStruct::ComparedStruct(const StructVersions &Versions,
                               const ReviewOptions &Options)
    : Versions(Versions), Options(Options), Head(*Versions.Head),
      Base(*Versions.Base), Record(Head.Record),
      Sharing(sharingOptions(Versions.Layout, Head.Users, Head.Sets)),
      Pairs(pairFields(Base, Record)),
      Prices(Base, Pairs, Head, Versions.Layout),
      Visits(totalWeight(Head.Sets)),
      Total(Prices.all().price(Prices.head()).total()),
      Clash(fieldCount(), Head.Sets, Sharing) {}

ComparedStruct::Fields ComparedStruct::newFields() const {
  Fields Found;
  for (uint32_t F = 0; F != fieldCount(); ++F)
    if (isNew(F))
      Found.insert(F);
  return Found;
}

std::vector<LineMate> ComparedStruct::lineMates(uint32_t F) const {
  const Fields Had = besideBefore(F);
  std::vector<LineMate> Mates;
  for (uint32_t Mate : beside(F))
    if (!name(Mate).empty())
      Mates.push_back(
          {Mate, share(Clash.between(F, Mate) * Prices.all().lostCycles()),
           Had.contains(Mate)});
  std::ranges::stable_sort(Mates, std::greater(), &LineMate::Share);
  return Mates;
}

std::string ComparedStruct::lineOf(const Layout &Plan, uint32_t F) const {
  return std::to_string(Plan.OffsetBits[F] / 8 / Versions.Layout.LineBytes);
}

Finding ComparedStruct::finding(FindingKind Kind, double Share) const {
  Finding New;
  New.Kind = Kind;
  const bool Cool = Visits < Options.Cool * Versions.Calls;
  New.How = Cool || Share < Options.Medium ? Grade::Low
            : Share >= Options.High        ? Grade::High
                                           : Grade::Medium;
  New.Struct = Record.Name;
  New.Config = {Versions.Config};
  New.File = Record.File;
  New.Line = Record.Line;
  New.Share = New.Amount = Share;
  return New;
}

Finding ComparedStruct::finding(FindingKind Kind, double Share,
                                uint32_t F) const {
  Finding New = finding(Kind, Share);
  New.Fields = {name(F)};
  New.Line = Record.Fields[F].Line;
  return New;
}

} // namespace kst
