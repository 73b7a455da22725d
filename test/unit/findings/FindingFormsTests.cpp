// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/FindingForms.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace kst;

namespace {

TEST(FindingForms, WhatIsGoneHasNoLine) {
  FindingList List;
  Finding &F = List.Findings.emplace_back();
  F.Kind = FindingKind::Gone;
  F.Struct = "s";
  F.File = "s.h";
  EXPECT_EQ(findingsJson(List)[0]["location"], "s.h");
  F.Line = 7;
  EXPECT_EQ(findingsJson(List)[0]["location"], "s.h:7");
}

} // namespace
