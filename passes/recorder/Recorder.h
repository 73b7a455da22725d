// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the guest does, as events of a trace. QEMU runs each CPU of the guest in
// a thread of its own; it calls back from that thread.

#ifndef KST_PASSES_RECORDER_RECORDER_H
#define KST_PASSES_RECORDER_RECORDER_H

#include "passes/recorder/FreePages.h"
#include "passes/recorder/Guest.h"
#include "passes/recorder/Sites.h"
#include "passes/recorder/Slabs.h"
#include "passes/recorder/Vcpu.h"
#include "passes/recorder/Wanted.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kst {

/// Files of a recording, in one directory: the settings, `cpuN` with blocks of
/// events, `tables` with a line for each site, cache and count. Tables are
/// written before the blocks that need them.
class Recorder {
public:
  static constexpr unsigned MostCpus = 64;

  /// Reads DIRECTORY/settings. False: Wrong says why.
  bool start(const std::string &Directory, const std::string &Ram,
             std::string &Wrong);
  const RecorderSettings &settings() const { return S; }

  /// The site of an instruction. Any thread.
  RecordedSite site(uint64_t Pc);

  // From the thread of the CPU.
  void access(unsigned Cpu, uint8_t Kind, unsigned Bytes, uint64_t Address,
              RecordedSite Site);
  void enterBulk(unsigned Cpu);
  void enterTracing(unsigned Cpu, const KernelEvent &Event);
  void commit(unsigned Cpu);
  void enterCall(unsigned Cpu);
  void leaveCall(unsigned Cpu);
  void begin(unsigned Cpu);
  void end(unsigned Cpu);
  /// All CPUs stand still.
  void finish();

private:
  void watchStore(Vcpu &V, uint64_t Address, unsigned Bytes);
  void preemptCount(Vcpu &V);
  void task(Vcpu &V);
  void slab(Vcpu &V, uint64_t Address, unsigned Bytes);
  void cpuKnown(unsigned Cpu, uint64_t Offset);
  bool inTracing(Vcpu &V, uint8_t Kind, uint64_t Address, RecordedSite Site);
  bool taken(Vcpu &V);
  void life(Vcpu &V, const KernelEvent &Event, uint64_t Entry);
  void objectLife(Vcpu &V, const KernelEvent &Event, uint64_t Entry);
  void pointerStore(Vcpu &V, uint64_t Address, uint32_t Site);
  void pageLife(Vcpu &V, const KernelEvent &Event, uint64_t Entry);
  void pageBulk(Vcpu &V, uint64_t Address);
  void tellPages(Vcpu &V);
  void bulkLife(Vcpu &V, uint64_t Address, RecordedSite Site);
  void allocated(Vcpu &V, uint64_t Address, uint64_t Bytes, uint64_t Asked,
                 uint32_t Cache, uint64_t Caller);
  void wantCache(Vcpu &V, uint32_t Cache);
  void freed(Vcpu &V, uint64_t Address, uint32_t Cache, uint32_t Site);
  void context(Vcpu &V, ContextKind Kind, uint64_t Value, bool In,
               uint64_t Address = 0);
  uint64_t inodeOfCall(Vcpu &V, uint64_t Number, uint64_t Top) const;
  bool wantedPointer(uint64_t Address, uint32_t Cache);
  uint64_t pageOfStruct(uint64_t Address) const;
  void announce(Vcpu &V);
  /// Sets time, stream and losses of the event.
  void emit(Vcpu &V, TraceEvent &&E);
  void emitSlab(Vcpu &V, const SlabChange &Of);
  void flush(Vcpu &V);
  void writeTables();
  Vcpu &of(unsigned Cpu) { return *Cpus[Cpu]; }

  RecorderSettings S;
  std::string Directory;
  Guest Memory{S};
  Slabs AllSlabs{S, Memory};
  FreePages Pages{S, Memory};
  WantedPlaces Wanted{S, Memory};
  std::unique_ptr<Vcpu> Cpus[MostCpus];
  /// Written with each event: nothing that each access reads lies beside it.
  alignas(64) std::atomic<uint64_t> Clock{0};
  std::atomic<uint64_t> SeenByAll{0};
  alignas(64) std::atomic<bool> Recording{false};
  std::atomic<bool> Done{false};
  RecordedSites Sites;
  std::mutex LinesLock, FileLock, PagesLock;
  std::string NewLines; ///< of the tables, not written yet
  int TablesFile = -1;
  uint32_t LargeCache = 0; ///< row of objects that are whole pages
};

} // namespace kst

#endif
