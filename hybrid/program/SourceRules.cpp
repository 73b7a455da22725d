// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/SourceRules.h"

#include "hybrid/program/Formats.h"
#include "hybrid/program/PackedMembers.h"
#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace kst {
namespace {

/// What the code does, for the id of the rule, and how hard it is to move
/// around it: of several reasons the smallest is shown.
enum class Topic {
  Assert,
  Asm,
  Bytes,
  Distance,
  Length,
  Cast,
  Position,
  Made,
  Start
};

const char *word(Topic Of) {
  static const char *const Words[] = {"assert",   "asm",    "bytes",
                                      "distance", "length", "cast",
                                      "position", "made",   "start"};
  return Words[static_cast<size_t>(Of)];
}

Topic topic(DemandKind Kind) {
  switch (Kind) {
  case DemandKind::Block:
  case DemandKind::Tail:
  case DemandKind::Overrun:
    return Topic::Bytes;
  case DemandKind::Distance:
    return Topic::Distance;
  case DemandKind::Compared:
    return Topic::Length;
  case DemandKind::Assembly:
    return Topic::Asm;
  case DemandKind::Positional:
    return Topic::Position;
  case DemandKind::MadeAfter:
    return Topic::Made;
  default:
    return Topic::Assert;
  }
}

struct Reason {
  Topic Of;
  uint32_t Rank = 0; ///< among those of one topic, smallest first
  Site Where;
  std::string Why;
  std::string Id; ///< SourceRule::Id
  bool operator<(const Reason &Other) const {
    return std::tie(Of, Rank, Where.File, Where.Line, Where.Function, Why) <
           std::tie(Other.Of, Other.Rank, Other.Where.File, Other.Where.Line,
                    Other.Where.Function, Other.Why);
  }

  SourceRule rule(RuleKind Kind, std::vector<uint32_t> Fields) const {
    SourceRule Rule{Kind, std::move(Fields), Why, Where, Id, {}, {}};
    if (Of == Topic::Start)
      Rule.Strength = RuleStrength::Soft;
    if (Of == Topic::Assert)
      Rule.Unliftable = "the assertion stops the build; change it first";
    return Rule;
  }
};

class RuleMaker {
public:
  RuleMaker(const RuleBasis &Basis, RecordId Id)
      : Whole(Basis.Whole), Basis(Basis), Pointers(Basis.Pointers), Id(Id),
        Info(Whole.recordInfo(Id)), FieldCount(Info.Fields.size()) {}

  std::vector<SourceRule> make() {
    for (const auto &[Unit, Demand] : Basis.demandsOn(Id))
      add(Unit, *Demand);
    addStarts();
    addEnd();
    addOrders();
    std::vector<SourceRule> Rules;
    for (const auto &[Field, Best] : ImmovableFields)
      if (!needsNone(Field))
        Rules.push_back(Best.rule(RuleKind::ImmovableField, {Field}));
    for (const auto &[Places, Best] : Closed)
      Rules.push_back(
          Best.rule(RuleKind::Closed, {Places.first, Places.second}));
    return Rules;
  }

private:
  void add(uint32_t Unit, const DemandFact &Demand);
  void addOrders();
  void addStarts();
  void addScalars(RecordId Outer);
  void addBytes(RecordId Outer);
  RecordId atStart(RecordId Record) const;
  void addFrees();
  const FieldFact *firstScalar(RecordId Record) const;
  void addEnd();
  bool endsOpen(RecordId Record, unsigned Depth) const;
  void addStart(const CommonStart &Common, bool First, RecordId Other,
                Reason For);
  void close(uint32_t Begin, uint32_t End, const Reason &For);
  void fence(uint32_t Begin, uint32_t End, const Reason &For);
  std::string field(uint32_t Number) const;
  std::string record(RecordId Other) const;

  /// Nothing crosses it in any case.
  bool needsNone(uint32_t Field) const {
    const FieldInfo &Of = Info.Fields[Field];
    return Of.FlexibleArray || (Of.ZeroSize && !Of.BitField);
  }

