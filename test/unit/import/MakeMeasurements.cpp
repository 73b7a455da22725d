// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes what a small instrumented program would leave behind into a directory,
// for tests of the commands: MakeMeasurements DIR.

#include "SmallTable.h"

#include "hybrid/trace/TraceBlock.h"

#include <fstream>

int main(int Argc, char **Argv) {
  if (Argc != 2)
    return 2;
  auto Write = [&](const char *Name, const std::string &Bytes) {
    std::ofstream(std::string(Argv[1]) + "/" + Name, std::ios::binary) << Bytes;
  };
  using namespace kst_test;
  Table T = smallTable(), Other = otherTable(), Longer = smallTable();
  Longer.Structs[0] = {Longer.Structs[0][0], 24, 0, 3};
  Write("table.bin", T.blob());
  Write("two.bin", T.blob() + std::string(16, '\0') + Other.blob());
  Write("longer.bin", Longer.blob());
  std::string Damaged = T.blob();
  Damaged[100] ^= 1;
  Write("damaged.bin", Damaged);

  const std::string About = "source=user\nrelease=6.12.1\nmachine=x86_64\n"
                            "label=pipe\ncpus=2\nduration_ns=1500000000\n";
  Write("run.kstraw", Raw(About).record(T.hash(), 0, {100, 30, 0}).whole());
  Write("again.kstraw",
        Raw(About + "pid=7\n").record(T.hash(), 0, {1, 1, 0}).whole());
  Write("odd.kstraw", Raw(About)
                          .record(T.hash(), 0, {30, 31, 0})
                          .record(4711, 0, {1})
                          .record(0x1234, 1, {1, 1})
                          .whole());
  Write("longer.kstraw",
        Raw(About).record(Longer.hash(), 0, {100, 30, 0}).whole());
  Write("newer.kstraw",
        Raw("release=6.13.0\n").record(T.hash(), 0, {100, 30, 0}).whole());
  Write("huge.kstraw",
        Raw(About).record(T.hash(), 0, {~0ull, ~0ull, 0}).whole());

  // What the recorder of kernels leaves of a CPU: an object of a cache of no
  // type comes to life, is written and goes.
  const uint64_t Object = 0xffff888000001000;
  kst::TraceBlockEncoder Cpu(0);
  kst::TraceEvent E;
  auto Add = [&](kst::EventKind Kind, uint32_t Site, uint8_t Access) {
    E.Address = Object;
    E.Kind = Kind;
    E.Site = Site;
    E.Access = Access;
    E.SizeBytes = 8;
    E.Info = Kind != kst::EventKind::Access;
    Cpu.add(E);
    ++E.Time;
  };
  Add(kst::EventKind::Alloc, 1, 0);
  Add(kst::EventKind::Access, 0, kst::AccessStore);
  Add(kst::EventKind::Free, 1, 0);
  Write("cpu0", Cpu.finish());

  Write("run.ksttrace", smallTrace(T).whole());
  Write("other.ksttrace", smallTrace(Other).whole());
  Write("lives.ksttrace", smallLives(T).whole());
}
