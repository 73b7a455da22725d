// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/PointerGraph.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace kst {
namespace {

/// A slot of the program: records are RecordIds, strings are pool strings.
using Slot = SlotFact;

struct SlotHash {
  size_t operator()(const Slot &S) const {
    uint64_t H = uint64_t(S.Kind) * 0x9e3779b97f4a7c15ull;
    for (uint32_t Part : {S.A, S.B, S.C})
      H = (H ^ Part) * 0xff51afd7ed558ccdull, H ^= H >> 29;
    return H;
  }
};

bool earlier(const Site &A, const Site &B) {
  return std::tie(A.File, A.Line, A.Function) <
         std::tie(B.File, B.Line, B.Function);
}

struct FoundStep {
  Site Where;
  bool Direct = false, Shared = false;
};

using FoundPairs = std::map<std::pair<RecordId, RecordId>, FoundStep>;

void addPair(FoundPairs &Found, RecordId From, RecordId To, FoundStep Step) {
  auto [It, New] = Found.try_emplace({From, To}, Step);
  if (New)
    return;
  It->second.Direct |= Step.Direct;
  It->second.Shared &= Step.Shared;
  if (earlier(Step.Where, It->second.Where))
    It->second.Where = std::move(Step.Where);
}

} // namespace

class PointerGraph::Nodes {
public:
  explicit Nodes(const Program &Whole) : Whole(Whole) {
    for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
      for (const PointerFlowFact &Flow : Whole.unit(Unit).PointerFlows)
        connect(node(linked(Unit, Flow.From)), node(linked(Unit, Flow.To)),
                {Unit, &Flow});
    addTables();
    countRecords();
    for (NumberKind Kind :
         {NumberKind::Measured, NumberKind::Counted, NumberKind::Written})
      findNumbers(Kind);
  }

  /// Calls Each with every slot that a pointer to the record goes to (Forward)
  /// or comes from, other than through a record or a crowded slot, with the
  /// place of the last step of that way in the direction of the pointer, and
  /// whether it is the only step.
  template <typename Visit>
  void walk(RecordId Some, bool Forward, Visit Each) const {
    auto It = Numbers.find({SlotKind::Record, Some, 0, 0});
    if (It == Numbers.end())
      return;
    std::vector<std::pair<uint32_t, Place>> Reached{{It->second, {}}};
    std::unordered_set<uint32_t> Seen{It->second};
    for (size_t I = 0; I != Reached.size(); ++I) {
      auto [Number, Entry] = Reached[I];
      const Node &From = All[Number];
      for (const Edge &E : Forward ? From.Out : From.In) {
        const Node &To = All[E.To];
        const Place &Last = Forward || !I ? E.Where : Entry;
        if (E.To != It->second)
          Each(To.Is, site(Last), I == 0);
        if (To.isEnd() || To.crowded() || !Seen.insert(E.To).second)
          continue;
        Reached.push_back({E.To, Last});
      }
    }
  }

  /// Calls Each with the parameters that a pointer to the record reaches from
  /// parameter to parameter, crowded ones included.
  template <typename Visit> void walkParams(RecordId Some, Visit Each) const {
    auto It = Numbers.find({SlotKind::Record, Some, 0, 0});
    if (It == Numbers.end())
      return;
    std::vector<uint32_t> Reached{It->second};
    std::unordered_set<uint32_t> Seen{It->second};
    for (size_t I = 0; I != Reached.size(); ++I)
      for (const Edge &E : All[Reached[I]].Out)
        if (All[E.To].Is.Kind == SlotKind::Param && Seen.insert(E.To).second) {
          Each(All[E.To].Is, site(E.Where));
          Reached.push_back(E.To);
        }
  }

  /// Calls Each with every place at which bytes become the record that did not
  /// come from it.
  template <typename Visit> void walkForeign(RecordId Some, Visit Each) const {
    auto It = Numbers.find({SlotKind::Record, Some, 0, 0});
    if (It == Numbers.end())
      return;
    for (const Edge &E : All[It->second].In) {
      const Node &Use = All[E.To];
      if (Use.Is.Kind == SlotKind::Opaque &&
          !std::ranges::binary_search(Use.Records, Some))
        Each(site(E.Where));
    }
  }

