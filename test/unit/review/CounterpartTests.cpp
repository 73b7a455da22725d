// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/Counterpart.h"

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

/// What struct `Name` of the head was called in the base; "" if it is new.
std::string was(const std::string &Base, const std::string &Head,
                const std::string &Name) {
  const OneUnit Before(Base), After(Head);
  const auto Found =
      counterpart(*Before.Whole, After.record(Name), *After.Whole);
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
