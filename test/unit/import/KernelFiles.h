// SPDX-License-Identifier: GPL-2.0-or-later
//
// Small files as perf and trace-cmd write them, of either byte order.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <zstd.h>

namespace kst_test {

struct BytesOut {
  bool Big = false;
  std::string Out;
  template <typename T> BytesOut &put(T Number) {
    for (size_t I = 0; I < sizeof(T); ++I)
      Out += static_cast<char>(static_cast<uint64_t>(Number) >>
                               8 * (Big ? sizeof(T) - 1 - I : I));
    return *this;
  }
  BytesOut &text(std::string_view Text) {
    Out.append(Text).push_back('\0');
    return *this;
  }
  BytesOut &bytes(std::string_view More) {
    Out += More;
    return *this;
  }
  /// A number of 8 bytes and as many bytes.
  BytesOut &counted(std::string_view More) {
    return put<uint64_t>(More.size()).bytes(More);
  }
};

inline std::string formatText(
    const std::string &Name, unsigned Id,
    const std::vector<std::pair<std::string, std::pair<int, int>>> &Fields) {
  std::string Out =
      "name: " + Name + "\nID: " + std::to_string(Id) +
      "\nformat:\n"
      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
      "\tsigned:0;\n"
      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
  for (const auto &[Field, Where] : Fields)
    Out += "\tfield:" + Field + ";\toffset:" + std::to_string(Where.first) +
           ";\tsize:" + std::to_string(Where.second) + ";\tsigned:0;\n";
  return Out + "\nprint fmt: \"%s\", nobody() ? reads : this\n";
}

enum : uint16_t {
  CacheAllocId = 10,
  CacheFreeId = 11,
  KmallocId = 12,
  PageAllocId = 13
};

inline std::vector<std::string> kmemFormats() {
  const std::vector<std::pair<std::string, std::pair<int, int>>> Alloc = {
      {"unsigned long call_site", {8, 8}},
      {"const void * ptr", {16, 8}},
      {"size_t bytes_req", {24, 8}},
      {"size_t bytes_alloc", {32, 8}},
      {"unsigned long gfp_flags", {40, 8}}};
  return {formatText("kmem_cache_alloc", CacheAllocId, Alloc),
          formatText("kmem_cache_free", CacheFreeId,
                     {{"unsigned long call_site", {8, 8}},
                      {"const void * ptr", {16, 8}},
                      {"__data_loc char[] name", {24, 4}}}),
          formatText("kmalloc", KmallocId, Alloc),
          formatText("mm_page_alloc", PageAllocId,
                     {{"unsigned long pfn", {8, 8}},
                      {"unsigned int order", {16, 4}},
                      {"unsigned long gfp_flags", {24, 8}},
                      {"int migratetype", {32, 4}}})};
}

/// What an event of the kernel begins with, and its numbers of 8 bytes.
inline BytesOut rawEvent(bool Big, uint16_t Id, uint8_t Flags, uint32_t Task,
                         const std::vector<uint64_t> &Numbers) {
  BytesOut Out{Big, ""};
  Out.put(Id).put(Flags).put<uint8_t>(0).put(Task);
  for (uint64_t Number : Numbers)
    Out.put(Number);
  return Out;
}
inline std::string rawFree(bool Big, uint32_t Task, uint64_t Caller,
                           uint64_t Address, std::string_view Name) {
  BytesOut Out = rawEvent(Big, CacheFreeId, 0, Task, {Caller, Address});
  Out.put<uint32_t>(28 | static_cast<uint32_t>(Name.size() + 1) << 16)
      .text(Name);
  return Out.Out;
}

inline BytesOut tracingHead(bool Big, std::string_view Version) {
  BytesOut Out{Big, std::string("\x17\x08\x44tracing", 10)};
  Out.text(Version).put<uint8_t>(Big).put<uint8_t>(8).put<uint32_t>(4096);
  return Out;
}
inline void putFormats(BytesOut &Out) {
  Out.text("header_page")
      .counted("\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n")
      .text("header_event")
      .counted("nothing")
      .put<uint32_t>(1)
      .counted("name: of ftrace")
      .put<uint32_t>(1)
      .text("kmem");
  const auto Formats = kmemFormats();
  Out.put<uint32_t>(static_cast<uint32_t>(Formats.size()));
  for (const std::string &Format : Formats)
    Out.counted(Format);
}

/// A perf.data with an event of tracepoints (number 100) and one of memory
/// accesses (number 200).
struct PerfFile {
  bool Big = false, Pipe = false, Packed = false;
  std::string Records = {}; ///< of the kernel, one behind the other

