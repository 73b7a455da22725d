// SPDX-License-Identifier: GPL-2.0-or-later

#include "../import/SmallTable.h"

#include "hybrid/import/TraceJoin.h"
#include "hybrid/trace/ObjectTable.h"
#include "hybrid/trace/TraceContexts.h"
#include "hybrid/trace/TraceReader.h"

#include <gtest/gtest.h>

using namespace kst;
using kst_test::RawEvents;
using kst_test::smallLives;
using kst_test::Table;

namespace {

const uint64_t Slot = 0xffff888000001000;

/// What joinTrace() makes of it: a line for each event, as "TIME.CPU ...".
struct Joined {
  std::string Bytes, Lines;
  TraceNotes Notes;

  explicit Joined(const RawEvents &Raw, const CallerNames &Names = {}) {
    const std::string Blob = kst_test::smallTable().blob();
    auto Tables = readCounterTables(Blob);
    auto Sink = [this](std::string_view Part) {
      Bytes += Part;
      return true;
    };
    auto Done = joinTrace(Raw.whole(), *Tables, "", Sink, Names);
    EXPECT_TRUE(Done) << Done.error();
    Notes = *Done;
    auto Trace = TraceReader::open(Bytes);
    EXPECT_TRUE(Trace) << Trace.error();
    ObjectTable Objects(Trace->tables());
    TraceContexts Contexts;
    for (TraceEvent E; Trace->next(E);) {
      Objects.apply(E);
      Contexts.apply(E);
      line(E, Objects, Contexts, Trace->tables());
    }
    EXPECT_FALSE(Trace->failure());
    EXPECT_EQ(Objects.unknownFrees() + Objects.implicitFrees(), 0u);
  }

private:
  void line(const TraceEvent &E, ObjectTable &Objects,
            const TraceContexts &Contexts, const TraceTables &T) {
    if (E.Kind == EventKind::Context)
      return;
    const Profile &P = T.About;
    const TracePlace At = Objects.place(E);
    Lines += std::to_string(E.Time) + "." + std::to_string(E.Stream) +
             (E.Kind == EventKind::Alloc  ? " alloc"
              : E.Kind == EventKind::Free ? " free"
                                          : " access");
    if (E.Kind != EventKind::Free)
      Lines += " " +
               std::string(At.Struct == NoStruct
                               ? "-"
                               : P.text(P.Structs[At.Struct].Name)) +
               "+" + std::to_string(At.OffsetBytes) + "#" +
               std::to_string(At.Number);
    if (E.Kind != EventKind::Access)
      Lines += " of " + T.Allocators[E.Info].Name + " " +
               std::to_string(E.SizeBytes) + " by " +
               std::string(P.text(P.Sites[E.Site].Function));
    const char *In[] = {"", " softirq", " hardirq", " nmi"};
    Lines += In[size_t(Contexts.of(E.Stream).kind())];
    Lines += "\n";
  }
};

TEST(RawLives, ObjectsHaveNumbersTypesAndContexts) {
  const Joined Of(smallLives(kst_test::smallTable()));
  EXPECT_EQ(Of.Notes.Allocations, 4u);
  EXPECT_EQ(Of.Notes.Frees, 1u);
  EXPECT_EQ(Of.Notes.Events, 4u);
  EXPECT_EQ(Of.Notes.Lost, 3u);
  EXPECT_EQ(Of.Lines,
            "1000.0 alloc ring+0#1 of ring_cache 24 by 0x1000\n"
            "1001.0 access ring+0#1\n"
            "1002.0 alloc ring+0#2 of kmalloc-32 32 by 0x2000\n"
            "1003.0 access ring+8#2 softirq\n"
            "1004.0 alloc kmalloc-32@0x3000+0#3 of kmalloc-32 32 by 0x3000\n"
            "1005.1 access ring+8#1 hardirq\n"
            "1006.1 free of ring_cache 0 by 0x4000 hardirq\n"
            "1010.0 alloc ring+0#4 of ring_cache 24 by 0x1000\n"
            "1011.0 access ring+0#4\n");
}

// Two calls of one site that make different things: who calls is all there is.
TEST(RawLives, SitesOfSeveralTypesHaveNone) {
  const Joined Of(smallLives(kst_test::smallTable()), [](uint64_t) {
    return CallerPlace{"make", "make", "ring.c", 7, 0};
  });
  EXPECT_NE(Of.Lines.find("1004.0 alloc -+0#3 of kmalloc-32 32 by make\n"),
            std::string::npos)
      << Of.Lines;
}

} // namespace
