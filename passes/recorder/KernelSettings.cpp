// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/recorder/KernelSettings.h"

#include "passes/readers/DebugFacts.h"

#include <algorithm>

namespace kst {

using llvm::Error;
using llvm::Expected;

namespace {

/// An event of the kernel (include/trace/events), its group, what it means
/// here, and the members of its entry in the order of KernelEvent. A `?` in
/// front: some versions have it not.
struct EventName {
  const char *Group, *Name, *Kind;
  std::vector<const char *> Members;
};
const EventName EventNames[] = {
    {"kmem",
     "kmem_cache_alloc",
     "alloc",
     {"call_site", "ptr", "bytes_req", "bytes_alloc"}},
    {"kmem",
     "kmalloc",
     "alloc",
     {"call_site", "ptr", "bytes_req", "bytes_alloc"}},
    {"kmem",
     "kmem_cache_alloc_node",
     "?alloc",
     {"call_site", "ptr", "bytes_req", "bytes_alloc"}},
    {"kmem",
     "kmalloc_node",
     "?alloc",
     {"call_site", "ptr", "bytes_req", "bytes_alloc"}},
    {"kmem", "kmem_cache_free", "free", {"call_site", "ptr"}},
    {"kmem", "kfree", "free", {"call_site", "ptr"}},
    {"kmem", "mm_page_alloc", "page-alloc", {"pfn", "order", "migratetype"}},
    {"kmem", "mm_page_free", "page-free", {"pfn", "order"}},
    {"kmem",
     "mm_page_pcpu_drain",
     "?page-drain",
     {"pfn", "order", "migratetype"}},
    {"filemap",
     "mm_filemap_add_to_page_cache",
     "cache-add",
     {"pfn", "i_ino", "index", "s_dev", "?order"}},
    {"filemap",
     "mm_filemap_delete_from_page_cache",
     "cache-remove",
     {"pfn", "i_ino", "index", "s_dev", "?order"}},
};
constexpr const char *ProbePrefix = "trace_event_raw_event_";
constexpr const char *EntryPrefix = "trace_event_raw_";

class Finder {
public:
  explicit Finder(const KernelImage &Image) : Image(Image) {}
  Expected<KernelSettings> run();

private:
  uint64_t address(const char *Symbol) const {
    auto Found = Image.symbol(Symbol);
    return Found ? Found->Address : 0;
  }
  /// SizeBytes 0 if there is none.
  MemberPlace member(const std::string &Struct, const std::string &Path) const {
    auto At = Facts.Structs.find(Struct);
    if (At != Facts.Structs.end())
      for (const MemberName &M : At->second.Members)
        if (M.Path == Path)
          return {static_cast<uint32_t>(M.OffsetBits / 8),
                  static_cast<uint32_t>(M.SizeBits / 8)};
    return {};
  }
  void memory();
  bool cpus();
  void calls();
  void descriptors();
  void askForCalls(DebugQuestion &Asked);
  void slabs();
  void bulk();
  void toldAgain();
  void zones();
  void lives();
  const char *life(const EventName &Of);
  std::string probeOf(const char *Event) const;