  static constexpr uint64_t SampleType =
      1 | 2 | 4 | 8 | 0x80 | 0x400 | 0x8000 | 0x10000;

  static std::string record(bool Big, uint32_t Type, std::string_view Body) {
    BytesOut Out{Big, ""};
    Out.put(Type).put<uint16_t>(1).put(static_cast<uint16_t>(8 + Body.size()));
    return Out.bytes(Body).Out;
  }
  void add(uint32_t Type, std::string_view Body) {
    Records += record(Big, Type, Body);
  }
  /// What stands at the end of records that are no samples.
  std::string tail(uint64_t Time, uint32_t Cpu) const {
    BytesOut Out{Big, ""};
    Out.put<uint32_t>(1).put<uint32_t>(7).put(Time).put(Cpu).put<uint32_t>(0);
    return Out.put<uint64_t>(100).Out;
  }
  void sample(uint64_t Id, uint64_t Time, uint32_t Cpu, uint64_t Ip,
              uint64_t Address, std::string_view Raw, uint64_t DataSource) {
    BytesOut Body{Big, ""};
    Body.put(Id).put(Ip).put<uint32_t>(7).put<uint32_t>(7).put(Time);
    Body.put(Address).put(Cpu).put<uint32_t>(0);
    std::string Padded(Raw);
    Padded.resize((Raw.size() + 4 + 7) / 8 * 8 - 4);
    Body.put(static_cast<uint32_t>(Padded.size())).bytes(Padded);
    Body.put(DataSource);
    add(9, Body.Out);
  }
  void tracepoint(uint64_t Time, uint32_t Cpu, std::string_view Raw) {
    sample(100, Time, Cpu, 0, 0, Raw, 0);
  }
  void memory(uint64_t Time, uint32_t Cpu, uint64_t Ip, uint64_t Address,
              uint64_t DataSource) {
    sample(200, Time, Cpu, Ip, Address, "", DataSource);
  }
  void kernelAt(uint64_t Address) {
    BytesOut Body{Big, ""};
    Body.put<uint32_t>(~0u).put<uint32_t>(0).put(Address).put<uint64_t>(4096);
    add(1, Body.put(Address).text("[kernel.kallsyms]_text").Out);
  }
  void roundEnds() { add(68, ""); }

