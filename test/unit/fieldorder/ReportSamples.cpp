// SPDX-License-Identifier: GPL-2.0-or-later

#include "ReportSamples.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace kst::test {
namespace {

Layout placed(const RecordInfo &R, const std::vector<uint32_t> &Order) {
  Layout Plan;
  Plan.Order = Order;
  Plan.OffsetBits.assign(R.Fields.size(), 0);
  uint64_t At = 0;
  for (uint32_t F : Order) {
    const FieldInfo &Field = R.Fields[F];
    if (Field.Absent) {
      Plan.OffsetBits[F] = At;
      continue;
    }
    if (Field.BitField) {
      uint64_t Unit = Field.StorageUnitBits;
      if (At / Unit != (At + Field.SizeBits - 1) / Unit)
        At = (At + Unit - 1) / Unit * Unit;
    } else {
      uint64_t Align = 8 * uint64_t(Field.AlignBytes);
      At = (At + Align - 1) / Align * Align;
    }
    Plan.OffsetBits[F] = At;
    At += Field.SizeBits;
    Plan.AlignBytes = std::max(Plan.AlignBytes, Field.AlignBytes);
  }
  uint64_t Align = 8 * uint64_t(Plan.AlignBytes);
  Plan.SizeBytes = (At + Align - 1) / Align * Align / 8;
  return Plan;
}

/// sum of weights * (1 - product of (1 - p)) per line, fields by first byte.
Cost priced(const Report &R, const Layout &Plan) {
  uint64_t Bits = 8 * R.CacheLineBytes;
  Cost Price;
  for (const CoAccessSet &Set : R.Evidence.Sets) {
    std::map<uint64_t, double> None;
    for (const FieldTouch &T : Set.Touches) {
      auto [It, New] = None.try_emplace(Plan.OffsetBits[T.Field] / Bits, 1.0);
      It->second *= 1 - T.Probability;
    }
    for (const auto &[Line, P] : None)
      Price.Lines += Set.Weight * (1 - P);
  }
  for (const AffinityEdge &Edge : R.Edges)
    if (Plan.OffsetBits[Edge.A] / Bits == Plan.OffsetBits[Edge.B] / Bits)
      Price.Lost += Edge.Loss;
  Price.Touched = Price.Lines / R.LineCycles;
  Price.Sharing = R.LostCycles * Price.Lost;
  return Price;
}

void linkEdges(Report &R) {
  std::map<std::pair<uint32_t, uint32_t>, AffinityEdge> Edges;
  auto At = [&](uint32_t A, uint32_t B) -> AffinityEdge & {
    AffinityEdge &Edge = Edges[{std::min(A, B), std::max(A, B)}];
    Edge.A = std::min(A, B);
    Edge.B = std::max(A, B);
    return Edge;
  };
  for (const CoAccessSet &Set : R.Evidence.Sets)
    for (const FieldTouch &T : Set.Touches)
      for (const FieldTouch &U : Set.Touches)
        if (T.Field < U.Field) {
          double Both = Set.Weight * T.Probability * U.Probability;
          At(T.Field, U.Field).Gain += Both;
          At(T.Field, U.Field).Static += Both;
        }
  double Total = 0;
  for (const CoAccessSet &Set : R.Evidence.Sets)
    Total += Set.Weight;
  for (const CoAccessSet &Writer : R.Evidence.Sets)
    for (const CoAccessSet &User : R.Evidence.Sets)
      if (Writer.Cpu != User.Cpu)
        for (const FieldTouch &T : Writer.Touches)
          for (const FieldTouch &U : User.Touches)
            if (T.Field != U.Field && T.Writes > 0)
              At(T.Field, U.Field).Loss += Writer.Weight * T.Writes *
                                           User.Weight * U.Probability / Total;
  for (const auto &[Key, Edge] : Edges)
    R.Edges.push_back(Edge);
}

/// The two orders of R with other lines and without some fields.
ConfigScore target(const Report &R, const std::string &Name,
                   const std::string &Triple, uint32_t LineBytes,
                   const std::vector<uint32_t> &Absent = {}) {
  Report Other = R;
  Other.CacheLineBytes = LineBytes;
  ConfigScore T;
  T.Name = Name;
  T.Triple = Triple;
  T.LineBytes = LineBytes;
  T.Optimised = LineBytes == R.CacheLineBytes;
  T.Record = R.Evidence.Record;
  for (uint32_t F : Absent)
    T.Record.Fields[F].Absent = true;
  T.Current = placed(T.Record, R.Layouts.Current.Plan.Order);
  T.Proposed = placed(T.Record, R.Layouts.Proposed.Plan.Order);
  T.Record.SizeBytes = T.Current.SizeBytes;
  T.Now = priced(Other, T.Current);
  T.New = priced(Other, T.Proposed);
  for (const CoAccessSet &Set : R.Evidence.Sets)
    T.Visits += Set.Weight;
  return T;
}

OrderScore scored(const Report &R, const std::string &Name,
                  const std::vector<uint32_t> &Order, uint32_t Moves,
                  const std::vector<std::string> &Notes = {}) {
  OrderScore S;
  S.Name = Name;
  S.Plan = placed(R.Evidence.Record, Order);
  S.Price = priced(R, S.Plan);
  S.Objective = S.Price.total();
  S.Moves = Moves;
  S.Notes = Notes;
  return S;
}

} // namespace

