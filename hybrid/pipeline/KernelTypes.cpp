// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/KernelTypes.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace kst {
namespace {

using llvm::StringRef;

/// Caches of sizes (mm/slab_common.c), and pages without a cache.
bool isOfSizes(const RecordedCache &Cache) {
  return Cache.OfSizes || !Cache.StrideBytes ||
         StringRef(Cache.Name).starts_with("kmalloc-") ||
         StringRef(Cache.Name).starts_with("dma-kmalloc-");
}

/// Names of structs that the cache's objects may have, best first.
std::vector<std::string> structNames(StringRef Cache) {
  std::vector<std::string> Out = {Cache.str()};
  for (size_t End = Cache.size();
       (End = Cache.take_front(End).find_last_of("_-")) != StringRef::npos &&
       End;)
    Out.push_back(Cache.take_front(End).str());
  return Out;
}

class Typer {
public:
  Typer(const KernelImage &Image, const std::vector<RecordedCache> &Caches,
        const std::vector<uint64_t> &PerCpu,
        const std::vector<AllocationSite> &Allocations)
      : Image(Image), Caches(Caches), PerCpu(PerCpu), Allocations(Allocations) {
  }

  llvm::Expected<KernelTypes> run() {
    DebugQuestion Asked;
    Asked.Variables = true;
    for (const RecordedCache &C : Caches)
      if (!isOfSizes(C))
        for (std::string &Name : structNames(C.Name))
          Asked.Structs.insert(std::move(Name));
    for (const AllocationSite &Of : Allocations) {
      const ObjectBytes Bytes = bytesOf(Of);
      for (const ResultType &Type : Of.Results)
        Asked.Structs.insert(Type.Name);
      for (const std::string &Name : beginningsOf(Of.Results, Bytes))
        Asked.Beginnings[Name].insert(Bytes.Least);
    }
    auto Read = debugFacts(Image.file(), Asked);
    if (!Read)
      return Read.takeError();
    Facts = std::move(*Read);
    for (uint32_t C = 0; C < Caches.size(); ++C)
      Out.OfCache.push_back(cache(C));
    for (const AllocationSite &Of : Allocations) {
      auto Found = hasStruct(Out, Of.Cache) ? std::nullopt
                                            : allocated(Of, /*Alone=*/true);
      Out.OfAllocation.push_back(
          Found ? type(Found->Name, Found->SizeBytes, Found->Source)
                : NoStruct);
    }
    for (const DebugVariable &V : Facts.Variables)
      variable(V);
    std::stable_sort(Out.Objects.begin(), Out.Objects.end(),
                     [](const TraceObject &A, const TraceObject &B) {
                       return A.Address < B.Address;
                     });
    return std::move(Out);
  }

private:
  uint32_t type(const std::string &Name, uint64_t SizeBytes,
                TypeSource Source) {
    auto [At, New] = RowOf.try_emplace({Name, SizeBytes},
                                       static_cast<uint32_t>(Out.Types.size()));
    if (!New)
      return At->second;
    KernelType T{Name, static_cast<uint32_t>(SizeBytes), Source, {}};
    auto Known = Facts.Structs.find(Name);
    if (Known != Facts.Structs.end() && Known->second.SizeBytes == SizeBytes)
      for (auto [Offset, Size] : Known->second.Elements)
        T.Elements.push_back({Offset, Size});
    Out.Types.push_back(std::move(T));
    return At->second;
  }

  /// All slots of a cache of structs have its size, others' what was asked for.
  /// A cache has one struct, and no longer one; an allocation `Alone` may.
  ObjectBytes bytesOf(const AllocationSite &Of, bool Alone = false) const {
    if (Of.Cache < Caches.size() && !isOfSizes(Caches[Of.Cache])) {
      const uint32_t Bytes = Caches[Of.Cache].ObjectBytes;
      return {Bytes, Bytes, !Alone};
    }
    return {Of.LeastBytes, Of.MostBytes, false};
  }

  /// What the caller says, or the only struct of the size that begins with it.
  std::optional<AllocatedType> allocated(const AllocationSite &Of,
                                         bool Alone = false) const {
    const ObjectBytes Bytes = bytesOf(Of, Alone);
    if (auto Found = allocatedType(Of.Results, Bytes))
      return Found;
    std::set<std::string> Longer;
    for (const std::string &Name : beginningsOf(Of.Results, Bytes))
      if (auto At = Facts.Beginning.find({Name, Bytes.Least});
          At != Facts.Beginning.end())
        Longer.insert(At->second.begin(), At->second.end());
    if (Of.Cache < Caches.size() && !isOfSizes(Caches[Of.Cache]))
      Longer = namedAfter(Caches[Of.Cache].Name, std::move(Longer));
    if (Longer.size() != 1)
      return std::nullopt;
    return AllocatedType{*Longer.begin(), Bytes.Least, TypeSource::Beginning};
  }

