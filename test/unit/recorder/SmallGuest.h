// SPDX-License-Identifier: GPL-2.0-or-later
//
// A guest of a few pages that no emulator runs: tests write its memory and call
// the recorder as QEMU would.

#ifndef KST_TEST_SMALLGUEST_H
#define KST_TEST_SMALLGUEST_H

#include "passes/recorder/Recorder.h"

#include "hybrid/trace/TraceBlock.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>

namespace kst_test {

struct SmallGuest {
  static constexpr uint64_t Direct = 0xffff888000000000;
  static constexpr uint64_t Image = 0xffffffff80000000; ///< at physical 0
  static constexpr uint64_t Ram = 1 << 20;
  static constexpr uint64_t Structs = Image + 0x80000; ///< of pages
  static constexpr uint64_t Code = Image + 0x1000, PerCpu = Direct + 0x4000;

  std::string Directory, RamFile;
  kst::RecorderSettings S;
  std::string Memory = std::string(Ram, '\0');

  SmallGuest() {
    char Name[] = "/tmp/kst-recorder-XXXXXX";
    Directory = mkdtemp(Name);
    RamFile = Directory + "/ram";
    S.RamBytes = S.LowBytes = Ram;
    S.ImageShift = Image;
    S.PageTable = Image + 0x9000;
    S.DirectMap = Direct;
    S.PageStructs = Structs;
    S.CpuTable = Image + 0x8000;
    S.Cpus = 2;
    S.BootOffset = PerCpu;
    S.PreemptCount = 0x10;
    S.CurrentTask = 0x18;
    S.TaskId = {0x20, 4};
    S.SlabType = 0xf5;
    S.PageType = {0x30, 4};
    S.PageHead = {8, 8};
    S.SlabCache = {8, 8};
    S.CacheName = {0x10, 8};
    S.CacheBytes = {0x18, 4};
    S.CacheObjectBytes = {0x1c, 4};
    S.Commit = Code + 0x800;
    kst::KernelEvent Alloc;
    Alloc.Kind = "alloc";
    Alloc.Begin = Code;
    Alloc.End = Code + 0x100;
    Alloc.FirstMember = 8;
    Alloc.Type = {0, 2};
    Alloc.TypeAddress = Image + 0x7000;
    Alloc.Values = {{8, 8}, {16, 8}, {24, 8}, {32, 8}};
    S.Events.push_back(Alloc);
    Alloc.Kind = "free";
    Alloc.Begin = Code + 0x100;
    Alloc.End = Code + 0x200;
    Alloc.TypeAddress = Image + 0x7008;
    Alloc.Values.resize(2);
    S.Events.push_back(Alloc);
  }
  ~SmallGuest() { (void)!system(("rm -rf " + Directory).c_str()); }

  static uint64_t physical(uint64_t Address) {
    return Address >= Image ? Address - Image : Address - Direct;
  }
  template <typename T> void set(uint64_t Address, T Value) {
    memcpy(&Memory[physical(Address)], &Value, sizeof(Value));
    std::fstream Out(RamFile, std::ios::in | std::ios::out | std::ios::binary);
    Out.seekp(static_cast<std::streamoff>(physical(Address)));
    Out.write(reinterpret_cast<const char *>(&Value), sizeof(Value));
  }
  void setText(uint64_t Address, const char *Text) {
    for (; *Text; ++Text)
      set(Address++, *Text);
  }

  void start(kst::Recorder &R) {
    std::ofstream(Directory + "/settings") << S.text();
    std::ofstream(RamFile, std::ios::binary) << Memory;
    std::string Wrong;
    ASSERT_TRUE(R.start(Directory, RamFile, Wrong)) << Wrong;
  }

  /// What the recorder wrote of a CPU.
  std::vector<kst::TraceEvent> events(unsigned Cpu) const {
    std::ifstream In(Directory + "/cpu" + std::to_string(Cpu),
                     std::ios::binary);
    std::string Bytes{std::istreambuf_iterator<char>(In), {}};
    std::vector<kst::TraceEvent> Out;
    for (size_t At = 0; At + sizeof(kst::TraceBlockHead) <= Bytes.size();) {
      kst::TraceBlockHead Head;
      memcpy(static_cast<void *>(&Head), &Bytes[At], sizeof(Head));
      EXPECT_TRUE(kst::soundHead(Head));
      kst::TraceBlockDecoder Decoder;
      EXPECT_EQ(Decoder.open(Head, std::string_view(Bytes).substr(
                                       At + sizeof(Head), Head.Bytes)),
                nullptr);
      for (kst::TraceEvent E; !Decoder.done(); Out.push_back(E))
        EXPECT_EQ(Decoder.next(E), nullptr);
      At += sizeof(Head) + Head.Bytes;
    }
    return Out;
  }
  std::string tables() const {
    std::ifstream In(Directory + "/tables");
    return {std::istreambuf_iterator<char>(In), {}};
  }
};

} // namespace kst_test

#endif
