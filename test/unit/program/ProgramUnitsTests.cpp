// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/ProgramUnits.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

using namespace kst;

TEST(ProgramUnits, WhatALinkerWouldTake) {
  // Both programs have an assertion of their own; the client's is a stub.
  const char *Sources[] = {
      "extern void serve(void); int main(void) { serve(); }",
      "extern void failed(void), loop(void (*)(void)); extern int clients;\n"
      "static void handle(void) { clients++; } void serve(void) { "
      "loop(handle); }\n"
      "void failed(void) { loop(handle); }",
      "int clients;",
      "extern void failed(void); void loop(void (*f)(void)) { failed(); f(); }",
      "extern void loop(void (*)(void)); static void ask(void) {}\n"
      "int main(void) { loop(ask); }",
      "void failed(void) {}"};
  std::vector<TuFacts> Units;
  for (size_t I = 0; I != std::size(Sources); ++I) {
    TestTU Unit = TestTU::withCode(Sources[I]);
    Unit.File = "unit" + std::to_string(I) + ".c";
    llvm::Expected<TuFacts> Facts = Unit.build();
    ASSERT_TRUE(bool(Facts)) << llvm::toString(Facts.takeError());
    Units.push_back(std::move(*Facts));
  }
  const Program Whole(Units);
  const ProgramUnits Of(Whole);
  std::vector<std::vector<bool>> Found;
  for (FunctionId Main : Whole.functionsNamed("main"))
    Found.push_back(Of.of(Main));
  ASSERT_EQ(Found.size(), 2u);
  if (!Found[0][0])
    std::swap(Found[0], Found[1]);
  EXPECT_EQ(Found[0], std::vector<bool>({1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(Found[1], std::vector<bool>({0, 0, 0, 1, 1, 1}));
}