  const Program &Whole;
  const RuleBasis &Basis;
  const PointerGraph &Pointers;
  RecordId Id;
  RecordInfo Info;
  uint32_t FieldCount;
  std::map<uint32_t, Reason> ImmovableFields;
  /// First and last place (before a field) where no new one may go.
  std::map<std::pair<uint32_t, uint32_t>, Reason> Closed;
  struct Order {
    uint32_t Behind, Front;
    Reason For;
  };
  std::vector<Order> Orders;
};

std::string RuleMaker::field(uint32_t Number) const {
  const std::string &Name = Info.Fields[Number].Name;
  return Name.empty() ? "field " + std::to_string(Number) : "'" + Name + "'";
}

std::string RuleMaker::record(RecordId Other) const {
  bool Union = Whole.recordFact(Other).Flags & RecUnion;
  return (Union ? "'union " : "'struct ") + Whole.recordName(Other) + "'";
}

/// A immovable field on each field from Begin to End, both included.
void RuleMaker::fence(uint32_t Begin, uint32_t End, const Reason &For) {
  for (uint32_t Field = Begin; Field <= End && Field < FieldCount; ++Field) {
    auto [It, New] = ImmovableFields.try_emplace(Field, For);
    if (!New && For < It->second)
      It->second = For;
  }
}

/// No new field goes before one of the fields from Begin to End.
void RuleMaker::close(uint32_t Begin, uint32_t End, const Reason &For) {
  End = std::min(End, FieldCount);
  if (Begin > End)
    return;
  auto [It, New] = Closed.try_emplace({Begin, End}, For);
  if (!New && For < It->second)
    It->second = For;
}

void RuleMaker::add(uint32_t Unit, const DemandFact &Demand) {
  uint32_t Field = Demand.Field, Other = Demand.Other;
  Reason For{topic(Demand.Kind),
             uint32_t(Demand.Kind),
             {Whole.text(Unit, Demand.Function), Whole.text(Unit, Demand.File),
              Demand.Line},
             "",
             ""};
  For.Id =
      ruleId(word(For.Of), Field < FieldCount ? Info.Fields[Field].Name : "");
  switch (Demand.Kind) {
  case DemandKind::Block:
    For.Why = "the bytes up to it are handled as one block";
    return fence(Field, Field, For);
  case DemandKind::Tail:
    For.Why = "objects end at it or behind it, by a size that is computed";
    close(Field + 1, FieldCount, For);
    return fence(Field, Field, For);
  case DemandKind::Distance:
    For.Why = Other == None ? "the distance from it to the end is used"
                            : "its distance from " + field(Other) + " is used";
    return fence(Field, Field, For);
  case DemandKind::Compared:
    For.Why = "a length is compared with its offset";
    return fence(Field, Field, For);
  case DemandKind::Overrun: {
    For.Why = "the bytes from " +
              (Field == None ? std::string("the start") : field(Field)) +
              " to " + (Other == None ? std::string("the end") : field(Other)) +
              " are handled as one block";
    uint32_t First = Field == None ? 0 : Field;
    close(Field == None ? 0 : Field + 1, Other == None ? FieldCount : Other,
          For);
    return fence(First, Other == None ? FieldCount - 1 : Other, For);
  }
  case DemandKind::Assembly:
    For.Why = "assembly uses its offset";
    return fence(Field, Field, For);
  case DemandKind::Positional:
    For.Why =
        "an initialiser sets the fields up to " + field(Field) + " by position";
    close(0, Field, For);
    return fence(0, Field, For);
  case DemandKind::AssertedOffset:
    For.Why = "a build-time assertion needs the offset of " + field(Field);
    close(0, Field, For);
    return fence(0, Field, For);
  case DemandKind::AssertedSpan:
    For.Why = "a build-time assertion counts the bytes from " + field(Field) +
              " to " + field(Other);
    close(Field + 1, Other, For);
    return fence(Field, Other, For);
  case DemandKind::AssertedEnd:
    For.Why = "a build-time assertion needs it at the end";
    close(Field + 1, FieldCount, For);
    return fence(Field, Field, For);
  case DemandKind::AssertedOrder:
    For.Why = "a build-time assertion needs it behind " + field(Other);
    Orders.push_back({Field, Other, For});
    return;
  case DemandKind::MadeAfter:
    For.Why = "C++ makes it after " + field(Other) +
              " and ends it before, which it may rely on";
    Orders.push_back({Field, Other, For});
    return;
  case DemandKind::Count:
    return;
  }
}

/// The fields of this record that one of the two needs for the common start.
void RuleMaker::addStart(const CommonStart &Common, bool First, RecordId Other,
                         Reason For) {
  uint32_t Last = None;
  for (const StartField &Needed : First ? Common.OfFirst : Common.OfSecond)
    if (Needed.Record == Id)
      Last = Last == None ? Needed.Field : std::max(Last, Needed.Field);
  if (Last == None)
    return;
  const std::string &Name = Whole.recordName(Other);
  For.Id = ruleId(word(For.Of), Name.starts_with("(") ? "" : Name);
  close(0, Last, For);
  fence(0, Last, For);
}

/// Records that begin with this one are asked too: what such a record begins
/// with may lie in here.
void RuleMaker::addStarts() {
  const std::vector<RecordId> &Outer = Basis.Starts.beginningWith(Id);
  for (RecordId Other : Outer) {
    addScalars(Other);
    addBytes(Other);
  }
  addFrees();
  std::set<RecordId> Converted;
  for (const Conversion &Use : Pointers.conversions(Outer)) {
    CommonStart Common = commonStart(Whole, Use.From, Use.To, Agreement::Name);
    const bool ByKind = !Common.any();
    if (ByKind && (Use.Direct || Use.Shared))
      Common = commonStart(Whole, Use.From, Use.To, Agreement::Place);
    if (!Common.any())
      continue;
    for (bool First : {true, false}) {
      RecordId Other = First ? Use.To : Use.From;
      Converted.insert(Other);
      if (ByKind && Use.Shared)
        addStart(Common, First, Other,
                 {Topic::Start, 0, Use.Where,
                  "shares a union with " + record(Other) +
                      ", which begins with the same types",
                  ""});
      else
        addStart(Common, First, Other,
                 {Topic::Cast, 0, Use.Where,
                  "code takes it for " + record(Other) +
                      ", which begins in the same way",
                  ""});
    }
  }
  const std::vector<RecordId> Own = Whole.recordsOfText(Id);
  for (RecordId Other : Basis.Starts.likelyAlike(Id)) {
    if (Converted.count(Other) || std::ranges::find(Own, Other) != Own.end())
      continue;
    CommonStart Common = commonStart(Whole, Id, Other);
    if (Common.Members < 2)
      continue;
    const RecordFact &Fact = Whole.recordFact(Other);
    addStart(Common, true, Other,
             {Topic::Start,
              0,
              {"", Whole.recordText(Other, Fact.File), Fact.Line},
              record(Other) + " begins with the same members; no conversion "
                              "was seen",
              ""});
  }
}

/// The member at the very start, through records inside; null for none.
const FieldFact *RuleMaker::firstScalar(RecordId Record) const {
  while (!(Whole.recordFact(Record).Flags & RecUnion) &&
         Whole.recordFact(Record).Fields.size()) {
    const FieldFact &First = Whole.fieldFact(Record, 0);
    RecordId Inner = Whole.embedded(Record, 0);
    if (Inner == None)
      return &First;
    Record = Inner;
  }
  return nullptr;
}

/// `*(int *)any`: a comparison for qsort(), the kind of an object.
void RuleMaker::addScalars(RecordId Outer) {
  const FieldFact *First = firstScalar(Outer);
  if (!First)
    return;
  for (const ScalarView &Seen : Pointers.scalarViews(Outer))
    if (First->SizeBits == 8 * uint64_t(Seen.Bytes) &&
        bool(First->Flags & FldPointer) == Seen.Pointer) {
      Reason For{Topic::Start, 0, Seen.Where,
                 std::string("code takes its start for a ") +
                     (Seen.Pointer ? "pointer" : "number"),
                 ruleId(word(Topic::Start), Info.Fields[0].Name)};
      close(0, 0, For);
      fence(0, 0, For);
    }
}

/// `strcmp((char *)any + 4, key)`. A pointer to a record that begins with this
/// one reaches the same bytes; all bytes of the record are no part of it.
void RuleMaker::addBytes(RecordId Outer) {
  const RecordFact &Fact = Whole.recordFact(Id);
  for (const ByteView &Seen : Pointers.byteViews(Outer)) {
    if (Seen.Byte + 1 >= Fact.SizeBytes)
      continue;
    uint32_t Last = 0;
    for (uint32_t F = 0; F != FieldCount; ++F)
      if (Whole.fieldFact(Id, F).OffsetBits <= 8 * uint64_t(Seen.Byte))
        Last = F;
    Reason For{Topic::Start, 1, Seen.Where,
               "code uses bytes of it by number, up to " +
                   std::to_string(Seen.Byte),
               ruleId(word(Topic::Start), Info.Fields[Last].Name)};
    close(0, Last, For);
    fence(0, Last, For);
  }
}

/// The record that is the first member; None for none.
RecordId RuleMaker::atStart(RecordId Record) const {
  return Whole.recordFact(Record).Fields.size() ? Whole.embedded(Record, 0)
                                                : None;
}

static bool hasRole(const UntypedUse &Use, NameKind Kind) {
  return std::ranges::any_of(
      lifetimeRoles(Use.Function), [&](const NameUse &Role) {
        return Role.Kind == Kind &&
               (Use.Kind != SlotKind::Param || Role.Argument == Use.Param);
      });
}

static bool frees(const UntypedUse &Use) {
  return Use.Kind == SlotKind::Param && !Use.Shared &&
         hasRole(Use, NameKind::Frees);
}

/// `return &made->base;`, and later `free(base)`: an object of its own that
/// ends by a pointer to the record that it begins with, and by no pointer to
/// the whole but where it was made.
void RuleMaker::addFrees() {
  std::set<std::string> Makers;
  std::vector<UntypedUse> Own = Pointers.ownUses(Id);
  for (const UntypedUse &Use : Own)
    if (Use.Kind == SlotKind::Result &&
        (hasRole(Use, NameKind::Allocates) ||
         hasRole(Use, NameKind::AllocatesCleared)))
      Makers.insert(Use.Where.Function);
  if (Makers.empty() || std::ranges::any_of(Own, [&](const UntypedUse &Use) {
        return frees(Use) && !Makers.contains(Use.Where.Function);
      }))
    return;
  for (RecordId Inner = atStart(Id); Inner != None; Inner = atStart(Inner))
    for (const UntypedUse &Use : Pointers.untypedUses(Inner)) {
      if (!frees(Use))
        continue;
      Reason For{Topic::Start, 2, Use.Where,
                 record(Inner) + " at its start is freed by " + Use.Function +
                     "(), which may end the whole object",
                 ruleId(word(Topic::Start), Info.Fields[0].Name)};
      close(0, 0, For);
      fence(0, 0, For);
    }
}

/// Objects that are longer than the record, by what its last member holds.
void RuleMaker::addEnd() {
  if (FieldCount < 2)
    return;
  uint32_t Last = FieldCount - 1;
  const FieldFact &Fact = Whole.fieldFact(Id, Last);
  Reason For{Topic::Bytes,
             0,
             {"", Info.File, Fact.Line},
             "",
             ruleId("flexible", Info.Fields[Last].Name)};
  if (endsOpen(Whole.embedded(Id, Last), 0)) {
    For.Why = "ends in a flexible array: stays last";
  } else if (Whole.recordText(Id, Fact.TypeName).ends_with("[1]")) {
    For.Of = Topic::Start;
    For.Why = "an array of one element at the end: objects may be longer";
  } else {
    return;
  }
  close(FieldCount, FieldCount, For);
  fence(Last, Last, For);
}

bool RuleMaker::endsOpen(RecordId Record, unsigned Depth) const {
  constexpr unsigned MaxDepth = 32;
  if (Record == None || Depth == MaxDepth)
    return false;
  uint32_t Count = Whole.recordFact(Record).Fields.size();
  bool Union = Whole.recordFact(Record).Flags & RecUnion;
  for (uint32_t F = Union || !Count ? 0 : Count - 1; F < Count; ++F)
    if ((Whole.fieldFact(Record, F).Flags & FldFlexibleArray) ||
        endsOpen(Whole.embedded(Record, F), Depth + 1))
      return true;
  return false;
}

/// A immovable field on one of the two is enough, whichever has one.
void RuleMaker::addOrders() {
  std::ranges::sort(Orders, [](const Order &A, const Order &B) {
    return std::tie(A.Front, A.Behind, A.For) <
           std::tie(B.Front, B.Behind, B.For);
  });
  for (const Order &Of : Orders)
    if (!needsNone(Of.Behind) && !needsNone(Of.Front) &&
        !ImmovableFields.count(Of.Behind) && !ImmovableFields.count(Of.Front))
      fence(Of.Behind, Of.Behind, Of.For);
}

} // namespace

