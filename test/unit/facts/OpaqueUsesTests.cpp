// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code is opaque, which is a rule, and which is neither.

#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

const char *Records = R"c(
typedef unsigned long size_t;
typedef unsigned char u8;
typedef unsigned u32;
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
struct one { u32 a, b; u8 data[16]; u32 c; };
struct table { int off; size_t len; };
long receive(int from, void *buffer, size_t n);
)c";

/// Ends of flows of the one function: "one: offset", "f.0: byte 4".
std::vector<std::string> ends(const std::string &Code) {
  auto Facts = TestTU::withCode(std::string(Records) + Code).build();
  if (!Facts)
    return {toString(Facts.takeError())};
  auto Name = [&](const SlotFact &S) -> std::string {
    switch (S.Kind) {
    case SlotKind::Record:
      return Facts->Strings[Facts->Records[S.A].Name];
    case SlotKind::Member: {
      const RecordFact &Record = Facts->Records[S.A];
      return Facts->Strings[Record.Name] + "." +
             Facts->Strings[Facts->Fields[Record.Fields.Begin + S.B].Name];
    }
    case SlotKind::Param:
      return Facts->Strings[S.A] + "." + std::to_string(S.B);
    case SlotKind::Global:
      return Facts->Strings[S.A];
    case SlotKind::Number:
      return NumberKind(S.A) == NumberKind::Measured  ? "measured"
             : NumberKind(S.A) == NumberKind::Counted ? "counted"
                                                      : "written";
    case SlotKind::Byte:
      return "byte " + std::to_string(S.A);
    case SlotKind::Opaque:
      return OpaqueKind(S.C) == OpaqueKind::Offset     ? "offset"
             : OpaqueKind(S.C) == OpaqueKind::Length   ? "length"
             : OpaqueKind(S.C) == OpaqueKind::Rest     ? "rest"
             : OpaqueKind(S.C) == OpaqueKind::Assembly ? "assembly"
                                                       : "foreign";
    default:
      return "?";
    }
  };
  std::vector<std::string> Lines;
  for (const PointerFlowFact &F : Facts->PointerFlows)
    if (F.From.Kind == SlotKind::Number || F.From.Kind == SlotKind::Opaque ||
        F.To.Kind == SlotKind::Opaque || F.To.Kind == SlotKind::Byte)
      Lines.push_back(Name(F.From) + ": " + Name(F.To));
  std::sort(Lines.begin(), Lines.end());
  return Lines;
}

struct Case {
  const char *Name;
  const char *Code;
  std::vector<std::string> Ends;
};

void PrintTo(const Case &Shown, std::ostream *Out) { *Out << Shown.Name; }

class OpaqueCode : public testing::TestWithParam<Case> {};

TEST_P(OpaqueCode, Found) { EXPECT_EQ(ends(GetParam().Code), GetParam().Ends); }

