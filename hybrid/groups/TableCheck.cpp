// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/groups/TableCheck.h"

#include "hybrid/core/EditDistance.h"
#include "hybrid/groups/GroupCode.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <optional>

namespace kst {

std::string pathOfGroup(const std::string &Group) {
  auto Ends = [&](const char *With) { return Group.ends_with(With); };
  if (Ends("txrx") || Ends("rxtx"))
    return "txrx";
  return Ends("tx") ? "tx" : Ends("rx") ? "rx" : "";
}

namespace {

/// What a row is about.
struct Meant {
  enum {
    Field,     ///< a field of the struct
    Inside,    ///< a member of what a field holds
    Elsewhere, ///< a member that this configuration does not have
    Nothing
  } What = Nothing;
  uint32_t F = 0;
};

class TableCheck {
public:
  TableCheck(const GroupSubject &Of, const GroupOptions &Options,
             GroupedStruct &Out)
      : Of(Of), Options(Options), Evidence(*Of.Evidence),
        Record(Evidence.Record), GroupOf(groupOfFields(Record)), Out(Out) {}

  void run();

private:
  Meant meant(const TableRow &Row) const;
  std::optional<uint32_t> fieldNamed(const std::string &Name) const;
  void countVisits();
  void noSuchField(const TableRow &Row);
  void missingRows();
  void type(const TableRow &Row, uint32_t F);
  void group(const TableRow &Row, uint32_t F);
  void code(const TableRow &Row, uint32_t F);
  void functions(const TableRow &Row, const Meant &About);
  std::string nearest(const std::string &Name) const;

  Finding &add(FindingKind Kind, Grade How, const TableRow &Row);

  const GroupSubject &Of;
  const GroupOptions &Options;
  const AffinityEvidence &Evidence;
  const RecordInfo &Record;
  const std::vector<std::string> GroupOf;
  GroupedStruct &Out;
  std::vector<bool> HasRow;
  std::vector<double> Visits; ///< by field, while the object is in use
  double All = 0;             ///< visits while the object is in use
  double Usual = 0; ///< median of those of fields that the table says are used
};

Finding &TableCheck::add(FindingKind Kind, Grade How, const TableRow &Row) {
  Finding New;
  New.Kind = Kind;
  New.How = How;
  New.Fields = {Row.field()};
  New.File = Of.Table->File;
  New.Line = Row.Line;
  return Out.Findings.emplace_back(std::move(New));
}

std::optional<uint32_t> TableCheck::fieldNamed(const std::string &Name) const {
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    const FieldInfo &Field = Record.Fields[F];
    if (!Field.Absent &&
        (Field.Name == Name ||
         std::ranges::find(Field.Members, Name) != Field.Members.end()))
      return F;
  }
  return std::nullopt;
}

Meant TableCheck::meant(const TableRow &Row) const {
  const std::string Name = Row.field();
  // "struct_icsk_ack_u8 pending" is icsk_ack.pending.
  for (const auto &[F, Members] : Of.Inner) {
    const std::string Prefix = "struct_" + Record.Fields[F].Name + "_";
    if (Row.Type.starts_with(Prefix) &&
        std::ranges::find(Members, Name) != Members.end())
      return {Meant::Inside, F};
  }
  if (std::optional<uint32_t> F = fieldNamed(Name))
    return {Meant::Field, *F};
  if (auto Macro = Of.Macros.find(Name); Macro != Of.Macros.end())
    if (std::optional<uint32_t> F =
            fieldNamed(Macro->second.substr(0, Macro->second.find('.'))))
      return {Meant::Inside, *F};
  if (Of.DefinitionWords.contains(Name))
    return {Meant::Elsewhere, 0};
  return {};
}

std::string TableCheck::nearest(const std::string &Name) const {
  std::string Best;
  unsigned Least = std::max<unsigned>(2, Name.size() / 5) + 1;
  auto Try = [&](const std::string &Other) {
    const unsigned Far = editDistance(Name, Other, Least);
    if (Far && Far < Least) {
      Least = Far;
      Best = Other;
    }
  };
  for (const FieldInfo &Field : Record.Fields) {
    Try(Field.Name);
    for (const std::string &Member : Field.Members)
      Try(Member);
  }
  return Best;
}

void TableCheck::noSuchField(const TableRow &Row) {
  Finding &New = add(FindingKind::NoSuchField, Grade::Medium, Row);
  New.Said = "the table has a row for " + inQuotes(Row.field()) +
             ", and the definition in " + Record.File + ":" +
             std::to_string(Record.Line) + " has no such member";
  if (const std::string Like = nearest(Row.field()); !Like.empty())
    New.Why.push_back("the nearest name is " + inQuotes(Like));
  for (const auto &[F, Members] : Of.Inner)
    if (std::ranges::find(Members, Row.field()) != Members.end())
      New.Why.push_back(inQuotes(Record.Fields[F].Name) +
                        " holds a member of this name");
}

void TableCheck::missingRows() {
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    const FieldInfo &Field = Record.Fields[F];
    if (HasRow[F] || Field.Name.empty() || !Field.SizeBits || Field.Absent)
      continue;
    Finding New;
    New.Kind = FindingKind::MissingRow;
    New.Fields = {Field.Name};
    New.File = Of.Table->File;
    New.Line = Of.Table->Line;
    New.Said = inQuotes(Field.Name) + " (" + Record.File + ":" +
               std::to_string(Field.Line) + ") has no row";
    if (!GroupOf[F].empty())
      New.Said += ", and it is in group " + inQuotes(GroupOf[F]);
    Out.Findings.push_back(std::move(New));
  }
}

