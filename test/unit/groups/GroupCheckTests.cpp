// SPDX-License-Identifier: GPL-2.0-or-later
//
// A struct of two groups, a table and a few visits, so that every finding can
// be worked out by hand.

#include "test/unit/layout/Records.h"

#include "hybrid/groups/GroupCheck.h"

#include <gtest/gtest.h>

#include <set>

using namespace kst;
using namespace kst::test;

namespace {

FieldInfo typed(std::string Name, std::string Type) {
  FieldInfo F = field(std::move(Name), 4);
  F.TypeName = std::move(Type);
  return F;
}

struct Gate {
  AffinityEvidence Evidence;
  CachelineTable Table;
  GroupSubject Of;

  Gate() {
    Evidence.Record = record(
        {marker("__cacheline_group_begin__g_read_tx"), typed("key", "u32"),
         typed("mask", "u32"), marker("__cacheline_group_end__g_read_tx"),
         marker("__cacheline_group_begin__g_write_rx"), typed("count", "u32"),
         typed("seen", "u32"), marker("__cacheline_group_end__g_write_rx"),
         typed("cold", "struct list_head *")});
    Evidence.Record.Name = "gate";
    Evidence.Fields.resize(Evidence.Record.Fields.size());
    // Senders read key and mask; receivers count and see.
    add({touch(1, 1, 0), touch(2, 1, 0)});
    add({touch(5, 1, 1), touch(6, 1, 1)});
    Table = {"gate",
             "gate.rst",
             3,
             {row("u32", "key", "read_mostly", "-", 4),
              row("u32", "mask", "read_mostly", "-", 5),
              row("u32", "count", "-", "read_write", 6),
              row("u32", "seen", "-", "read_write", 7),
              row("struct_list_head*", "cold", "-", "-", 8)}};
    Of.Config = "x86_64";
    Of.Units = 1;
    Of.Table = &Table;
    Of.LookedThrough = "net/";
  }
  static TableRow row(const char *Type, const char *Name, const char *Tx,
                      const char *Rx, uint32_t Line) {
    return {Type, Name, Tx, Rx, {}, Line};
  }
  static FieldTouch touch(uint32_t Field, double Reads, double Writes) {
    FieldTouch T;
    T.Field = Field;
    T.Probability = 1;
    T.Reads = Reads;
    T.Writes = Writes;
    return T;
  }
  void add(std::vector<FieldTouch> Touches, Phase When = Phase::Steady) {
    CoAccessSet Set;
    Set.Weight = 100;
    Set.When = When;
    Set.Where = {"f", "f.c", 1};
    Set.Touches = std::move(Touches);
    for (const FieldTouch &T : Set.Touches) {
      Evidence.Fields[T.Field].Reads += 100 * T.Reads;
      Evidence.Fields[T.Field].Writes += 100 * T.Writes;
    }
    Evidence.Sets.push_back(std::move(Set));
  }
  std::set<std::string> keys() {
    Of.Evidence = &Evidence;
    std::set<std::string> Keys;
    for (const Finding &One : checkGroups(Of).Findings)
      Keys.insert(One.key());
    return Keys;
  }
  using Keys = std::set<std::string>;
};

TEST(GroupCheck, ATableThatIsTrueGivesNothing) {
  Gate G;
  EXPECT_EQ(G.keys(), Gate::Keys());
}

TEST(GroupCheck, AReadGroupThatIsWritten) {
  Gate G;
  G.add({Gate::touch(1, 0, 1)});
  EXPECT_EQ(G.keys(), (Gate::Keys{"wrong-group gate.key.g_read_tx",
                                  "row-code gate.key"}));
}

/// All of one member's accesses are writes, and they are 99 of 100,099 to the
/// group; then 101.
TEST(GroupCheck, WritesThatAGroupDoesNotFeel) {
  for (const double Writes : {0.99, 1.01}) {
    Gate G;
    G.Evidence.Sets[0].Touches = {Gate::touch(2, 1000, 0)};
    G.add({Gate::touch(1, 0, Writes)});
    EXPECT_EQ(G.keys(), Writes < 1
                            ? Gate::Keys()
                            : (Gate::Keys{"wrong-group gate.key.g_read_tx",
                                          "row-code gate.key"}))
        << Writes;
  }
}

TEST(GroupCheck, WritesOfSetUpAreNone) {
  Gate G;
  G.add({Gate::touch(1, 0, 1)}, Phase::SetUp);
  G.add({Gate::touch(1, 0, 1)}, Phase::Configuration);
  EXPECT_EQ(G.keys(), Gate::Keys());
}

TEST(GroupCheck, AWriteGroupThatNobodyWrites) {
  Gate G;
  G.Evidence.Sets[1].Touches[0].Writes = 0;
  G.Evidence.Fields[5].Writes = 0;
  EXPECT_EQ(G.keys(), (Gate::Keys{"wrong-group gate.count.g_write_rx",
                                  "row-code gate.count"}));
}

TEST(GroupCheck, AMemberThatNobodyUses) {
  Gate G;
  G.Evidence.Sets[0].Touches.pop_back();
  G.Evidence.Fields[2] = {};
  EXPECT_EQ(G.keys(), (Gate::Keys{"unused-member gate.mask.g_read_tx",
                                  "row-code gate.mask"}));
}

TEST(GroupCheck, AMemberOfTheOtherPath) {
  Gate G;
  // Only receivers use mask, and it is read.
  G.Evidence.Sets[0].Touches.pop_back();
  G.Evidence.Sets[1].Touches.insert(G.Evidence.Sets[1].Touches.begin(),
                                    Gate::touch(2, 1, 0));
  EXPECT_EQ(G.keys(), Gate::Keys{"other-path gate.mask.g_read_tx"});
}

TEST(GroupCheck, AFieldOutsideThatIsUsedLikeMembers) {
  Gate G;
  G.Evidence.Sets[0].Touches.push_back(Gate::touch(8, 1, 0));
  G.Evidence.Fields[8].Reads = 100;
  EXPECT_EQ(G.keys(), (Gate::Keys{"missing-member gate.cold.g_read_tx",
                                  "row-code gate.cold"}));
}

TEST(GroupCheck, Assertions) {
  Gate G;
  GroupAssert A{"gate", "g_read_tx", "key", 0, {"", "g.c", 5}}, B = A;
  B.Where.Line = 6;
  G.Of.Asserts = {A, B};
  EXPECT_EQ(G.keys(), (Gate::Keys{"double-assertion gate.g_read_tx.key",
                                  "unasserted gate.mask.g_read_tx"}));
}

TEST(GroupCheck, RowsThatNameNothing) {
  Gate G;
  G.Table.Rows.push_back(Gate::row("u32", "kye", "-", "-", 9));
  G.Table.Rows.push_back(Gate::row("u32", "other", "-", "-", 10));
  G.Table.Rows.push_back(Gate::row("u32", "mask", "read_mostly", "-", 11));
  G.Of.DefinitionWords = {"other"}; // behind an #ifdef
  G.Of.Evidence = &G.Evidence;
  const GroupedStruct Found = checkGroups(G.Of);
  ASSERT_EQ(Found.Findings.size(), 2u);
  EXPECT_EQ(Found.Findings[0].key(), "no-such-field gate.kye");
  EXPECT_EQ(Found.Findings[0].Why,
            (std::vector<std::string>{"the nearest name is 'key'"}));
  EXPECT_EQ(Found.Findings[1].key(), "double-row gate.mask");
  EXPECT_EQ(Found.RowsElsewhere, 1u);
}

TEST(GroupCheck, AFieldWithoutARow) {
  Gate G;
  G.Table.Rows.pop_back();
  EXPECT_EQ(G.keys(), Gate::Keys{"missing-row gate.cold"});
}

TEST(GroupCheck, RowsAgainstGroups) {
  Gate G;
  G.Table.Rows[0].Tx = "-";           // in a group, no access
  G.Table.Rows[1].Tx = "-";           // of tx, used by rx
  G.Table.Rows[1].Rx = "read_mostly"; //
  G.Table.Rows[3].Tx = "read_mostly"; // of rx alone
  G.Table.Rows[4].Rx = "read_mostly"; // in no group, and nobody uses it
  EXPECT_EQ(G.keys(), (Gate::Keys{"row-group gate.key", "row-group gate.mask",
                                  "row-group gate.seen", "row-group gate.cold",
                                  "row-code gate.key", "row-code gate.cold"}));
}

TEST(GroupCheck, AGroupWhoseNameSaysNothing) {
  Gate G;
  G.Evidence.Record.Fields[4].Name = "__cacheline_group_begin__icmp";
  G.Evidence.Record.Fields[7].Name = "__cacheline_group_end__icmp";
  G.Table.Rows[3].Rx = "-";
  EXPECT_EQ(G.keys(), Gate::Keys{"row-code gate.seen"});
}

TEST(GroupCheck, FunctionsOfRows) {
  Gate G;
  G.Table.Rows[0].Functions = {"uses_it", "does_not", "no_word", "a_macro"};
  G.Of.Functions["uses_it"] = {true, true, {1}};
  G.Of.Functions["does_not"] = {true, true, {2}};
  G.Of.Functions["no_word"] = {};
  G.Of.Functions["a_macro"] = {true, false, {}};
  EXPECT_EQ(G.keys(), (Gate::Keys{"row-function gate.key.does_not",
                                  "no-such-function gate.key.no_word"}));
}

TEST(GroupCheck, LinesOfAGroup) {
  Gate G;
  G.Of.LineBytes = 16;
  G.Of.Evidence = &G.Evidence;
  const GroupedStruct Found = checkGroups(G.Of);
  ASSERT_EQ(Found.Groups.size(), 2u);
  EXPECT_EQ(Found.Groups[1].BeginBytes, 8u);
  EXPECT_EQ(Found.Groups[1].LastLine, 0u);
  EXPECT_DOUBLE_EQ(Found.Groups[0].Accesses, 2.0 / 6);
  EXPECT_DOUBLE_EQ(Found.Groups[1].Writes, 0.5);
  EXPECT_DOUBLE_EQ(Found.Outside, 0);
}

TEST(RowType, OneTypeInTwoSpellings) {
  auto Same = [](const char *InTable, const char *Real, unsigned Bits = 0) {
    FieldInfo F = Bits ? bits("f", Bits) : field("f", 4);
    F.TypeName = Real;
    return isSameType(InTable, F);
  };
  EXPECT_TRUE(Same("struct_sk_buff*", "struct sk_buff *"));
  EXPECT_TRUE(Same("unsigned_long", "unsigned long"));
  EXPECT_TRUE(Same("unsigned:1", "unsigned int", 1));
  EXPECT_TRUE(Same("be16", "__be16"));
  EXPECT_TRUE(Same("struct_pcpu_lstats__percpu*", "struct pcpu_lstats *"));
  EXPECT_TRUE(Same("u32[3]", "u32[3]"));
  EXPECT_TRUE(Same("struct", "struct (unnamed struct at a.h:3:2)"));
  EXPECT_TRUE(Same("void*", "void (*)(int)"));
  EXPECT_FALSE(Same("struct_fib_table", "struct fib_table *"));
  EXPECT_FALSE(Same("u8:2", "u8", 1));
  EXPECT_FALSE(Same("u8", "u8", 1));
  EXPECT_FALSE(Same("u32[3]", "u32[4]"));
  EXPECT_FALSE(Same("struct", "u32"));
  EXPECT_FALSE(Same("int", "unsigned int"));
}

} // namespace
