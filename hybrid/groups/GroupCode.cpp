// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/groups/GroupCode.h"

#include "hybrid/groups/TableCheck.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {

namespace {

class CodeCheck {
public:
  CodeCheck(const GroupSubject &Of, const GroupOptions &Options,
            GroupedStruct &Out)
      : Of(Of), Options(Options), Evidence(*Of.Evidence),
        Record(Evidence.Record), Groups(markedGroups(Record)),
        GroupOf(groupOfFields(Record)), Out(Out) {}

  void run();

private:
  void countVisits();
  void member(const MarkedGroup &Group, uint32_t F);
  void otherPath(const MarkedGroup &Group, uint32_t F);
  void missing(uint32_t F);
  void asserts();

  bool isField(uint32_t F) const {
    const FieldInfo &Field = Record.Fields[F];
    return !Field.Name.empty() && Field.SizeBits && !Field.Absent;
  }
  /// Of the visits that touch the field, how many touch another of the group.
  double with(uint32_t F, size_t Group) const {
    return Visits[F] > 0 ? Together[F][Group] / Visits[F] : 0;
  }
  Finding &add(FindingKind Kind, Grade How, uint32_t F,
               const std::string &Group);
  void addUsers(Finding &To, uint32_t F, bool Readers, bool Writers) const;