  /// What all who allocate from a cache agree on.
  std::optional<AllocatedType> allocatedFrom(uint32_t Cache) const {
    std::optional<AllocatedType> All;
    for (const AllocationSite &Of : Allocations) {
      auto Found =
          Of.Cache == Cache ? allocated(Of) : std::optional<AllocatedType>();
      if (!Found)
        continue;
      if (All &&
          (All->Name != Found->Name || All->SizeBytes != Found->SizeBytes))
        return std::nullopt;
      All = Found;
    }
    return All;
  }

  uint32_t cache(uint32_t Number) {
    const RecordedCache &C = Caches[Number];
    if (isOfSizes(C))
      return NoStruct;
    if (!Facts.Structs.count(C.Name))
      if (auto Found = allocatedFrom(Number))
        return type(Found->Name, Found->SizeBytes, Found->Source);
    for (const std::string &Name : structNames(C.Name)) {
      auto At = Facts.Structs.find(Name);
      if (At != Facts.Structs.end() &&
          (fits(At->second.SizeBytes, C.ObjectBytes) ||
           // task_struct and others are longer or shorter than their slots.
           (Name == C.Name && At->second.SizeBytes)))
        return type(Name, At->second.SizeBytes, TypeSource::CacheName);
    }
    return type(C.Name, C.ObjectBytes, TypeSource::Allocator);
  }

  void variable(const DebugVariable &V) {
    if (V.SizeBytes > ~0u || V.Number > ~0u)
      return;
    TraceObject O;
    O.Address = V.Address;
    O.SizeBytes = static_cast<uint32_t>(V.SizeBytes);
    O.Number = static_cast<uint32_t>(V.Number);
    O.Struct = type(V.Struct, V.SizeBytes, TypeSource::Debug);
    auto Begin = Image.symbol("__per_cpu_start"),
         End = Image.symbol("__per_cpu_end");
    if (!Begin || !End || V.Address < Begin->Address ||
        V.Address >= End->Address) {
      if (V.Address)
        Out.Objects.push_back(O);
      return;
    }
    for (uint32_t Cpu = 0; Cpu < PerCpu.size(); ++Cpu)
      if (PerCpu[Cpu]) {
        O.Address = PerCpu[Cpu] + V.Address;
        O.Cpu = Cpu;
        Out.Objects.push_back(O);
      }
  }

  const KernelImage &Image;
  const std::vector<RecordedCache> &Caches;
  const std::vector<uint64_t> &PerCpu;
  const std::vector<AllocationSite> &Allocations;
  DebugFacts Facts;
  KernelTypes Out;
  std::map<std::pair<std::string, uint64_t>, uint32_t> RowOf;
};

} // namespace

bool fits(uint64_t StructBytes, uint64_t ObjectBytes) {
  return StructBytes && StructBytes <= ObjectBytes &&
         ObjectBytes - StructBytes < 8;
}

std::set<std::string> namedAfter(const std::string &Cache,
                                 std::set<std::string> Structs) {
  for (const std::string &Of : structNames(StringRef(Cache).lower())) {
    std::set<std::string> Named;
    for (const std::string &Name : Structs)
      if (StringRef(Name).starts_with(Of + "_"))
        Named.insert(Name);
    if (Named.size() == 1)
      return Named;
  }
  return Structs;
}

llvm::Expected<KernelTypes>
kernelTypes(const KernelImage &Image, const std::vector<RecordedCache> &Caches,
            const std::vector<uint64_t> &PerCpu,
            const std::vector<AllocationSite> &Allocations) {
  return Typer(Image, Caches, PerCpu, Allocations).run();
}

KernelTypes kernelTypes(const std::vector<RecordedCache> &Caches) {
  KernelTypes Out;
  for (const RecordedCache &C : Caches) {
    Out.OfCache.push_back(
        isOfSizes(C) ? NoStruct : static_cast<uint32_t>(Out.Types.size()));
    if (!isOfSizes(C))
      Out.Types.push_back({C.Name, C.ObjectBytes, TypeSource::Allocator, {}});
  }
  return Out;
}

KernelType typeOfCaller(const RecordedCache &Cache, const std::string &Function,
                        bool Several) {
  KernelType T;
  T.Name = (Several ? "kmalloc" : Cache.Name) + "@" + Function;
  T.SizeBytes = Several ? 0 : Cache.ObjectBytes;
  T.Source = TypeSource::CallSite;
  return T;
}

} // namespace kst
