// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/kst-dev/MakeInstance.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/layout/RuleIds.h"

namespace kst {

namespace {

/// Fields present, and for each field how many present ones are before it; one
/// more entry for the place behind the last.
struct Renumbering {
  explicit Renumbering(const RecordInfo &Record) {
    for (const FieldInfo &Field : Record.Fields) {
      Number.push_back(static_cast<uint32_t>(Present.size()));
      if (!Field.Absent)
        Present.push_back(Field);
    }
    Number.push_back(static_cast<uint32_t>(Present.size()));
  }
  std::vector<FieldInfo> Present;
  std::vector<uint32_t> Number;
};

SourceRule renumbered(const SourceRule &Rule, const RecordInfo &Record,
                      const Renumbering &To) {
  SourceRule Out = Rule;
  Out.Fields.clear();
  for (uint32_t F : Rule.Fields)
    if (Rule.Kind == RuleKind::Barrier || Rule.Kind == RuleKind::Closed ||
        (F < Record.Fields.size() && !Record.Fields[F].Absent))
      Out.Fields.push_back(To.Number[F]);
  return Out;
}

/// Nothing is left of the rule in this configuration, or it is not about the
/// order of the fields that are there.
bool isVoid(const SourceRule &Rule) {
  if (Rule.Kind == RuleKind::Closed)
    return true;
  size_t Least = Rule.Kind == RuleKind::AllFixed ? 0
                 : Rule.Kind == RuleKind::Join   ? 2
                                                 : 1;
  return Rule.Fields.size() < Least;
}

} // namespace

Instance makeInstance(const AffinityEvidence &Evidence,
                      const LayoutOptions &Options, const std::string &Triple) {
  const RecordInfo &Record = Evidence.Record;
  const Renumbering To(Record);
  Instance Out;
  Out.Name = Record.Name;
  Out.Origin = {{"kind", "extracted"},
                {"struct", Record.Name},
                {"defined_at", Record.File + ":" + std::to_string(Record.Line)},
                {"triple", Triple}};
  Out.LineBytes = Options.LineBytes;
  Out.InstanceAlignBytes = Options.InstanceAlignBytes
                               ? Options.InstanceAlignBytes
                               : instanceAlignment(Record, Options.LineBytes);
  Out.AnchorAlignBytes = Options.ImmovableFieldAlignBytes;
  Out.LambdaPad = Options.LambdaPad;
  const SharingOptions Sharing =
      sharingOptions(Options, Evidence.Users, Evidence.Sets);
  // In touched lines, not in cycles.
  Out.LambdaShare = (transferCycles(Options.On, Sharing.Cpus) - Options.On.L1) /
                    lineCycles(Options.On);
  Out.UnknownRemoteShare = Sharing.UnknownRemoteShare;
  Out.ChosenRemoteShare = Sharing.ChosenRemoteShare;
  Out.OtherCpus = Sharing.OtherCpus;
  Out.Stays = Sharing.Stays;
  Out.Record = Record;
  Out.Record.Fields = To.Present;
  std::vector<SourceRule> Rules = Evidence.Rules;
  Rules.insert(Rules.end(), Options.Rules.begin(), Options.Rules.end());
  nameApart(Rules);
  takeLifted(Rules, Options.Lift);
  for (const Pin &P : Options.Pins)
    Rules.push_back({RuleKind::ImmovableField, {P.Field}, P.Why, {}});
  for (const SourceRule &Rule : Rules)
    if (SourceRule Here = renumbered(Rule, Record, To); !isVoid(Here))
      Out.Rules.push_back(std::move(Here));
  Out.Sets = Evidence.Sets;
  for (CoAccessSet &Set : Out.Sets) {
    std::erase_if(Set.Touches, [&](const FieldTouch &T) {
      return T.Field >= Record.Fields.size() || Record.Fields[T.Field].Absent;
    });
    for (FieldTouch &T : Set.Touches)
      T.Field = To.Number[T.Field];
  }
  return Out;
}

} // namespace kst
