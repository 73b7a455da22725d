// SPDX-License-Identifier: GPL-2.0-or-later
//
// Contexts of a trace: files and sockets with what the kernel holds for them,
// while objects come and go.

#pragma once

#include "hybrid/contexts/Attribution.h"
#include "hybrid/contexts/OwnerTypes.h"
#include "hybrid/trace/TraceContexts.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace kst {

/// A file or socket in memory: an object with an anchor, and all that is its.
struct OwnerContext {
  uint32_t Type = 0;   ///< of the object with the anchor
  uint64_t Anchor = 0; ///< its address
  /// Of the anchor that is part of it, by that one's own pointer, and lives; 0:
  /// there is none.
  uint64_t Partner = 0;
  uint32_t Same = 0;   ///< the context that it is part of: itself, or another
  uint64_t Opens = 0;  ///< how often the first holder came
  uint32_t Open = 0;   ///< holders that live
  bool Ended = false;  ///< the anchor is gone
  uint64_t Closed = 0; ///< time of the last close
  /// Accesses to its objects while it was closed, and later opened again; and
  /// since the last close.
  uint64_t BetweenAccesses = 0, LateAccesses = 0;
  uint64_t Accesses = 0;
  bool isClosed() const { return Opens && !Open; }
};

/// What a page is; told when it goes.
enum class PageUse : uint8_t { Other, File, Application, Slab };

/// An object or an allocation of pages.
struct OwnedObject {
  uint64_t Address = 0, Number = 0;
  uint64_t Began = 0, CacheBegan = 0; ///< time
  /// What its pointers on the ways lead to, by OwnerType::NextOffsets; 0:
  /// nothing was stored.
  std::array<uint64_t, OwnerType::MostWays> Next{};
  uint64_t File = 0; ///< of a page of a file: OwnerTable::file(); 0: none
  uint32_t Type = 0, SizeBytes = 0;
  OwnerGuess Guess;
  PageUse Page = PageUse::Other;
  bool Seen = false;      ///< its allocation was seen
  bool Interrupt = false; ///< it was allocated in one
  bool Holds = false;     ///< it keeps its context open
  bool Changed = false;
  bool Joined = false;   ///< its context is part of another
  uint32_t Pointers = 0; ///< on the way by which Guess.Pointer was found
  uint32_t Way = 0;      ///< its number
};

class OwnerTable {
public:
  /// Called with what goes, or leaves the page cache; `Ended` false: with what
  /// lives on at the end of the trace.
  using Finished =
      std::function<void(const OwnedObject &, uint64_t Time, bool Ended)>;
  /// Called when a context closes (its last holder went) or ends.
  using Closed = std::function<void(uint32_t Context, bool Ended)>;

  /// Both outlive this.
  OwnerTable(const TraceTables &Tables, const OwnerTypes &Types, Finished Tell);

  /// Every event, in the order of the reader.
  void apply(const TraceEvent &E);
  /// Tells Finished of all that lives.
  void finish(uint64_t Time);

  void onClose(Closed Tell) { TellClosed = std::move(Tell); }
  /// Called when a context turns out to be part of another.
  void onJoin(std::function<void(uint32_t From, uint32_t Into)> Tell) {
    TellJoined = std::move(Tell);
  }
  /// Called when the first holder of a context comes; `Again`: it was closed.
  void onOpen(Closed Tell) { TellOpened = std::move(Tell); }