  std::string attr(uint32_t Type, uint64_t Config) const {
    BytesOut Out{Big, ""};
    Out.put(Type).put<uint32_t>(112).put(Config).put<uint64_t>(1);
    Out.put(SampleType).put<uint64_t>(0);
    // sample_id_all
    Out.bytes(std::string(2, '\0')).put<uint8_t>(Big ? 1 << 5 : 1 << 2);
    Out.Out.resize(112);
    return Out.Out;
  }
  std::string tracing() const {
    BytesOut Out = tracingHead(Big, "0.6");
    putFormats(Out);
    Out.put<uint32_t>(0).put<uint32_t>(0).put<uint64_t>(0);
    Out.Out.resize((Out.Out.size() + 7) / 8 * 8);
    return Out.Out;
  }
  std::string data() const {
    if (!Packed)
      return Records;
    // Cut anywhere: a record may go on in the next frame.
    std::string Out;
    for (size_t At = 0; At < Records.size(); At += 100) {
      std::string Part(ZSTD_compressBound(100), '\0');
      std::string_view From = std::string_view(Records).substr(At, 100);
      Part.resize(
          ZSTD_compress(Part.data(), Part.size(), From.data(), From.size(), 1));
      Out += record(Big, 81, Part);
    }
    return Out;
  }
  std::string bytes() const {
    BytesOut Out{Big, ""};
    Out.put<uint64_t>(0x32454c4946524550);
    if (Pipe) {
      Out.put<uint64_t>(16);
      for (auto [Type, Id] : {std::pair{2u, 100u}, {4u, 200u}})
        Out.bytes(record(Big, 64,
                         attr(Type, CacheAllocId) +
                             BytesOut{Big, ""}.put<uint64_t>(Id).Out));
      const std::string Formats = tracing();
      Out.bytes(record(
          Big, 66,
          BytesOut{Big, ""}.put(static_cast<uint32_t>(Formats.size())).Out));
      return Out.bytes(Formats).bytes(data()).Out;
    }
    const uint64_t Ids = 104, Attrs = Ids + 16, Data = Attrs + 2 * 128;
    const std::string Body = data(), Formats = tracing();
    Out.put<uint64_t>(104).put<uint64_t>(128);
    Out.put(Attrs).put<uint64_t>(256).put(Data).put<uint64_t>(Body.size());
    Out.put<uint64_t>(0).put<uint64_t>(0).put<uint64_t>(1 << 1);
    Out.Out.resize(104);
    Out.put<uint64_t>(100).put<uint64_t>(200);
    for (auto [Type, At] : {std::pair{2u, Ids}, {4u, Ids + 8}})
      Out.bytes(attr(Type, CacheAllocId)).put(At).put<uint64_t>(8);
    Out.bytes(Body);
    Out.put<uint64_t>(Out.Out.size() + 16).put<uint64_t>(Formats.size());
    return Out.bytes(Formats).Out;
  }
};

/// A page of the ring buffer.
struct RingPageOut {
  bool Big = false;
  uint64_t Time = 0;
  uint64_t Flags = 0; ///< beside how full it is
  uint64_t Lost = 0;
  std::string Events = {};

  void event(uint32_t Delta, std::string_view Raw) {
    std::string Padded(Raw);
    Padded.resize((Raw.size() + 3) / 4 * 4);
    if (Padded.size() <= 28 * 4)
      return head(static_cast<uint32_t>(Padded.size() / 4), Delta)
                 .Events.append(Padded),
             void();
    head(0, Delta);
    Events +=
        BytesOut{Big, ""}.put(static_cast<uint32_t>(Padded.size() + 4)).Out;
    Events += Padded;
  }
  RingPageOut &head(uint32_t Type, uint32_t Delta) {
    Events +=
        BytesOut{Big, ""}.put(Big ? Type << 27 | Delta : Delta << 5 | Type).Out;
    return *this;
  }
  void number(uint32_t Number) { Events += BytesOut{Big, ""}.put(Number).Out; }
  std::string bytes() const {
    BytesOut Out{Big, ""};
    Out.put(Time).put(Events.size() | Flags).bytes(Events).put(Lost);
    Out.Out.resize(4096);
    return Out.Out;
  }
};

/// A trace.dat of version 6 with a page for each CPU.
inline std::string traceDat(bool Big, const std::vector<std::string> &Pages,
                            std::string_view Kallsyms) {
  BytesOut Out = tracingHead(Big, "6");
  putFormats(Out);
  Out.put(static_cast<uint32_t>(Kallsyms.size())).bytes(Kallsyms);
  Out.put<uint32_t>(0).put<uint64_t>(0);
  Out.put(static_cast<uint32_t>(Pages.size()));
  Out.bytes(std::string_view("options  \0", 10)).put<uint16_t>(4);
  Out.put<uint32_t>(16).bytes("[local] x86-tsc ").put<uint16_t>(5);
  Out.put<uint32_t>(6).bytes(std::string_view("small\0", 6)).put<uint16_t>(0);
  Out.bytes(std::string_view("flyrecord\0", 10));
  uint64_t At = (Out.Out.size() + Pages.size() * 16 + 4095) / 4096 * 4096;
  for (size_t I = 0; I < Pages.size(); ++I)
    Out.put(At + I * 4096).put<uint64_t>(4096);
  Out.Out.resize(At);
  for (const std::string &Page : Pages)
    Out.bytes(Page);
  return Out.Out;
}

} // namespace kst_test
