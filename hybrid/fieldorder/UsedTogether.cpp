// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/UsedTogether.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/LayoutView.h"

#include <set>

namespace kst {

namespace {

/// What a C identifier may hold; other bytes become '_'.
std::string identifier(const std::string &Words) {
  std::string Name;
  for (char C : Words) {
    bool Digit = C >= '0' && C <= '9';
    bool Letter = (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z');
    Name += Letter || (Digit && !Name.empty()) ? C : '_';
  }
  return Name;
}

const char *accessWord(const FieldUse &Use) {
  static const char *const Words[] = {"", "_read", "_read_mostly", "_rw",
                                      "_write"};
  return Words[static_cast<size_t>(accessMark(Use))];
}

std::string nameOf(const Report &R, const GroupReason &Strongest,
                   const std::vector<uint32_t> &Fields,
                   std::set<std::string> &Taken) {
  FieldUse All;
  for (uint32_t F : Fields) {
    FieldUse Use = useOf(R.Evidence, F);
    All.Reads += Use.Reads;
    All.Writes += Use.Writes;
  }
  std::string Base = R.Evidence.Record.Name + accessWord(All);
  const std::string &Function = R.Evidence.Sets[Strongest.Set].Where.Function;
  size_t First = Function.find_first_not_of('_');
  if (First != std::string::npos)
    Base.append("_").append(Function, First);
  Base = identifier(Base);
  std::string Name = Base;
  for (unsigned N = 2; !Taken.insert(Name).second; ++N)
    Name = Base + "_" + std::to_string(N);
  return Name;
}

/// Names of the groups that the record has.
std::set<std::string> takenNames(const RecordInfo &Record) {
  std::set<std::string> Taken;
  for (const FieldInfo &Field : Record.Fields)
    for (const char *Prefix :
         {"__cacheline_group_begin__", "__cacheline_group_end__"})
      if (Field.Name.rfind(Prefix, 0) == 0)
        Taken.insert(Field.Name.substr(std::string(Prefix).size()));
  return Taken;
}

} // namespace

std::vector<UsedTogether> usedTogether(const Report &R) {
  const RecordInfo &Record = R.Evidence.Record;
  LayoutView View = proposedView(R);
  std::set<std::string> Taken = takenNames(Record);
  std::vector<UsedTogether> Groups;
  for (const GroupView &Line : groupsOf(R, View)) {
    if (Line.Share < UsedTogetherShare || Groups.size() == UsedTogetherGroups)
      break;
    std::set<uint32_t> Together;
    for (const GroupReason &Reason : Line.Reasons)
      Together.insert(Reason.Fields.begin(), Reason.Fields.end());
    UsedTogether Group;
    Group.Line = Line.Line;
    Group.Share = Line.Share;
    for (const FieldPlace &P : View.Places) {
      const FieldInfo &Field = Record.Fields[P.Field];
      if (Together.count(P.Field) && !Field.ZeroSize && !Field.FlexibleArray &&
          firstLine(P, R.CacheLineBytes) == Line.Line &&
          lastLine(P, R.CacheLineBytes) == Line.Line)
        Group.Fields.push_back(P.Field);
    }
    if (Group.Fields.size() < 2)
      continue;
    Group.Name = nameOf(R, Line.Reasons.front(), Group.Fields, Taken);
    Groups.push_back(std::move(Group));
  }
  return Groups;
}

} // namespace kst
