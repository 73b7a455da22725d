// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/Tracepoints.h"

#include "hybrid/import/ForeignBytes.h"
#include "hybrid/import/TextLines.h"

#include <algorithm>

namespace kst {
namespace {

using Record = KernelRecord;

struct Member {
  const char *Field;
  uint64_t Record::*To;
  bool Needed = true;
};

struct Known {
  const char *System, *Event; ///< Event: its beginning, if it ends in '*'
  Record::Kind What;
  std::vector<Member> Members;
  bool Named = false;
};

const std::vector<Known> &knownEvents() {
  static const std::vector<Member> Alloc = {{"call_site", &Record::Caller},
                                            {"ptr", &Record::Address},
                                            {"bytes_req", &Record::Asked},
                                            {"bytes_alloc", &Record::Bytes},
                                            {"gfp_flags", &Record::Flags}},
                                   Free = {{"call_site", &Record::Caller},
                                           {"ptr", &Record::Address}},
                                   Pages = {{"pfn", &Record::Page},
                                            {"order", &Record::Order},
                                            {"migratetype",
                                             &Record::MigrateType, false}},
                                   File = {{"pfn", &Record::Page},
                                           {"i_ino", &Record::Inode},
                                           {"index", &Record::Index},
                                           {"s_dev", &Record::Device},
                                           {"order", &Record::Order, false}};
  static const std::vector<Known> All = {
      {"kmem", "kmalloc", Record::Kmalloc, Alloc},
      {"kmem", "kmalloc_node", Record::Kmalloc, Alloc},
      {"kmem", "kmem_cache_alloc", Record::CacheAlloc, Alloc, true},
      {"kmem", "kmem_cache_alloc_node", Record::CacheAlloc, Alloc, true},
      {"kmem", "kfree", Record::Kfree, Free},
      {"kmem", "kmem_cache_free", Record::CacheFree, Free, true},
      {"kmem", "mm_page_alloc", Record::PageAlloc, Pages},
      {"kmem", "mm_page_free", Record::PageFree, Pages},
      {"kmem",
       "mm_page_free_batched",
       Record::PageFreeBatched,
       {{"pfn", &Record::Page}}},
      {"filemap", "mm_filemap_add_to_page_cache", Record::FileAdd, File},
      {"filemap", "mm_filemap_delete_from_page_cache", Record::FileRemove,
       File},
      {"sched",
       "sched_switch",
       Record::Switch,
       {{"next_pid", &Record::Number}}},
      {"raw_syscalls", "sys_enter", Record::CallIn, {{"id", &Record::Number}}},
      {"raw_syscalls", "sys_exit", Record::CallOut, {{"id", &Record::Number}}},
      {"syscalls",
       "sys_enter_*",
       Record::CallIn,
       {{"__syscall_nr", &Record::Number}}},
      {"syscalls",
       "sys_exit_*",
       Record::CallOut,
       {{"__syscall_nr", &Record::Number}}},
      {"irq", "softirq_entry", Record::SoftirqIn, {}},
      {"irq", "softirq_exit", Record::SoftirqOut, {}},
      {"irq", "irq_handler_entry", Record::HardirqIn, {}},
      {"irq", "irq_handler_exit", Record::HardirqOut, {}},
  };
  return All;
}

bool matches(std::string_view Pattern, std::string_view Name) {
  if (!Pattern.ends_with('*'))
    return Pattern == Name;
  Pattern.remove_suffix(1);
  return Name.starts_with(Pattern);
}

constexpr size_t MostNameBytes = 256;

/// "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;"
struct Field {
  std::string_view Name;
  uint32_t Offset = 0, Bytes = 0;
  bool Text = false;     ///< the number is where a text is, and its length
  bool Relative = false; ///< from behind the number on
};

uint32_t numberBehind(std::string_view Line, std::string_view Word) {
  size_t At = Line.find(Word);
  if (At == Line.npos)
    return 0;
  Line.remove_prefix(At + Word.size());
  auto Number = numberOf(Line.substr(0, Line.find(';')));
  return Number && *Number < (1 << 16) ? static_cast<uint32_t>(*Number) : 0;
}

/// A field of no bytes if the line has none.
Field fieldOf(std::string_view Line) {
  constexpr std::string_view Begin = "field:";
  Field Out;
  Line = trimmed(Line);
  size_t End = Line.find(';');
  if (!Line.starts_with(Begin) || End == Line.npos)
    return Out;
  std::string_view What = Line.substr(Begin.size(), End - Begin.size());
  Out.Relative = What.starts_with("__rel_loc ");
  Out.Text = Out.Relative || What.starts_with("__data_loc ");
  if (What.ends_with(']'))
    What = What.substr(0, What.rfind('['));
  Out.Name = What.substr(What.find_last_of(" *") + 1);
  Line.remove_prefix(End);
  Out.Offset = numberBehind(Line, "\toffset:");
  Out.Bytes = numberBehind(Line, "\tsize:");
  return Out;
}

} // namespace

bool Tracepoints::add(std::string_view System, std::string_view Text) {
  std::string_view Name;
  std::optional<uint64_t> Id;
  std::vector<Field> Fields;
  while (!Text.empty()) {
    std::string_view Line = takeLine(Text);
    if (Line.starts_with("name: "))
      Name = Line.substr(6);
    else if (Line.starts_with("ID: "))
      Id = numberOf(Line.substr(4));
    else if (Field F = fieldOf(Line); F.Bytes)
      Fields.push_back(F);
  }
  if (Name.empty() || !Id || *Id > ~0u || Fields.empty())
    return false;
  auto Known = std::find_if(
      knownEvents().begin(), knownEvents().end(), [&](const struct Known &K) {
        return K.System == System && matches(K.Event, Name);
      });
  if (Known == knownEvents().end())
    return true;
  auto Find = [&](std::string_view Of) {
    auto At = std::find_if(Fields.begin(), Fields.end(),
                           [&](const Field &F) { return F.Name == Of; });
    return At == Fields.end() ? Field() : *At;
  };
  Format Out;
  Out.What = Known->What;
  for (const Member &M : Known->Members) {
    Field F = Find(M.Field);
    if (F.Bytes == 1 || F.Bytes == 2 || F.Bytes == 4 || F.Bytes == 8)
      Out.Numbers.push_back({M.To, {F.Offset, F.Bytes}});
    else if (M.Needed)
      return false;
  }
  if (Field F = Find("name"); Known->Named && F.Text) {
    Out.Name = {F.Offset, F.Bytes};
    Out.NameIsRelative = F.Relative;
  }
  Field Flags = Find("common_flags"), Task = Find("common_pid");
  Out.Flags = {Flags.Offset, Flags.Bytes};
  Out.Task = {Task.Offset, Task.Bytes};
  Formats[static_cast<uint32_t>(*Id)] = std::move(Out);
  return true;
}

uint64_t Tracepoints::number(std::string_view Bytes, Place At) const {
  ForeignBytes In(Bytes, Big);
  switch (At.Bytes) {
  case 1:
    return In.at<uint8_t>(At.Offset);
  case 2:
    return In.at<uint16_t>(At.Offset);
  case 4:
    return In.at<uint32_t>(At.Offset);
  case 8:
    return In.at<uint64_t>(At.Offset);
  }
  return 0;
}

/// Where the text is, and its length, in a number of 4 bytes.
std::string_view Tracepoints::name(std::string_view Bytes, const Format &Of) {
  if (Of.Name.Bytes != 4)
    return {};
  uint64_t Where = number(Bytes, Of.Name);
  size_t Offset = Where & 0xffff, Size = Where >> 16;
  if (Of.NameIsRelative)
    Offset += Of.Name.Offset + Of.Name.Bytes;
  if (Offset > Bytes.size() || Size > Bytes.size() - Offset ||
      Size > MostNameBytes)
    return {};
  std::string_view Text = Bytes.substr(Offset, Size);
  Text = Text.substr(0, Text.find('\0'));
  auto At = Names.find(Text);
  return At != Names.end() ? *At : *Names.emplace(Text).first;
}

void Tracepoints::decode(uint32_t Id, std::string_view Bytes,
                         KernelRecord &Out) {
  auto At = Formats.find(Id);
  if (At == Formats.end())
    return;
  const Format &Of = At->second;
  for (const auto &[To, P] : Of.Numbers) {
    if (P.Bytes > Bytes.size() || P.Offset > Bytes.size() - P.Bytes)
      return;
    Out.*To = number(Bytes, P);
  }
  Out.What = Of.What;
  Out.Name = name(Bytes, Of);
  if (Of.Flags.Bytes == 1)
    Out.Inside = static_cast<uint8_t>(
        number(Bytes, Of.Flags) &
        (Record::InHardirq | Record::InSoftirq | Record::InNmi));
  if (Of.Task.Bytes == 4) {
    Out.HasTask = true;
    Out.Task = static_cast<uint32_t>(number(Bytes, Of.Task));
  }
}

} // namespace kst
