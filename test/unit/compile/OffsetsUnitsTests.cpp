// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/OffsetsUnits.h"

#include "test/unit/support/TempTree.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

struct Tree : TempTree {
  Tree() {
    file("src/arch/a/kernel/asm-offsets.c");
    file("src/arch/b/kernel/asm-offsets.c");
    file("src/arch/b/kvm/kvm-asm-offsets.c");
    for (const char *Build : {"one", "two"})
      List.Builds.push_back(
          {path(Build), {path("src"), path(Build), true}, "", "", ""});
  }
  void unit(uint32_t Build, std::vector<std::string> Args,
            const std::string &Name = "k/x.c") {
    Args.push_back(path("src/" + Name));
    List.Units.push_back(
        {Args.back(), Name, path("obj"), std::move(Args), Build});
  }
  /// "relative@build" of each unit, in order.
  std::vector<std::string> found() const {
    std::vector<std::string> Names;
    for (const CompileUnit &Unit : offsetsUnits(List)) {
      EXPECT_EQ(Unit.File, path("src/" + Unit.Relative));
      EXPECT_EQ(Unit.Args.back(), Unit.File);
      EXPECT_EQ(Unit.Directory, path("obj"));
      Names.push_back(Unit.Relative + "@" + std::to_string(Unit.Build));
    }
    return Names;
  }
  UnitList List;
};

using Names = std::vector<std::string>;

TEST(OffsetsUnits, OfTheArchitectureOfEachBuild) {
  Tree Of;
  Of.unit(0, {"-I" + Of.path("src/arch/a/include")});
  Of.unit(1, {"-I./arch/b/include/generated"});
  EXPECT_EQ(Of.found(), (Names{"arch/a/kernel/asm-offsets.c@0",
                               "arch/b/kernel/asm-offsets.c@1"}));
}

TEST(OffsetsUnits, ThoseOfAFolderWithItsUnits) {
  Tree Of;
  Of.unit(0, {"-Iarch/b/include"}, "arch/b/kvm/x.c");
  EXPECT_EQ(Of.found(), (Names{"arch/b/kernel/asm-offsets.c@0",
                               "arch/b/kvm/kvm-asm-offsets.c@0"}));
}

TEST(OffsetsUnits, FlagsOfTheKernelRatherThanOfAModule) {
  Tree Of;
  Of.unit(0, {"-Iarch/a/include", "-D", "MODULE"});
  Of.unit(0, {"-Iarch/a/include", "-DKERNEL"});
  ASSERT_EQ(Of.found().size(), 1u);
  EXPECT_EQ(offsetsUnits(Of.List)[0].Args[1], "-DKERNEL");
}

TEST(OffsetsUnits, NoneWithoutArchitectureOrFile) {
  Tree Of;
  Of.unit(0, {"-Ilinearch/a/include", "-Iarch/a"});
  Of.unit(1, {"-Iarch/unknown/include"});
  EXPECT_EQ(Of.found(), Names{});
}

} // namespace
} // namespace kst
