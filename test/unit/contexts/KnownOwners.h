// SPDX-License-Identifier: GPL-2.0-or-later
//
// A small kernel in which everybody knows whose an object is: caches of inodes,
// files, dentries, locks, sockets with their buffers and nodes of page caches,
// and one of data without pointers.

#pragma once

#include "hybrid/contexts/ContextsReport.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/trace/TraceWriter.h"

#include <gtest/gtest.h>

namespace kst_test {

using namespace kst;

enum Cache : uint32_t {
  Inodes,
  Files,
  Dentries,
  Data,
  Locks,
  Socks,
  Buffers,
  Nodes
};

class KnownOwners {
public:
  static constexpr uint64_t Memory = 0xffff888000100000, Task = Memory - 4096;
  static constexpr uint64_t SlotBytes = 512, FInode = 32, DInode = 48,
                            Mapping = 24, LockInode = 16, LockFile = 40,
                            LockOther = 48, SkSocket = 64, SockDentry = 400,
                            BufferNext = 0, BufferSock = 24, NodeArray = 8;

  KnownOwners() {
    ProfileBuilder Make;
    const uint32_t Inode = Make.structure("my_inode", 512),
                   File = Make.structure("file", 128),
                   Dentry = Make.structure("dentry", 192),
                   Lock = Make.structure("lock", 64),
                   Sock = Make.structure("my_sock", 512),
                   Buffer = Make.structure("sk_buff", 192),
                   Node = Make.structure("xa_node", 128);
    MeasuredSite Reader;
    Reader.Function = Make.text("reads");
    Reader.File = Make.text("known.c");
    Reader.Line = 1;
    const uint32_t Site = Make.site(Reader);
    ProfileBuilder::Numbers Where;
    T.About = *Make.finish(&Where);
    T.SiteOf = {Where.Sites[Site]};
    T.Sources.assign(7, TypeSource::CacheName);
    T.Allocators = {{"my_inode", Where.Structs[Inode], 512},
                    {"file", Where.Structs[File], 128},
                    {"dentry", Where.Structs[Dentry], 192},
                    {"kmalloc-64", NoStruct, 64},
                    {"lock", Where.Structs[Lock], 64},
                    {"my_sock", Where.Structs[Sock], 512},
                    {"sk_buff", Where.Structs[Buffer], 192},
                    {"xa_node", Where.Structs[Node], 128}};
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
                                {"flc_file", LockFile, G.type("file")},
                                {"other", LockOther, G.type("file")}}};
    // A socket lies beside its inode; a sock has a pointer to it. The sock lies
    // in what also has a path. A buffer waits in a list of its own kind.
    const uint32_t KernelSock = G.type("sock"), Array = G.type("xarray"),
                   Pair = G.type("socket"), Waiting = G.type("sk_buff"),
                   MySock = G.type("my_sock");
    G.Types[Pair] = {"socket", 128, {{"file", 0, G.type("file")}}};
    G.Types[KernelSock] = {"sock", 256, {{"sk_socket", SkSocket, Pair}}};
    G.Types[MySock] = {
        "my_sock",
        512,
        {{"sk", 0, KernelSock, true}, {"path", SockDentry, G.type("dentry")}}};
    G.Types[Waiting] = {
        "sk_buff",
        192,
        {{"next", BufferNext, Waiting}, {"sk", BufferSock, KernelSock}}};
    G.Types[Anchor].Links = {{"i_pages", 128, Array, true}};
    G.Types[G.type("xa_node")] = {
        "xa_node", 128, {{"array", NodeArray, Array}}};
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
    Options.Types.Anchors = {"inode", "sock"};
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

  /// The object with the anchor of what the best rule says of a slot's object
  /// that lives at the end; 0: nothing.
  uint64_t ownerOf(unsigned Slot) const {
    ContextsOptions Options;
    Options.Living = true;
    const OwnedLivings Of = report(Options).Living;
    for (const OwnedLiving &Row : Of.Objects)
      if (Row.Address == slot(Slot))
        return Of.Contexts[Row.Guess.best()].Anchor;
    ADD_FAILURE() << "nothing lives in slot " << Slot;
    return 0;
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