SampleBuilder::SampleBuilder(const std::string &Struct, uint32_t LineBytes) {
  R.Tool = {"0.1.0", "19.1.7"};
  R.Triple = "x86_64-unknown-linux-gnu";
  R.CacheLineBytes = LineBytes;
  R.On = lineMachine(2);
  R.LineCycles = 1;
  R.LostCycles = 2;
  R.LambdaPad = 0.01;
  R.Evidence.Record.Name = Struct;
  R.Evidence.Record.File = "drivers/sample/" + Struct + ".h";
  R.Evidence.Record.Line = 12;
  R.Evidence.Covered.UnitsSelected = R.Evidence.Covered.UnitsParsed = 3;
  R.Evidence.Covered.Static = true;
}

uint32_t SampleBuilder::field(const std::string &Type, const std::string &Name,
                              uint32_t SizeBytes, uint32_t Align) {
  FieldInfo F;
  F.Name = Name;
  F.TypeName = Type;
  F.SizeBits = 8 * uint64_t(SizeBytes);
  F.AlignBytes = Align ? Align : std::clamp(SizeBytes, 1u, 8u);
  F.ZeroSize = SizeBytes == 0;
  F.Pointer = !Type.empty() && Type.back() == '*';
  std::vector<FieldInfo> &Fields = R.Evidence.Record.Fields;
  F.Line = R.Evidence.Record.Line + 1 + uint32_t(Fields.size());
  Fields.push_back(F);
  R.Evidence.Fields.emplace_back();
  return uint32_t(Fields.size() - 1);
}

uint32_t SampleBuilder::bits(const std::string &Type, const std::string &Name,
                             uint32_t Width, uint32_t UnitBytes) {
  uint32_t F = field(Type, Name, UnitBytes);
  info(F).SizeBits = Width;
  info(F).BitField = true;
  info(F).StorageUnitBits = 8 * UnitBytes;
  return F;
}

void SampleBuilder::set(double Weight, SetKind Kind, CpuRelation Cpu,
                        const Site &Where, const std::vector<Touch> &Touches) {
  CoAccessSet Set;
  Set.Weight = Weight;
  Set.Kind = Kind;
  Set.Cpu = Cpu;
  Set.Where = Where;
  for (const Touch &T : Touches) {
    Set.Touches.push_back({T.Field,
                           T.Probability,
                           T.Reads,
                           T.Writes,
                           T.Lockless,
                           {{T.Where, T.Reads, T.Writes}}});
    FieldUse &Use = R.Evidence.Fields[T.Field];
    Use.Reads += Weight * T.Reads;
    Use.Writes += Weight * T.Writes;
    Use.RemoteReads += Cpu == CpuRelation::Remote ? Weight * T.Reads : 0;
    Use.RemoteWrites += Cpu == CpuRelation::Remote ? Weight * T.Writes : 0;
    Use.Lockless += Weight * (T.Reads + T.Writes) * T.Lockless;
    Use.Lock += T.Lock ? Weight * (T.Reads + T.Writes) : 0;
    Use.Sites += 1;
    R.Evidence.Covered.AccessesResolved += 1;
  }
  std::sort(Set.Touches.begin(), Set.Touches.end(),
            [](auto &L, auto &R) { return L.Field < R.Field; });
  R.Evidence.Sets.push_back(std::move(Set));
}

void SampleBuilder::order(std::vector<uint32_t> Order) {
  NewOrder = std::move(Order);
}

