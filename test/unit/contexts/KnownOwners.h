// SPDX-License-Identifier: GPL-2.0-or-later
//
// A small kernel in which everybody knows whose an object is: caches of inodes,
// files and dentries, and one of data without pointers.

#pragma once

#include "hybrid/contexts/Contexts.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/trace/TraceWriter.h"

#include <gtest/gtest.h>

namespace kst_test {

using namespace kst;

enum Cache : uint32_t { Inodes, Files, Dentries, Data, Locks };

class KnownOwners {
public:
  static constexpr uint64_t Memory = 0xffff888000100000, Task = Memory - 4096;
  static constexpr uint64_t SlotBytes = 512, FInode = 32, DInode = 48,
                            Mapping = 24, LockInode = 16, LockFile = 40;

  KnownOwners() {
    ProfileBuilder Make;
    const uint32_t Inode = Make.structure("my_inode", 512),
                   File = Make.structure("file", 128),
                   Dentry = Make.structure("dentry", 192),
                   Lock = Make.structure("lock", 64);
    MeasuredSite Reader;
    Reader.Function = Make.text("reads");
    Reader.File = Make.text("known.c");
    Reader.Line = 1;
    const uint32_t Site = Make.site(Reader);
    ProfileBuilder::Numbers Where;
    T.About = *Make.finish(&Where);
    T.SiteOf = {Where.Sites[Site]};
    T.Sources.assign(4, TypeSource::CacheName);
    T.Allocators = {{"my_inode", Where.Structs[Inode], 512},
                    {"file", Where.Structs[File], 128},
                    {"dentry", Where.Structs[Dentry], 192},
                    {"kmalloc-64", NoStruct, 64},
                    {"lock", Where.Structs[Lock], 64}};
    const uint32_t MyInode = G.type("my_inode"), Anchor = G.type("inode"),
                   Space = G.type("address_space");
    G.Types[MyInode] = {"my_inode", 512, {{"vfs", 64, Anchor, true}}};
    G.Types[G.type("file")] = {"file", 128, {{"f_inode", FInode, Anchor}}};
    G.Types[G.type("dentry")] = {"dentry", 192, {{"d_inode", DInode, Anchor}}};
    // A union of pointers, one of them to an inode, and a file besides.
    G.Types[G.type("lock")] = {"lock",
                               64,
                               {{"inode", LockInode, Anchor},
                                {"owner", LockInode, G.type("owner")},
                                {"flc_file", LockFile, G.type("file")}}};
    G.Types[G.type("page")] = {"page", 64, {{"mapping", Mapping, Space}}};
    G.Types[Space] = {"address_space", 64, {{"host", 0, Anchor}}};
    context(ContextKind::Task, 1, true, Task);
  }

  static uint64_t slot(unsigned Number) { return Memory + Number * SlotBytes; }
  KnownOwners &alloc(unsigned Slot, Cache Of) {
    TraceEvent E = event(EventKind::Alloc, slot(Slot));
    E.SizeBytes = T.Allocators[Of].ObjectBytes;
    E.Info = Of;
    return add(E);
  }
  KnownOwners &free(unsigned Slot, Cache Of) {
    TraceEvent E = event(EventKind::Free, slot(Slot));
    E.Info = Of;
    return add(E);
  }
  KnownOwners &store(unsigned Slot, uint64_t Offset, uint64_t Value) {
    TraceEvent E = event(EventKind::PointerStore, slot(Slot) + Offset);
    E.Value = Value;
    return add(E);
  }
  KnownOwners &call(bool In, uint64_t Inode = 0) {
    return context(ContextKind::SystemCall, 0, In, Inode);
  }
  KnownOwners &softirq(bool In) { return context(ContextKind::Softirq, 0, In); }
  KnownOwners &access(unsigned Slot) {
    TraceEvent E = event(EventKind::Access, slot(Slot) + 8);
    E.SizeBytes = 8;
    E.Access = AccessLoad;
    E.Site = 0;
    return add(E);
  }
  /// A movable page that leads to a file, or does not.
  KnownOwners &movable(uint64_t Address, uint64_t MappedTo) {
    TraceEvent E = event(EventKind::PageAlloc, Address);
    E.SizeBytes = 4096;
    E.Info = 1 << 8;
    add(E);
    if (!MappedTo)
      return *this;
    E = event(EventKind::PointerStore, Address + Mapping);
    E.Info = 1;
    E.Value = MappedTo;
    return add(E);
  }
  KnownOwners &page(uint64_t Address, uint64_t MappedTo, uint64_t Inode) {
    movable(Address, MappedTo);
    TraceEvent E = event(EventKind::CacheAdd, Address);
    E.SizeBytes = 4096;
    E.Info = 8;
    E.Value = Inode;
    return add(E);
  }
  /// Opens a file of the inode: its object.
  KnownOwners &open(unsigned Slot, unsigned Inode) {
    return alloc(Slot, Files).store(Slot, FInode, slot(Inode) + 64);
  }

  ContextsReport report(ContextsOptions Options = {}) const {
    Options.Types.Anchors = {"inode"};
    std::string Bytes;
    TraceWriter To(T, [&](std::string_view Part) {
      Bytes += Part;
      return true;
    });
    for (const TraceEvent &E : Events)
      To.event(E);
    EXPECT_TRUE(To.finish());
    auto Trace = TraceReader::open(Bytes);
    EXPECT_TRUE(bool(Trace)) << Trace.error();
    auto Out = contextsReport(*Trace, G, Options);
    EXPECT_TRUE(bool(Out)) << Out.error();
    return *Out;
  }

  TypeGraph G;

private:
  static TraceEvent event(EventKind Kind, uint64_t Address) {
    TraceEvent E;
    E.Kind = Kind;
    E.Address = Address;
    E.SizeBytes = 8;
    E.Site = NoTraceSite;
    return E;
  }
  KnownOwners &context(ContextKind Kind, uint64_t Value, bool In,
                       uint64_t Address = 0) {
    TraceEvent E = event(EventKind::Context, Address);
    E.SizeBytes = 0;
    E.Info = uint32_t(Kind);
    E.Value = Value;
    E.Index = In;
    return add(E);
  }
  KnownOwners &add(TraceEvent E) {
    E.Time = Events.size() + 1;
    Events.push_back(E);
    return *this;
  }
  TraceTables T;
  std::vector<TraceEvent> Events;
};

} // namespace kst_test
