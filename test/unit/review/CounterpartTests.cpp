// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/Counterpart.h"

#include "hybrid/review/FieldPairs.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

/// A program of one unit; the facts live as long as it.
struct OneUnit {
  explicit OneUnit(const std::string &Code) {
    auto Facts = TestTU::withCode(Code).build();
    if (Facts)
      Units.push_back(std::move(*Facts));
    else
      ADD_FAILURE() << llvm::toString(Facts.takeError());
    Whole.emplace(Units);
  }
  RecordInfo record(const std::string &Name) const {
    const std::vector<RecordId> Found = Whole->recordsNamed(Name);
    EXPECT_EQ(Found.size(), 1u) << Name;
    return Found.empty() ? RecordInfo() : Whole->recordInfo(Found.front());
  }

  std::vector<TuFacts> Units;
  std::optional<Program> Whole;
};

/// A program of units that include one header, each with macros of its own.
struct Forms {
  Forms(const std::string &Header,
        const std::map<std::string, std::string> &MacroOf) {
    for (const auto &[File, Macro] : MacroOf) {
      TestTU Unit = TestTU::withCode("#include \"s.h\"\n"
                                     "int f(struct s *p) { return p->a; }");
      Unit.File = File;
      Unit.Headers = {{"s.h", Header}};
      Unit.ExtraArgs = {"-D" + Macro};
      auto Facts = Unit.build();
      if (Facts)
        Units.push_back(std::move(*Facts));
      else
        ADD_FAILURE() << llvm::toString(Facts.takeError());
    }
    Whole.emplace(Units);
  }

  std::vector<TuFacts> Units;
  std::optional<Program> Whole;
};

/// Sizes of all forms of struct s that differ, in the base and in the head.
std::vector<std::pair<uint64_t, uint64_t>> differing(const Forms &Base,
                                                     const Forms &Head) {
  std::vector<std::pair<uint64_t, uint64_t>> Sizes;
  const Counterparts Earlier(*Base.Whole, *Head.Whole);
  for (RecordId Id : Head.Whole->recordsNamed("s")) {
    const RecordInfo Now = Head.Whole->recordInfo(Id);
    const auto Was = Earlier.of(Id);
    if (Was && !sameLayout(*Was, Now))
      Sizes.push_back({Was->SizeBytes, Now.SizeBytes});
  }
  return Sizes;
}

/// What struct `Name` of the head was called in the base; "" if it is new.
std::string was(const std::string &Base, const std::string &Head,
                const std::string &Name) {
  const OneUnit Before(Base), After(Head);
  const auto Found = Counterparts(*Before.Whole, *After.Whole)
                         .of(After.Whole->recordsNamed(Name).front());
  return Found ? Found->Name : "";
}

constexpr char Use[] = "int f(struct s *p) { return p->a; }";
constexpr char UseOther[] = "int f(struct t *p) { return p->a; }";

TEST(Counterpart, OfTheSameName) {
  EXPECT_EQ(was(std::string("struct s { int a; };") + Use,
                std::string("struct s { long b; int a; };") + Use, "s"),
            "s");
}

TEST(Counterpart, AnotherNameOfTheSameFields) {
  EXPECT_EQ(was(std::string("struct t { int a, b; };") + UseOther,
                std::string("struct s { int a, b; };") + Use, "s"),
            "t");
  // Which is still there.
  EXPECT_EQ(was(std::string("struct t { int a, b; };") + UseOther,
                std::string("struct t { int a, b; }; struct s { int a, b; };") +
                    Use + "int g(struct t *p) { return p->a; }",
                "s"),
            "");
}

TEST(Counterpart, AUnionIsNoStruct) {
  EXPECT_EQ(was("union s { int a, b; }; int f(union s *p) { return p->a; }",
                std::string("struct s { int a, b; };") + Use, "s"),
            "");
}

TEST(Counterpart, EachFormIsComparedWithThatOfItsUnits) {
  const std::string Text = "struct s { int a;\n#ifdef X\nlong x;\n#endif\n};",
                    Always = "struct s { int a;\nlong x;\n};";
  const std::map<std::string, std::string> Both{{"one.c", "X"}, {"two.c", "Y"}};
  const Forms Old(Text, Both);
  EXPECT_TRUE(differing(Old, Forms(Text, Both)).empty());
  // A form whose units the base has not parsed is no change of another one.
  EXPECT_TRUE(
      differing(Forms(Text, {{"one.c", "X"}}), Forms(Text, Both)).empty());
  // A form that is gone is one, though the head has no new form.
  EXPECT_EQ(differing(Old, Forms(Always, Both)),
            (std::vector<std::pair<uint64_t, uint64_t>>{{4, 16}}));
}

TEST(Counterpart, ChangedWithinWhatItHolds) {
  const std::string Holder =
      "struct s { struct in held; int a; };" + std::string(Use);
  const OneUnit Before("struct in { int x; };" + Holder),
      After("struct in { int x, y; };" + Holder),
      Own("struct in { int x, y; }; struct s { struct in held; long a; };" +
          std::string(Use));
  EXPECT_EQ(changedWithin(Before.record("s"), After.record("s")),
            std::vector<std::string>{"held"});
  EXPECT_TRUE(changedWithin(Before.record("s"), Own.record("s")).empty());
}

} // namespace