  const GroupSubject &Of;
  const GroupOptions &Options;
  const AffinityEvidence &Evidence;
  const RecordInfo &Record;
  const std::vector<MarkedGroup> Groups;
  const std::vector<std::string> GroupOf;
  GroupedStruct &Out;
  double All = 0;             ///< visits while the object is in use
  std::vector<double> Visits; ///< of them, that touch the field
  std::vector<double> Reads, Writes;
  /// By field and group: that touch both.
  std::vector<std::vector<double>> Together;
};

Finding &CodeCheck::add(FindingKind Kind, Grade How, uint32_t F,
                        const std::string &Group) {
  Finding New;
  New.Kind = Kind;
  New.How = How;
  New.Fields = {Record.Fields[F].Name, Group};
  New.File = Record.File;
  New.Line = Record.Fields[F].Line;
  return Out.Findings.emplace_back(std::move(New));
}

void CodeCheck::addUsers(Finding &To, uint32_t F, bool Readers,
                         bool Writers) const {
  const FieldUsers Who = usersOf(Evidence, F);
  if (Readers)
    addReaders(To, Who);
  if (Writers)
    addWriters(To, Who);
}

void CodeCheck::countVisits() {
  const size_t Count = Record.Fields.size();
  Visits.assign(Count, 0);
  Reads.assign(Count, 0);
  Writes.assign(Count, 0);
  Together.assign(Count, std::vector<double>(Groups.size()));
  std::vector<std::vector<size_t>> In(Count);
  for (size_t G = 0; G != Groups.size(); ++G)
    for (uint32_t F : Groups[G].Fields)
      In[F].push_back(G);
  for (const CoAccessSet &Set : Evidence.Sets) {
    if (isOwned(Set.When) || Set.When == Phase::Configuration)
      continue;
    All += Set.Weight;
    // Chance that a visit touches none of a group.
    std::vector<double> None(Groups.size(), 1);
    for (const FieldTouch &Touch : Set.Touches)
      for (size_t G : In[Touch.Field])
        None[G] *= 1 - Touch.Probability;
    for (const FieldTouch &Touch : Set.Touches) {
      const double Weight = Set.Weight * Touch.Probability;
      Visits[Touch.Field] += Weight;
      Reads[Touch.Field] += Set.Weight * Touch.Reads;
      Writes[Touch.Field] += Set.Weight * Touch.Writes;
      for (size_t G = 0; G != Groups.size(); ++G) {
        double Others = None[G];
        if (std::ranges::find(In[Touch.Field], G) != In[Touch.Field].end()) {
          Others = 1;
          for (const FieldTouch &Other : Set.Touches)
            if (Other.Field != Touch.Field &&
                std::ranges::find(In[Other.Field], G) != In[Other.Field].end())
              Others *= 1 - Other.Probability;
        }
        Together[Touch.Field][G] += Weight * (1 - Others);
      }
    }
  }
}

void CodeCheck::otherPath(const MarkedGroup &Group, uint32_t F) {
  const size_t Own = static_cast<size_t>(&Group - Groups.data());
  const std::string Ours = pathOfGroup(Group.Name);
  if (Ours.empty() || Ours == "txrx" || Visits[F] < Options.FewVisits * All ||
      with(F, Own) > Options.WithOwn)
    return;
  // Alone in its group it is never used with others.
  if (std::ranges::none_of(Group.Fields, [&](uint32_t Other) {
        return Other != F && Visits[Other] > 0;
      }))
    return;
  for (size_t G = 0; G != Groups.size(); ++G) {
    const std::string Path = pathOfGroup(Groups[G].Name);
    if (Path.empty() || Path == "txrx" || Path == Ours ||
        with(F, G) < Options.WithOther)
      continue;
    Finding &New = add(FindingKind::OtherPath, Grade::Low, F, Group.Name);
    New.Said = inQuotes(Record.Fields[F].Name) + " is in group " +
               inQuotes(Group.Name) + ", but " + percent(with(F, G)) +
               " of the visits that touch it touch " +
               inQuotes(Groups[G].Name) + ", and " + percent(with(F, Own)) +
               " others of its own group";
    addUsers(New, F, true, true);
    return;
  }
}

void CodeCheck::member(const MarkedGroup &Group, uint32_t F) {
  const std::string &Name = Record.Fields[F].Name;
  const std::string Quoted =
      inQuotes(Name) + " is in group " + inQuotes(Group.Name);
  if (!(Evidence.Fields[F].total() > 0)) {
    Finding &New = add(FindingKind::UnusedMember, Grade::Low, F, Group.Name);
    New.Said = Quoted + ", and none of the " + counted(Of.Units, "unit") +
               " that were looked at uses it";
    return;
  }
  const double Used = Reads[F] + Writes[F];
  const double Rate = Used > 0 ? Writes[F] / Used : 0;
  const GroupUse Use = useByName(Group.Name);
  const double OfGroup = writesInGroup(Evidence, GroupOf, F);
  if (Use == GroupUse::Read && Rate >= Options.Written &&
      Writes[F] >= Options.FewVisits * All && OfGroup >= Options.FewWrites) {
    Finding &New = add(FindingKind::WrongGroup,
                       Rate >= Options.MuchWritten ? Grade::Medium : Grade::Low,
                       F, Group.Name);
    New.Share = Rate;
    New.Said = Quoted + ", and " + percent(Rate) +
               " of its accesses while the object is in use write it: " +
               percent(OfGroup) + " of those to the group";
    addUsers(New, F, false, true);
  } else if (Use == GroupUse::Written && !(Writes[F] > 0)) {
    Finding &New = add(FindingKind::WrongGroup, Grade::Low, F, Group.Name);
    New.Said = Quoted + ", and no code writes it while the object is in use" +
               (Evidence.Fields[F].Writes > 0
                    ? ": only set-up, teardown or configuration does"
                    : "");
    addUsers(New, F, true, Evidence.Fields[F].Writes > 0);
  }
  otherPath(Group, F);
}

/// A field outside of all groups that is used as often as members are, by the
/// same visits, and in the same way.
void CodeCheck::missing(uint32_t F) {
  if (Visits[F] < Options.FewOutside * All || Of.isParent(F))
    return;
  const double Used = Reads[F] + Writes[F];
  const bool Written = Used > 0 && Writes[F] / Used >= Options.Written;
  for (size_t G = 0; G != Groups.size(); ++G) {
    const GroupUse Use = useByName(Groups[G].Name);
    if (with(F, G) < Options.WithOther || (Use == GroupUse::Read && Written) ||
        (Use == GroupUse::Written && !Written))
      continue;
    std::vector<double> Heat;
    for (uint32_t Member : Groups[G].Fields)
      if (isField(Member))
        Heat.push_back(Visits[Member]);
    if (Heat.empty())
      continue;
    std::ranges::sort(Heat);
    if (Visits[F] < Heat[Heat.size() * 3 / 4])
      continue;
    const auto Below = std::ranges::lower_bound(Heat, Visits[F]) - Heat.begin();
    Finding &New =
        add(FindingKind::MissingMember, Grade::Low, F, Groups[G].Name);
    New.Share = All > 0 ? Visits[F] / All : 0;
    New.Said = inQuotes(Record.Fields[F].Name) + " is in no group; " +
               percent(with(F, G)) + " of the visits that touch it touch " +
               inQuotes(Groups[G].Name) +
               ", and it is touched more often than " + std::to_string(Below) +
               " of the " + counted(Heat.size(), "member") + " there";
    addUsers(New, F, true, Written);
    return;
  }
}

void CodeCheck::asserts() {
  std::set<std::string> Asserting;
  std::map<std::pair<std::string, std::string>, Site> Seen;
  for (const GroupAssert &Claim : Of.Asserts) {
    if (!Claim.Member.empty())
      Asserting.insert(Claim.Group);
    auto [First, New] =
        Seen.try_emplace({Claim.Group, Claim.Member}, Claim.Where);
    if (New || First->second == Claim.Where)
      continue;
    Finding Twice;
    Twice.Kind = FindingKind::DoubleAssertion;
    Twice.Fields = {Claim.Group};
    if (!Claim.Member.empty())
      Twice.Fields.push_back(Claim.Member);
    Twice.File = Claim.Where.File;
    Twice.Line = Claim.Where.Line;
    Twice.Said =
        "the same assertion about " +
        (Claim.Member.empty() ? "the size of group "
                              : inQuotes(Claim.Member) + " in group ") +
        inQuotes(Claim.Group) + " is in " + First->second.File + ":" +
        std::to_string(First->second.Line);
    Out.Findings.push_back(std::move(Twice));
  }
  for (const MarkedGroup &Group : Groups) {
    if (!Asserting.contains(Group.Name))
      continue;
    for (uint32_t F : Group.Fields) {
      const FieldInfo &Field = Record.Fields[F];
      // offsetof() takes no bit-field.
      if (!isField(F) || Field.BitField || GroupOf[F] != Group.Name)
        continue;
      auto Claimed = [&](const std::string &Name) {
        return Seen.contains({Group.Name, Name});
      };
      if (Claimed(Field.Name) || std::ranges::any_of(Field.Members, Claimed))
        continue;
      Finding &New = add(FindingKind::Unasserted, Grade::Low, F, Group.Name);
      New.Said = inQuotes(Field.Name) + " is in group " + inQuotes(Group.Name) +
                 ", and no CACHELINE_ASSERT_GROUP_MEMBER() says so, as for "
                 "others of the group";
    }
  }
}

void CodeCheck::run() {
  asserts();
  if (Groups.empty() || Evidence.Sets.empty())
    return;
  countVisits();
  for (const MarkedGroup &Group : Groups)
    for (uint32_t F : Group.Fields)
      if (isField(F) && GroupOf[F] == Group.Name)
        member(Group, F);
  for (uint32_t F = 0; F != Record.Fields.size(); ++F)
    if (isField(F) && GroupOf[F].empty())
      missing(F);
}

} // namespace

double writesInGroup(const AffinityEvidence &Evidence,
                     const std::vector<std::string> &GroupOfFields,
                     uint32_t F) {
  double Accesses = 0;
  for (uint32_t Other = 0; Other != GroupOfFields.size(); ++Other)
    if (GroupOfFields[Other] == GroupOfFields[F])
      Accesses += steadyReads(Evidence, Other) + steadyWrites(Evidence, Other);
  return Accesses > 0 ? steadyWrites(Evidence, F) / Accesses : 0;
}

void checkCode(const GroupSubject &Of, const GroupOptions &Options,
               GroupedStruct &Out) {
  CodeCheck(Of, Options, Out).run();
}

} // namespace kst
