// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/groups/CachelineTable.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

constexpr char Heads[] = "gate struct fast path usage breakdown\n"
                         "Type        Name     fastpath_tx  fastpath_rx  "
                         "comment\n"
                         "..struct    ..gate\n";

TableRow row(const std::string &Line) {
  const std::vector<CachelineTable> Tables =
      cachelineTables(Heads + Line + "\n", "t.rst");
  EXPECT_EQ(Tables.size(), 1u);
  EXPECT_EQ(Tables[0].Struct, "gate");
  EXPECT_EQ(Tables[0].Rows.size(), 1u);
  EXPECT_EQ(Tables[0].Rows[0].Line, 4u);
  return Tables[0].Rows[0];
}

using Names = std::vector<std::string>;

TEST(CachelineTable, FourColumnsAndFunctions) {
  const TableRow R = row("u32         key[4]   read_mostly  -            "
                         "do_open,do_close(tx);do_scan/do_scan_one");
  EXPECT_EQ(R.Type, "u32");
  EXPECT_EQ(R.field(), "key");
  EXPECT_EQ(R.Tx, "read_mostly");
  EXPECT_EQ(R.Rx, "-");
  EXPECT_EQ(R.Functions,
            (Names{"do_open", "do_close", "do_scan", "do_scan_one"}));
}

TEST(CachelineTable, ALoneCellIsInTheColumnThatItStandsBelow) {
  EXPECT_EQ(row("u32         key      read_write").Tx, "read_write");
  const TableRow R = row("u32         key                   read_write");
  EXPECT_EQ(R.Tx, "");
  EXPECT_EQ(R.Rx, "read_write");
  EXPECT_EQ(row("u32         key").Rx, "");
}

TEST(CachelineTable, RowsThatDoNotKeepToTheColumns) {
  // A type that is too long, a type of two words, a name too far left.
  TableRow R = row("struct_very_long_name* list   read_mostly  -");
  EXPECT_EQ(R.Name, "list");
  EXPECT_EQ(R.Tx, "read_mostly");
  R = row("struct head pools");
  EXPECT_EQ(R.Type, "struct head");
  EXPECT_EQ(R.Name, "pools");
  R = row("u8  flags   -            read_mostly");
  EXPECT_EQ(R.Name, "flags");
  EXPECT_EQ(R.Rx, "read_mostly");
}

TEST(CachelineTable, VersionsOfAFunctionAreTwo) {
  EXPECT_EQ(row("u32         key      -            -     ip(6)_in,t_v(4/6)_rcv")
                .Functions,
            (Names{"ip6_in", "t_v4_rcv", "ip_in", "t_v6_rcv"}));
}

TEST(CachelineTable, LongRowsOfVersionsEnd) {
  std::string Line = "u32         key      -            -     ";
  for (int I = 0; I < 40; ++I)
    Line += "a(4/6)_b,";
  EXPECT_LE(row(Line).Functions.size(), 3u);
}

TEST(CachelineTable, NoHeadsNoTable) {
  EXPECT_TRUE(cachelineTables("a text\nof lines\n", "t").empty());
  const auto Tables = cachelineTables("Type  Name  tx  rx\nu8 a\n", "t");
  ASSERT_EQ(Tables.size(), 1u);
  EXPECT_EQ(Tables[0].Struct, "");
}

} // namespace
