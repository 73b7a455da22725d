// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/JoinedConfigs.h"

#include "hybrid/layout/FieldOffsets.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace kst {

namespace {

/// What makes a field of one configuration the same as that of another: line,
/// name, and how many like it came before.
using FieldKey = std::tuple<uint32_t, std::string, uint32_t>;

std::vector<FieldKey> keysOf(const RecordInfo &Record) {
  std::map<std::pair<uint32_t, std::string>, uint32_t> Seen;
  std::vector<FieldKey> Keys;
  for (const FieldInfo &Field : Record.Fields) {
    std::string Name = Field.Anonymous ? std::string("|") : Field.Name;
    uint32_t Rank = Seen[{Field.Line, Name}]++;
    Keys.emplace_back(Field.Line, std::move(Name), Rank);
  }
  return Keys;
}

/// The same for anonymous structs: lines, and how many like it came before.
using GroupKey = std::tuple<uint32_t, uint32_t, uint32_t>;

std::vector<GroupKey> groupKeysOf(const RecordInfo &Record) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Seen;
  std::vector<GroupKey> Keys;
  for (const GroupInfo &Group : Record.Groups)
    // Of two that begin on one line the outer one ends later.
    Keys.emplace_back(Group.Line, ~Group.EndLine,
                      Seen[{Group.Line, Group.EndLine}]++);
  return Keys;
}

/// The anonymous structs of all records, outer before inner; one that a
/// configuration lacks aligns nothing there.
class GroupMerge {
public:
  void add(const RecordInfo &Record) {
    std::vector<GroupKey> Keys = groupKeysOf(Record);
    for (size_t G = 0; G < Keys.size(); ++G) {
      auto [It, New] = Known.try_emplace(Keys[G]);
      if (!New)
        continue;
      It->second.Info = Record.Groups[G];
      if (uint32_t Parent = Record.Groups[G].Parent; Parent != NoGroup)
        It->second.Parent = Keys[Parent];
    }
  }

  /// Puts the joint groups into a record, in place of its own.
  void renumber(RecordInfo &Record) const {
    std::vector<GroupKey> Keys = groupKeysOf(Record);
    std::vector<GroupInfo> Joint;
    for (const auto &[Key, Group] : Known) {
      auto Own = std::ranges::find(Keys, Key);
      Joint.push_back(
          Own == Keys.end()
              ? Group.Info
              : Record.Groups[static_cast<size_t>(Own - Keys.begin())]);
      if (Own == Keys.end())
        Joint.back().AlignBytes = 1;
      Joint.back().Parent = Group.Parent ? index(*Group.Parent) : NoGroup;
    }
    for (FieldInfo &Field : Record.Fields)
      Field.Group = Field.Group != NoGroup ? index(Keys[Field.Group])
                    : Field.ZeroSize       ? emptied(Field)
                                           : NoGroup;
    Record.Groups = std::move(Joint);
  }

private:
  struct Entry {
    GroupInfo Info;
    std::optional<GroupKey> Parent;
  };
  /// The struct that the field is where all its members are configured out.
  uint32_t emptied(const FieldInfo &Field) const {
    for (const auto &[Key, Group] : Known)
      if (Field.Anonymous && std::get<0>(Key) == Field.Line)
        return index(Key);
    return NoGroup;
  }
  uint32_t index(const GroupKey &Key) const {
    return static_cast<uint32_t>(std::distance(Known.begin(), Known.find(Key)));
  }
  std::map<GroupKey, Entry> Known;
};

/// The fields of all records in one order that agrees with each.
class Merge {
public:
  void add(const RecordInfo &Record) {
    std::vector<FieldKey> Given = keysOf(Record);
    size_t After = 0; // fields before this one have been matched or passed
    for (size_t F = 0; F < Given.size(); ++F) {
      auto At = std::ranges::find(Keys, Given[F]);
      if (At != Keys.end()) {
        After = static_cast<size_t>(At - Keys.begin()) + 1;
        continue;
      }
      // Fields of others in between come by their line.
      while (After < Keys.size() &&
             std::get<0>(Keys[After]) < Record.Fields[F].Line)
        ++After;
      auto Place = static_cast<std::ptrdiff_t>(After);
      Keys.insert(Keys.begin() + Place, Given[F]);
      Fields.insert(Fields.begin() + Place, Record.Fields[F]);
      ++After;
    }
  }

