// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/OwnerTable.h"

#include <algorithm>
#include <utility>

namespace kst {

static constexpr uint64_t PageBytes = 4096;
/// MIGRATE_MOVABLE of include/linux/mmzone.h: what the kernel gives to
/// applications and to the page cache.
static constexpr uint32_t Movable = 1;
/// What a call allocates before it opens a file.
static constexpr size_t MostPending = 1 << 12;
static constexpr uint32_t NoStream = ~0u;

OwnerTable::OwnerTable(const TraceTables &Tables, const OwnerTypes &Types,
                       Finished Tell)
    : Types(Types), Tell(std::move(Tell)), Objects(Tables) {}

uint64_t OwnerTable::file(uint32_t Device, uint64_t Inode) {
  auto [At, New] = FileIds.try_emplace({Device, Inode}, Files.size() + 1);
  if (New)
    Files.push_back({Device, Inode});
  return At->second;
}

OwnedObject *OwnerTable::find(const TracePlace &Place) {
  if (Place.What == TracePlace::Nothing || Place.What == TracePlace::Static)
    return nullptr;
  auto At = Live.find(Place.Object);
  return At == Live.end() || At->second.Number != Place.Number ? nullptr
                                                               : &At->second;
}

OwnedObject &OwnerTable::make(const TracePlace &Place) {
  OwnedObject New;
  New.Address = Place.Object;
  New.Number = Place.Number;
  New.SizeBytes = Place.SizeBytes;
  New.Type = Types.of(Place);
  if (Types[New.Type].IsAnchor) {
    OwnerContext Of;
    Of.Type = New.Type;
    Of.Anchor = Place.Object;
    Of.Same = uint32_t(All.size());
    New.Guess.Pointer = Of.Same;
    All.push_back(Of);
  }
  return Live[Place.Object] = New;
}

/// An object that was there before the trace has an address and no number. A
/// slot that may be free is none: allocators store pointers there, too.
OwnedObject *OwnerTable::findOrMake(const TracePlace &Place) {
  if (Place.What == TracePlace::Nothing || Place.What == TracePlace::Static ||
      Place.What == TracePlace::FreeSlot)
    return nullptr;
  if (OwnedObject *Of = find(Place))
    return Of;
  return &make(Place);
}

void OwnerTable::apply(const TraceEvent &E) {
  Now = E.Time;
  switch (E.Kind) {
  case EventKind::Access:
    return access(E);
  case EventKind::Context:
    return call(E);
  case EventKind::PointerStore:
    return pointer(E);
  case EventKind::Alloc:
  case EventKind::PageAlloc:
    free(E.Address, E.Time); // it went without a free
    Objects.apply(E);
    return began(E);
  case EventKind::Free:
    Contexts.apply(E);
    Tasks.erase(E.Address);
    free(E.Address, E.Time);
    return Objects.apply(E);
  case EventKind::PageFree:
    free(E.Address, E.Time);
    return Objects.apply(E);
  case EventKind::Slab:
    // The pages are no object of their own any more.
    if (E.Value)
      if (auto At = Live.find(E.Address);
          At != Live.end() && !Types[At->second.Type].Slab) {
        At->second.Page = PageUse::Slab;
        free(E.Address, E.Time);
      }
    return Objects.apply(E);
  case EventKind::CacheAdd:
  case EventKind::CacheRemove:
    Objects.apply(E);
    return cached(E);
  case EventKind::PageState:
  case EventKind::PageDrain:
    return;
  }
}

OwnerTable::TaskState &OwnerTable::task(uint32_t Stream) {
  const TraceContext Of = Contexts.of(Stream);
  return Tasks[Of.TaskObject ? Of.TaskObject : Of.Task];
}

void OwnerTable::began(const TraceEvent &E) {
  const TracePlace Place = Objects.place(E.Address);
  if (Place.Object != E.Address || Place.What == TracePlace::Nothing ||
      Place.What == TracePlace::Static)
    return;
  OwnedObject &Of = make(Place);
  Of.Seen = true;
  Of.Began = E.Time;
  if (E.Kind == EventKind::PageAlloc && E.Info >> 8 == Movable)
    Of.Page = PageUse::Application;
  guess(Of, E.Stream);
}

/// What an interrupt allocates has nothing to do with the task that it meets.
void OwnerTable::guess(OwnedObject &Of, uint32_t Stream) {
  const TraceContext In = Contexts.of(Stream);
  Of.Interrupt = In.Softirq || In.Hardirq || In.Nmi;
  if (Of.Interrupt)
    return;
  TaskState &By = task(Stream);
  // The kernel's own threads work for all files.
  Of.Guess.Task = By.Calls ? By.Last : 0;
  if (In.kind() != ContextKind::SystemCall)
    return;
  Of.Guess.Call = By.Call ? By.Call : By.Opened;
  if (!Of.Guess.Call && By.Pending.size() < MostPending)
    By.Pending.push_back({Of.Address, Of.Number});
}

void OwnerTable::call(const TraceEvent &E) {
  const bool IsCall = E.Info == uint32_t(ContextKind::SystemCall);
  if (IsCall && !E.Index) {
    TaskState &By = task(E.Stream);
    for (const auto &[Address, Number] : By.Pending)
      if (auto At = Live.find(Address); By.Opened && At != Live.end() &&
                                        At->second.Number == Number &&
                                        !At->second.Guess.Call)
        At->second.Guess.Call = By.Opened;
    By.Pending.clear();
    By.Call = By.Opened = 0;
  }
  Contexts.apply(E);
  if (!IsCall || !E.Index)
    return;
  TaskState &By = task(E.Stream);
  By.Calls = true;
  By.Call = By.Opened = 0;
  By.Pending.clear();
  if (!E.Address)
    return;
  SawDescriptors = true;
  // There is an inode, whatever the trace has seen of its slot.
  TracePlace Place = Objects.place(E.Address);
  if (Place.What == TracePlace::FreeSlot)
    Place.What = TracePlace::Slot;
  if (OwnedObject *Inode = findOrMake(Place);
      Inode && Types[Inode->Type].IsAnchor)
    By.Call = By.Last = Inode->Guess.Pointer;
}

void OwnerTable::pointer(const TraceEvent &E) {
  SawPointers = true;
  const bool OfPage = E.Info;
  OwnedObject *Of = findOrMake(
      Objects.place(OfPage ? E.Address & ~(PageBytes - 1) : E.Address));
  if (!Of || OfPage == Types[Of->Type].Slab)
    return;
  const uint64_t Offset =
      OfPage ? E.Address % PageBytes : E.Address - Of->Address;
  if (OfPage && Of->Address != (E.Address & ~(PageBytes - 1)))
    return; // not the first page of several: its struct has no such member
  const auto &Ways = Types[Of->Type].NextOffsets;
  const auto Way = std::find(Ways.begin(), Ways.end(), Offset);
  if (Way == Ways.end())
    return;
  // Low bits set: the kernel means something else by the value.
  const uint64_t Next = E.Index ? E.Index : E.Value & 7 ? 0 : E.Value;
  if (!Next)
    return;
  Of->Next[size_t(Way - Ways.begin())] = Next;
  resolve(*Of, size_t(Way - Ways.begin()), E.Stream);
  Of->Guess.Elsewhere = OfPage && !Of->Guess.Pointer;
}

OwnerTable::Lead OwnerTable::followOne(const OwnedObject &From, size_t Way,
                                       bool Make, unsigned Steps) {
  const OwnerType &Type = Types[From.Type];
  if (!From.Next[Way])
    return {};
  const TracePlace Place = Objects.place(From.Next[Way]);
  const OwnedObject *Next = Make ? findOrMake(Place) : find(Place);
  if (!Next || Next == &From)
    return {};
  if (Types[Next->Type].IsAnchor)
    return {root(Next->Guess.Pointer), Type.NextPointers[Way], uint32_t(Way)};
  if (Way >= Type.Inward && !Type.IsAnchor)
    return {};
  return {follow(*Next, Make, Steps + 1).Context, Type.NextPointers[Way],
          uint32_t(Way)};
}

OwnerTable::Lead OwnerTable::follow(const OwnedObject &From, bool Make,
                                    unsigned Steps) {
  constexpr unsigned MostSteps = 8;
  const size_t Ways = Types[From.Type].NextPointers.size();
  for (size_t Way = 0; Way < Ways && Steps < MostSteps; ++Way)
    if (const Lead To = followOne(From, Way, Make, Steps); To.Context)
      return To;
  return {};
}

void OwnerTable::resolve(OwnedObject &Of, size_t Way, uint32_t Stream) {
  Lead To = followOne(Of, Way, /*Make=*/true, 0);
  if (!To.Context && !Of.Guess.Pointer)
    To = follow(Of, /*Make=*/true);
  if (To.Context)
    resolved(Of, To, Stream);
}

void OwnerTable::resolveLate(OwnedObject &Of) {
  if (Of.Guess.Pointer)
    return;
  if (const Lead To = follow(Of, /*Make=*/false); To.Context)
    resolved(Of, To, NoStream);
}

void OwnerTable::resolved(OwnedObject &Of, Lead To, uint32_t Stream) {
  const OwnerType &Type = Types[Of.Type];
  if (Type.IsAnchor) {
    // One anchor is part of one: what has been copied leads to the context of
    // the original (a connection to its listener's) until it gets its own.
    if (Of.Joined || All[To.Context].Partner)
      return;
    Of.Joined = true;
    All[To.Context].Partner = Of.Address;
    join(Of.Guess.Pointer, To.Context);
    return;
  }
  // A shorter way says it better. Of pointers right to an anchor the one that
  // was stored last counts (a socket buffer goes from the sender to the
  // receiver), of others the first in order (buffer_head.b_folio, not b_bdev).
  if (Of.Guess.Pointer &&
      (To.Pointers > Of.Pointers ||
       (To.Pointers == Of.Pointers && To.Pointers > 1 && To.Way > Of.Way)))
    return;
  Of.Changed |= Of.Guess.Pointer && To.Pointers == Of.Pointers &&
                root(Of.Guess.Pointer) != To.Context;
  const uint32_t Before = std::exchange(Of.Guess.Pointer, To.Context);
  Of.Pointers = To.Pointers;
  Of.Way = To.Way;
  if (!Type.Holder)
    return;
  if (Before && root(Before) == To.Context)
    return;
  if (std::exchange(Of.Holds, true))
    close(Before, Now);
  open(To.Context);
  if (Stream == NoStream || Of.Interrupt)
    return;
  TaskState &By = task(Stream);
  By.Last = By.Opened = To.Context;
}

void OwnerTable::join(uint32_t Anchor, uint32_t Into) {
  uint32_t From = root(Anchor);
  Into = root(Into);
  if (From == Into)
    return;
  All[From].Same = Into;
  OwnerContext &To = All[Into];
  To.Opens += All[From].Opens;
  To.Open += All[From].Open;
  To.Accesses += All[From].Accesses;
  To.BetweenAccesses += All[From].BetweenAccesses;
  To.LateAccesses += All[From].LateAccesses;
  TellJoined(From, Into);
}

void OwnerTable::open(uint32_t Id) {
  OwnerContext &Of = All[root(Id)];
  if (Of.Open++)
    return;
  ++Of.Opens;
  Of.BetweenAccesses += Of.LateAccesses;
  Of.LateAccesses = 0;
  TellOpened(root(Id), Of.Opens > 1);
}

void OwnerTable::close(uint32_t Id, uint64_t Time) {
  OwnerContext &Of = All[root(Id)];
  if (!Of.Open || --Of.Open)
    return;
  Of.Closed = Time;
  TellClosed(root(Id), false);
}

void OwnerTable::access(const TraceEvent &E) {
  const OwnedObject *Of = find(Objects.place(E));
  if (!Of)
    return;
  const uint32_t Id = contextOf(*Of);
  if (!Id)
    return;
  OwnerContext &By = All[Id];
  ++By.Accesses;
  By.LateAccesses += By.isClosed();
}

/// A page of a file is one from its entry into the page cache until it leaves
/// that, or goes.
void OwnerTable::cached(const TraceEvent &E) {
  OwnedObject *Of = findOrMake(Objects.place(E.Address));
  if (!Of || Types[Of->Type].Slab)
    return;
  if (Of->File)
    Tell(*Of, E.Time, true);
  Of->File = 0;
  if (E.Kind == EventKind::CacheRemove)
    return;
  Of->Page = PageUse::File;
  Of->File = file(E.Info, E.Value);
  Of->CacheBegan = E.Time;
}

void OwnerTable::free(uint64_t Address, uint64_t Time) {
  auto At = Live.find(Address);
  if (At == Live.end())
    return;
  OwnedObject Of = At->second;
  end(Of, Time, true);
  Live.erase(Address);
}

void OwnerTable::end(OwnedObject &Of, uint64_t Time, bool Ended) {
  resolveLate(Of);
  Tell(Of, Time, Ended);
  if (!Ended)
    return;
  if (Of.Holds)
    close(Of.Guess.Pointer, Time);
  if (Types[Of.Type].IsAnchor && Of.Guess.Pointer) {
    if (OwnerContext &By = All[root(Of.Guess.Pointer)];
        By.Partner == Of.Address)
      By.Partner = 0;
    All[Of.Guess.Pointer].Ended = true;
    if (root(Of.Guess.Pointer) == Of.Guess.Pointer)
      TellClosed(Of.Guess.Pointer, true);
  }
}

void OwnerTable::finish(uint64_t Time) {
  std::vector<uint64_t> Addresses;
  for (const auto &[Address, Of] : Live)
    Addresses.push_back(Address);
  std::sort(Addresses.begin(), Addresses.end());
  for (uint64_t Address : Addresses) {
    OwnedObject Of = Live[Address];
    const bool Gone = Objects.place(Address).Number != Of.Number;
    end(Of, Time, Gone);
  }
}

} // namespace kst
