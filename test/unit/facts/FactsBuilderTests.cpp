// SPDX-License-Identifier: GPL-2.0-or-later
//
// Alignments that flags and targets give to members, held against the offsets
// that clang gives: by the rules of the layout stage both are the same, or the
// record is marked.

#include "hybrid/facts/FactsRecord.h"
#include "hybrid/layout/FieldOffsets.h"
#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

struct Case {
  const char *Target;
  std::vector<std::string> Flags;
  const char *Members;
  const char *Before = "";
};

/// "SIZE", " marked" where it is, and where the two differ.
std::string laidOut(const Case &C) {
  TestTU Unit = TestTU::withCode(
      C.Before + ("struct s {" + std::string(C.Members)) + "} x;\n");
  Unit.Target = C.Target;
  Unit.ExtraArgs = C.Flags;
  llvm::Expected<TuFacts> Facts = Unit.build();
  if (!Facts)
    return toString(Facts.takeError());
  for (const RecordFact &Fact : Facts->Records)
    if (Facts->Strings[Fact.Name] == "s") {
      const bool Marked = Fact.Flags & RecForeignRules;
      return std::to_string(Fact.SizeBytes) + (Marked ? " marked" : "") +
             (Marked ? "" : offsetMismatch(recordInfo(*Facts, Fact)));
    }
  return "no record";
}

constexpr const char *Mixed = "char a; int b; char c; double d; char e; "
                              "long long f; short g;";

TEST(FactsBuilder, AlignmentsUnderFlags) {
  const std::pair<Case, const char *> Cases[] = {
      {{"x86_64-linux-gnu", {}, Mixed}, "48"},
      {{"x86_64-linux-gnu", {"-fpack-struct=1"}, Mixed}, "25"},
      {{"x86_64-linux-gnu", {"-fpack-struct"}, Mixed}, "25"},
      {{"x86_64-linux-gnu", {"-fpack-struct=2"}, Mixed}, "28"},
      {{"x86_64-linux-gnu", {"-fpack-struct=4"}, Mixed}, "36"},
      {{"x86_64-linux-gnu", {"-fpack-struct=16"}, Mixed}, "48"},
      {{"x86_64-linux-gnu",
        {"-fpack-struct=2"},
        "char a; unsigned b : 20, c : 20; int d;"},
       "10"},
      {{"x86_64-linux-gnu",
        {"-fpack-struct=2"},
        "char a; struct { char b; double c; }; union { int d; char e; };"},
       "16"},
      {{"x86_64-linux-gnu",
        {"-fpack-struct=2"},
        "char a; int b __attribute__((aligned(8)));"},
       "6 marked"},
      {{"x86_64-linux-gnu", {"-fpack-struct=2"}, "char a; int : 0; char b;"},
       "5 marked"},
      {{"i386-linux-gnu", {}, Mixed}, "36"},
      {{"i386-linux-gnu", {"-malign-double"}, Mixed}, "48"},
      {{"i386-linux-gnu", {"-malign-double"}, "char a; long double b;"},
       "24 marked"},
      {{"i386-linux-gnu", {"-mms-bitfields"}, Mixed}, "48"},
      {{"x86_64-linux-gnu", {"-mms-bitfields"}, "char a; int b : 3; char c;"},
       "12 marked"},
      {{"x86_64-w64-mingw32", {}, "char a; int b : 3; char c;"}, "12 marked"},
      {{"x86_64-pc-windows-msvc", {}, "char a; int b : 3; char c;"},
       "12 marked"},
      {{"x86_64-pc-windows-msvc", {}, "char a; long b; void *c;"}, "16"},
      {{"arm-linux-gnueabihf", {}, Mixed}, "48"},
      {{"avr", {"-fpack-struct=1"}, "char a; short b; int c : 10, d : 10;"},
       "6"},
      {{"avr", {}, "char a; int c : 10, d : 10;"}, "4"},
  };
  for (const auto &[C, Expected] : Cases)
    EXPECT_EQ(laidOut(C), Expected)
        << C.Target << " " << (C.Flags.empty() ? "" : C.Flags[0]) << " "
        << C.Members;
}

TEST(FactsBuilder, AlignmentsUnderPragmas) {
  const char *Members = "char a; int b __attribute__((aligned(8))); int c;";
  EXPECT_EQ(laidOut({"x86_64-linux-gnu", {}, Members}), "16");
  EXPECT_EQ(laidOut({"x86_64-linux-gnu", {}, Members, "#pragma pack(2)\n"}),
            "10");
  // A pragma counts, not the flag, also where it allows more.
  EXPECT_EQ(laidOut({"x86_64-linux-gnu",
                     {"-fpack-struct=1"},
                     "char a; int b;",
                     "#pragma pack(4)\n"}),
            "8");
}

} // namespace
} // namespace kst