Report SampleBuilder::take() {
  RecordInfo &Record = R.Evidence.Record;
  std::vector<uint32_t> Declared(Record.Fields.size());
  std::iota(Declared.begin(), Declared.end(), 0u);
  std::stable_sort(R.Evidence.Sets.begin(), R.Evidence.Sets.end(),
                   [](auto &L, auto &R) { return L.Weight > R.Weight; });
  linkEdges(R);
  Advice &A = R.Layouts;
  A.Current.Plan = placed(Record, Declared);
  for (uint32_t F : Declared)
    Record.Fields[F].OffsetBits = A.Current.Plan.OffsetBits[F];
  Record.SizeBytes = A.Current.Plan.SizeBytes;
  Record.AlignBytes = A.Current.Plan.AlignBytes;
  Record.EndLine = Record.Line + 1 + uint32_t(Record.Fields.size());
  A.Current.Price = priced(R, A.Current.Plan);
  A.Proposed = A.Current;
  if (!NewOrder.empty()) {
    A.Proposed.Plan = placed(Record, NewOrder);
    A.Proposed.Price = priced(R, A.Proposed.Plan);
    A.What = Verdict::Reorder;
  }
  for (ScoredLayout *L : {&A.Current, &A.Proposed}) {
    L->LowerBound = 0.9 * A.Proposed.Price.total();
    if (L->LowerBound > 0)
      L->Gap = (L->Price.total() - L->LowerBound) / L->LowerBound;
  }
  A.ObjectiveNow = A.Current.Price.total();
  A.ObjectiveNew = A.Proposed.Price.total();
  A.ObjectiveBound = A.Proposed.LowerBound;
  return R;
}

