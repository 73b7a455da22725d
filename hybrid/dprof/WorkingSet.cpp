// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/WorkingSet.h"

#include <algorithm>

namespace kst {

WorkingSet::WorkingSet(const CacheModel &Model, CacheLevel Level,
                       const TypeTable &Table, const TraceTables &Tables)
    : Model(Model), Level(Level), Shape(Model.Geometry[Level]),
      Shared(Level == CacheLevel::Llc), Table(Table),
      Types(Table.types().size()), StaticBytes(Types),
      Filter(Model.Options.Cpus * FilterLines, NoLine), ActiveLines(Types),
      Demand(Shape.Sets * (Shared ? 1 : Model.Options.Cpus)),
      Lost(Demand.size()), Resident(Types) {
  for (const TraceObject &Of : Tables.Objects) {
    TracePlace At;
    At.Struct = Of.Struct;
    StaticBytes[Table.of(At, Of.Address)] += uint64_t(Of.SizeBytes) * Of.Number;
  }
}

void WorkingSet::touch(uint64_t Line, unsigned Cpu, uint32_t Type) {
  CpuSet &By = Touched[Line];
  const CpuSet Own = CpuSet(1) << Cpu;
  if (By & Own)
    return;
  if (!By)
    ++ActiveLines[Type];
  if (!By || !Shared)
    ++Demand[setOf(Line, Cpu)];
  By |= Own;
}

void WorkingSet::miss(uint64_t Line, unsigned Cpu, uint32_t Type,
                      MissClass Class) {
  ResidentType[Line] = Type;
  if (Class != MissClass::Conflict && Class != MissClass::Capacity)
    return;
  auto Count = [&](Fights &Of) {
    ++(Class == MissClass::Conflict ? Of.Conflicts : Of.Capacity);
  };
  const size_t Set = setOf(Line, Cpu);
  Count(Lost[Set]);
  const uint64_t Key = Set * Types + Type;
  if (Fights *Known = LostByType.find(Key))
    return Count(*Known);
  if (SetTypes.size() == MostSetTypes) {
    SetTypesCut = true;
    return;
  }
  SetTypes.push_back(Key);
  Count(LostByType[Key]);
}

void WorkingSet::addResident(WindowRow &Row) {
  // Lines that left all caches have to go some time.
  const bool Full = ResidentType.size() > 2 * HeldLines + 1000;
  LineTable<uint32_t> Still;
  HeldLines = 0;
  for (size_t L = 0; L < CacheLevels; ++L) {
    const CacheLevel At = CacheLevel(L);
    std::vector<uint64_t> Lines(Types);
    const unsigned Caches = !Model.Geometry[At].exists() ? 0
                            : At == CacheLevel::Llc      ? 1
                                                         : Model.Options.Cpus;
    for (unsigned Cpu = 0; Cpu < Caches; ++Cpu)
      Model.forEachLine(At, Cpu, [&](uint64_t Line) {
        if (const uint32_t *Type = ResidentType.find(Line)) {
          ++Lines[*Type];
          ++HeldLines;
          if (Full)
            Still[Line] = *Type;
        }
      });
    for (size_t T = 0; T < Types; ++T) {
      const uint64_t Bytes = Lines[T] * Model.Geometry.LineBytes;
      Resident[T][L].Mean += double(Bytes);
      Resident[T][L].Most = std::max(Resident[T][L].Most, Bytes);
      if (At == Level)
        Row.Resident[T] = Bytes;
    }
  }
  if (Full)
    ResidentType = std::move(Still);
}

void WorkingSet::endWindow(uint64_t Time, const ObjectTable &Live,
                           const ObjectHistories &Histories) {
  WindowRow Row;
  Row.Time = Time;
  Row.Live = StaticBytes;
  Row.Active.resize(Types);
  Row.Resident.resize(Types);
  Live.forEachLive([&](const TracePlace &Of) {
    Row.Live[Table.of(Of, Of.Object)] += Of.SizeBytes;
  });
  Histories.forEachOld([&](uint32_t Type, uint64_t Address, uint32_t Bytes) {
    const TracePlace Now = Live.place(Address);
    // Its slot may be free, or another's, or gone with its slab.
    if (Now.What == TracePlace::Nothing ||
        (Now.What == TracePlace::Slot && Table.of(Now, Address) == Type))
      Row.Live[Type] += Bytes ? Bytes : Table.types()[Type].SizeBytes;
  });
  for (size_t T = 0; T < Types; ++T)
    Row.Active[T] = ActiveLines[T] * Model.Geometry.LineBytes;
  addResident(Row);
  std::fill(ActiveLines.begin(), ActiveLines.end(), 0);
  std::fill(Filter.begin(), Filter.end(), NoLine);
  Touched = {};
  Rows.push_back(std::move(Row));
}

static BytesOverTime overTime(const std::vector<WindowRow> &Rows,
                              std::vector<uint64_t> WindowRow::*What,
                              size_t Type) {
  BytesOverTime Out;
  for (const WindowRow &Row : Rows) {
    Out.Mean += double((Row.*What)[Type]) / double(Rows.size());
    Out.Most = std::max(Out.Most, (Row.*What)[Type]);
  }
  return Out;
}

void WorkingSet::finish(DataProfile &Into) const {
  for (size_t T = 0; T < Types; ++T) {
    TypeRow &Of = Into.Types[T];
    Of.Live = overTime(Rows, &WindowRow::Live, T);
    Of.Active = overTime(Rows, &WindowRow::Active, T);
    Of.Resident = Resident[T];
    for (BytesOverTime &At : Of.Resident)
      At.Mean /= double(std::max<size_t>(Rows.size(), 1));
  }
  Into.Windows = Rows;
  SetHistogram &Sets = Into.Sets;
  Sets.Sets = Demand.size();
  Sets.TypesCut = SetTypesCut;
  const double Windows = double(std::max<size_t>(Rows.size(), 1));
  std::vector<uint32_t> Order(Demand.size());
  for (size_t S = 0; S < Order.size(); ++S) {
    Order[S] = uint32_t(S);
    const double Full = double(Demand[S]) / Windows / Shape.Ways;
    const auto Bin = std::min<uint64_t>(uint64_t(Full * 4), Sets.Bins - 1);
    ++Sets.Number[Bin];
    Sets.Conflicts[Bin] += Lost[S].Conflicts;
  }
  constexpr size_t MostSets = 8;
  const size_t Shown = std::min(Order.size(), MostSets);
  std::partial_sort(Order.begin(), Order.begin() + Shown, Order.end(),
                    [&](uint32_t A, uint32_t B) {
                      auto Key = [&](uint32_t S) {
                        return std::tuple(~Lost[S].Conflicts, ~Demand[S], S);
                      };
                      return Key(A) < Key(B);
                    });
  for (size_t I = 0; I < Shown; ++I) {
    const uint32_t S = Order[I];
    Sets.Fullest.push_back({Shared ? 0 : uint32_t(S / Shape.Sets),
                            S % Shape.Sets,
                            double(Demand[S]) / Windows,
                            Lost[S].Conflicts,
                            Lost[S].Capacity,
                            {}});
  }
  // The table has no order; its keys have that of the trace.
  auto &Table = const_cast<LineTable<Fights> &>(LostByType);
  for (uint64_t Key : SetTypes)
    for (size_t I = 0; I < Shown; ++I)
      if (Key / Types == Order[I]) {
        const Fights &Of = *Table.find(Key);
        Sets.Fullest[I].Types.push_back(
            {uint32_t(Key % Types), Of.Conflicts + Of.Capacity});
      }
  for (SetRow &Of : Sets.Fullest)
    std::sort(Of.Types.begin(), Of.Types.end(), [](auto &A, auto &B) {
      return std::pair(~A.second, A.first) < std::pair(~B.second, B.first);
    });
}

} // namespace kst