  /// Joint index of each field of the record.
  std::vector<uint32_t> indices(const RecordInfo &Record) const {
    std::vector<uint32_t> Result;
    for (const FieldKey &Key : keysOf(Record))
      Result.push_back(
          static_cast<uint32_t>(std::ranges::find(Keys, Key) - Keys.begin()));
    return Result;
  }

  const std::vector<FieldInfo> &fields() const { return Fields; }

private:
  std::vector<FieldKey> Keys;
  std::vector<FieldInfo> Fields; ///< beside Keys
};

FieldInfo absent(const FieldInfo &Elsewhere) {
  FieldInfo Field;
  Field.Name = Elsewhere.Name;
  Field.TypeName = Elsewhere.TypeName;
  Field.Line = Elsewhere.Line;
  Field.Group = Elsewhere.Group;
  Field.Members = Elsewhere.Members;
  Field.Anonymous = Elsewhere.Anonymous;
  Field.Absent = true;
  return Field;
}

void renumber(AffinityEvidence &Config, const Merge &All) {
  std::vector<uint32_t> To = All.indices(Config.Record);
  std::vector<FieldInfo> Fields;
  for (const FieldInfo &Field : All.fields())
    Fields.push_back(absent(Field));
  const uint32_t Joint = static_cast<uint32_t>(Fields.size());
  std::vector<FieldUse> Uses(Joint);
  std::vector<FieldOrigin> Origins(Joint);
  for (size_t F = 0; F < To.size(); ++F) {
    Fields[To[F]] = std::move(Config.Record.Fields[F]);
    if (F < Config.Fields.size())
      Uses[To[F]] = Config.Fields[F];
    if (F < Config.Origins.size())
      Origins[To[F]] = Config.Origins[F];
  }
  Config.Record.Fields = std::move(Fields);
  Config.Fields = std::move(Uses);
  if (!Config.Origins.empty())
    Config.Origins = std::move(Origins);
  // Absent fields lie where they would begin.
  std::vector<uint64_t> Offsets;
  FieldOffsets(Config.Record).place(declarationOrder(Config.Record), Offsets);
  for (size_t F = 0; F < Offsets.size(); ++F)
    if (Config.Record.Fields[F].Absent)
      Config.Record.Fields[F].OffsetBits = Offsets[F];

  // The numbers rise with the old ones, so touches stay sorted.
  for (CoAccessSet &Set : Config.Sets)
    for (FieldTouch &Touch : Set.Touches)
      if (Touch.Field < To.size())
        Touch.Field = To[Touch.Field];
  for (MemberUse &Use : Config.Members)
    Use.Field = To[Use.Field];
  for (SourceRule &Rule : Config.Rules)
    for (uint32_t &Field : Rule.Fields)
      Field = Field < To.size() ? To[Field] : Joint;
}

std::string placeOf(const RecordInfo &Record) {
  return Record.File + ":" + std::to_string(Record.Line);
}

} // namespace

Result<JoinedConfigs> joinConfigs(std::vector<AffinityEvidence> Configs,
                                  std::vector<uint32_t> Programs) {
  JoinedConfigs All;
  All.Programs = std::move(Programs);
  All.Joint = Configs.front().Record;
  if (Configs.size() > 1) {
    GroupMerge Groups;
    for (const AffinityEvidence &Config : Configs)
      Groups.add(Config.Record);
    for (AffinityEvidence &Config : Configs)
      Groups.renumber(Config.Record);
    Groups.renumber(All.Joint);
    Merge Fields;
    for (const AffinityEvidence &Config : Configs) {
      if (Config.Record.File != All.Joint.File ||
          Config.Record.Line != All.Joint.Line)
        return Failure{"'" + All.Joint.Name +
                       "' is defined at different places: " +
                       placeOf(All.Joint) + " and " + placeOf(Config.Record)};
      Fields.add(Config.Record);
    }
    for (AffinityEvidence &Config : Configs)
      renumber(Config, Fields);
    All.Joint.Fields = Fields.fields();
  }
  All.Configs = std::move(Configs);
  return All;
}

} // namespace kst