Report queueSample() {
  SampleBuilder B("dev_queue");
  uint32_t Lock = B.field("spinlock_t", "lock", 4);
  uint32_t Depth = B.field("unsigned int", "depth", 4);
  uint32_t Clock = B.field("u64", "clock", 8);
  uint32_t Owner = B.field("struct worker *", "owner", 8);
  uint32_t Stats = B.field("struct queue_stats", "stats", 96, 8);
  uint32_t Skew = B.field("u64", "clock_skew", 8);
  uint32_t Flags = B.field("unsigned int", "clock_flags", 4);
  uint32_t Name = B.field("char[20]", "name", 20, 1);
  uint32_t Parked = B.field("struct worker *", "parked", 8);
  uint32_t Waiters = B.field("atomic_t", "waiters", 4);
  uint32_t Power = B.field("unsigned long", "power", 8);
  Site Balance{"pick_busiest", "drivers/sample/balance.c", 210};
  auto In = [](const char *Function, const char *File, uint32_t Line) {
    return Site{Function, std::string("drivers/sample/") + File, Line};
  };
  B.set(100, SetKind::Loop, CpuRelation::Remote, Balance,
        {{Depth, 1, 1.5, 0, In("pick_busiest", "balance.c", 218), 1},
         {Owner, 0.9, 0.9, 0, In("queue_is_idle", "core.c", 77), 1},
         {Parked, 0.9, 0.9, 0, In("queue_is_idle", "core.c", 80), 1},
         {Power, 1, 1, 0, In("queue_power", "queue.h", 41), 1}});
  B.set(60, SetKind::Visit, CpuRelation::Local, In("queue_tick", "core.c", 301),
        {{Lock, 1, 1, 2, In("queue_tick", "core.c", 305), 0, true},
         {Clock, 1, 2, 1, In("update_clock", "clock.c", 30)},
         {Skew, 0.6, 0.6, 0.6, In("update_clock", "clock.c", 34)},
         {Flags, 1, 1, 0.2, In("update_clock", "clock.c", 22)}});
  B.set(12, SetKind::Visit, CpuRelation::Unknown, In("enqueue", "core.c", 150),
        {{Lock, 1, 1, 1, In("enqueue", "core.c", 153), 0, true},
         {Depth, 1, 1, 0.2, In("enqueue", "core.c", 160)},
         {Stats, 0.3, 0, 0.3, In("account", "stats.c", 9)}});
  B.set(3, SetKind::Block, CpuRelation::Remote, In("wake_one", "core.c", 420),
        {{Waiters, 1, 1, 1, In("atomic_dec", "core.c", 424), 1}});
  B.order({Depth, Owner, Parked, Power, Name, Stats, Clock, Skew, Flags, Lock,
           Waiters});
  Report R = B.take();
  R.Layouts.Reasons = {
      "Visits of the balance loop touch one line instead of four.",
      "The lock no longer shares a line with fields that other CPUs only "
      "read."};
  double Total = R.Layouts.Proposed.Price.total();
  R.Layouts.Frontier = {
      {0, R.Layouts.Current.Price.total(), {}},
      {2, 1.6 * Total, {"parked", "power"}},
      {4, 1.2 * Total, {"lock", "clock", "parked", "power"}},
      {5, Total, {"lock", "clock", "name", "parked", "power"}}};
  Advice &A = R.Layouts;
  A.Compared = {scored(R, "by hotness",
                       {Depth, Lock, Clock, Owner, Parked, Power, Skew, Flags,
                        Stats, Waiters, Name},
                       6),
                scored(R, "by size",
                       {Stats, Clock, Owner, Skew, Parked, Power, Lock, Depth,
                        Flags, Waiters, Name},
                       7, {"takes 'lock' from the first place"})};
  A.Best = scored(R, "--ambitious", R.Layouts.Proposed.Plan.Order, 6);
  A.Asked = {scored(R, "move waiters after name",
                    {Lock, Depth, Clock, Owner, Stats, Skew, Flags, Name,
                     Waiters, Parked, Power},
                    1)};
  A.Configs = {target(R, "defconfig", R.Triple, 64),
               target(R, "tiny", "arm-linux-gnueabi", 64, {Skew, Stats}),
               target(R, "defconfig", R.Triple, 128)};
  A.Weights = {64, 4, 1, 0.121, 0.308, {}};
  A.Weights.Assumed = {{"with lines of 128 bytes", -0.031},
                       {"with 2 CPUs", 0.044}};
  for (const std::string &Field : A.Frontier.back().Moved)
    A.Weights.Moves.push_back({Field, Field == "name" ? 0.53125 : 1});
  A.Constraints = {{"name", "copied with the bytes around it", {}, true, 0},
                   {"stats",
                    "its offset is in assembly",
                    {"", "drivers/sample/entry.S", 17},
                    true,
                    0.04 * A.ObjectiveNow},
                   {"lock",
                    "others cast to it: stays first",
                    {},
                    true,
                    0.11 * A.ObjectiveNow},
                   {"depth", "bit-field run", {}, false, 0},
                   {"power", "bit-field run", {}, false, 0}};
  const char *Topics[] = {"bytes", "asm", "cast", "pin", "pin"};
  for (size_t I = 0; I < std::size(Topics); ++I)
    A.Constraints[I].Id = ruleId(Topics[I], A.Constraints[I].Field);
  A.Constraints[2].Strength = RuleStrength::Soft;
  A.Constraints[3].Unliftable = "leave it out";
  A.BlockedTotal = 0.13 * A.ObjectiveNow;
  Coverage &C = R.Evidence.Covered;
  C.AccessesDropped = {{"pointer arithmetic", 1}, {"no base object", 2}};
  C.FlagsDropped = {{"-mrecord-mcount", 3}};
  return R;
}

Report silentSample() {
  SampleBuilder B("quiet", 128);
  B.field("int", "first", 4);
  B.field("void *", "second", 8);
  B.field("char", "third", 1);
  B.field("char", "fourth", 1);
  Report R = B.take();
  R.Layouts.What = Verdict::InsufficientEvidence;
  R.Layouts.Reasons = {"No access to a field of quiet was seen."};
  R.Evidence.Covered.UnitsParsed = 2;
  R.Evidence.Covered.UnitsFailed = {
      {"drivers/sample/broken.c", "expected ';' after expression"}};
  return R;
}

