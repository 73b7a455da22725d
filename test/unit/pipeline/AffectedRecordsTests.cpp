// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/AffectedRecords.h"

#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

/// Names of the records that a change of members in `Header` may lay out
/// otherwise, each followed by a blank.
std::string affected(const std::string &Header, const std::string &Code) {
  TestTU Unit = TestTU::withCode("#include \"changed.h\"\n" + Code);
  Unit.Headers["changed.h"] = Header;
  auto Facts = Unit.build();
  if (!Facts)
    return llvm::toString(Facts.takeError());
  const std::vector<TuFacts> Units{std::move(*Facts)};
  std::string Names;
  for (const auto &[Name, File, Line] : affectedRecords(
           Program(Units), {"changed.h"}, [&](const std::string &File) {
             return File == Unit.File ? Unit.Code : Header;
           }))
    Names += Name + " ";
  return Names;
}

TEST(AffectedRecords, ThoseInTheFilesAndWhoHoldsThem) {
  EXPECT_EQ(affected("struct in { int a; };",
                     "struct holder { struct in one; };\n"
                     "struct outer { struct holder one[2]; };\n"
                     "struct pointer { struct in *one; };\n"
                     "int f(struct outer *o, struct pointer *p) {\n"
                     "  return o->one[0].one.a + p->one->a; }\n"),
            "holder in outer ");
}

TEST(AffectedRecords, ThoseWithComputedBounds) {
  EXPECT_EQ(affected("struct in { int a; };",
                     "struct sized {\n  char all[sizeof(struct in)];\n};\n"
                     "struct plain {\n  char all[4];\n};\n"
                     "int f(struct sized *s, struct plain *p) {\n"
                     "  return s->all[0] + p->all[0]; }\n"),
            "in sized ");
}

// `struct __va_list_tag` is on line 0 of no file.
TEST(AffectedRecords, TheCompilersOwnHaveNoText) {
  EXPECT_EQ(affected("struct in { int a[sizeof(int)]; };",
                     "int f(struct in *s, ...) {\n"
                     "  __builtin_va_list all;\n"
                     "  __builtin_va_start(all, s);\n"
                     "  s->a[0] = __builtin_va_arg(all, int);\n"
                     "  __builtin_va_end(all);\n"
                     "  return s->a[0]; }\n"),
            "in ");
}

} // namespace