void TableCheck::type(const TableRow &Row, uint32_t F) {
  const FieldInfo &Field = Record.Fields[F];
  const bool Array = Row.Name.find('[') != std::string::npos;
  const std::string InTable =
      Row.Type + (Array ? Row.Name.substr(Row.Name.find('[')) : "");
  if (Row.Type.empty() || isSameType(InTable, Field))
    return;
  Finding &New = add(FindingKind::RowType, Grade::Low, Row);
  New.Said = "the table says that " + inQuotes(Row.field()) + " is " +
             inQuotes(InTable) + "; it is " +
             inQuotes(Field.TypeName +
                      (Field.BitField ? ":" + std::to_string(Field.SizeBits)
                                      : std::string())) +
             " (" + Record.File + ":" + std::to_string(Field.Line) + ")";
}

/// "tx read_mostly, rx -"
std::string cells(const TableRow &Row) {
  auto Cell = [](const std::string &Text) {
    return Text.empty() ? std::string("nothing") : Text;
  };
  return "tx " + Cell(Row.Tx) + ", rx " + Cell(Row.Rx);
}

void TableCheck::group(const TableRow &Row, uint32_t F) {
  if (Out.Groups.empty())
    return;
  const std::string &Group = GroupOf[F];
  const bool Tx = TableRow::isUse(Row.Tx), Rx = TableRow::isUse(Row.Rx);
  const bool Written = TableRow::isWrite(Row.Tx) || TableRow::isWrite(Row.Rx);
  const std::string Path = pathOfGroup(Group);
  const GroupUse Use = useByName(Group);
  auto Say = [&](Grade How, const std::string &Why) {
    Finding &New = add(FindingKind::RowGroup, How, Row);
    New.Said = "the table says of " + inQuotes(Row.field()) + ": " +
               cells(Row) + "; " + Why;
  };
  if (Group.empty()) {
    if (Tx || Rx)
      Say(Grade::Low, "it is in no group");
  } else if (!Tx && !Rx) {
    if (!Path.empty() || Use != GroupUse::Unknown)
      Say(Grade::Low, "it is in group " + inQuotes(Group));
  } else if (Use == GroupUse::Read && Written)
    Say(Grade::Medium, "it is in group " + inQuotes(Group) + ", which is read");
  else if (Use == GroupUse::Written && !Written)
    Say(Grade::Medium,
        "it is in group " + inQuotes(Group) + ", which is written");
  else if ((Path == "tx" && !Tx) || (Path == "rx" && !Rx))
    Say(Grade::Medium,
        "it is in group " + inQuotes(Group) + ", which is for the other path");
  else if ((Path == "tx" && Rx) || (Path == "rx" && Tx))
    Say(Grade::Low, "it is in group " + inQuotes(Group) + ", which is for " +
                        Path + " alone");
  else if (Path == "txrx" && !(Tx && Rx))
    Say(Grade::Low,
        "it is in group " + inQuotes(Group) + ", which is for both paths");
}

void TableCheck::countVisits() {
  Visits.assign(Record.Fields.size(), 0);
  for (const CoAccessSet &Set : Evidence.Sets)
    if (!isOwned(Set.When) && Set.When != Phase::Configuration) {
      All += Set.Weight;
      for (const FieldTouch &Touch : Set.Touches)
        Visits[Touch.Field] += Set.Weight * Touch.Probability;
    }
  std::vector<double> Used;
  for (const TableRow &Row : Of.Table->Rows)
    if (const Meant About = meant(Row);
        About.What == Meant::Field &&
        (TableRow::isUse(Row.Tx) || TableRow::isUse(Row.Rx)))
      Used.push_back(Visits[About.F]);
  std::ranges::sort(Used);
  Usual = Used.empty() ? 0 : Used[Used.size() / 2];
}

