// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables and raw files written by hand, byte for byte as
// docs/guide/formats.md says and without the code under test.

#pragma once

#include "hybrid/core/Hash.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace kst_test {

template <typename T> void put(std::string &To, T Value) {
  To.append(reinterpret_cast<const char *>(&Value), sizeof(T));
}
inline void pad(std::string &To) { To.resize((To.size() + 7) & ~size_t(7)); }

using Words = std::vector<uint32_t>;

/// Rows of 32-bit words; sites have their four 16-bit members as two words.
struct Table {
  uint32_t Counters = 0;
  std::vector<Words> Structs, Elements, Functions, Sites, Regions, References,
      Terms;
  std::string Strings = std::string(1, '\0');
  uint32_t MainFile = 0;

  uint32_t text(const std::string &Text) {
    uint32_t At = static_cast<uint32_t>(Strings.size());
    Strings += Text + '\0';
    return At;
  }

  /// Everything behind the hash.
  std::string body() const {
    std::string Out;
    for (size_t N :
         {size_t(Counters), Structs.size(), Elements.size(), Functions.size(),
          Sites.size(), Regions.size(), References.size(), Terms.size(),
          Strings.size(), size_t(MainFile)})
      put(Out, static_cast<uint32_t>(N));
    for (const auto *Rows : {&Structs, &Elements, &Functions, &Sites, &Regions,
                             &References, &Terms})
      for (const Words &Row : *Rows)
        for (uint32_t Word : Row)
          put(Out, Word);
    Out += Strings;
    pad(Out);
    return Out;
  }

  uint64_t hash() const { return kst::hash64(body()); }

  std::string blob() const {
    std::string Body = body(), Out = "KSTTABLE";
    put(Out, uint32_t(1));
    put(Out, static_cast<uint32_t>(Body.size() + 24));
    put(Out, kst::hash64(Body));
    return Out + Body;
  }
};

inline uint32_t two(uint16_t Low, uint16_t High) {
  return Low | uint32_t(High) << 16;
}
constexpr uint32_t NoStruct = ~0u;

/// Unit ring.c, 3 counters:
///   struct ring { 8 bytes at 0, 4 at 8, 4 at 12 }
///   f: region 0 = c0: reads 0; region 1 = c1: writes 8 twice, bits of 12
///      region 2 = c0 - c1: reads 8
///   f's entry is in region 0; entry_stub has a site and no region
inline Table smallTable() {
  Table T;
  T.Counters = 3;
  T.MainFile = T.text("ring.c");
  T.Structs = {{T.text("ring"), 16, 0, 3}};
  T.Elements = {{0, 8}, {8, 4}, {12, 4}};
  T.Functions = {{T.text("f"), T.MainFile, 10, 0},
                 {T.text("entry_stub"), T.MainFile, 90, 0}};
  auto Site = [&](uint32_t Struct, uint32_t Function, uint32_t Line,
                  uint32_t Offset, uint32_t Size, uint32_t Bits, uint16_t Kind,
                  uint16_t Marks) {
    T.Sites.push_back({Struct, Function, T.MainFile, Line, 3, Offset, Size,
                       Bits, two(Kind, Marks), 0});
  };
  Site(NoStruct, 0, 10, 0, 0, 0, 6, 0);   // 0 entry of f
  Site(0, 0, 11, 0, 8, 0, 0, 0);          // 1 read
  Site(0, 0, 12, 8, 4, 0, 1, 1);          // 2 write, volatile
  Site(0, 0, 13, 12, 4, two(3, 5), 1, 0); // 3 bits 3..7 written
  Site(0, 0, 14, 8, 4, 0, 0, 0);          // 4 read
  Site(0, 1, 91, 0, 8, 0, 0, 0);          // 5 in entry_stub
  T.Regions = {{0, 0, 2, 0, 1, 0}, {0, 2, 2, 1, 1, 0}, {0, 4, 1, 2, 2, 0}};
  T.References = {{0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 1}};
  T.Terms = {{0, 1}, {1, 1}, {0, 1}, {1, ~0u}};
  return T;
}

/// Another unit with the same function f, as from a header: `f` once more, and
/// entry_stub counted.
inline Table otherTable() {
  Table T = smallTable();
  T.MainFile = T.text("other.c");
  T.Counters = 4;
  T.Regions.push_back({1, 5, 1, 4, 1, 0});
  T.References.push_back({5, 1});
  T.Terms.push_back({3, 1});
  return T;
}

struct Raw {
  std::string Bytes; ///< without the end record
  explicit Raw(std::string Text, const char *Magic = "KSTCOUNT") {
    Bytes = Magic;
    put(Bytes, uint32_t(2));
    put(Bytes, static_cast<uint32_t>(Text.size()));
    Bytes += Text;
    pad(Bytes);
  }
  Raw &record(uint64_t Hash, uint32_t Kind, std::vector<uint64_t> Counts) {
    put(Bytes, Hash);
    put(Bytes, static_cast<uint32_t>(Counts.size()));
    put(Bytes, Kind);
    for (uint64_t Count : Counts)
      put(Bytes, Count);
    return *this;
  }
  /// The file, with its end record.
  std::string whole() const {
    return Raw(*this).record(Bytes.size(), 2, {}).Bytes;
  }
};