  const KernelImage &Image;
  std::vector<std::string> CallNames; ///< of entries, by number of the call
  DebugFacts Facts;
  KernelSettings Out;
};

/// The function that writes the entries of an event, as the event's own data
/// names it.
std::string Finder::probeOf(const char *Event) const {
  uint64_t Call = address((std::string("event_") + Event).c_str());
  auto Class = Image.data(Call + member("trace_event_call", "class").Offset);
  if (!Call || !Class)
    return "";
  auto Probe = Image.data(*Class + member("trace_event_class", "probe").Offset);
  return Probe ? Image.nameAt(*Probe) : "";
}

void Finder::memory() {
  RecorderSettings &S = Out.Settings;
  S.ImageShift = 0xffffffff80000000;
  S.PageTable = address("init_top_pgt");
  // Where they are without randomization; __PAGE_OFFSET_BASE_L4 and
  // __VMEMMAP_BASE_L4 of page_64_types.h and pgtable_64_types.h.
  S.DirectMap = 0xffff888000000000;
  S.PageStructs = 0xffffea0000000000;
  if (!address("vmemmap_populate") && !address("vmemmap_alloc_block")) {
    auto Section = Facts.Structs.find("mem_section");
    S.Sections = address("mem_section");
    S.SectionBits = 27; // SECTION_SIZE_BITS of x86/include/asm/sparsemem.h
    if (Section != Facts.Structs.end())
      S.SectionBytes = Section->second.SizeBytes;
  }
}

bool Finder::cpus() {
  RecorderSettings &S = Out.Settings;
  auto Table = Image.symbol("__per_cpu_offset");
  if (!Table)
    return false;
  S.CpuTable = Table->Address;
  S.Cpus = Table->SizeBytes / 8;
  S.BootOffset = address("__per_cpu_load") - address("__per_cpu_start");
  if (uint64_t Hot = address("pcpu_hot")) {
    S.PreemptCount = Hot + member("pcpu_hot", "preempt_count").Offset;
    S.CurrentTask = Hot + member("pcpu_hot", "current_task").Offset;
    S.StackTop = Hot + member("pcpu_hot", "top_of_stack").Offset;
  } else {
    S.PreemptCount = address("__preempt_count");
    S.CurrentTask = address("current_task");
    S.StackTop = address("cpu_current_top_of_stack");
  }
  S.TaskId = member("task_struct", "pid");
  if (!S.PreemptCount || !S.CurrentTask || !S.TaskId.SizeBytes)
    Out.Missing.push_back(
        "contexts: the kernel keeps its task or its preempt count elsewhere");
  return true;
}

void Finder::calls() {
  RecorderSettings &S = Out.Settings;
  auto Assembly = Image.symbol("entry_SYSCALL_64");
  auto End = Image.symbol("entry_SYSRETQ_unsafe_stack");
  MemberPlace Number = member("pt_regs", "orig_ax");
  auto At = Facts.Structs.find("pt_regs");
  if (!Assembly || !S.StackTop || !Number.SizeBytes ||
      !address("do_syscall_64")) {
    Out.Missing.push_back("system calls: entry code of another form");
    return;
  }
  S.CallNumber = At->second.SizeBytes - Number.Offset;
  S.CallEntry = address("do_syscall_64");
  S.CallAssembly = Assembly->Address;
  // The call of the C part is near the start.
  S.CallAssemblyEnd =
      std::max(Assembly->Address + Assembly->SizeBytes, End ? End->Address : 0);
}

constexpr const char *CallPrefix = "__x64_sys_";

/// Whether a parameter of that name is the number of an open file. That of a
/// directory that a path begins at (`dfd`) says nothing of the file.
bool isDescriptor(llvm::StringRef Name) {
  return Name == "fd" || Name == "fildes" || Name == "mqdes" ||
         Name == "epfd" || Name.starts_with("fd_") || Name.ends_with("_fd");
}

/// The bodies of system calls, by the table of their entries.
void Finder::askForCalls(DebugQuestion &Asked) {
  auto Table = Image.symbol("sys_call_table");
  for (uint64_t I = 0; Table && I < Table->SizeBytes / 8; ++I)
    if (auto Entry = Image.data(Table->Address + 8 * I))
      if (llvm::StringRef Name = CallNames.emplace_back(Image.nameAt(*Entry));
          Name.consume_front(CallPrefix))
        Asked.Functions.insert("__do_sys_" + Name.str());
}

void Finder::descriptors() {
  RecorderSettings &S = Out.Settings;
  S.TaskFiles = member("task_struct", "files");
  S.FilesTable = member("files_struct", "fdt");
  S.TableSize = member("fdtable", "max_fds");
  S.TableFiles = member("fdtable", "fd");
  S.FileInode = member("file", "f_inode");
  // As do_syscall_64() hands arguments on.
  const char *const Registers[] = {"di", "si", "dx", "r10", "r8", "r9"};
  auto At = Facts.Structs.find("pt_regs");
  for (uint64_t I = 0; I < CallNames.size() && S.CallNumber; ++I) {
    llvm::StringRef Name = CallNames[I];
    if (!Name.consume_front(CallPrefix))
      continue;
    const auto &Parameters = Facts.Parameters["__do_sys_" + Name.str()];
    for (size_t P = 0; P < std::min<size_t>(Parameters.size(), 6); ++P)
      if (isDescriptor(Parameters[P])) {
        S.DescriptorCalls.push_back(
            {I, At->second.SizeBytes - member("pt_regs", Registers[P]).Offset});
        break;
      }
  }
  for (MemberPlace M :
       {S.TaskFiles, S.FilesTable, S.TableSize, S.TableFiles, S.FileInode})
    if (!M.SizeBytes)
      S.DescriptorCalls.clear();
  if (S.DescriptorCalls.empty())
    Out.Missing.push_back("inodes of descriptors: the kernel has no table of "
                          "system calls, or keeps files elsewhere");
}

void Finder::slabs() {
  RecorderSettings &S = Out.Settings;
  auto Page = Facts.Structs.find("page");
  if (Page != Facts.Structs.end())
    S.PageStructBytes = Page->second.SizeBytes;
  S.PageType = member("page", "page_type");
  S.PageFlags = member("page", "flags");
  S.PageHead = member("page", "compound_head");
  S.CacheName = member("kmem_cache", "name");
  S.CacheBytes = member("kmem_cache", "size");
  S.CacheObjectBytes = member("kmem_cache", "object_size");
  MemberPlace Cache = member("slab", "slab_cache");
  if (!Cache.SizeBytes)
    Cache = member("page", "slab_cache");
  if (auto At = Facts.Enumerators.find("PGTY_slab");
      At != Facts.Enumerators.end())
    S.SlabType = At->second;
  else if (At = Facts.Enumerators.find("PG_slab");
           At != Facts.Enumerators.end() && At->second < 64)
    S.SlabFlag = At->second;
  bool Marked = S.SlabType ? S.PageType.SizeBytes : S.SlabFlag != ~0ull;
  if (Marked && S.PageHead.SizeBytes && S.CacheName.SizeBytes &&
      S.CacheBytes.SizeBytes && (!S.Sections || S.SectionBytes))
    S.SlabCache = Cache;
  if (!S.SlabCache.SizeBytes)
    Out.Missing.push_back("slab objects by their pages: the kernel marks slabs "
                          "in a way that is not known, or has no debug "
                          "information");
}

/// Null, or why it cannot be recorded.
const char *Finder::life(const EventName &Of) {
  std::string Probe = probeOf(Of.Name);
  if (Probe.rfind(ProbePrefix, 0) != 0)
    return "the kernel has no such event";
  std::string Entry = EntryPrefix + Probe.substr(strlen(ProbePrefix));
  auto Struct = Facts.Structs.find(Entry);
  auto Code = Image.symbol(Probe);
  auto Header = Facts.Structs.find("trace_entry");
  if (Struct == Facts.Structs.end() || Header == Facts.Structs.end() || !Code)
    return "its entry is not in the debug information";
  KernelEvent E;
  E.Kind = Of.Kind + (*Of.Kind == '?');
  E.Begin = Code->Address;
  E.End = Code->Address + Code->SizeBytes;
  E.Type = member("trace_entry", "type");
  E.TypeAddress = address((std::string("event_") + Of.Name).c_str()) +
                  member("trace_event_call", "event.type").Offset;
  E.FirstMember = ~0u;
  for (auto [Offset, Size] : Struct->second.Elements)
    if (Offset >= Header->second.SizeBytes)
      E.FirstMember = std::min(E.FirstMember, Offset);
  for (const char *Name : Of.Members) {
    E.Values.push_back(member(Entry, Name + (*Name == '?')));
    if (!E.Values.back().SizeBytes && *Name != '?')
      return "its entry has other members";
  }
  Out.Settings.Events.push_back(E);
  Out.TraceEvents += (Out.TraceEvents.empty() ? "" : ",") +
                     std::string(Of.Group) + ":" + Of.Name;
  return nullptr;
}

/// Functions of mm/slub.c since 6.10. For objects larger than the slabs of
/// kmalloc() they call a function that has their event, too.
void Finder::toldAgain() {
  for (const char *Name : {"__kmalloc_noprof", "__kmalloc_node_noprof",
                           "__kmalloc_node_track_caller_noprof"})
    if (auto Code = Image.symbol(Name))
      Out.Settings.ToldAgain.push_back(
          {Code->Address, Code->Address + Code->SizeBytes});
}

/// Functions of mm/slub.c that have no event of their own.
void Finder::bulk() {
  RecorderSettings &S = Out.Settings;
  S.CacheCpu = member("kmem_cache", "cpu_slab");
  S.CacheFreePointer = member("kmem_cache", "offset");
  auto Alloc = Image.symbol("kmem_cache_alloc_bulk_noprof");
  if (!Alloc)
    Alloc = Image.symbol("kmem_cache_alloc_bulk");
  auto Free = Image.symbol("build_detached_freelist");
  bool Known = S.SlabCache.SizeBytes && S.CacheCpu.SizeBytes &&
               S.CacheFreePointer.SizeBytes;
  if (Known && Alloc)
    S.BulkAlloc = {Alloc->Address, Alloc->Address + Alloc->SizeBytes};
  if (Known && Free)
    S.BulkFree = {Free->Address, Free->Address + Free->SizeBytes};
  if (!S.BulkAlloc.End || !S.BulkFree.End)
    Out.Missing.push_back("objects that are allocated or freed many at once: "
                          "the code that does so is inlined");
}

/// Members of mm/page_alloc.c's zones and CPUs' lists (include/linux/mmzone.h).
void Finder::zones() {
  PageZones &Z = Out.Settings.Zones;
  auto Bulk = Image.symbol("alloc_pages_bulk_noprof");
  if (!Bulk)
    Bulk = Image.symbol("__alloc_pages_bulk");
  if (Bulk)
    Out.Settings.PageBulk = {Bulk->Address, Bulk->Address + Bulk->SizeBytes};
  MemberPlace Zones = member("pglist_data", "node_zones");
  Z.Start = member("zone", "zone_start_pfn");
  Z.Span = member("zone", "spanned_pages");
  Z.Marks = member("zone", "_watermark");
  Z.Areas = member("zone", "free_area");
  Z.CpuLists = member("zone", "per_cpu_pageset");
  Z.Batch = member("zone", "pageset_batch");
  Z.HighLeast = member("zone", "pageset_high_min");
  Z.HighMost = member("zone", "pageset_high_max");
  if (!Z.HighLeast.SizeBytes)
    Z.HighLeast = Z.HighMost = member("zone", "pageset_high");
  Z.Lists = member("per_cpu_pages", "lists");
  Z.High = member("per_cpu_pages", "high");
  Z.FreedInRow = member("per_cpu_pages", "free_count");
  Z.Doublings = member("per_cpu_pages", "alloc_factor");
  Z.PageList = member("page", "lru").Offset;
  Z.ListNumber = member("free_area", "nr_free").Offset / 16;
  if (auto Of = Facts.Structs.find("free_area"); Of != Facts.Structs.end())
    Z.AreaBytes = Of->second.SizeBytes;
  if (auto Table = Image.symbol("node_data")) {
    Z.Nodes = Table->Address;
    Z.NodeNumber = Table->SizeBytes / 8;
  }
  Z.OnlyNode = address("contig_page_data");
  Z.ZonesOffset = Zones.Offset;
  auto Zone = Facts.Structs.find("zone");
  if (Zone == Facts.Structs.end() || !Z.AreaBytes || !Z.ListNumber ||
      !Z.PageList || !Z.Areas.SizeBytes || !(Z.Nodes || Z.OnlyNode)) {
    Out.Missing.push_back("free pages when the recording begins: the kernel "
                          "keeps them in a way that is not known");
    return;
  }
  Z.ZoneBytes = Zone->second.SizeBytes;
  Z.ZoneNumber = Zones.SizeBytes / Z.ZoneBytes;
  // pageblock_order: of a huge page, if there are any.
  bool Huge = address("transparent_hugepage_flags") || address("hugetlb_lock");
  Z.BlockOrder = Huge ? 9 : Z.Areas.SizeBytes / Z.AreaBytes - 1;
  Z.BlockBits = member("mem_section_usage", "pageblock_flags").Offset;
  Z.SectionUse = member("mem_section", "usage");
  auto Section = Facts.Structs.find("mem_section");
  if (Section != Facts.Structs.end() && Z.BlockBits) {
    Z.Sections = address("mem_section");
    Z.SectionBytes = Section->second.SizeBytes;
  }
}

void Finder::lives() {
  Out.Settings.Commit = address("trace_event_buffer_commit");
  if (!Out.Settings.Commit) {
    Out.Missing.push_back(
        "allocations and frees: the kernel has no event tracing "
        "(CONFIG_EVENT_TRACING)");
    return;
  }
  bulk();
  toldAgain();
  zones();
  for (const EventName &Of : EventNames)
    if (const char *Why = life(Of); Why && *Of.Kind != '?')
      Out.Missing.push_back(std::string(Of.Group) + ":" + Of.Name + ": " + Why);
}

Expected<KernelSettings> Finder::run() {
  if (!Image.x86())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   Image.file() + ": not for x86-64");
  DebugQuestion Asked;
  Asked.Structs = {"kmem_cache",
                   "page",
                   "slab",
                   "task_struct",
                   "pcpu_hot",
                   "pt_regs",
                   "trace_event_call",
                   "trace_event_class",
                   "trace_entry",
                   "mem_section",
                   "files_struct",
                   "fdtable",
                   "file",
                   "mem_section_usage",
                   "pglist_data",
                   "zone",
                   "free_area",
                   "per_cpu_pages"};
  if (!Image.symbol("pcpu_hot"))
    Asked.Structs.erase("pcpu_hot");
  for (const EventName &Of : EventNames)
    if (Image.symbol(std::string("event_") + Of.Name))
      Asked.Structs.insert(EntryPrefix + std::string(Of.Name));
  Asked.Structs.insert("trace_event_raw_mm_filemap_op_page_cache");
  Asked.Enumerators = {"PGTY_slab", "PG_slab"};
  askForCalls(Asked);
  auto Read = debugFacts(Image.file(), Asked);
  if (!Read)
    return Read.takeError();
  Facts = std::move(*Read);
  memory();
  if (!cpus())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        Image.file() + ": no per-CPU areas: not a kernel for several CPUs");
  calls();
  descriptors();
  slabs();
  lives();
  return std::move(Out);
}

} // namespace

Expected<KernelSettings> kernelSettings(const KernelImage &Image) {
  return Finder(Image).run();
}

} // namespace kst
