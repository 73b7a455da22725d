// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/link/SourceRules.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace kst {
namespace {

/// Which reason is shown for a field that has several; first is strongest.
constexpr DemandKind ByStrength[] = {
    DemandKind::AssertedOffset, DemandKind::AssertedSpan,
    DemandKind::AssertedEnd,    DemandKind::AssertedOrder,
    DemandKind::Assembly,       DemandKind::Overrun,
    DemandKind::Block,          DemandKind::Distance,
    DemandKind::Compared,       DemandKind::Cast,
    DemandKind::Positional,
};
static_assert(std::size(ByStrength) == size_t(DemandKind::Count));

/// First word of the rule's id.
const char *topic(DemandKind Kind) {
  switch (Kind) {
  case DemandKind::Block:
  case DemandKind::Overrun:
    return "bytes";
  case DemandKind::Distance:
    return "distance";
  case DemandKind::Compared:
    return "length";
  case DemandKind::Assembly:
    return "asm";
  case DemandKind::Cast:
    return "cast";
  case DemandKind::Positional:
    return "position";
  case DemandKind::AssertedOffset:
  case DemandKind::AssertedSpan:
  case DemandKind::AssertedEnd:
  case DemandKind::AssertedOrder:
    return "assert";
  case DemandKind::Count:
    break;
  }
  return "code";
}

bool isAssertion(DemandKind Kind) {
  return std::string_view(topic(Kind)) == "assert";
}

size_t weakness(DemandKind Kind) {
  return std::find(std::begin(ByStrength), std::end(ByStrength), Kind) -
         std::begin(ByStrength);
}

struct Reason {
  DemandKind Kind;
  Site Where;
  std::string Why;
  std::string Id; ///< SourceRule::Id
  bool operator<(const Reason &Other) const {
    return std::tuple(weakness(Kind), Where.File, Where.Line, Where.Function,
                      Why) < std::tuple(weakness(Other.Kind), Other.Where.File,
                                        Other.Where.Line, Other.Where.Function,
                                        Other.Why);
  }
};

class RuleMaker {
public:
  RuleMaker(const Program &Whole, RecordId Id)
      : Whole(Whole), Id(Id), Info(Whole.recordInfo(Id)),
        FieldCount(Info.Fields.size()) {}

  std::vector<SourceRule> make() {
    for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
      for (const DemandFact &Demand : Whole.unit(Unit).Demands)
        if (Whole.record(Unit, Demand.Record) == Id)
          add(Unit, Demand);
    addOrders();
    std::vector<SourceRule> Rules;
    for (auto &[Field, Best] : Fences) {
      if (needsNone(Field))
        continue;
      SourceRule Rule{
          RuleKind::Fence, {Field}, std::move(Best.Why), Best.Where};
      Rule.Id = std::move(Best.Id);
      if (isAssertion(Best.Kind))
        Rule.Unliftable = "the assertion stops the build; change it first";
      Rules.push_back(std::move(Rule));
    }
    return Rules;
  }

private:
  void add(uint32_t Unit, const DemandFact &Demand);
  void addOrders();
  void fence(uint32_t Begin, uint32_t End, const Reason &For);
  std::string field(uint32_t Number) const;
  std::string record(RecordId Other) const;

  /// Nothing crosses it in any case.
  bool needsNone(uint32_t Field) const {
    const FieldInfo &Of = Info.Fields[Field];
    return Of.FlexibleArray || (Of.ZeroSize && !Of.BitField);
  }

