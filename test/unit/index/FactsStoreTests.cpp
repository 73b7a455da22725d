// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallUnits.h"

#include "hybrid/facts/FactsCheck.h"
#include "hybrid/facts/FactsFile.h"
#include "hybrid/program/StaticEvidence.h"

#include "gtest/gtest.h"

using namespace kst;
using kst_test::smallUnits;
using kst_test::unitFacts;

namespace {

/// Everything that evidence on the struct is made of, as text.
std::string evidenceText(const std::vector<TuFacts> &Units,
                         const std::string &Struct) {
  Program Whole(Units);
  auto Found = staticEvidence(Whole, estimateFrequencies(Whole, {}), Struct);
  if (!Found)
    return Found.error();
  std::string Text;
  auto Number = [&](double N) { Text += std::to_string(N) + " "; };
  for (const CoAccessSet &Set : Found->Sets) {
    Text += Set.Where.Function + ":" + std::to_string(Set.Where.Line) + " ";
    Number(Set.Weight);
    for (const FieldTouch &Touch : Set.Touches) {
      Text += Found->Record.Fields[Touch.Field].Name + " ";
      Number(Touch.Reads);
      Number(Touch.Writes);
      for (const AccessSite &At : Touch.Sites)
        Text += At.Where.Function + " ";
    }
  }
  for (const SourceRule &Rule : Found->Rules)
    Text += Rule.Id + " " + Rule.Why + " " + Rule.Where.File + " ";
  return Text;
}

void expectSameProgram(const std::vector<TuFacts> &Units, const TuFacts &One) {
  EXPECT_FALSE(checkFacts(One));
  const std::vector<TuFacts> Merged{One};
  Program A(Units), B(Merged);
  ASSERT_EQ(A.Functions.size(), B.Functions.size());
  for (FunctionId Id = 0; Id != A.Functions.size(); ++Id)
    EXPECT_EQ(A.Strings[A.Functions[Id].Key], B.Strings[B.Functions[Id].Key]);
  // Ties are broken by the order of strings.
  StrId Last = 0;
  for (StrId Id = 0; Id != One.Strings.size(); ++Id) {
    const StrId Here = A.Strings.find(One.Strings[Id]);
    ASSERT_NE(Here, None);
    EXPECT_GE(Here, Last);
    Last = Here;
  }
  ASSERT_EQ(A.recordCount(), B.recordCount());
  for (RecordId Id = 0; Id != A.recordCount(); ++Id)
    EXPECT_EQ(A.recordInfo(Id), B.recordInfo(Id));
  for (const char *Struct : {"s", "in", "ops"})
    EXPECT_EQ(evidenceText(Units, Struct), evidenceText(Merged, Struct));
}

TEST(FactsStore, AnyUnitsMergedAreTheirProgram) {
  const std::vector<TuFacts> Units = smallUnits();
  FactsStore Store;
  for (const TuFacts &Unit : Units)
    Store.add(Unit);
  for (std::vector<uint32_t> Which : std::vector<std::vector<uint32_t>>{
           {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}, {2, 0, 1}}) {
    std::vector<TuFacts> Some;
    for (uint32_t I : Which)
      Some.push_back(Units[I]);
    expectSameProgram(Some, Store.merged(Which));
  }
}

TEST(FactsStore, HasSharedThingsOnce) {
  FactsStore Store;
  for (const TuFacts &Unit : smallUnits())
    Store.add(Unit);
  auto Bodies = [&](const char *Name) {
    size_t Found = 0;
    for (const FunctionFact &Fact : Store.all().Functions)
      Found += Store.all().Strings[Fact.Name] == Name;
    return Found;
  };
  EXPECT_EQ(Bodies("get"), 1u);
  EXPECT_EQ(Bodies("overridden"), 2u); // a.c and c.c differ
}

// Two units see another body of one inline function: each program takes the
// body of its first unit, and what only the other names is not forgotten.
TEST(FactsStore, BodiesThatDifferAreKept) {
  const std::vector<TuFacts> Units{
      unitFacts("a.c", "int a(struct s *p) { return get(p); }"), [] {
        TestTU Unit = TestTU::withCode("#define MORE\n#include \"s.h\"\n"
                                       "int b(struct s *p) { return get(p); }");
        Unit.File = "b.c";
        Unit.Headers["s.h"] =
            "struct s { int a, b; };\nstatic inline int get(struct s *p) {\n"
            "#ifdef MORE\n  return p->a + p->b;\n#else\n  return p->a;\n"
            "#endif\n}\n";
        return llvm::cantFail(Unit.build());
      }()};
  FactsStore Store;
  Store.add(Units[0]);
  Store.add(Units[1]);
  expectSameProgram(Units, Store.merged({0, 1}));
  expectSameProgram({Units[1]}, Store.merged({1}));
}

TEST(FactsStore, UnitsComeBack) {
  const std::vector<TuFacts> Units = smallUnits();
  FactsStore Store;
  for (const TuFacts &Unit : Units)
    Store.add(Unit);
  for (uint32_t I = 0; I != Units.size(); ++I) {
    const TuFacts Back = Store.unit(I);
    EXPECT_EQ(Back.Strings[Back.MainFile], Units[I].Strings[Units[I].MainFile]);
    EXPECT_EQ(Back.Functions.size(), Units[I].Functions.size());
    EXPECT_EQ(Back.Values.size(), Units[I].Values.size());
    expectSameProgram({Units[I]}, Back);
  }
}

TEST(FactsStore, StoresOfPartsMakeTheSameStore) {
  const std::vector<TuFacts> Units = smallUnits();
  FactsStore Whole, Left, Right;
  for (const TuFacts &Unit : Units)
    Whole.add(Unit);
  Left.add(Units[2]);
  Right.add(Units[1]);
  Right.add(Units[0]);
  Left.add(Right); // c, b, a
  const uint32_t Order[] = {0, 1, 2}, Back[] = {2, 1, 0};
  const FactsStore A = Whole.ordered(Order), B = Left.ordered(Back);
  EXPECT_EQ(writeFacts(A.all()), writeFacts(B.all()));
  EXPECT_EQ(A.units(), B.units());
}

TEST(FactsStore, RowsThatAreNotThereAreRefused) {
  FactsStore Store;
  Store.add(smallUnits()[0]);
  for (std::vector<uint32_t> UnitRows::*Rows :
       {&UnitRows::Records, &UnitRows::Functions, &UnitRows::PointerFlows}) {
    std::vector<UnitRows> Units = Store.units();
    (Units[0].*Rows).push_back(1000);
    EXPECT_FALSE(FactsStore::from(Store.all(), Units));
  }
  std::vector<UnitRows> Units = Store.units();
  Units[0].Records.clear(); // which its functions name
  EXPECT_FALSE(FactsStore::from(Store.all(), Units));
  EXPECT_TRUE(FactsStore::from(Store.all(), Store.units()));
}

} // namespace