Report oddSample() {
  SampleBuilder B("odd");
  uint32_t State = B.field("u8", "state", 1);
  uint32_t Union = B.field("union odd::(anonymous)", "raw|parts", 8);
  B.info(Union).Anonymous = true;
  uint32_t Busy = B.bits("unsigned int", "busy", 1, 4);
  uint32_t Mode = B.bits("unsigned int", "mode", 3, 4);
  uint32_t Begin = B.field("__u8[0]", "__group_begin__fast", 0, 1);
  uint32_t Call = B.field("int (*)(struct odd *, int)", "call", 8);
  uint32_t Grid = B.field("short[3][5]", "grid", 30, 2);
  uint32_t Tail = B.field("unsigned long", "tail", 8);
  uint32_t Long = B.field("struct a_type_with_quite_a_long_name_of_its_own *",
                          "a_field_with_quite_a_long_name_too", 8);
  uint32_t Rest = B.field("char[]", "rest", 0, 1);
  B.info(Rest).FlexibleArray = true;
  B.info(Rest).ZeroSize = true;
  (void)Begin, (void)Grid;
  Site Odd{"operator<script>&\"'", "drivers/sample/<odd>&.c", 7};
  B.set(10, SetKind::Trace, CpuRelation::Unknown, Odd,
        {{State, 1, 1, 0, Odd},
         {Union, 0.5, 0.5, 0, Odd},
         {Busy, 1, 0, 1, Odd},
         {Mode, 0.25, 0.25, 0, Odd},
         {Call, 1, 1, 0, Odd},
         {Long, 0.001, 0.001, 0, Odd}});
  B.set(2, SetKind::Visit, CpuRelation::Local, {"drain", "", 0},
        {{Tail, 1, 1, 1, {}}});
  Report R = B.take();
  R.Layouts.What = Verdict::Keep;
  R.Layouts.Reasons = {"No legal order is better by 1% or more <&>."};
  R.Layouts.Constraints = {
      {"rest", "flexible array: must stay last", {}, false, 0},
      {"__group_begin__fast",
       "fence",
       {"", "drivers/sample/<odd>&.c", 9},
       true,
       0.5}};
  R.Layouts.BlockedTotal = 0.5;
  R.Layouts.Proven = true;
  R.Layouts.ObjectiveBound = R.Layouts.ObjectiveNew;
  R.Layouts.Compared = {
      scored(R, "<by size>", R.Layouts.Current.Plan.Order, 0)};
  R.Layouts.Asked = {scored(R, "move tail <first>",
                            {7, 0, 1, 2, 3, 4, 5, 6, 8, 9}, 1,
                            {"tears bit-fields <apart>"})};
  R.Layouts.Configs = {target(R, "<x86>", R.Triple, 64)};
  R.Layouts.Weights = {32, 2.5, 0.25, -0.02, 0.001, {{"tail<>", 0.25}}};
  return R;
}

Report wideSample() {
  SampleBuilder B("wide");
  std::vector<uint32_t> Fields;
  for (uint32_t I = 0; I < 150; ++I) {
    uint32_t Size = I % 7 == 3 ? 24 : I % 3 == 0 ? 4 : 8;
    const char *Type = Size == 24 ? "struct timer" : Size == 4 ? "int" : "u64";
    Fields.push_back(
        B.field(Type, "f" + std::to_string(I), Size, Size == 4 ? 4 : 8));
  }
  for (uint32_t S = 0; S < 40; ++S) {
    std::vector<SampleBuilder::Touch> Touches;
    std::map<uint32_t, bool> Used;
    for (uint32_t K = 0; K < 3 + S % 14; ++K) {
      uint32_t F = (S * 5 + K * K * 11) % 60; // fields 60.. stay untouched
      if (!Used.emplace(F, true).second)
        continue;
      double P = 1.0 / (1 + K % 4);
      Touches.push_back({F,
                         P,
                         P,
                         F % 5 == 0 ? P : 0,
                         {"helper" + std::to_string(F), "lib/wide.c", 10 + F}});
    }
    B.set(1000.0 / (1 + S * S), S % 3 ? SetKind::Visit : SetKind::Loop,
          S % 4 == 1 ? CpuRelation::Remote : CpuRelation::Local,
          {"path" + std::to_string(S), "kernel/wide.c", 100 + 10 * S}, Touches);
  }
  std::vector<uint32_t> Order = Fields;
  std::stable_sort(Order.begin(), Order.end(), [&](uint32_t L, uint32_t R) {
    return B.report().Evidence.Fields[L].total() >
           B.report().Evidence.Fields[R].total();
  });
  B.order(Order);
  Report R = B.take();
  Advice &A = R.Layouts;
  A.Reasons = {"Hot fields fill the first lines."};
  for (uint32_t Moves = 0; Moves <= 57; Moves += 1 + Moves / 4) {
    FrontierPoint P;
    P.Moves = Moves;
    for (uint32_t F = 0; F < Moves; ++F)
      P.Moved.push_back("f" + std::to_string(F));
    P.TotalCost = A.ObjectiveNew +
                  (A.ObjectiveNow - A.ObjectiveNew) / (1 + double(Moves));
    A.Frontier.push_back(P);
  }
  A.Frontier.back().TotalCost = A.ObjectiveNew;
  return R;
}

} // namespace kst::test