  const Program &Whole;
  RecordId Id;
  RecordInfo Info;
  uint32_t FieldCount;
  std::map<uint32_t, Reason> Fences;
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

/// A fence on each field from Begin to End, both included.
void RuleMaker::fence(uint32_t Begin, uint32_t End, const Reason &For) {
  for (uint32_t Field = Begin; Field <= End && Field < FieldCount; ++Field) {
    auto [It, New] = Fences.try_emplace(Field, For);
    if (!New && For < It->second)
      It->second = For;
  }
}

void RuleMaker::add(uint32_t Unit, const DemandFact &Demand) {
  Reason For{Demand.Kind,
             {Whole.text(Unit, Demand.Function), Whole.text(Unit, Demand.File),
              Demand.Line},
             "",
             ""};
  uint32_t Field = Demand.Field, Other = Demand.Other;
  For.Id = ruleId(topic(Demand.Kind),
                  Field < FieldCount ? Info.Fields[Field].Name : "");
  switch (Demand.Kind) {
  case DemandKind::Block:
    For.Why = "the bytes up to it are handled as one block";
    return fence(Field, Field, For);
  case DemandKind::Distance:
    For.Why = Other == None ? "the distance from it to the end is used"
                            : "its distance from " + field(Other) + " is used";
    return fence(Field, Field, For);
  case DemandKind::Compared:
    For.Why = "a length is compared with its offset";
    return fence(Field, Field, For);
  case DemandKind::Overrun:
    For.Why = "the bytes from " +
              (Field == None ? std::string("the start") : field(Field)) +
              " to " + (Other == None ? std::string("the end") : field(Other)) +
              " are handled as one block";
    return fence(Field == None ? 0 : Field,
                 Other == None ? FieldCount - 1 : Other, For);
  case DemandKind::Assembly:
    For.Why = "assembly uses its offset";
    return fence(Field, Field, For);
  case DemandKind::Cast:
    For.Why = "casts to and from " + record(Whole.record(Unit, Other)) +
              " rely on what comes first";
    return fence(Field, Field, For);
  case DemandKind::Positional:
    For.Why =
        "an initialiser sets the fields up to " + field(Field) + " by position";
    return fence(0, Field, For);
  case DemandKind::AssertedOffset:
    For.Why = "a build-time assertion needs the offset of " + field(Field);
    return fence(0, Field, For);
  case DemandKind::AssertedSpan:
    For.Why = "a build-time assertion counts the bytes from " + field(Field) +
              " to " + field(Other);
    return fence(Field, Other, For);
  case DemandKind::AssertedEnd:
    For.Why = "a build-time assertion needs it at the end";
    return fence(Field, Field, For);
  case DemandKind::AssertedOrder:
    For.Why = "a build-time assertion needs it behind " + field(Other);
    Orders.push_back({Field, Other, For});
    return;
  case DemandKind::Count:
    return;
  }
}

/// A fence on one of the two is enough, whichever has one.
void RuleMaker::addOrders() {
  std::sort(Orders.begin(), Orders.end(), [](const Order &A, const Order &B) {
    return std::tie(A.Front, A.Behind, A.For) <
           std::tie(B.Front, B.Behind, B.For);
  });
  for (const Order &Of : Orders)
    if (!needsNone(Of.Behind) && !needsNone(Of.Front) &&
        !Fences.count(Of.Behind) && !Fences.count(Of.Front))
      fence(Of.Behind, Of.Behind, Of.For);
}

/// Headers that the kernel gives to user space.
bool isUserHeader(const std::string &File) {
  return File.starts_with("include/uapi/") ||
         File.find("/include/uapi/") != std::string::npos;
}

} // namespace

std::vector<SourceRule> sourceRules(const Program &Whole, RecordId Id) {
  RecordInfo Record = Whole.recordInfo(Id);
  Site Definition{"", Record.File, Record.Line};
  if (isUserHeader(Record.File))
    return {{RuleKind::AllFixed,
             {},
             "defined in a header for user space, which sees this layout",
             Definition,
             ruleId("uapi"),
             RuleStrength::Hard,
             "programs are compiled with this order"}};
  if (Record.Packed)
    return {{RuleKind::AllFixed,
             {},
             "packed: likely a format on the wire or of hardware",
             Definition,
             ruleId("packed")}};
  return RuleMaker(Whole, Id).make();
}

} // namespace kst
