// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/CompilerConditions.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

/// How many conditions ask for the compiler.
size_t asked(const char *Text) { return compilerConditions(Text).size(); }

TEST(CompilerConditions, Asked) {
  for (const char *Text :
       {"#ifdef __clang__\nint a;\n#endif\n", "#if __GNUC__ >= 9\n#endif\n",
        "#if __GNUC__ > 4\n#endif\n", "#if __GNUC__ < 4\n#endif\n",
        "#if defined(A) && !defined(__clang__)\n#else\n#endif\n",
        "#if A\n#elif defined __llvm__\n#endif\n",
        "# \\\n if /* of which */ \\\r\n __clang_major__ > 3\r\n#endif\r\n",
        "#if __GNUC_MINOR__ > 2\n#if A\n#endif\n#endif\n"})
    EXPECT_EQ(asked(Text), 1u) << Text;
}

TEST(CompilerConditions, NotAsked) {
  for (const char *Text :
       {"#ifdef __GNUC__\n#endif\n", "#if defined(__GNUC__) && A\n#endif\n",
        "#if __GNUC__ >= 3\n#endif\n", "#ifndef __clang_analyzer__\n#endif\n",
        "/*\n#ifdef __clang__\n*/\n#ifdef A\n#endif\n",
        "const char *t = \"\\\n#ifdef __clang__\";\n#if A\n#endif\n",
        "#ifdef __clang__\n", "#endif\n", "#", ""})
    EXPECT_EQ(asked(Text), 0u) << Text;
}

TEST(CompilerConditions, FromIfToEndif) {
  const auto Found = compilerConditions("int a;\n#ifdef __clang__\nint b;\n"
                                        "#endif\n");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0], std::pair(7u, 31u));
}

} // namespace
} // namespace kst
