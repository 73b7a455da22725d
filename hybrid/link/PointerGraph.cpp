// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/link/PointerGraph.h"

#include <algorithm>
#include <map>
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

using FoundPairs = std::map<std::pair<RecordId, RecordId>, Site>;

void addPair(FoundPairs &Found, RecordId From, RecordId To, Site Where) {
  auto [It, New] = Found.try_emplace({From, To}, Where);
  if (!New && earlier(Where, It->second))
    It->second = std::move(Where);
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
  }

  /// Calls Each with every slot that a pointer to the record goes to (Forward)
  /// or comes from, other than through a record or a crowded slot, and with the
  /// place of the last step of that way in the direction of the pointer.
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
          Each(To.Is, site(Last));
        if (To.isRecord() || To.crowded() || !Seen.insert(E.To).second)
          continue;
        Reached.push_back({E.To, Last});
      }
    }
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
    bool crowded() const { return Records.size() > MaxRecordsOfSlot; }
    bool isRecord() const { return Is.Kind == SlotKind::Record; }
  };

  Slot linked(uint32_t Unit, Slot S) const {
    switch (S.Kind) {
    case SlotKind::Record:
    case SlotKind::Member:
    case SlotKind::TableParam:
    case SlotKind::TableResult:
      S.A = Whole.record(Unit, S.A);
      break;
    case SlotKind::Param:
    case SlotKind::Result:
    case SlotKind::Global:
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
      Graph->walk(Id, Forward, [&](const Slot &Other, Site Where) {
        if (Other.Kind == SlotKind::Record)
          addPair(Found, Forward ? Id : Other.A, Forward ? Other.A : Id,
                  std::move(Where));
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
            std::binary_search(Some.begin(), Some.end(), A.Record))
          addPair(Found, A.Record, B.Record, Where);
  }
  std::vector<Conversion> All;
  for (auto &[Pair, Where] : Found)
    All.push_back({Pair.first, Pair.second, std::move(Where)});
  return All;
}

/// "file:name" of a static function, or the name.
static std::string functionName(const std::string &Key) {
  return Key.substr(Key.rfind(':') + 1);
}

std::vector<UntypedUse> PointerGraph::untypedUses(RecordId Id) const {
  std::map<std::tuple<std::string, SlotKind, uint32_t>, Site> Found;
  for (bool Forward : {true, false})
    Graph->walk(Id, Forward, [&](const Slot &At, Site Where) {
      if (At.Kind != (Forward ? SlotKind::Param : SlotKind::Result))
        return;
      auto [It, New] = Found.try_emplace(
          {functionName(Whole.Strings[At.A]), At.Kind, At.B}, Where);
      if (!New && earlier(Where, It->second))
        It->second = std::move(Where);
    });
  std::vector<UntypedUse> All;
  for (auto &[Use, Where] : Found)
    All.push_back({std::get<1>(Use), std::get<0>(Use), std::get<2>(Use),
                   std::move(Where)});
  return All;
}

} // namespace kst
