// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text of other tools: perf, and logs of accesses.

#include "hybrid/import/AccessLog.h"
#include "hybrid/import/PerfText.h"
#include "hybrid/import/PerfWords.h"
#include "hybrid/profile/ProfileCheck.h"
#include "hybrid/trace/ObjectTable.h"
#include "hybrid/trace/TraceReader.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

ImportedPerf perf(std::string_view Text) {
  EXPECT_TRUE(looksLikePerfText(Text));
  auto Read = readPerfText(Text);
  EXPECT_TRUE(Read) << Read.error();
  if (!Read)
    return {};
  EXPECT_FALSE(checkProfile(Read->What));
  return *Read;
}

using Samples = std::map<std::string, uint64_t>;
Samples samplesOf(const Profile &P) {
  Samples Out;
  for (const FunctionSamples &S : P.Samples)
    Out[P.text(S.Function)] = S.Count;
  return Out;
}

TEST(PerfText, DefaultFieldsWithHeader) {
  ImportedPerf Read = perf(
      "# ========\n"
      "# os release : 6.12.5-test\n"
      "# arch : x86_64\n"
      "# nrcpus online : 4\n"
      "#\n"
      "        clang-19 19445 [000] 26037.213670:    1001001 cpu-clock:  "
      "ffffffff815f7149 change_pte_range+0x239 ([kernel.kallsyms])\n"
      " Web Content 1 [001] 26037.313670:    1001001 cpu-clock:  "
      "ffffffff815f7150 change_pte_range+0x240 ([kernel.kallsyms])\n"
      "            ls     9 [001] 26037.313671:    1001001 cpu-clock:      "
      "7f82ba4d3540 strcmp+0xa0 (/usr/lib/ld-linux-x86-64.so.2 (deleted))\n"
      " kworker/0:1-ev    9 [001] 26037.413670:    1001001 sched:tick:  "
      "ffffffffc0000010 poll.constprop.0+0xa0 ([my_module])\n"
      "            ls     9 [001] 26037.313671:    1001001 cpu-clock:      "
      "7f82ba4d3540 [unknown] (/usr/lib/x.so)\n");
  EXPECT_EQ(samplesOf(Read.What),
            (Samples{{"change_pte_range", 2}, {"poll", 1}}));
  EXPECT_EQ(Read.Notes.UserSpace, 1u);
  EXPECT_EQ(Read.Notes.Unknown, 1u);
  EXPECT_EQ(Read.Notes.OtherLines, 0u);
  EXPECT_EQ(Read.What.Text.at("release"), "6.12.5-test");
  EXPECT_EQ(Read.What.Text.at("machine"), "x86_64");
  EXPECT_EQ(Read.What.Text.at("cpus"), "4");
  EXPECT_EQ(Read.What.Text.at("source"), "kernel");
  EXPECT_EQ(Read.What.Text.at("event"), "cpu-clock, sched:tick");
  EXPECT_EQ(Read.What.DurationNs, 200000000u);
}

TEST(PerfText, OnlyTheTopOfAChainCounts) {
  ImportedPerf Read =
      perf("perf-exec 19806 [000] 26041.108589:    2004008 cpu-clock: \n"
           "\tffffffff81359472 unshare_files+0x22 ([kernel.kallsyms])\n"
           "\tffffffff816c7436 begin_new_exec+0x286 ([kernel.kallsyms])\n"
           "\n"
           "cc1 1 [000] 26041.10:    2004008 cpu-clock: \n"
           "\t          16d874 memmove+0x74 (/usr/lib/libc.so.6)\n"
           "\tffffffff816c7436 begin_new_exec+0x286 ([kernel.kallsyms])\n"
           "\n"
           "cc1 1 [000] 26041.20:    2004008 cpu-clock: \n"
           "\n");
  EXPECT_EQ(samplesOf(Read.What), (Samples{{"unshare_files", 1}}));
  EXPECT_EQ(Read.Notes.UserSpace, 1u);
}