  /// Calls Each with what else gets the bytes that become the record.
  template <typename Visit> void walkBeside(RecordId Some, Visit Each) const {
    auto It = Numbers.find({SlotKind::Record, Some, 0, 0});
    if (It == Numbers.end())
      return;
    for (const Edge &E : All[It->second].In) {
      const Node &Bytes = All[E.To];
      if (Bytes.Is.Kind != SlotKind::Global || Bytes.crowded())
        continue;
      for (const Edge &Out : Bytes.Out)
        Each(All[Out.To].Is, site(Out.Where));
    }
  }

  /// Whether the number that an opaque use gets is one that the compiler makes
  /// or a rule follows.
  bool isKnown(const Slot &Use) const {
    const Node &Of = All[Numbers.at(Use)];
    if (Of.gets(NumberKind::Written))
      return false;
    return OpaqueKind(Use.C) == OpaqueKind::Length
               ? Of.gets(NumberKind::Measured) || Of.gets(NumberKind::Counted)
               : Of.gets(NumberKind::Measured) && !Of.gets(NumberKind::Counted);
  }

private:
  struct Place {
    uint32_t Unit = 0;
    const PointerFlowFact *Flow = nullptr; ///< null: a call through a table
  };
  struct Edge {
    uint32_t To;
    Place Where;
  };
  struct Node {
    Slot Is;
    std::vector<Edge> Out, In;
    /// Of those that pointers come from, ascending; one more than
    /// MaxRecordsOfSlot stands for all.
    std::vector<RecordId> Records;
    uint8_t Gets = 0; ///< by NumberKind: a bit
    bool gets(NumberKind Kind) const { return Gets >> unsigned(Kind) & 1; }
    bool crowded() const { return Records.size() > MaxRecordsOfSlot; }
    bool isRecord() const { return Is.Kind == SlotKind::Record; }
    bool isEnd() const {
      return isRecord() || Is.Kind == SlotKind::Scalar ||
             Is.Kind == SlotKind::Byte || Is.Kind == SlotKind::Opaque;
    }
  };

  Slot linked(uint32_t Unit, Slot S) const {
    switch (S.Kind) {
    case SlotKind::Record:
    case SlotKind::Member:
    case SlotKind::TableParam:
    case SlotKind::TableResult:
      S.A = Whole.record(Unit, S.A);
      break;
    case SlotKind::Scalar:
    case SlotKind::Byte:
    case SlotKind::Number:
      break;
    case SlotKind::Param:
    case SlotKind::Result:
    case SlotKind::Global:
    case SlotKind::Holder:
    case SlotKind::Opaque:
    case SlotKind::Count:
      S.A = Whole.string(Unit, S.A);
      break;
    }
    return S;
  }

  uint32_t node(const Slot &S) {
    auto [It, New] = Numbers.try_emplace(S, All.size());
    if (New)
      All.push_back({S, {}, {}, {}});
    return It->second;
  }

  void connect(uint32_t From, uint32_t To, Place Where) {
    All[From].Out.push_back({To, Where});
    All[To].In.push_back({From, Where});
  }

  /// A call through a table reaches all functions in it.
  void addTables() {
    for (uint32_t N = 0, End = All.size(); N != End; ++N) {
      Slot S = All[N].Is;
      if (S.Kind != SlotKind::TableParam && S.Kind != SlotKind::TableResult)
        continue;
      for (FunctionId Id : Whole.tableFunctions(S.A, S.B)) {
        StrId Key = Whole.Functions[Id].Key;
        if (S.Kind == SlotKind::TableParam)
          connect(N, node({SlotKind::Param, Key, S.C, 0}), {});
        else
          connect(node({SlotKind::Result, Key, 0, 0}), N, {});
      }
    }
  }

  void countRecords() {
    std::vector<uint32_t> Changed;
    auto Add = [&](uint32_t N, RecordId Record) {
      std::vector<RecordId> &Of = All[N].Records;
      auto It = std::lower_bound(Of.begin(), Of.end(), Record);
      if (All[N].isRecord() || All[N].crowded() ||
          (It != Of.end() && *It == Record))
        return;
      Of.insert(It, Record);
      Changed.push_back(N);
    };
    for (const Node &N : All)
      if (N.isRecord())
        for (const Edge &E : N.Out)
          Add(E.To, N.Is.A);
    while (!Changed.empty()) {
      uint32_t N = Changed.back();
      Changed.pop_back();
      for (const Edge &E : All[N].Out)
        for (RecordId Record : std::vector<RecordId>(All[N].Records))
          Add(E.To, Record);
    }
  }