  /// Where the event's address is, after apply(); null: in no object.
  const OwnedObject *object(const TraceEvent &E) {
    return find(Objects.place(E));
  }
  /// The same, also of what was there before the trace; null: a free slot, or
  /// no such memory. inMemory() tells which.
  const OwnedObject *known(const TraceEvent &E) {
    return findOrMake(Objects.place(E));
  }
  bool inMemory(const TraceEvent &E) {
    const TracePlace Place = Objects.place(E);
    return Place.What != TracePlace::Nothing &&
           Place.What != TracePlace::Static;
  }
  /// The best guess so far; 0: none.
  uint32_t contextOf(const OwnedObject &Of) const {
    return root(Of.Guess.best());
  }
  const OwnerContext &context(uint32_t Id) const { return All[root(Id)]; }
  /// Contexts are numbered from 1; those that are part of another, too.
  const std::vector<OwnerContext> &contexts() const { return All; }
  uint32_t root(uint32_t Id) const {
    while (All[Id].Same != Id)
      Id = All[Id].Same;
    return Id;
  }
  OwnerGuess rooted(OwnerGuess Of) const {
    for (uint32_t *Id : {&Of.Pointer, &Of.Call, &Of.Task})
      *Id = root(*Id);
    return Of;
  }
  /// Objects that live; forgets those that went without a free.
  template <typename F> void forEachLive(uint64_t Time, F &&Take);
  /// Of a device and inode number, from 1.
  uint64_t file(uint32_t Device, uint64_t Inode);
  const std::vector<std::pair<uint32_t, uint64_t>> &files() const {
    return Files;
  }
  const ObjectTable &objects() const { return Objects; }
  bool sawPointers() const { return SawPointers; }
  bool sawDescriptors() const { return SawDescriptors; }
  bool sawPageCache() const { return !Files.empty(); }

private:
  struct TaskState {
    uint32_t Last = 0;   ///< context that it used last
    bool Calls = false;  ///< it is of a program
    uint32_t Call = 0;   ///< of the descriptor of its call
    uint32_t Opened = 0; ///< in its call
    std::vector<std::pair<uint64_t, uint64_t>> Pending; ///< address, number
  };
  OwnedObject *find(const TracePlace &Place);
  OwnedObject *findOrMake(const TracePlace &Place);
  OwnedObject &make(const TracePlace &Place);
  void began(const TraceEvent &E);
  void free(uint64_t Address, uint64_t Time);
  void end(OwnedObject &Of, uint64_t Time, bool Ended);
  void guess(OwnedObject &Of, uint32_t Stream);
  void call(const TraceEvent &E);
  void pointer(const TraceEvent &E);
  void access(const TraceEvent &E);
  void cached(const TraceEvent &E);
  /// What a pointer of an object, or all of them, leads to.
  struct Lead {
    uint32_t Context = 0;  ///< 0: nothing yet
    uint32_t Pointers = 0; ///< of the way that leads there, by the types
    uint32_t Way = 0;      ///< its number
  };
  /// Make: objects from before the trace get to be known on the way.
  Lead follow(const OwnedObject &From, bool Make, unsigned Steps = 0);
  Lead followOne(const OwnedObject &From, size_t Way, bool Make,
                 unsigned Steps);
  /// By the pointer that was just stored.
  void resolve(OwnedObject &Of, size_t Way, uint32_t Stream);
  void resolved(OwnedObject &Of, Lead To, uint32_t Stream);
  /// What could not be resolved when its pointers were stored.
  void resolveLate(OwnedObject &Of);
  void open(uint32_t Id);
  void close(uint32_t Id, uint64_t Time);
  void join(uint32_t Anchor, uint32_t Into);
  TaskState &task(uint32_t Stream);

  const OwnerTypes &Types;
  Finished Tell;
  Closed TellClosed = [](uint32_t, bool) {};
  Closed TellOpened = [](uint32_t, bool) {};
  std::function<void(uint32_t, uint32_t)> TellJoined = [](uint32_t, uint32_t) {
  };
  ObjectTable Objects;
  TraceContexts Contexts;
  std::unordered_map<uint64_t, OwnedObject> Live; ///< by address
  std::unordered_map<uint64_t, TaskState> Tasks;  ///< by object, or id
  std::vector<OwnerContext> All{1};
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> FileIds;
  std::vector<std::pair<uint32_t, uint64_t>> Files; ///< device, inode
  bool SawPointers = false, SawDescriptors = false;
  uint64_t Now = 0; ///< time of the event
};

template <typename F> void OwnerTable::forEachLive(uint64_t Time, F &&Take) {
  for (auto At = Live.begin(); At != Live.end();) {
    if (Objects.place(At->first).Number != At->second.Number) {
      end(At->second, Time, true);
      At = Live.erase(At);
      continue;
    }
    resolveLate(At->second);
    Take(static_cast<const OwnedObject &>(At->second));
    ++At;
  }
}

} // namespace kst