TEST(PerfText, OtherChoicesOfFields) {
  // -F ip,sym; the same with chains; comm in front; a user-space program.
  EXPECT_EQ(samplesOf(perf(" ffffffff815f7149 f\n ffffffff815f7149 add\n"
                           " ffffffff81687791 f+0x10\n")
                          .What),
            (Samples{{"f", 2}, {"add", 1}}));
  EXPECT_EQ(samplesOf(perf("\tffffffff815f7149 f\n\tffffffff815f7150 g\n\n"
                           "\tffffffff815f7150 g\n\tffffffff815f7149 f\n\n"
                           "\tffffffff815f7150 g\n")
                          .What),
            (Samples{{"f", 1}, {"g", 2}}));
  EXPECT_EQ(samplesOf(perf("   ls   12 ffffffff815f7149 f ([kernel])\n").What),
            (Samples{{"f", 1}}));
  ImportedPerf User = perf("p 1 [000] 1.5: 1 cycles:u:  401136 main (/tmp/p)\n"
                           "p 1 [000] 1.6: 1 cycles:u:  401140 "
                           "ns::f(int, char)+0x1 (/tmp/p)\n");
  EXPECT_EQ(samplesOf(User.What), (Samples{{"main", 1}, {"ns::f(int,", 1}}));
  EXPECT_EQ(User.What.Text.at("source"), "user");
}

TEST(PerfText, DataAddressesAndPlaces) {
  ImportedPerf Read = perf(
      "a 1 [000] 1.5: 1 cpu/mem-loads,ldlat=30/P: ffff888012345678 68100142 "
      "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A 12 "
      "ffffffff81 f+0x1 ([kernel.kallsyms])\n"
      "a 1 [000] 1.6: 1 cpu/mem-loads/: ffffffff81 f+0x1 ([kernel.kallsyms]) "
      "struct rq.cfs.h_nr_running\n"
      "a 1 [000] 1.6: 1 cpu/mem-stores/P: ffffffff81 f+0x1 "
      "([kernel.kallsyms]) rq.clock\n"
      "a 1 [000] 1.6: 1 cpu/mem-loads/: ffffffff81 g+0x1 ([kernel.kallsyms]) "
      "struct rq +0x18 (cpu)\n"
      "a 1 [000] 1.6: 1 cpu/mem-loads/: ffffffff81 g+0x1 ([kernel.kallsyms]) "
      "struct rq +0x18 (cpu)\n");
  EXPECT_EQ(samplesOf(Read.What), (Samples{{"f", 3}, {"g", 2}}));
  EXPECT_EQ(Read.Notes.DataAddresses, 1u);
  EXPECT_EQ(Read.Notes.FieldSamples, 4u);
  const Profile &P = Read.What;
  ASSERT_EQ(P.Sites.size(), 3u);
  ASSERT_EQ(P.Structs.size(), 1u);
  EXPECT_EQ(P.text(P.Structs[0].Name), "rq");
  EXPECT_EQ(P.Structs[0].SizeBytes, 0u);
  for (const MeasuredSite &S : P.Sites) {
    std::string Field = P.text(S.Field);
    EXPECT_EQ(S.Count, Field == "cpu" ? 2u : 1u);
    EXPECT_EQ(S.OffsetBytes, Field == "cpu" ? 24u : 0u);
    EXPECT_EQ(S.Kind, Field == "clock" ? SiteKind::Write : SiteKind::Read);
    EXPECT_EQ(P.text(S.Function), Field == "cpu" ? "g" : "f");
  }
}

Samples entriesOf(const Profile &P) {
  Samples Out;
  for (const MeasuredSite &S : P.Sites)
    if (S.Kind == SiteKind::Entry)
      Out[P.text(S.Function)] = S.Count;
  return Out;
}