void TableCheck::code(const TableRow &Row, uint32_t F) {
  if (Evidence.Sets.empty() || Record.Fields[F].Anonymous || Of.isParent(F))
    return;
  const bool Used = TableRow::isUse(Row.Tx) || TableRow::isUse(Row.Rx);
  const bool Written = TableRow::isWrite(Row.Tx) || TableRow::isWrite(Row.Rx);
  const double Reads = steadyReads(Evidence, F),
               Writes = steadyWrites(Evidence, F);
  const double Rate = Reads + Writes > 0 ? Writes / (Reads + Writes) : 0;
  const std::string Says =
      "the table says of " + inQuotes(Row.field()) + ": " + cells(Row) + "; ";
  const FieldUsers Who = usersOf(Evidence, F);
  auto Say = [&](Grade How, const std::string &Words, bool Readers,
                 bool Writers) {
    Finding &New = add(FindingKind::RowCode, How, Row);
    New.Said = Says + Words;
    New.Share = Rate;
    if (Readers)
      addReaders(New, Who);
    if (Writers)
      addWriters(New, Who);
  };
  const std::string Units =
      "the " + counted(Of.Units, "unit") + " that were looked at";
  if (!Used) {
    if (Usual > 0 && Visits[F] >= Usual)
      Say(Grade::Low,
          "it is touched more often than half of the fields for which the "
          "table has accesses",
          true, true);
  } else if (!(Evidence.Fields[F].total() > 0))
    Say(Grade::Low, "no code of " + Units + " uses it", false, false);
  else if (Written && !(Evidence.Fields[F].Writes > 0))
    Say(Grade::Medium, "no code of " + Units + " writes it", true, false);
  else if (Written && !(Writes > 0))
    Say(Grade::Low, "only set-up, teardown or configuration write it", true,
        true);
  else if (!Written && Rate >= Options.Written &&
           Writes >= Options.FewVisits * All &&
           (GroupOf[F].empty() ||
            writesInGroup(Evidence, GroupOf, F) >= Options.FewWrites))
    Say(Rate >= Options.MuchWritten ? Grade::Medium : Grade::Low,
        percent(Rate) + " of its accesses while the object is in use write it",
        false, true);
}

void TableCheck::functions(const TableRow &Row, const Meant &About) {
  for (const std::string &Name : Row.Functions) {
    auto Function = Of.Functions.find(Name);
    if (Function == Of.Functions.end())
      continue;
    if (!Function->second.Known) {
      Finding &New = add(FindingKind::NoSuchFunction, Grade::Low, Row);
      New.Fields.push_back(Name);
      New.Said = "the row of " + inQuotes(Row.field()) + " names " +
                 inQuotes(Name) + ", a word that no file of " +
                 Of.LookedThrough + " has";
      std::string Best;
      unsigned Least = 4;
      for (const auto &[Other, Is] : Of.Functions)
        if (Is.Body)
          if (const unsigned Far = editDistance(Name, Other, Least);
              Far < Least) {
            Least = Far;
            Best = Other;
          }
      if (!Best.empty())
        New.Why.push_back("other rows name " + inQuotes(Best));
    } else if (Function->second.Body &&
               !Function->second.Uses.contains(About.F)) {
      Finding &New = add(FindingKind::RowFunction, Grade::Low, Row);
      New.Fields.push_back(Name);
      New.Said = "the row of " + inQuotes(Row.field()) + " names " + Name +
                 "(), which does not use it, nor does what it calls by name";
    }
  }
}

void TableCheck::run() {
  Out.Table = Of.Table->File;
  Out.Rows = static_cast<uint32_t>(Of.Table->Rows.size());
  HasRow.assign(Record.Fields.size(), false);
  countVisits();
  std::map<std::string, const TableRow *> First;
  for (const TableRow &Row : Of.Table->Rows) {
    const Meant About = meant(Row);
    if (About.What == Meant::Nothing) {
      noSuchField(Row);
      continue;
    }
    if (About.What == Meant::Elsewhere) {
      ++Out.RowsElsewhere;
      continue;
    }
    HasRow[About.F] = true;
    if (About.What == Meant::Field) {
      auto [It, New] = First.try_emplace(Row.field(), &Row);
      if (!New)
        add(FindingKind::DoubleRow, Grade::Low, Row).Said =
            inQuotes(Row.field()) + " has another row in line " +
            std::to_string(It->second->Line);
      type(Row, About.F);
      group(Row, About.F);
      code(Row, About.F);
    }
    const bool ByMacro =
        About.What == Meant::Inside && Of.Macros.contains(Row.field());
    if (!ByMacro && !Of.isParent(About.F))
      functions(Row, About);
  }
  missingRows();
}

} // namespace

void checkTable(const GroupSubject &Of, const GroupOptions &Options,
                GroupedStruct &Out) {
  TableCheck(Of, Options, Out).run();
}

} // namespace kst