  void findNumbers(NumberKind Kind) {
    auto It = Numbers.find({SlotKind::Number, uint32_t(Kind), 0, 0});
    if (It == Numbers.end())
      return;
    std::vector<uint32_t> Reached{It->second};
    for (size_t I = 0; I != Reached.size(); ++I)
      for (const Edge &E : All[Reached[I]].Out)
        if (Node &To = All[E.To]; !To.isRecord() && !To.gets(Kind)) {
          To.Gets |= 1u << unsigned(Kind);
          Reached.push_back(E.To);
        }
  }

  Site site(const Place &At) const {
    if (!At.Flow)
      return {};
    return {Whole.text(At.Unit, At.Flow->Function),
            Whole.text(At.Unit, At.Flow->File), At.Flow->Line};
  }

  const Program &Whole;
  std::unordered_map<Slot, uint32_t, SlotHash> Numbers;
  std::vector<Node> All;
};

namespace {

/// The record that a member of a union holds, or points to: "struct t *".
class UnionMember {
public:
  UnionMember(const Program &Whole, RecordId Union, uint32_t Field) {
    const FieldFact &Fact = Whole.fieldFact(Union, Field);
    Record = Whole.embedded(Union, Field);
    Pointer = Fact.Flags & FldPointer;
    if (!Pointer)
      return;
    std::string_view Type = Whole.recordText(Union, Fact.TypeName);
    size_t At = Type.find("struct ");
    if (At == Type.npos || !Type.ends_with(" *"))
      return;
    Type.remove_prefix(At + 7);
    Type.remove_suffix(2);
    std::vector<RecordId> Named = Whole.recordsNamed(std::string(Type));
    if (Named.size() == 1)
      Record = Named[0];
  }
  RecordId Record = None;
  bool Pointer = false;
};

} // namespace

PointerGraph::PointerGraph(const Program &Whole)
    : Whole(Whole), Graph(std::make_unique<Nodes>(Whole)) {}
PointerGraph::~PointerGraph() = default;

std::vector<Conversion>
PointerGraph::conversions(const std::vector<RecordId> &Some) const {
  FoundPairs Found;
  for (RecordId Id : Some)
    for (bool Forward : {true, false})
      Graph->walk(Id, Forward, [&](const Slot &Other, Site Where, bool Direct) {
        if (Other.Kind == SlotKind::Record)
          addPair(Found, Forward ? Id : Other.A, Forward ? Other.A : Id,
                  {std::move(Where), Direct, false});
      });
  for (RecordId Union = 0; Union != Whole.recordCount(); ++Union) {
    const RecordFact &Fact = Whole.recordFact(Union);
    if (!(Fact.Flags & RecUnion))
      continue;
    std::vector<UnionMember> Members;
    for (uint32_t F = 0; F != Fact.Fields.size(); ++F)
      Members.push_back({Whole, Union, F});
    Site Where{"", Whole.recordText(Union, Fact.File), Fact.Line};
    for (const UnionMember &A : Members)
      for (const UnionMember &B : Members)
        if (A.Record != None && B.Record != None && A.Record != B.Record &&
            A.Pointer == B.Pointer &&
            std::ranges::binary_search(Some, A.Record))
          addPair(Found, A.Record, B.Record, {Where, false, !A.Pointer});
  }
  std::vector<Conversion> All;
  for (auto &[Pair, Step] : Found)
    All.push_back({Pair.first, Pair.second, std::move(Step.Where), Step.Direct,
                   Step.Shared});
  return All;
}

std::vector<ScalarView> PointerGraph::scalarViews(RecordId Id) const {
  std::map<std::pair<uint32_t, bool>, Site> Found;
  Graph->walk(Id, /*Forward=*/true, [&](const Slot &At, Site Where, bool) {
    if (At.Kind != SlotKind::Scalar)
      return;
    auto [It, New] = Found.try_emplace({At.A, At.B != 0}, Where);
    if (!New && earlier(Where, It->second))
      It->second = std::move(Where);
  });
  std::vector<ScalarView> All;
  for (auto &[Seen, Where] : Found)
    All.push_back({Seen.first, Seen.second, std::move(Where)});
  return All;
}