TEST(PerfText, BranchesToTheStartOfFunctionsAreEntries) {
  ImportedPerf Read = perf(
      "  a 1 [000] 26037.213670: 1 cycles:  ffffffff815f7149 f+0x239 "
      "([kernel.kallsyms]) g+0x10/f+0x0/P/-/-/3  f+0x4/g.cold+0x2/M/-/-/1  "
      "0x40/f+0x0/P/-/-/0/CALL/-  x+0x1([kernel.kallsyms])/h.isra.0+0x0"
      "([kernel.kallsyms])/-/-/-/2\n"
      "  b 1 [000] 26037.213671: 1 cycles:  ffffffff815f7149 f+0x23a "
      "([kernel.kallsyms]) f+0x4/f+0x8/PN/-/-/3 f+0x9/k+0x0/PN/-/-/3\n"
      "  c 1 [000] 26037.213672: 1 cycles:  401136 main+0x1 (/bin/x) "
      "f+0x4/own+0x0/P/-/-/3\n");
  EXPECT_EQ(entriesOf(Read.What), (Samples{{"f", 2}, {"h", 1}}));
  EXPECT_EQ(samplesOf(Read.What), Samples{});
  EXPECT_EQ(Read.Notes.Branches, 5u) << "two were not taken";
  EXPECT_EQ(Read.Notes.Entries, 3u);
  EXPECT_EQ(Read.Notes.SamplesLeft, 2u);
  EXPECT_EQ(Read.Notes.UserSpace, 1u);
  EXPECT_EQ(Read.Notes.OtherLines, 0u);
  EXPECT_EQ(Read.What.Text.at("source"), "kernel");
}

TEST(PerfText, BranchesBehindACallChain) {
  ImportedPerf Read = perf("a 1 [000] 26037.213670: 1 cycles:\n"
                           "\tffffffff815f7149 f+0x239 ([kernel.kallsyms])\n"
                           "\tffffffff815f7159 g+0x239 ([kernel.kallsyms])\n"
                           " g+0x10/f+0x0/P/-/-/3  f+0x4/h+0x0/P/-/-/3\n"
                           "\n"
                           "a 1 [000] 26037.213671: 1 cycles:\n"
                           "\tffffffff815f7149 f+0x239 ([kernel.kallsyms])\n"
                           " g+0x10/f+0x0/P/-/-/3\n");
  EXPECT_EQ(entriesOf(Read.What), (Samples{{"f", 2}, {"h", 1}}));
  EXPECT_EQ(Read.Notes.OtherLines, 0u);
}

TEST(PerfText, BranchesWithoutTimes) {
  ImportedPerf Read =
      perf(" ffffffff815f7149 f+0x2 ([kernel.kallsyms]) g+0x1/f+0x0/P/-/-/3\n"
           " ffffffff815f7149 f+0x2 ([kernel.kallsyms]) g+0x1/f+0x0/P/-/-/3\n");
  EXPECT_EQ(entriesOf(Read.What), (Samples{{"f", 2}}));
  EXPECT_EQ(Read.What.Text.at("source"), "kernel");
  // Addresses only: samples stay samples.
  Read = perf("  a 1 [000] 26037.213670: 1 cycles:  ffffffff815f7149 f+0x239 "
              "([kernel.kallsyms]) 0x10/0x20/P/-/-/3\n");
  EXPECT_EQ(entriesOf(Read.What), Samples{});
  EXPECT_EQ(samplesOf(Read.What), (Samples{{"f", 1}}));
}

TEST(PerfText, ReportOfDataTypes) {
  ImportedPerf Read = perf(
      "# Samples: 4K of event 'cpu/mem-stores/P'\n"
      "# Overhead       Samples  Symbol   Data Type  Data Type Offset\n"
      "    62.50%            50  [k] f    struct rq  struct rq +0x18 (cpu)\n"
      "    37.50%            30  [k] g    struct rq  struct rq +0 (lock.raw)\n"
      "     1.00%             3  [.] main (unknown)  (unknown) +0 (no "
      "field)\n");
  EXPECT_EQ(samplesOf(Read.What), (Samples{{"f", 50}, {"g", 30}}));
  EXPECT_EQ(Read.Notes.FieldSamples, 80u);
  EXPECT_EQ(Read.Notes.UserSpace, 3u);
  ASSERT_EQ(Read.What.Sites.size(), 2u);
  EXPECT_EQ(Read.What.Sites[0].Kind, SiteKind::Write);
  auto Shares = readPerfText("    62.50%  [k] f\n");
  EXPECT_EQ(Shares.error(),
            "shares without numbers of samples: add -n to perf report, "
            "--show-nr-samples to perf annotate");
}

