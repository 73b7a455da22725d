// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Program.h"

#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

/// Facts of a unit `Name` that joins the source `Joined` and the header all.h.
void addUnit(std::vector<TuFacts> &To, const std::string &Name,
             const std::string &Joined, const std::string &Code) {
  TestTU Unit =
      TestTU::withCode("#include \"all.h\"\n#include \"" + Joined + "\"\n");
  Unit.File = Name;
  Unit.Headers = {{"all.h", "struct s { int a, b; };\n"
                            "inline int same(struct s *p) {\n"
                            "#ifdef ODD\n  p->b = 1;\n#endif\n"
                            "  return p->a; }\n"},
                  {Joined, Code}};
  if (Name == "two.c")
    Unit.ExtraArgs = {"-DODD"};
  auto Facts = Unit.build();
  if (Facts)
    To.push_back(std::move(*Facts));
  else
    ADD_FAILURE() << llvm::toString(Facts.takeError());
}

TEST(Program, JoinedSourcesAreNoHeaders) {
  std::vector<TuFacts> Units;
  addUnit(Units, "one.c", "first.c",
          "int main() { struct s x = {1}; return same(&x); }");
  addUnit(Units, "two.c", "second.c",
          "int main() { struct s x; x.b = 2; return same(&x) + x.b; }");
  const Program Whole(Units);
  const auto Mains = Whole.functionsNamed("main");
  ASSERT_EQ(Mains.size(), 2u);
  for (FunctionId Id : Mains)
    EXPECT_EQ(
        Whole.functionByKey(Whole.Functions[Id].Unit, Whole.Functions[Id].Key),
        Id);
  EXPECT_EQ(Whole.functionsNamed("same").size(), 1u);
}

} // namespace
