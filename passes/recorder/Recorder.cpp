// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/recorder/Recorder.h"

#include "passes/recorder/Events.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace kst {
namespace {

// Bits of the preempt count, as include/linux/preempt.h has them.
constexpr uint32_t ServingSoftirq = 0x100, Hardirqs = 0xf0000, Nmis = 0xf00000;
/// Accesses that a CPU makes before it asks whether it is in a sample.
constexpr uint64_t SampleStep = 1 << 10, SampleInterval = 1 << 20;

bool writeAll(int File, std::string_view Bytes) {
  while (!Bytes.empty()) {
    ssize_t Done = write(File, Bytes.data(), Bytes.size());
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      return false;
    Bytes.remove_prefix(static_cast<size_t>(Done));
  }
  return true;
}

} // namespace

bool Recorder::start(const std::string &Where, const std::string &Ram,
                     std::string &Wrong) {
  Directory = Where;
  std::ifstream In(Directory + "/settings");
  std::stringstream Text;
  Text << In.rdbuf();
  if (!In || !S.read(Text.str(), Wrong)) {
    Wrong = Directory + "/settings: " + (In ? Wrong : "cannot be read");
    return false;
  }
  if (!Memory.map(Ram)) {
    Wrong = Ram + ": cannot be mapped";
    return false;
  }
  AllSlabs.start();
  Wanted.start();
  LargeCache = AllSlabs.other("pages");
  auto Create = [&](const std::string &Name) {
    return open((Directory + "/" + Name).c_str(),
                O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  };
  TablesFile = Create("tables");
  bool Good = TablesFile >= 0;
  for (unsigned I = 0; I < MostCpus; ++I) {
    Cpus[I] = std::make_unique<Vcpu>(I);
    if (I < S.Cpus) {
      Cpus[I]->File = Create("cpu" + std::to_string(I));
      Good &= Cpus[I]->File >= 0;
    }
  }
  if (S.BootOffset)
    cpuKnown(0, S.BootOffset);
  Recording = !S.Window.Begin;
  Wrong = Directory + ": cannot be written";
  return Good;
}

RecordedSite Recorder::site(uint64_t Pc) {
  return {Sites.number(Pc),
          S.BulkAlloc.has(Pc) || S.BulkFree.has(Pc) || S.PageBulk.has(Pc)};
}

// ---- where accesses go

void Recorder::access(unsigned Cpu, uint8_t Kind, unsigned Bytes,
                      uint64_t Address, RecordedSite Site) {
  Vcpu &V = of(Cpu);
  if (Kind & AccessStore) {
    V.LastStore = Address;
    if (Site.Bulk && Bytes == 8)
      bulkLife(V, Address, Site);
    watchStore(V, Address, Bytes);
  }
  if (V.Scopes[V.Level].Event && inTracing(V, Kind, Address, Site))
    return;
  if (!Recording.load(std::memory_order_relaxed)) {
    if (Done && !V.Out.empty())
      flush(V);
    return;
  }
  if (Kind & AccessStore && Bytes == 8 &&
      (S.AllPointers || !S.Pointers.empty()))
    pointerStore(V, Address, Site.Number);
  if (!taken(V) || !Wanted.has(Address) || !(S.Contexts >> V.kind() & 1))
    return;
  TraceEvent E = event(EventKind::Access, Address, Bytes, 0);
  E.Access = Kind;
  E.Site = Site.Number;
  emit(V, std::move(E));
}

bool Recorder::taken(Vcpu &V) {
  if (++V.Seen % SampleStep == 0 && S.SampleTaken < S.SampleOf) {
    uint64_t All = SeenByAll.fetch_add(SampleStep) + SampleStep;
    V.Taken = All / SampleInterval % S.SampleOf < S.SampleTaken;
  }
  return V.Taken;
}

/// The kernel's tracing begins with the call of the function that writes an
/// entry, and ends where that function's return address is loaded.
bool Recorder::inTracing(Vcpu &V, uint8_t Kind, uint64_t Address,
                         RecordedSite Site) {
  TracingScope &Scope = V.Scopes[V.Level];
  V.Tracing += Recording.load(std::memory_order_relaxed);
  bool Own = AddressRange{Scope.Event->Begin, Scope.Event->End}.has(
      Sites.pc(Site.Number));
  if (Kind == AccessLoad && Address == Scope.ReturnSlot) {
    V.LostLives += Scope.Lowest != 0;
    Scope = TracingScope();
  } else if (Kind & AccessStore && Own && !Scope.Stored) {
    // A register that is saved right below the return address.
    Scope.Stored = true;
    if (Memory.read(Address + 8) >= Guest::ImageBase)
      Scope.ReturnSlot = Address + 8;
    if (!Scope.ReturnSlot) {
      ++V.LostLives;
      Scope = TracingScope();
    }
  } else if (Kind & AccessStore && Own &&
             Scope.ReturnSlot - Address > MostStackBytes) {
    if (!Scope.Lowest || Address < Scope.Lowest)
      Scope.Lowest = Address;
  }
  return true;
}

void Recorder::enterTracing(unsigned Cpu, const KernelEvent &Event) {
  Vcpu &V = of(Cpu);
  // The call stored the address that it returns to. An interrupt between it and
  // here stored more: then what is there is no code, and the function's first
  // store tells.
  bool Code = Memory.read(V.LastStore) >= Guest::ImageBase;
  V.Scopes[V.Level] = {&Event, Code ? V.LastStore : 0, 0, false};
}

void Recorder::commit(unsigned Cpu) {
  Vcpu &V = of(Cpu);
  TracingScope &Scope = V.Scopes[V.Level];
  if (!Scope.Event || !Scope.Lowest)
    return;
  uint64_t Entry = Scope.Lowest - Scope.Event->FirstMember;
  Scope.Lowest = 0;
  // Before the recording, allocations tell which caches are wanted.
  if (!Recording && S.WantedSites.empty())
    return;
  // A function can serve several events.
  for (const KernelEvent &E : S.Events)
    if (E.Begin == Scope.Event->Begin &&
        Memory.read(Entry, E.Type) == Memory.read(E.TypeAddress, E.Type))
      return life(V, E, Entry);
}

// ---- what the kernel's state says

void Recorder::watchStore(Vcpu &V, uint64_t Address, unsigned Bytes) {
  if (AllSlabs.watches(Address))
    return slab(V, Address, Bytes);
  auto Touches = [&](uint64_t Variable) {
    return Variable && Address - V.PerCpu - Variable + Bytes - 1 < 7 + Bytes;
  };
  if (V.PerCpu && Touches(S.PreemptCount))
    preemptCount(V);
  if (V.PerCpu && Touches(S.CurrentTask))
    task(V);
  if (Address - S.CpuTable < 8 * S.Cpus) {
    unsigned Cpu = static_cast<unsigned>((Address - S.CpuTable) / 8);
    cpuKnown(Cpu, Memory.read(S.CpuTable + Cpu * 8));
  }
}

void Recorder::cpuKnown(unsigned Cpu, uint64_t Offset) {
  if (Cpu >= MostCpus)
    return;
  Memory.readSections(); // known by now
  for (const AddressRange &R : S.WantedPerCpu)
    Wanted.set(Offset + R.Begin, R.End - R.Begin, true);
  of(Cpu).PerCpu = Offset;
  std::lock_guard<std::mutex> Held(LinesLock);
  NewLines +=
      "percpu " + std::to_string(Cpu) + " " + std::to_string(Offset) + "\n";
}

void Recorder::preemptCount(Vcpu &V) {
  uint32_t Count =
      static_cast<uint32_t>(Memory.read(V.PerCpu + S.PreemptCount));
  uint32_t Now = Count & (ServingSoftirq | Hardirqs | Nmis);
  uint32_t Changed = Now ^ V.Interrupts;
  if (!Changed)
    return;
  struct {
    uint32_t Bits;
    ContextKind Kind;
  } const Kinds[] = {{ServingSoftirq, ContextKind::Softirq},
                     {Hardirqs, ContextKind::Hardirq},
                     {Nmis, ContextKind::Nmi}};
  V.Level = 0;
  uint32_t Before = V.Interrupts;
  V.Interrupts = Now;
  for (const auto &Of : Kinds) {
    if (Now & Of.Bits)
      V.Level = static_cast<unsigned>(Of.Kind);
    // Interrupts that interrupt one another are one.
    if (V.Announced && !(Now & Of.Bits) != !(Before & Of.Bits))
      context(V, Of.Kind, 0, Now & Of.Bits);
  }
}

void Recorder::task(Vcpu &V) {
  uint64_t Task = Memory.read(V.PerCpu + S.CurrentTask);
  if (Task == V.Task)
    return;
  V.Task = Task;
  V.TaskId = Memory.read(Task, S.TaskId);
  if (V.Announced)
    context(V, ContextKind::Task, V.TaskId, true, V.Task);
}

/// Of the file that the descriptor among the arguments names; 0: none.
uint64_t Recorder::inodeOfCall(Vcpu &V, uint64_t Number, uint64_t Top) const {
  for (const DescriptorCall &Call : S.DescriptorCalls) {
    if (Call.Number != Number)
      continue;
    uint64_t Table =
        Memory.read(Memory.read(V.Task, S.TaskFiles), S.FilesTable);
    uint64_t Descriptor = Memory.read(Top - Call.Argument) & 0xffffffff;
    if (!V.Task || !Table || Descriptor >= Memory.read(Table, S.TableSize))
      return 0;
    uint64_t File =
        Memory.read(Memory.read(Table, S.TableFiles) + 8 * Descriptor);
    return File ? Memory.read(File, S.FileInode) : 0;
  }
  return 0;
}

void Recorder::enterCall(unsigned Cpu) {
  Vcpu &V = of(Cpu);
  V.InCall = true;
  uint64_t Top = Memory.read(V.PerCpu + S.StackTop);
  if (!Recording || !S.StackTop)
    return;
  uint64_t Number = Memory.read(Top - S.CallNumber);
  context(V, ContextKind::SystemCall, Number, true,
          inodeOfCall(V, Number, Top));
}

void Recorder::leaveCall(unsigned Cpu) {
  Vcpu &V = of(Cpu);
  V.InCall = false;
  if (Recording)
    context(V, ContextKind::SystemCall, 0, false);
}

void Recorder::slab(Vcpu &V, uint64_t Address, unsigned Bytes) {
  SlabChange Changed;
  if (!AllSlabs.change(Address, Bytes, Changed))
    return;
  bool Now =
      Changed.Cache != Slabs::NoCache && AllSlabs.cache(Changed.Cache).Wanted;
  bool Before = Wanted.has(Changed.Address);
  Wanted.set(Changed.Address, Changed.SizeBytes, Now);
  if (Recording && (Now || Before))
    emitSlab(V, Changed);
}

void Recorder::emitSlab(Vcpu &V, const SlabChange &Of) {
  bool Gone = Of.Cache == Slabs::NoCache;
  emit(V, event(EventKind::Slab, Of.Address, Of.SizeBytes, Of.Cache,
                Gone ? 0 : AllSlabs.cache(Of.Cache).Stride));
}

// ---- out

void Recorder::context(Vcpu &V, ContextKind Kind, uint64_t Value, bool In,
                       uint64_t Address) {
  emit(V, event(EventKind::Context, Address, 0, static_cast<uint32_t>(Kind),
                Value, In));
}

/// What the trace would know had it begun with the kernel.
void Recorder::announce(Vcpu &V) {
  V.Announced = true;
  if (V.Task)
    context(V, ContextKind::Task, V.TaskId, true, V.Task);
  if (V.Interrupts & ServingSoftirq)
    context(V, ContextKind::Softirq, 0, true);
  if (V.Interrupts & Hardirqs)
    context(V, ContextKind::Hardirq, 0, true);
  if (V.Interrupts & Nmis)
    context(V, ContextKind::Nmi, 0, true);
}

void Recorder::emit(Vcpu &V, TraceEvent &&E) {
  if (!V.Announced)
    announce(V);
  E.Time = Clock.fetch_add(1, std::memory_order_relaxed);
  E.Stream = V.Cpu;
  E.LostBefore = V.Lost;
  if (V.Out.full(E))
    flush(V);
  E.LostBefore = V.Lost;
  V.Lost = 0;
  V.Out.add(E);
}

void Recorder::flush(Vcpu &V) {
  writeTables();
  uint64_t Events = V.Out.events();
  if (V.File < 0 || !writeAll(V.File, V.Out.finish()))
    V.Lost += Events;
}

void Recorder::writeTables() {
  std::lock_guard<std::mutex> Held(FileLock);
  std::string Out;
  for (uint64_t Pc : Sites.takeNew())
    Out += "site " + std::to_string(Pc) + "\n";
  {
    std::lock_guard<std::mutex> Held(LinesLock);
    Out += std::exchange(NewLines, {});
  }
  size_t First;
  for (const SlabCache &Cache : AllSlabs.takeNew(First))
    Out += "cache " + std::to_string(Cache.Stride) + " " +
           std::to_string(Cache.ObjectBytes) + " " + Cache.Name + "\n";
  writeAll(TablesFile, Out);
}

void Recorder::begin(unsigned Cpu) {
  if (Done || Recording)
    return;
  for (const SlabChange &Slab : AllSlabs.all())
    if (AllSlabs.cache(Slab.Cache).Wanted)
      emitSlab(of(Cpu), Slab);
  Recording = true;
}

void Recorder::end(unsigned) {
  if (Recording.exchange(false))
    Done = true;
}

void Recorder::finish() {
  Recording = false;
  std::string Counts;
  for (unsigned I = 0; I < S.Cpus && I < MostCpus; ++I) {
    Vcpu &V = of(I);
    if (!V.Out.empty() || V.Lost) {
      V.Out.lost(V.Lost);
      flush(V);
    }
    for (auto [Name, Count] :
         {std::pair("seen", V.Seen), std::pair("tracing", V.Tracing),
          std::pair("lost-lives", V.LostLives)})
      Counts +=
          std::string("count ") + std::to_string(Count) + " " + Name + "\n";
  }
  writeTables();
  std::lock_guard<std::mutex> Held(FileLock);
  writeAll(TablesFile, Counts + "end\n");
}

} // namespace kst