TEST(PerfText, AnnotatedDataTypes) {
  ImportedPerf Read = perf(
      "Annotate type: 'struct rq' in [kernel.kallsyms] (200 samples):\n"
      "============================================================\n"
      " Percent     offset       size  field\n"
      "  100.00          0        0xc0  struct rq\t {\n"
      "   25.00          0          4      unsigned int\tnr;\n"
      "   75.00       0x40       0x80      struct cfs_rq\tcfs {\n"
      "   50.00       0x40          8          u64\tclock;\n"
      "   25.00       0x48          8          u64\tmin;\n"
      "                                    };\n"
      "                                };\n"
      "\n"
      "Annotate type: 'struct page' in vmlinux (3 samples):\n"
      " event[0] = cpu/mem-loads/P\n"
      " event[1] = cpu/mem-stores/P\n"
      "============================================================\n"
      "         Samples     offset       size  field\n"
      "       2       1          0         64  struct page       {\n"
      "       2       1          0          8      long unsigned int  flags;\n"
      "                                };\n"
      "\n"
      "Annotate type: 'long unsigned int' in vmlinux (3 samples):\n"
      "============================================================\n"
      " Samples     offset       size  field\n"
      "       3          0          8  long unsigned int\t;\n"
      "\n");
  const Profile &P = Read.What;
  std::map<std::string, uint64_t> Counts;
  for (const MeasuredSite &S : P.Sites)
    Counts[P.text(P.Structs[S.Struct].Name) + "." + P.text(S.Field) + " " +
           std::to_string(S.OffsetBytes) + " " + std::to_string(S.SizeBytes) +
           (S.Kind == SiteKind::Write ? " w" : " r")] = S.Count;
  EXPECT_EQ(Counts,
            (std::map<std::string, uint64_t>{{"rq.nr 0 4 r", 50},
                                             {"rq.cfs.clock 64 8 r", 100},
                                             {"rq.cfs.min 72 8 r", 50},
                                             {"page.flags 0 8 r", 2},
                                             {"page.flags 0 8 w", 1}}));
  ASSERT_EQ(P.Structs.size(), 2u);
  EXPECT_EQ(P.Structs[0].SizeBytes, 64u);
  EXPECT_EQ(P.Structs[1].SizeBytes, 192u);
}

// A block that was cut, and what perf script printed behind it.
TEST(PerfText, SamplesBehindAnOpenBlockAreOfTheirOwnStruct) {
  ImportedPerf Read = perf(
      "Annotate type: 'struct rq' in vmlinux (2 samples):\n"
      " Samples     offset       size  field\n"
      "       2          0         64  struct rq       {\n"
      "       2          0          8      long unsigned int  nr;\n"
      "sh 7 [000] 1.000000: 1 cycles: ffffffff81000000 f ([kernel]) struct "
      "page.flags\n");
  ASSERT_EQ(Read.What.Sites.size(), 2u);
  for (const MeasuredSite &S : Read.What.Sites)
    EXPECT_EQ(Read.What.text(Read.What.Structs[S.Struct].Name),
              Read.What.text(S.Field) == "flags" ? "page" : "rq");
}

TEST(PerfText, ProseIsNone) {
  for (const char *Text :
       {"", "\n\n", "root:x:0:0:root:/root:/bin/bash\n", "int main() {}\n",
        "{\"a\": [1, 2]}", "The cat sat on the mat: and left.\n",
        "# only comments\n"}) {
    EXPECT_FALSE(looksLikePerfText(Text)) << Text;
    EXPECT_FALSE(readPerfText(Text)) << Text;
  }
  std::string Lines(100000, '\n');
  EXPECT_FALSE(readPerfText(Lines));
  EXPECT_FALSE(readPerfText(std::string(1 << 20, ' ')));
  EXPECT_FALSE(readPerfText(std::string(1 << 20, '\0')));
}

