// SPDX-License-Identifier: GPL-2.0-or-later
//
// The findings left-group and wrong-group: a field left its cacheline group, or
// joined one that is named as read although code writes it.

#include "hybrid/core/MarkedGroups.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/review/StructFindings.h"

#include <algorithm>

namespace kst {

static void addLeft(const ComparedStruct &Struct, uint32_t F,
                    const std::string &From, const std::string &For,
                    std::vector<Finding> &To) {
  Finding &New = To.emplace_back(Struct.finding(FindingKind::LeftGroup, 0, F));
  New.How = For.empty() ? Grade::Medium : Grade::Low;
  New.Said = inQuotes(Struct.name(F)) + " left cacheline group " +
             inQuotes(From) + (For.empty() ? "" : " for " + inQuotes(For)) +
             " and is on line " + Struct.lineOf(Struct.Prices.head(), F);
  const FieldUsers Who = usersOf(Struct.Head, F);
  addReaders(New, Who);
  addWriters(New, Who);
}

/// If it joined a group of what is read, though it is written.
static void addWrong(const ComparedStruct &Struct, uint32_t F,
                     const std::string &Group, std::vector<Finding> &To) {
  const double Accesses = Struct.Head.Fields[F].total();
  // A tenth of the accesses: what read-mostly fields stay below.
  constexpr double Mostly = 0.1, Often = 0.3;
  if (!(Accesses > 0) || useByName(Group) != GroupUse::Read)
    return;
  const double Rate = steadyWrites(Struct.Head, F) / Accesses;
  if (Rate < Mostly)
    return;
  Finding &New = To.emplace_back(Struct.finding(FindingKind::WrongGroup, 0, F));
  New.How = Rate >= Often ? Grade::High : Grade::Medium;
  New.Said = inQuotes(Struct.name(F)) + " joined cacheline group " +
             inQuotes(Group) + ", but " + percent(Rate) +
             " of its accesses write it";
  addWriters(New, usersOf(Struct.Head, F));
}

void addGroupMoves(const ComparedStruct &Struct, std::vector<Finding> &To) {
  const std::vector<std::string> Before = groupOfFields(Struct.Base),
                                 After = groupOfFields(Struct.Record);
  const std::vector<MarkedGroup> Groups = markedGroups(Struct.Record);
  for (uint32_t F = 0; F != Struct.fieldCount(); ++F) {
    if (!Struct.isReal(F))
      continue;
    const std::string Old =
        Struct.isNew(F) ? "" : Before[Struct.Pairs.BaseOf[F]];
    const std::string &Group = After[F];
    if (Group == Old)
      continue;
    // A group that is gone was renamed or given up: no field left it.
    if (!Old.empty() && std::ranges::count(Groups, Old, &MarkedGroup::Name))
      addLeft(Struct, F, Old, Group, To);
    if (!Group.empty())
      addWrong(Struct, F, Group, To);
  }
}

} // namespace kst