RuleBasis::RuleBasis(const Program &Whole)
    : Whole(Whole), Pointers(Whole), Starts(Whole),
      Demands(Whole.recordCount()) {
  for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
    for (const DemandFact &Demand : Whole.unit(Unit).Demands)
      if (RecordId Id = Whole.record(Unit, Demand.Record); Id != None)
        Demands[Id].push_back({Unit, &Demand});
}

std::vector<SourceRule> sourceRules(const RuleBasis &Basis, RecordId Id) {
  if (Basis.Whole.recordFact(Id).Flags & RecForeignRules)
    return {{RuleKind::AllFixed,
             {},
             "its members follow rules of the ABI that are not predicted: "
             "bit-fields of Microsoft's, or alignments on which gcc and clang "
             "do not agree under such flags",
             {},
             ruleId("abi"),
             {},
             "no offset of another order would be sure"}};
  std::vector<SourceRule> Rules;
  if (auto Format = formatRule(Basis.Whole, Basis.Pointers, Id)) {
    Rules.push_back(std::move(*Format));
    if (Rules[0].Strength == RuleStrength::Hard)
      return Rules;
  }
  for (SourceRule &Rule : RuleMaker(Basis, Id).make())
    Rules.push_back(std::move(Rule));
  for (SourceRule &Rule : packedMemberRules(Basis.Whole, Id))
    Rules.push_back(std::move(Rule));
  return Rules;
}

std::vector<SourceRule> sourceRules(const Program &Whole, RecordId Id) {
  return sourceRules(RuleBasis(Whole), Id);
}

} // namespace kst