TEST(PerfText, NamesOfTheSource) {
  for (auto [Symbol, Name] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"f", "f"},
           {"f+0x12", "f"},
           {"f.constprop.0", "f"},
           {"f.isra.0.part.12+0x3", "f"},
           {"f.cold", "f"},
           {"f.llvm.1234567890", "f"},
           {".L1", ".L1"},
           {"f.x", "f.x"},
           {"f.0", "f.0"}})
    EXPECT_EQ(sourceFunction(Symbol), Name);
}

TEST(AccessLog, LinesOfTheDocumentedForm) {
  const char Text[] =
      "  sh 12 [001] 5.000001: mem: Accessed rq[111]->clock in update_clock "
      "(modify)\n"
      "  sh 12 [000] 5.000003: mem: Accessed rq[112]->cfs.nr in pick+0x1/0x2 "
      "(access)\n"
      "# comment\n"
      "\n"
      "  sh 12 [001] 5.000003: mem: Accessed rq[111]->clock in update_clock() "
      "modify\n"
      "nonsense\n"
      "x: Accessed rq[1->clock in f (access)\n"
      "x: Accessed rq[1]->clock in f (execute)\n"
      "Accessed task->state in f (access)\n";
  ASSERT_TRUE(looksLikeAccessLog(Text));
  auto Read = readAccessLog(Text);
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(Read->Notes.Accesses, 4u);
  EXPECT_EQ(Read->Notes.OtherLines, 3u);
  const Profile &P = Read->What;
  EXPECT_FALSE(checkProfile(P));
  EXPECT_EQ(P.DurationNs, 2000u);
  ASSERT_EQ(P.Sites.size(), 3u);
  std::map<std::string, uint64_t> Counts;
  for (const MeasuredSite &S : P.Sites)
    Counts[P.text(P.Structs[S.Struct].Name) + "." + P.text(S.Field) + " " +
           P.text(S.Function) + (S.Kind == SiteKind::Write ? " w" : " r")] =
        S.Count;
  EXPECT_EQ(Counts,
            (std::map<std::string, uint64_t>{{"rq.clock update_clock w", 2},
                                             {"rq.cfs.nr pick r", 1},
                                             {"task.state f r", 1}}));
  EXPECT_FALSE(looksLikeAccessLog("nothing\nof the kind\n"));
  EXPECT_FALSE(readAccessLog("nothing\n"));
}

TEST(AccessLog, AsATrace) {
  std::string Bytes;
  auto Notes = traceOfAccessLog(
      "a 1 [001] 5.000001: m: Accessed rq[111]->clock in f (modify)\n"
      "a 1 [000] 5.000003: m: Accessed rq[112]->nr in g (access)\n"
      "a 1 [001] 5.000002: m: Accessed rq[111]->nr in f (access)\n",
      "mine", [&](std::string_view Part) {
        Bytes += Part;
        return true;
      });
  ASSERT_TRUE(Notes) << Notes.error();
  auto Trace = TraceReader::open(Bytes);
  ASSERT_TRUE(Trace) << Trace.error();
  std::string Out;
  std::map<uint64_t, std::string> Names;
  ObjectTable Objects(Trace->tables());
  for (TraceEvent E; Trace->next(E);) {
    const Profile &P = Trace->about();
    TracePlace At = Objects.place(E);
    auto Name = Names.try_emplace(At.Object, 1, char('A' + Names.size()));
    Out += std::to_string(E.Time) + " " + std::to_string(E.Stream) + " " +
           Name.first->second + "." + P.text(P.Sites[E.Site].Field) + "\n";
  }
  EXPECT_EQ(Out, "5000001000 1 A.clock\n5000002000 1 A.nr\n"
                 "5000003000 0 B.nr\n");
}

} // namespace
