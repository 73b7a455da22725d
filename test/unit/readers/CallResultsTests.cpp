// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/KernelImage.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

using namespace kst;

namespace {

/// Callers of the allocator in Inputs/allocating.c, and where they go on.
std::map<std::string, uint64_t> calls() {
  std::map<std::string, uint64_t> Out;
  FILE *From = popen(ALLOCATING_PROGRAM, "r");
  char Name[32];
  unsigned long Address = 0;
  while (From && fscanf(From, "%31s %lx", Name, &Address) == 2)
    Out[Name] = Address;
  if (From)
    pclose(From);
  return Out;
}

TEST(CallResults, AreTheStructsThatVariablesPointTo) {
  auto Image = KernelImage::open(ALLOCATING_PROGRAM);
  ASSERT_TRUE(bool(Image)) << llvm::toString(Image.takeError());
  auto Calls = calls();
  ASSERT_EQ(Calls.size(), 4u);
  EXPECT_EQ(Image->resultTypes(Calls["stored"]),
            (std::vector<ResultType>{{"point", 24, false}}));
  EXPECT_EQ(Image->resultTypes(Calls["inlined"]),
            (std::vector<ResultType>{{"line", 48, true}}));
  EXPECT_TRUE(Image->resultTypes(Calls["untyped"]).empty());
  EXPECT_TRUE(Image->resultTypes(1).empty());
}

} // namespace
