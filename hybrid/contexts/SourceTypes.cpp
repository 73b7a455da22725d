// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/SourceTypes.h"

#include <algorithm>
#include <map>

namespace kst {
namespace {

constexpr const char *InUnion = " (or to another member of the union)";

std::string_view withoutWord(std::string_view Text, std::string_view Word) {
  while (Text.starts_with(Word) && Text.size() > Word.size() &&
         Text[Word.size()] == ' ')
    Text.remove_prefix(Word.size() + 1);
  return Text;
}

class SourceWalk {
public:
  explicit SourceWalk(const Program &Whole) : Whole(Whole) {}
  SourceTypes run();

private:
  void record(RecordId Id);
  void stores(FunctionId Id);
  void stored(RecordId Record, uint32_t Field, const std::string &By,
              bool Union);

  const Program &Whole;
  SourceTypes Out;
  std::vector<uint32_t> TypeOf; ///< by record; NoType: another has the name
  /// Rows of links by record and field.
  std::map<std::pair<RecordId, uint32_t>, uint32_t> LinkOf;
};

void SourceWalk::record(RecordId Id) {
  const std::string &Name = Whole.recordName(Id);
  const uint32_t Row = Out.Graph.type(Name);
  if (Out.Graph.Types[Row].SizeBytes)
    return;
  TypeOf[Id] = Row;
  const RecordFact &Fact = Whole.recordFact(Id);
  Out.Graph.Types[Row].SizeBytes = Fact.SizeBytes;
  for (uint32_t F = 0; F < Fact.Fields.size(); ++F) {
    const FieldFact &Field = Whole.fieldFact(Id, F);
    TypeLink Link;
    Link.OffsetBytes = Field.OffsetBits / 8;
    if (!(Field.Flags & FldAnonymous))
      Link.Member = Whole.recordText(Id, Field.Name);
    if (const RecordId Held = Whole.embedded(Id, F); Held != None) {
      Link.Held = true;
      Link.To = Out.Graph.type(Whole.recordName(Held));
    } else if (Field.Flags & FldPointer) {
      const std::string &Type = Whole.recordText(Id, Field.TypeName);
      const std::string Tag = pointedTag(Type);
      if (Tag.empty()) {
        Out.UnknownPointers += Type.find("_t *") != std::string::npos;
        continue;
      }
      Link.To = Out.Graph.type(Tag);
    } else {
      continue;
    }
    LinkOf[{Id, F}] = uint32_t(Out.Graph.Types[Row].Links.size());
    Out.Graph.Types[Row].Links.push_back(std::move(Link));
  }
}

void SourceWalk::stored(RecordId Record, uint32_t Field, const std::string &By,
                        bool Union) {
  auto At = LinkOf.find({Record, Field});
  if (Record == None || At == LinkOf.end() || TypeOf[Record] == NoType)
    return;
  TypeLink &Link = Out.Graph.Types[TypeOf[Record]].Links[At->second];
  if (!Link.Held) {
    Link.StoredBy.push_back(By + (Union ? InUnion : ""));
    return;
  }
  if (!Link.Member.empty())
    return;
  // The members of an unnamed union, which facts do not tell apart.
  const RecordId Inner = Whole.embedded(Record, Field);
  for (uint32_t F = 0; F < Whole.recordFact(Inner).Fields.size(); ++F)
    stored(Inner, F, By, true);
}

void SourceWalk::stores(FunctionId Id) {
  const LinkedFunction &Function = Whole.Functions[Id];
  const TuFacts &Unit = Whole.unitOf(Id);
  const FunctionFact &Fact = *Function.Fact;
  for (const StoreFact &Store : rowsOf(Unit.Stores, Fact.Stores)) {
    if (Store.Address == None)
      continue;
    // Values are numbered from the function's first.
    const auto Values = rowsOf(Unit.Values, Fact.Values);
    const ValueFact &To = Values[Store.Address];
    const bool Cleared =
        Store.Stored != None && Values[Store.Stored].Kind == ValueKind::Const;
    if (To.Kind != ValueKind::Field || Cleared)
      continue;
    uint32_t Line = Fact.Line;
    StrId File = Fact.File;
    for (const AccessFact &Access : rowsOf(Unit.Accesses, Fact.Accesses))
      if (Access.Address == Store.Address && Access.Block == Store.Block &&
          Access.Kind != AccessForm::Read) {
        Line = Access.Line;
        File = Access.File;
        break;
      }
    stored(Whole.record(Function.Unit, To.B), To.C,
           Unit.Strings[Fact.Name] + "() " + Unit.Strings[File] + ":" +
               std::to_string(Line),
           false);
  }
}

SourceTypes SourceWalk::run() {
  TypeOf.assign(Whole.recordCount(), NoType);
  for (RecordId Id = 0; Id != Whole.recordCount(); ++Id)
    record(Id);
  for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
    stores(Id);
  for (LinkedType &Of : Out.Graph.Types)
    for (TypeLink &Link : Of.Links) {
      auto &By = Link.StoredBy;
      std::sort(By.begin(), By.end());
      By.erase(std::unique(By.begin(), By.end()), By.end());
    }
  return std::move(Out);
}

} // namespace

std::string pointedTag(std::string_view Type) {
  for (const char *Word : {"const", "volatile"})
    Type = withoutWord(Type, Word);
  const size_t Before = Type.size();
  for (const char *Word : {"struct", "union"})
    Type = withoutWord(Type, Word);
  const size_t End = Type.find(" *");
  if (Type.size() == Before || End == Type.npos)
    return "";
  const std::string_view Rest = Type.substr(End + 2);
  if (Rest.find_first_of("*([") != Rest.npos ||
      Type.substr(0, End).find_first_of(" (") != Type.npos)
    return "";
  return std::string(Type.substr(0, End));
}

SourceTypes typesOfSource(const Program &Whole) {
  return SourceWalk(Whole).run();
}

} // namespace kst
