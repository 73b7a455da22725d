// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/TypeTable.h"

#include <algorithm>

namespace kst {

TypeTable::TypeTable(const TraceTables &Tables) {
  const Profile &About = Tables.About;
  for (const MeasuredStruct &Of : About.Structs)
    Structs.push_back(add(About.text(Of.Name), TypeKind::Struct, Of.SizeBytes));
  for (const TraceAllocator &Of : Tables.Allocators) {
    Allocators.push_back(
        Of.Struct < Structs.size()
            ? Structs[Of.Struct]
            : add(Of.Name, TypeKind::Allocator, Of.ObjectBytes));
    FreeSlots.push_back(add("free:" + Of.Name, TypeKind::FreeSlots, 0));
  }
  Page = add("pages", TypeKind::Page, 0);
  CachedPage = add("pages of files", TypeKind::CachedPage, 0);
  StaticData = add("other static data", TypeKind::StaticData, 0);
  PerCpuData = add("other per-CPU data", TypeKind::PerCpuData, 0);
  Unknown = add("unknown", TypeKind::Unknown, 0);
  // A program of its own is in no kernel, and is not "user".
  bool Kernel = !Tables.Allocators.empty();
  std::map<uint32_t, Range> OfCpus;
  for (const TraceObject &Of : Tables.Objects) {
    Kernel |= isKernel(Of.Address);
    Range &In = Of.Cpu == NoCpu ? Static : OfCpus[Of.Cpu];
    In.Begin = std::min(In.Begin, Of.Address);
    In.End = std::max(In.End, Of.Address + uint64_t(Of.SizeBytes) * Of.Number);
  }
  for (const auto &[Cpu, In] : OfCpus)
    PerCpu.push_back(In);
  User = Kernel ? add("user space", TypeKind::User, 0) : Unknown;
}

uint32_t TypeTable::between(uint64_t Address) const {
  if (Static.has(Address))
    return StaticData;
  for (const Range &In : PerCpu)
    if (In.has(Address))
      return PerCpuData;
  return isKernel(Address) ? Unknown : User;
}

uint32_t TypeTable::add(const std::string &Name, TypeKind Kind,
                        uint32_t SizeBytes) {
  auto [At, New] = Rows.try_emplace({Name, Kind, SizeBytes},
                                    static_cast<uint32_t>(Types.size()));
  if (New)
    Types.push_back({Name, Kind, SizeBytes});
  return At->second;
}

std::optional<uint32_t> TypeTable::named(const std::string &Struct) const {
  for (uint32_t I = 0; I < Types.size(); ++I)
    if (Types[I].Name == Struct)
      return I;
  return std::nullopt;
}

} // namespace kst
