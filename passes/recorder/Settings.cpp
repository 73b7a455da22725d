// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/recorder/Settings.h"

#include <charconv>
#include <functional>
#include <sstream>

namespace kst {
namespace {

/// One walk over all settings, to write them or to read them.
template <typename Visitor> void each(RecorderSettings &S, Visitor Visit) {
  Visit("ram", S.RamBytes, S.LowBytes);
  Visit("image", S.ImageShift, S.PageTable);
  Visit("direct", S.DirectMap, S.PageStructs, S.PageStructBytes);
  Visit("sections", S.Sections, S.SectionBits, S.SectionBytes);
  Visit("cpus", S.CpuTable, S.Cpus, S.BootOffset);
  Visit("percpu", S.PreemptCount, S.CurrentTask, S.StackTop);
  Visit("task-id", S.TaskId);
  Visit("call", S.CallNumber, S.CallEntry, S.CallAssembly, S.CallAssemblyEnd);
  Visit("descriptor", S.TaskFiles, S.FilesTable, S.TableSize, S.TableFiles,
        S.FileInode);
  Visit("slab-mark", S.SlabType, S.SlabFlag);
  Visit("page-type", S.PageType);
  Visit("page-flags", S.PageFlags);
  Visit("page-head", S.PageHead);
  Visit("slab-cache", S.SlabCache);
  Visit("cache-name", S.CacheName);
  Visit("cache-bytes", S.CacheBytes);
  Visit("cache-object-bytes", S.CacheObjectBytes);
  Visit("commit", S.Commit);
  Visit("bulk", S.BulkAlloc, S.BulkFree);
  Visit("cache-cpu", S.CacheCpu);
  Visit("cache-free-pointer", S.CacheFreePointer);
  Visit("page-bulk", S.PageBulk);
  PageZones &Z = S.Zones;
  Visit("nodes", Z.Nodes, Z.NodeNumber, Z.OnlyNode);
  Visit("zones", Z.ZonesOffset, Z.ZoneNumber, Z.ZoneBytes);
  Visit("zone-lists", Z.AreaBytes, Z.ListNumber, Z.PageList, Z.BlockOrder);
  Visit("blocks", Z.Sections, Z.SectionBytes, Z.BlockBits, Z.SectionUse);
  Visit("zone-span", Z.Start, Z.Span, Z.Marks, Z.Areas);
  Visit("zone-cpu", Z.CpuLists, Z.Batch, Z.HighLeast, Z.HighMost);
  Visit("cpu-lists", Z.Lists, Z.High, Z.FreedInRow, Z.Doublings);
  Visit("window", S.Window);
  Visit("sample", S.SampleTaken, S.SampleOf);
  Visit("contexts", S.Contexts);
  Visit("filter", S.Filter);
  Visit("all-pointers", S.AllPointers);
}

void put(std::string &To, uint64_t Number) {
  char Digits[20];
  auto End = std::to_chars(Digits, Digits + sizeof(Digits), Number, 16);
  To += ' ';
  To.append(Digits, End.ptr);
}
void put(std::string &To, const MemberPlace &M) {
  put(To, M.Offset);
  put(To, M.SizeBytes);
}
void put(std::string &To, const AddressRange &R) {
  put(To, R.Begin);
  put(To, R.End);
}
void put(std::string &To, const DescriptorCall &C) {
  put(To, C.Number);
  put(To, C.Argument);
}
void put(std::string &To, const WantedSite &W) {
  put(To, W.Code);
  put(To, W.LeastBytes);
  put(To, W.MostBytes);
  put(To, uint64_t(W.WholeCache));
}

bool get(std::istream &From, uint64_t &Number) {
  return bool(From >> std::hex >> Number);
}
bool get(std::istream &From, bool &Value) {
  uint64_t Number = 0;
  bool Good = get(From, Number);
  Value = Number;
  return Good;
}
bool get(std::istream &From, MemberPlace &M) {
  return bool(From >> std::hex >> M.Offset >> M.SizeBytes);
}
bool get(std::istream &From, AddressRange &R) {
  return get(From, R.Begin) && get(From, R.End);
}
bool get(std::istream &From, DescriptorCall &C) {
  return get(From, C.Number) && get(From, C.Argument);
}
bool get(std::istream &From, WantedSite &W) {
  return get(From, W.Code) && get(From, W.LeastBytes) &&
         get(From, W.MostBytes) && get(From, W.WholeCache);
}

bool getEvent(std::istream &From, KernelEvent &E) {
  uint64_t First = 0;
  if (!(From >> E.Kind) || !get(From, E.Begin) || !get(From, E.End) ||
      !get(From, First) || !get(From, E.Type) || !get(From, E.TypeAddress))
    return false;
  E.FirstMember = static_cast<uint32_t>(First);
  for (MemberPlace M; get(From, M);)
    E.Values.push_back(M);
  return From.eof();
}

} // namespace

std::string RecorderSettings::text() const {
  std::string Out;
  auto Line = [&](const char *Name, const auto &...Values) {
    Out += Name;
    (put(Out, Values), ...);
    Out += '\n';
  };
  each(const_cast<RecorderSettings &>(*this), Line);
  for (const AddressRange &R : Wanted)
    Line("want", R);
  for (const AddressRange &R : WantedPerCpu)
    Line("want-percpu", R);
  for (const WantedSite &W : WantedSites)
    Line("want-site", W);
  for (const DescriptorCall &C : DescriptorCalls)
    Line("descriptor-call", C);
  for (const AddressRange &R : ToldAgain)
    Line("told-again", R);
  for (const std::string &Name : WantedCaches)
    Out += "want-cache " + Name + "\n";
  for (const PointerMember &P : Pointers) {
    Out += "pointer " + P.Cache;
    put(Out, P.Offset);
    Out += '\n';
  }
  for (const KernelEvent &E : Events) {
    Out += "event " + E.Kind;
    put(Out, E.Begin);
    put(Out, E.End);
    put(Out, E.FirstMember);
    put(Out, E.Type);
    put(Out, E.TypeAddress);
    for (const MemberPlace &M : E.Values)
      put(Out, M);
    Out += '\n';
  }
  return Out;
}

bool RecorderSettings::read(const std::string &Text, std::string &Wrong) {
  std::istringstream Lines(Text);
  for (std::string Line; std::getline(Lines, Line);) {
    std::istringstream Words(Line);
    std::string Name, Text;
    Words >> Name;
    bool Good = false;
    each(*this, [&](const char *Of, auto &...Values) {
      if (Name == Of)
        Good = (get(Words, Values) && ...);
    });
    auto More = [&](const char *Of, auto &To) {
      typename std::decay_t<decltype(To)>::value_type Value;
      if (Name == Of && (Good = get(Words, Value)))
        To.push_back(Value);
    };
    More("want", Wanted);
    More("want-percpu", WantedPerCpu);
    More("want-site", WantedSites);
    More("descriptor-call", DescriptorCalls);
    More("told-again", ToldAgain);
    if (Name == "want-cache" && (Good = bool(Words >> Text)))
      WantedCaches.push_back(Text);
    if (PointerMember P; Name == "pointer" &&
                         (Good = (Words >> P.Cache) && get(Words, P.Offset)))
      Pointers.push_back(P);
    if (KernelEvent E; Name == "event" && (Good = getEvent(Words, E)))
      Events.push_back(E);
    if (!Good) {
      Wrong = Line;
      return false;
    }
  }
  return true;
}

} // namespace kst
