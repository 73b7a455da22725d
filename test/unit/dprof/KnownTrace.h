// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces in which everything is known: who does what to which object.

#pragma once

#include "hybrid/dprof/Dprof.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/trace/TraceWriter.h"

#include <gtest/gtest.h>

#include <map>

namespace kst_test {

using namespace kst;

/// Structs "packet" (128 bytes, in a slab cache) and "counter" (64 bytes,
/// static, one); sites of functions that are made when they are named.
class KnownTrace {
public:
  static constexpr uint64_t Slab = 0xffff888000100000,
                            Counter = 0xffffffff82000000,
                            Stack = 0xffffc90000000000, User = 0x7f0000000000;

  KnownTrace &on(unsigned Cpu, const char *Function,
                 const char *File = "known.c") {
    this->Cpu = Cpu;
    auto [At, New] =
        Sites.try_emplace({Function, File}, uint32_t(Sites.size()));
    Site = At->second;
    return *this;
  }
  KnownTrace &slab(uint64_t Address, uint32_t Bytes, uint64_t Stride) {
    TraceEvent E;
    E.Kind = EventKind::Slab;
    E.Address = Address;
    E.SizeBytes = Bytes;
    E.Value = Stride;
    return add(E);
  }
  KnownTrace &alloc(uint64_t Address, uint32_t Bytes = 128) {
    TraceEvent E;
    E.Kind = EventKind::Alloc;
    E.Address = Address;
    E.SizeBytes = Bytes;
    return add(E);
  }
  KnownTrace &free(uint64_t Address) {
    TraceEvent E;
    E.Kind = EventKind::Free;
    E.Address = Address;
    return add(E);
  }
  KnownTrace &load(uint64_t Address, uint32_t Bytes = 8) {
    return access(Address, Bytes, AccessLoad);
  }
  KnownTrace &store(uint64_t Address, uint32_t Bytes = 8) {
    return access(Address, Bytes, AccessStore);
  }
  KnownTrace &context(ContextKind Kind, bool In) {
    TraceEvent E;
    E.Kind = EventKind::Context;
    E.Info = uint32_t(Kind);
    E.Index = In;
    return add(E);
  }
  KnownTrace &losing(uint64_t Events) {
    Lost = Events;
    return *this;
  }

  std::string bytes() const {
    TraceTables T;
    ProfileBuilder Make;
    const uint32_t Packet = Make.structure("packet", 128);
    const uint32_t Static = Make.structure("counter", 64);
    std::vector<uint32_t> Numbers(Sites.size());
    for (const auto &[Name, Number] : Sites) {
      MeasuredSite Of;
      Of.Function = Make.text(Name.first);
      Of.File = Make.text(Name.second);
      Of.Line = Number + 1;
      Numbers[Number] = Make.site(Of);
    }
    ProfileBuilder::Numbers Where;
    T.About = *Make.finish(&Where);
    for (uint32_t Number : Numbers)
      T.SiteOf.push_back(Where.Sites[Number]);
    T.Sources.assign(2, TypeSource::CacheName);
    T.Allocators = {{"packets", Where.Structs[Packet], 128},
                    {"kmalloc-64", NoStruct, 64}};
    T.Objects = {{Counter, 64, 1, Where.Structs[Static], NoCpu}};
    std::string Out;
    TraceWriter To(T, [&](std::string_view Part) {
      Out += Part;
      return true;
    });
    for (const TraceEvent &E : Events)
      To.event(E);
    EXPECT_TRUE(To.finish());
    return Out;
  }

  DataProfile profile(DprofOptions Options = {}) const {
    if (!Options.Geometry[CacheLevel::L1].exists())
      Options.Geometry = *parseCacheGeometry("l1=1K/2,l2=4K/4,llc=64K/8");
    Options.Latency = {1, 2, 8, 4, 16};
    const std::string Bytes = this->bytes();
    auto Trace = TraceReader::open(Bytes);
    EXPECT_TRUE(bool(Trace)) << Trace.error();
    auto Out = dprof(*Trace, Options);
    EXPECT_TRUE(bool(Out)) << Out.error();
    return *Out;
  }

private:
  KnownTrace &access(uint64_t Address, uint32_t Bytes, uint8_t Access) {
    TraceEvent E;
    E.Address = Address;
    E.SizeBytes = Bytes;
    E.Access = Access;
    return add(E);
  }
  KnownTrace &add(TraceEvent E) {
    E.Time = ++Time;
    E.Stream = Cpu;
    E.Site = Site;
    E.LostBefore = std::exchange(Lost, 0);
    Events.push_back(E);
    return *this;
  }

  /// By function and file.
  std::map<std::pair<std::string, std::string>, uint32_t> Sites;
  std::vector<TraceEvent> Events;
  unsigned Cpu = 0;
  uint32_t Site = 0;
  uint64_t Time = 0, Lost = 0;
};

inline const TypeRow &typeOf(const DataProfile &P, const std::string &Name) {
  static const TypeRow None;
  for (const TypeRow &Of : P.Types)
    if (Of.Name == Name)
      return Of;
  ADD_FAILURE() << "no type " << Name;
  return None;
}

} // namespace kst_test