/// A raw trace, record by record.
struct RawEvents : Raw {
  explicit RawEvents(std::string Text) : Raw(std::move(Text), "KSTEVENT") {}
  RawEvents &begin(uint32_t Kind, uint32_t Stream, uint64_t Size) {
    put(Bytes, Kind);
    put(Bytes, Stream);
    put(Bytes, Size);
    return *this;
  }
  RawEvents &unit(uint64_t Hash, uint32_t Base, uint32_t Sites) {
    begin(1, 0, 16);
    put(Bytes, Hash);
    put(Bytes, Base);
    put(Bytes, Sites);
    return *this;
  }
  struct Event {
    uint64_t Time, Address, Site;
  };
  /// Of a kernel; Life: of the allocator, Site is 0xffffff or 0xfffffe.
  struct KernelEvent {
    uint64_t Time, Address, Site, Context;
    struct {
      uint64_t Caller;
      uint32_t Asked, Cache;
    } Life = {};
  };
  RawEvents &kernelEvents(uint32_t Stream, uint64_t Lost,
                          const std::vector<KernelEvent> &Of) {
    std::string Events;
    for (const KernelEvent &E : Of) {
      put(Events, (E.Address & 0xffffffffffff) | E.Time << 48);
      put(Events, E.Site | E.Time >> 16 << 24 | E.Context << 62);
      if (E.Site < 0xfffffe)
        continue;
      put(Events, E.Life.Caller);
      put(Events, E.Life.Asked);
      put(Events, E.Life.Cache);
    }
    begin(5, Stream, 8 + Events.size());
    put(Bytes, Lost);
    Bytes += Events;
    return *this;
  }
  RawEvents &cache(const std::string &Name, uint32_t Number, uint32_t SlotBytes,
                   uint32_t ObjectBytes) {
    std::string Padded = Name + '\0';
    pad(Padded);
    begin(6, 0, 16 + Padded.size());
    put(Bytes, Number);
    put(Bytes, SlotBytes);
    put(Bytes, ObjectBytes);
    put(Bytes, uint32_t(0));
    Bytes += Padded;
    return *this;
  }
  RawEvents &events(uint32_t Stream, uint64_t Lost, std::vector<Event> Of) {
    begin(2, Stream, 8 + 16 * Of.size());
    put(Bytes, Lost);
    for (const Event &E : Of) {
      put(Bytes, (E.Address & 0xffffffffffff) | E.Time << 48);
      put(Bytes, E.Site | E.Time >> 16 << 24);
    }
    return *this;
  }
  RawEvents &object(const std::string &Struct, uint64_t Address, uint64_t Size,
                    uint32_t Number, uint32_t Cpu) {
    std::string Name = Struct + '\0';
    pad(Name);
    begin(3, 0, 24 + Name.size());
    put(Bytes, Address);
    put(Bytes, Size);
    put(Bytes, Number);
    put(Bytes, Cpu);
    Bytes += Name;
    return *this;
  }
  std::string whole() const {
    RawEvents Out = *this;
    Out.begin(4, 0, 8);
    put(Out.Bytes, uint64_t(Bytes.size()));
    return Out.Bytes;
  }
};

/// Two CPUs and a ring of each, of smallTable(), sites numbered from 100. Site
/// 7 of a unit without a table; 5 events lost on CPU 1.
inline RawEvents smallTrace(const Table &T) {
  RawEvents Out("label=pipe\ncpus=2\n");
  const uint64_t Ring = 0xffff888000001000;
  Out.unit(T.hash(), 100, 6).unit(4711, 7, 1);
  Out.object("ring", Ring, 16, 2, 0);
  Out.events(
      0, 0, {{1000, Ring, 101}, {1010, Ring + 8, 102}, {1005, Ring + 12, 103}});
  Out.events(1, 0, {{1003, Ring + 24, 104}, {1004, Ring, 7}});
  Out.events(1, 5, {{1020, Ring + 16, 101}});
  Out.events(0, 0, {{uint64_t(1) << 55, Ring, 101}});
  return Out;
}

/// Lives of rings on two CPUs: one of a cache of rings, one of kmalloc(), which
/// a function at 0x2000 makes that makes other things at 0x3000. The first is
/// freed on the other CPU, in an interrupt.
inline RawEvents smallLives(const Table &T) {
  RawEvents Out("source=kernel\ncpus=2\n");
  const uint64_t Slot = 0xffff888000001000, Big = Slot + 64, Other = Slot + 96;
  const uint64_t Alloc = 0xffffff, Free = 0xfffffe;
  Out.unit(T.hash(), 0, 6).cache("ring_cache", 7, 24, 16);
  Out.cache("kmalloc-32", 9, 32, 32);
  Out.kernelEvents(0, 0,
                   {{1000, Slot, Alloc, 0, {0x1000, 16, 7}},
                    {1001, Slot, 1, 0},
                    {1002, Big, Alloc, 0, {0x2000, 16, 9}},
                    {1003, Big + 8, 2, 1},
                    {1004, Other, Alloc, 0, {0x3000, 20, 9}},
                    {1010, Slot, Alloc, 0, {0x1000, 16, 7}},
                    {1011, Slot, 1, 0}});
  Out.kernelEvents(1, 0,
                   {{1005, Slot + 8, 4, 2},
                    {1006, Slot, Free, 2, {0x4000, 0, 7}},
                    {1007, Other, 0xfffffd, 0}});
  Out.kernelEvents(1, 3, {});
  return Out;
}

} // namespace kst_test