const Case Cases[] = {
    {"OffsetOfCaller",
     "u32 f(struct one *p, int at) { return *(u32 *)((char *)p + at); }",
     {"f.1: offset", "one: offset"}},
    {"OffsetOfTable",
     "u32 f(void *p, struct table *t) { return *(u32 *)((char *)p + t->off); }",
     {"f.0: offset", "table.off: offset"}},
    {"OffsetThroughLocal",
     "u32 f(struct one *p, struct table *t) { int at = t->off;\n"
     "char *b = (char *)p; b += at; return *(u32 *)b; }",
     {"one: offset", "table.off: offset"}},
    {"OffsetOfNumbers",
     "u32 f(struct one *p, size_t n) { return *(u32 *)((size_t)p + n); }",
     {"f.1: offset", "one: offset"}},
    {"WordsOfVoid",
     "u32 f(void *p, int i) { u32 *w = p; return w[i]; }",
     {"f.0: offset", "f.1: offset"}},
    {"OffsetIsMeasured",
     "u32 f(struct one *p, int i) { return *(u32 *)((char *)p + i *\n"
     "sizeof(struct table)); }",
     {}},
    {"OffsetOfElement",
     "u32 f(void *p, int i, int each) { return *(u32 *)((char *)p + i * each);"
     " }",
     {}},
    {"ByteByNumber",
     "int f(void *p) { return *((char *)p + 4); }",
     {"f.0: byte 4"}},
    {"LoopOfKnownLength",
     "void f(void *p) { u8 *b = p; for (int i = 0; i < 8; i++) b[i] = 0; }",
     {"f.0: byte 7"}},
    {"LoopOfUnknownLength",
     "void f(void *p, int n) { u8 *b = p; for (int i = 0; i < n; i++)\n"
     "b[i] = 0; }",
     {"f.0: length", "f.1: length"}},
    {"CopyOfUnknownLength",
     "void f(struct one *p, void *from, size_t n) { memcpy(&p->a, from, n); }",
     {"f.1: length", "f.2: length", "f.2: rest", "one: rest"}},
    {"CountedArgument",
     "void g(void *p, size_t n); void f(struct one *p) { g(p, 4); }",
     {"counted: g.1"}},
    {"WrittenArgument",
     "u32 g(void *p, u32 at); u32 f(struct one *p) { return g(p, 4); }",
     {"written: g.1"}},
    {"NumberOfPointerInVariable",
     "u32 f(struct one *p, unsigned long at) {\n"
     "unsigned long n = (unsigned long)p; n += at; return *(u32 *)n; }",
     {"f.1: offset", "one: offset"}},
    {"MemberInVariable",
     "u32 f(struct one *p, unsigned long at) {\n"
     "u32 *a = &p->a; char *b = (char *)a; return *(u32 *)(b + at); }",
     {"f.1: offset", "one: offset"}},
    {"CopyIntoArray",
     "void f(struct one *p, struct one *q, size_t n) {\n"
     "memcpy(p->data, q->data, n); }",
     {"f.2: length", "one.data: length"}},
    {"WholeObjects",
     "void f(struct one *p, int n) { memset(p, 0, n * sizeof(*p)); }",
     {}},
    {"MeasuredArgument",
     "void g(void *p, size_t n); void f(struct one *p) { g(p, sizeof(*p)); }",
     {"measured: g.1"}},
    {"MeasuredMember",
     "struct table t = {.off = __builtin_offsetof(struct one, b)};",
     {"measured: table.off"}},
    {"MeasuredArray",
     "int offs[] = {0, __builtin_offsetof(struct one, b)};",
     {"measured: offs"}},
    {"PacketOfConst",
     "u32 f(const u8 *b) { return ((const struct one *)b)->b; }",
     {"f.0: foreign", "foreign: one"}},
    {"PacketThatIsRead",
     "u32 f(u8 *b, int at) { struct one *p = (void *)(b + at); return p->b; }",
     {"f.0: foreign", "f.0: offset", "f.1: offset", "foreign: one"}},
    {"MemoryThatIsWritten",
     "struct one *f(u8 *b) { struct one *p = (struct one *)b; p->a = 1;\n"
     "return p; }",
     {}},
    {"BufferThatIsFilled",
     "u32 f(void) { char b[32]; receive(0, b, 32);\n"
     "return ((struct one *)b)->a; }",
     {"counted: receive.2", "foreign: one", "written: receive.0"}},
    {"RowOfPointers",
     "void *f(void **any, struct one *p, int i) { any[0] = p; return any[i]; "
     "}",
     {}},
    {"BytesOfMember",
     "struct table *f(struct one *p) { struct table *t = (void *)p->data;\n"
     "return t->off ? t : 0; }",
     {}},
};
INSTANTIATE_TEST_SUITE_P(OpaqueUses, OpaqueCode, testing::ValuesIn(Cases),
                         [](const auto &Info) { return Info.param.Name; });

} // namespace
} // namespace kst
