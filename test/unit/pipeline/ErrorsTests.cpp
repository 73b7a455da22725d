// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/unit/pipeline/AskedTree.h"

using namespace kst;
using kst::test::said;

namespace {

TEST(Errors, APartialAnswerIsBetterThanNone) {
  const ExitCode Ordered[] = {ExitDone,       ExitLowCoverage, ExitPartial,
                              ExitFailOn,     ExitNoResult,    ExitUsage,
                              ExitInterrupted};
  for (ExitCode One : Ordered)
    for (ExitCode Other : Ordered)
      EXPECT_EQ(
          worse(One, Other),
          *std::max(std::find(std::begin(Ordered), std::end(Ordered), One),
                    std::find(std::begin(Ordered), std::end(Ordered), Other)));
}

TEST(Errors, SayHowTheProcessShouldEnd) {
  EXPECT_EQ(said(usageError("a")), std::pair(ExitUsage, std::string("a\n")));
  EXPECT_EQ(said(failure("b")), std::pair(ExitNoResult, std::string("b\n")));
  EXPECT_EQ(said(interrupted()).first, ExitInterrupted);
  EXPECT_EQ(said(llvm::createStringError(llvm::inconvertibleErrorCode(), "c")),
            std::pair(ExitNoResult, std::string("c\n")));
  EXPECT_EQ(said(llvm::Error::success()), std::pair(ExitDone, std::string()));
}

TEST(Errors, JoinedOnesAreSaidOneByOneWithTheWorstStatus) {
  EXPECT_EQ(said(llvm::joinErrors(usageError("a"), failure("b"))),
            std::pair(ExitUsage, std::string("a\nb\n")));
  EXPECT_EQ(said(errors(ExitUsage, {"a", "b"})),
            std::pair(ExitUsage, std::string("a\nb\n")));
  EXPECT_FALSE(bool(errors(ExitUsage, {})));
}

TEST(Errors, ContextKeepsTheStatus) {
  EXPECT_EQ(said(within("in x: ", usageError("a"))),
            std::pair(ExitUsage, std::string("in x: a\n")));
  EXPECT_FALSE(bool(within("in x: ", llvm::Error::success())));
}

} // namespace
