// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/AllocatingCalls.h"

#include "hybrid/pipeline/AllocatedTypes.h"
#include "passes/readers/DebugFacts.h"

#include <algorithm>

namespace kst {
namespace {

struct TypedCall {
  uint64_t ReturnAddress = 0;
  bool FromCache = false;
  std::vector<ResultType> Results;
};

std::vector<TypedCall> typedCalls(const KernelImage &Image,
                                  const std::vector<Allocator> &Allocators) {
  std::map<uint64_t, bool> FromCache; ///< by the function's address
  std::set<uint64_t> Functions;
  for (const Allocator &Called : Allocators)
    if (auto Code = Image.symbol(Called.Function)) {
      FromCache[Code->Address] = Called.FromCache;
      Functions.insert(Code->Address);
    }
  std::vector<TypedCall> Out;
  for (auto [Function, ReturnAddress] : Image.callsOf(Functions))
    if (auto Results = Image.resultTypes(ReturnAddress); !Results.empty())
      Out.push_back({ReturnAddress, FromCache[Function], std::move(Results)});
  std::sort(Out.begin(), Out.end(), [](const TypedCall &A, const TypedCall &B) {
    return A.ReturnAddress < B.ReturnAddress;
  });
  return Out;
}

/// Sizes of the structs, and which of them begin with a result.
llvm::Expected<DebugFacts> structFacts(const KernelImage &Image,
                                       const std::vector<TypedCall> &Calls,
                                       const std::set<std::string> &Structs) {
  DebugQuestion Sizes;
  Sizes.Structs = Structs;
  auto Known = debugFacts(Image.file(), Sizes);
  if (!Known)
    return Known.takeError();
  DebugQuestion Longer;
  Longer.Structs = Structs;
  for (const auto &[Name, Struct] : Known->Structs)
    for (const TypedCall &Call : Calls)
      for (const std::string &Result :
           beginningsOf(Call.Results, {Struct.SizeBytes, Struct.SizeBytes}))
        Longer.Beginnings[Result].insert(Struct.SizeBytes);
  return debugFacts(Image.file(), Longer);
}

} // namespace

std::vector<Allocator> kernelAllocators() {
  std::vector<Allocator> Out;
  for (const char *Suffix : {"", "_noprof"}) {
    for (const char *Name :
         {"kmem_cache_alloc", "kmem_cache_alloc_lru", "kmem_cache_alloc_node"})
      Out.push_back({std::string(Name) + Suffix, true});
    for (const char *Name :
         {"__kmalloc", "__kmalloc_node", "__kmalloc_node_track_caller",
          "__kmalloc_track_caller", "__kmalloc_cache", "__kmalloc_cache_node",
          "kmalloc_trace", "kmalloc_node_trace", "kmem_cache_alloc_trace",
          "kmem_cache_alloc_node_trace", "kmalloc_order_trace", "kmalloc_large",
          "kmalloc_large_node", "__kmalloc_large", "__kmalloc_large_node",
          "kvmalloc_node", "__kvmalloc_node", "kmemdup", "krealloc"})
      Out.push_back({std::string(Name) + Suffix, false});
  }
  return Out;
}

llvm::Expected<std::map<std::string, std::vector<AllocatingCall>>>
allocatingCalls(const KernelImage &Image,
                const std::vector<Allocator> &Allocators,
                const std::set<std::string> &Structs) {
  std::map<std::string, std::vector<AllocatingCall>> Out;
  if (Structs.empty())
    return Out;
  const std::vector<TypedCall> Calls = typedCalls(Image, Allocators);
  auto Facts = structFacts(Image, Calls, Structs);
  if (!Facts)
    return Facts.takeError();
  for (const std::string &Name : Structs) {
    auto Known = Facts->Structs.find(Name);
    if (Known == Facts->Structs.end() || !Known->second.SizeBytes)
      continue;
    const uint64_t Bytes = Known->second.SizeBytes;
    for (const TypedCall &Call : Calls)
      for (const ResultType &Result : Call.Results) {
        auto Longer = Facts->Beginning.find({Result.Name, Bytes});
        const bool Same = Result.Name == Name && Result.SizeBytes == Bytes;
        if (!Same &&
            (Longer == Facts->Beginning.end() || !Longer->second.count(Name)))
          continue;
        // A cache may ask for more, up to its alignment.
        const uint64_t Most = Same && Result.Flexible && !Call.FromCache
                                  ? ~uint64_t(0)
                              : Call.FromCache ? Bytes + 7
                                               : Bytes;
        Out[Name].push_back({Call.ReturnAddress, Bytes, Most, Call.FromCache});
        break;
      }
  }
  return Out;
}

} // namespace kst
