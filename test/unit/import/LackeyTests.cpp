// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/Lackey.h"
#include "hybrid/trace/TraceReader.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

const char *Small = "==1== Lackey, an example Valgrind tool\n"
                    "I  04000a70,3\n"
                    "I  04000a73,5\n"
                    " S 1ffefff968,8\n"
                    "I  04001800,1\n"
                    " L 1ffefff968,8\n"
                    " M 0402e000,4\n"
                    "I  04000a73,5\n"
                    " S 1ffefff960,8\n";

TEST(Lackey, AccessesBelongToTheInstructionBefore) {
  ASSERT_TRUE(looksLikeLackey(Small));
  std::string Bytes;
  auto Notes = traceOfLackey(Small, "ls", [&](std::string_view Part) {
    Bytes += Part;
    return true;
  });
  ASSERT_TRUE(Notes) << Notes.error();
  EXPECT_EQ(Notes->Accesses, 4u);
  EXPECT_EQ(Notes->Instructions, 4u);
  EXPECT_EQ(Notes->OtherLines, 1u);
  auto Trace = TraceReader::open(Bytes);
  ASSERT_TRUE(Trace) << Trace.error();
  const Profile &P = Trace->about();
  EXPECT_EQ(P.Text.at("label"), "ls");
  ASSERT_EQ(P.Sites.size(), 2u);
  struct Row {
    uint64_t Time, Address;
    const char *Function;
    uint32_t Access, Size;
  };
  for (const Row &R :
       {Row{2, 0x1ffefff968, "0x4000a73", AccessStore, 8},
        Row{3, 0x1ffefff968, "0x4001800", AccessLoad, 8},
        Row{3, 0x402e000, "0x4001800", AccessLoad | AccessStore, 4},
        Row{4, 0x1ffefff960, "0x4000a73", AccessStore, 8}}) {
    TraceEvent E;
    ASSERT_TRUE(Trace->next(E));
    EXPECT_EQ(E.Time, R.Time);
    EXPECT_EQ(E.Address, R.Address);
    EXPECT_EQ(E.Access, R.Access);
    EXPECT_EQ(E.SizeBytes, R.Size);
    EXPECT_EQ(P.text(P.Sites[E.Site].Function), R.Function);
  }
}

TEST(Lackey, OtherLinesAreNone) {
  for (const char *Line : {"", "I", "I  ,3", "I  zz,3", " L 10,", " L 10,0",
                           " L 10,99999", " X 10,8", "L 10,8", " L10,8",
                           "==1== L 10,8", " S 10 8", "I  12345678901234567,1"})
    EXPECT_EQ(lackeyLine(Line).What, 0) << Line;
  EXPECT_FALSE(looksLikeLackey("I  04000a70,3\n"));
  EXPECT_FALSE(looksLikeLackey(" L 04000a70,3\n"));
  EXPECT_FALSE(traceOfLackey("I  04000a70,3\n", "",
                             [](std::string_view) { return true; }));
}

} // namespace