std::vector<ByteView> PointerGraph::byteViews(RecordId Id) const {
  std::map<uint32_t, Site> Found;
  Graph->walk(Id, /*Forward=*/true, [&](const Slot &At, Site Where, bool) {
    if (At.Kind != SlotKind::Byte)
      return;
    auto [It, New] = Found.try_emplace(At.A, Where);
    if (!New && earlier(Where, It->second))
      It->second = std::move(Where);
  });
  std::vector<ByteView> All;
  for (auto &[Byte, Where] : Found)
    All.push_back({Byte, std::move(Where)});
  return All;
}

std::vector<OpaqueView> PointerGraph::opaqueViews(RecordId Id) const {
  std::vector<OpaqueView> All;
  Graph->walk(Id, /*Forward=*/true, [&](const Slot &At, Site Where, bool) {
    if (At.Kind == SlotKind::Opaque &&
        OpaqueKind(At.C) != OpaqueKind::Foreign && !Graph->isKnown(At))
      All.push_back({OpaqueKind(At.C), std::move(Where)});
  });
  Graph->walkForeign(Id, [&](Site Where) {
    All.push_back({OpaqueKind::Foreign, std::move(Where)});
  });
  auto Before = [](const OpaqueView &A, const OpaqueView &B) {
    return std::tie(A.Where.File, A.Where.Line, A.Where.Function, A.Kind) <
           std::tie(B.Where.File, B.Where.Line, B.Where.Function, B.Kind);
  };
  std::ranges::sort(All, Before);
  All.erase(std::unique(All.begin(), All.end(),
                        [&](const OpaqueView &A, const OpaqueView &B) {
                          return !Before(A, B) && !Before(B, A);
                        }),
            All.end());
  return All;
}

namespace {

/// "file:name" of a static function, or the name.
std::string functionName(const std::string &Key) {
  return Key.substr(Key.rfind(':') + 1);
}

/// Uses by function, each with its first place.
class UseList {
public:
  explicit UseList(const Program &Whole) : Whole(Whole) {}

  void add(bool Forward, const Slot &At, const Site &Where, bool Shared) {
    bool Held = Forward && At.Kind == SlotKind::Member;
    if (!Held && At.Kind != (Forward ? SlotKind::Param : SlotKind::Result))
      return;
    UntypedUse Use{At.Kind, "", Held ? 0 : At.B, Where, Shared};
    Use.Function = Held ? Whole.recordName(At.A) + "." +
                              Whole.recordInfo(At.A).Fields[At.B].Name
                        : functionName(Whole.Strings[At.A]);
    auto [It, New] =
        Found.try_emplace({Use.Function, Use.Kind, Use.Param}, Use);
    if (!New && Shared == It->second.Shared && earlier(Where, It->second.Where))
      It->second = std::move(Use);
  }

  std::vector<UntypedUse> all() const {
    auto Uses = std::views::values(Found);
    return {Uses.begin(), Uses.end()};
  }

private:
  const Program &Whole;
  std::map<std::tuple<std::string, SlotKind, uint32_t>, UntypedUse> Found;
};

} // namespace

std::vector<UntypedUse> PointerGraph::untypedUses(RecordId Id) const {
  UseList Uses(Whole);
  for (bool Forward : {true, false})
    Graph->walk(Id, Forward, [&](const Slot &At, const Site &Where, bool) {
      Uses.add(Forward, At, Where, false);
    });
  Graph->walkBeside(Id, [&](const Slot &At, const Site &Where) {
    Uses.add(true, At, Where, false);
  });
  Graph->walkParams(Id, [&](const Slot &At, const Site &Where) {
    Uses.add(true, At, Where, true);
  });
  return Uses.all();
}

std::vector<UntypedUse> PointerGraph::ownUses(RecordId Id) const {
  UseList Uses(Whole);
  for (bool Forward : {true, false})
    Graph->walk(Id, Forward, [&](const Slot &At, const Site &Where, bool Own) {
      if (Own)
        Uses.add(Forward, At, Where, false);
    });
  return Uses.all();
}

} // namespace kst
