// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code demands an order of fields, and which only looks like it.

#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

const char *Records = R"c(
typedef unsigned long size_t;
#define offsetof(T, m) __builtin_offsetof(T, m)
#define sizeof_field(T, m) sizeof(((T *)0)->m)
#define offsetofend(T, m) (offsetof(T, m) + sizeof_field(T, m))
#define container_of(p, T, m) ({ \
  void *mptr = (void *)(p); \
  _Static_assert(__builtin_types_compatible_p(typeof(*(p)), \
                 typeof(((T *)0)->m)), "type"); \
  ((T *)(mptr - offsetof(T, m))); })
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define ASSERT_(c, name) do { \
  extern void name(void) __attribute__((error("broken"))); \
  if (!(c)) name(); } while (0)
#define BUILD_BUG_ON(c) ASSERT_(!(c), CAT(check, __LINE__))
#define BUILD_BUG_ON_ZERO(c) ((int)(sizeof(struct { int : (-!!(c)); })))
#define memset __builtin_memset
#define memcpy __builtin_memcpy
#define memcmp __builtin_memcmp
struct t {
  int a, b, c;
  struct { int x, y; } in;
  union { int u; long v; };
  char begin[0];
  int m, n;
  char end[0];
  int z;
};
struct base { int first, second; };
struct mid { struct base base; int more; };
struct top { struct mid mid; int last; };
struct twin { struct base base; long other; };
struct other { int p, q; struct base base; };
struct row { size_t offset, size; const char *name; };
struct nest { int o; struct { int a, b; struct { int c, d; }; }; int e; };
)c";

const char *name(DemandKind Kind) {
  const char *Names[] = {"Block",        "Tail",           "Distance",
                         "Compared",     "Overrun",        "Assembly",
                         "Positional",   "AssertedOffset", "AssertedOrder",
                         "AssertedSpan", "AssertedEnd",    "MadeAfter"};
  static_assert(std::size(Names) == size_t(DemandKind::Count));
  return Names[size_t(Kind)];
}

/// "Block t.c", "Distance t.c-a": without the place.
std::vector<std::string> shown(const TuFacts &Facts) {
  std::vector<std::string> Lines;
  for (const DemandFact &D : Facts.Demands) {
    const RecordFact &Record = Facts.Records[D.Record];
    auto Field = [&](uint32_t Number) {
      return Number == None
                 ? std::string("*")
                 : Facts.Strings[Facts.Fields[Record.Fields.Begin + Number]
                                     .Name];
    };
    std::string Line = std::string(name(D.Kind)) + " " +
                       Facts.Strings[Record.Name] + "." + Field(D.Field);
    if (D.Other != None || D.Kind == DemandKind::Overrun)
      Line += "-" + Field(D.Other);
    Lines.push_back(Line);
  }
  std::sort(Lines.begin(), Lines.end());
  return Lines;
}

struct Case {
  const char *Name;
  const char *Code;
  std::vector<std::string> Demands;
};

void PrintTo(const Case &Shown, std::ostream *Out) { *Out << Shown.Name; }

class Demands : public testing::TestWithParam<Case> {};

TEST_P(Demands, Found) {
  TestTU Unit = TestTU::withCode(std::string(Records) + GetParam().Code);
  auto Facts = Unit.build();
  ASSERT_TRUE(bool(Facts)) << toString(Facts.takeError());
  EXPECT_EQ(shown(*Facts), GetParam().Demands);
}

const Case Ranges[] = {
    {"ClearUpTo",
     "void f(struct t *p) { memset(p, 0, offsetof(struct t, c)); }",
     {"Block t.c"}},
    {"ClearBetween",
     "void f(struct t *p) { memset(&p->b, 0, offsetof(struct t, m) - "
     "offsetof(struct t, b)); }",
     {"Distance t.b-m", "Distance t.m-b"}},
    {"ClearFrom",
     "void f(struct t *p) { memset((char *)p + offsetof(struct t, c), 0, "
     "sizeof(*p) - offsetof(struct t, c)); }",
     {"Distance t.c"}},
    {"ClearBehind",
     "void f(struct t *p) { memset((char *)p + offsetofend(struct t, c), 0, "
     "sizeof(*p) - offsetofend(struct t, c)); }",
     {"Distance t.c"}},
    {"RestOfLargerObject",
     "struct kind { size_t size; };\n"
     "void f(struct t *p, struct t *q, struct kind *k) { memcpy(&p->m, &q->m, "
     "k->size - offsetof(struct t, m)); }",
     {"Distance t.m"}},
    {"CountInVariable",
     "void f(struct t *p) { const size_t n = offsetof(struct t, c); "
     "memset(p, 0, n); }",
     {"Block t.c"}},
    {"DistanceByVariable",
     "size_t f(struct t *p) { size_t n = offsetof(struct t, c) + sizeof(int); "
     "n -= 4; return (sizeof(*p) - n) / 4; }",
     {"Distance t.c"}},
    {"HashOfPrefix",
     "unsigned hash(const unsigned *k, unsigned n);\n"
     "unsigned f(struct t *p) { return hash((unsigned *)p, "
     "offsetof(struct t, c) / 4); }",
     {"Block t.c"}},
    {"SizeParameter",
     "void *get(size_t size);\n"
     "struct t *f(void) { return get(offsetof(struct t, m)); }",
     {"Tail t.m"}},
    {"SizeAtRunTime",
     "void make(struct t *p, size_t size);\n"
     "void f(struct t *p, int n) { make(p, offsetof(struct t, m) + n * 8); }",
     {"Tail t.m"}},
    {"SizeAtRunTimeKept",
     "struct kind { size_t object_size, next; };\n"
     "void f(struct kind *k, int n) {\n"
     "k->object_size = offsetof(struct t, m) + n * 8;\n"
     "k->next = offsetof(struct t, c) + n * 8; }",
     {"Tail t.m"}},
    {"SizeOfBytesThatVary",
     "void make(struct t *p, size_t size);\n"
     "void f(struct t *p, int n) { make(p, sizeof(*p) + n * 8); }",
     {}},
    {"ReturnedOffset",
     "static size_t upto(void) { return offsetof(struct t, c); }\n"
     "void f(struct t *p) { memset(p, 0, upto()); }",
     {"Block t.c"}},
    {"ReturnedOffsetOfOne",
     "static size_t where(void) { return offsetof(struct t, c); }\n"
     "int *f(char *p) { return (int *)(p + where()); }",
     {}},
    {"Pointers",
     "long f(struct t *p) { return (char *)&p->m - (char *)&p->b; }",
     {"Distance t.b-m", "Distance t.m-b"}},
    {"NullPointers",
     "size_t f(void) { return (size_t)&((struct t *)0)->m - "
     "(size_t)&((struct t *)0)->b; }",
     {"Distance t.b-m", "Distance t.m-b"}},
    {"LengthCompared",
     "int f(size_t n) { return n < offsetofend(struct t, c); }",
     {"Compared t.c"}},
    {"TwoMembersByConstant",
     "void f(struct t *p, char *q) { memcpy(&p->a, q, 8); }",
     {"Overrun t.a-b"}},
    {"StartByConstant",
     "void f(struct t *p) { memset(p, 0, 12); }",
     {"Overrun t.*-c"}},
    {"InTable",
     "struct row r = { .size = offsetof(struct t, m) - offsetof(struct t, b) "
     "};",
     {"Distance t.b-m", "Distance t.m-b"}},
    {"RowOfTwoMembers",
     "struct row r = { .offset = offsetof(struct t, b), .size = 8 };",
     {"Overrun t.b-c"}},
    {"CountOfWords",
     "unsigned hash(const unsigned *k, unsigned length);\n"
     "unsigned f(struct t *p) { return hash((unsigned *)&p->a, 2); }",
     {"Overrun t.a-b"}},
    {"CountOfOneWord",
     "unsigned hash(const unsigned *k, unsigned length);\n"
     "unsigned f(struct t *p) { return hash((unsigned *)&p->a, 1); }",
     {}},
    {"CountOfBits",
     "unsigned long find_bit(const unsigned long *map, unsigned long size);\n"
     "struct s { unsigned long map[2]; long b, c; };\n"
     "unsigned long f(struct s *p) { return find_bit(p->map, 100); }",
     {}},
    {"CountOfTooManyBits",
     "unsigned long find_bit(const unsigned long *map, unsigned long size);\n"
     "struct s { unsigned long map[2]; long b, c; };\n"
     "unsigned long f(struct s *p) { return find_bit(p->map, 129); }",
     {"Overrun s.map-b"}},
    {"CountOfLongs",
     "unsigned long sum(const unsigned long *row, unsigned long size);\n"
     "struct s { unsigned long row[2]; long b, c; };\n"
     "unsigned long f(struct s *p) { return sum(p->row, 3); }",
     {"Overrun s.row-b"}},
    {"NoCountOfABodyThatStaysThere",
     "static inline void average(int *sum, int n, int v) {\n"
     "  int old = *sum;\n"
     "  while (!__atomic_compare_exchange_n(sum, &old, old - old / n + v, 0, "
     "0, 0)) ;\n"
     "}\n"
     "void f(struct t *p) { average(&p->a, 2, 3); }",
     {}},
    {"CountOfABodyThatReadsMoreAtOnce",
     "static inline long both(int *two, int n) { return *(long *)two; }\n"
     "long f(struct t *p) { return both(&p->a, 2); }",
     {"Overrun t.a-b"}},
    {"CountOfABodyThatStepsOn",
     "static inline int sum(int *row, int n) {\n"
     "  int all = 0; while (n--) all += *row++; return all;\n"
     "}\n"
     "int f(struct t *p) { return sum(&p->a, 2); }",
     {"Overrun t.a-b"}},
    {"NoCount",
     "unsigned hash(const unsigned *k, unsigned seed);\n"
     "unsigned f(struct t *p) { return hash((unsigned *)&p->a, 2); }",
     {}},
    {"StringIntoTwo",
     "struct s { char a[4]; char b[4]; int c; };\n"
     "char *strncpy(char *to, const char *from, size_t n);\n"
     "void f(struct s *p, char *q) { strncpy(p->a, q, 8); }",
     {"Overrun s.a-b"}},
    {"CopyBetweenByPointers",
     "void f(struct t *p, struct t *q) { memcpy(&p->b, &q->b, (char *)&p->m - "
     "(char *)&p->b); }",
     {"Distance t.b-m", "Distance t.m-b"}},
    {"LoopOverMembers",
     "void f(struct t *p) { for (int *q = &p->a; q <= &p->c; q++) *q = 0; }",
     {"Overrun t.a-c"}},
    {"LoopToEndInVariable",
     "void f(struct t *p) { int *q = &p->a, *end; end = &p->c;\n"
     "while (q != end) *q++ = 0; }",
     {"Overrun t.a-c"}},
    {"LoopOverList",
     "struct list { struct list *next; };\n"
     "struct both { int n; struct list one, two; };\n"
     "int f(struct both *p) { struct list *q; int n = 0;\n"
     "for (q = p->one.next; q != &p->one; q = q->next) n++;\n"
     "for (q = p->two.next; q != &p->two; q = q->next) n++; return n; }",
     {}},
    {"NextMember",
     "int f(struct t *p) { return *(&p->a + 1); }",
     {"Overrun t.a-b"}},
    {"MemberAsArray",
     "int f(struct t *p, int i) { return (&p->a)[i]; }",
     {"Overrun t.a-c"}},
    {"BehindTheRecord",
     "char *f(struct t *p) { return (char *)(&p->z + 1); }",
     {"Distance t.z"}},
    {"ElementOfMember",
     "struct arr { int v[4]; int w; };\n"
     "int f(struct arr *p, int i) { return *(p->v + i) + p->v[2]; }",
     {}},
    {"ByteByNumber",
     "int f(struct t *p) { return *(int *)((char *)p + 8); }",
     {"Overrun t.*-c"}},
    {"BehindByNumber",
     "char *f(struct t *p) { return (char *)p + sizeof(*p); }",
     {}},
    {"Words",
     "int f(struct t *p) { return ((int *)p)[1]; }",
     {"Overrun t.*-b"}},
    {"WordsByIndex",
     "int f(struct t *p, int i) { return ((int *)p)[i]; }",
     {"Overrun t.*-*"}},
    {"FirstWord",
     "int f(struct t *p) { return *(int *)p; }",
     {"Overrun t.*-a"}},
    {"Bytes", "int f(struct t *p, int i) { return ((char *)p)[i]; }", {}},
    // One member only: the compiler gives whatever offset it has.
    {"OneMember",
     "void f(struct t *p) { memset(&p->in, 0, sizeof(p->in)); }",
     {}},
    {"Whole", "void f(struct t *p) { memset(p, 0, sizeof(*p)); }", {}},
    {"OneElement",
     "struct arr { int v[4]; int w; };\n"
     "void f(struct arr *p) { memset(&p->v[1], 0, 12); }",
     {}},
    {"ContainerOf",
     "struct t *f(int *p) { return container_of(p, struct t, c); }",
     {}},
    {"AddressOfMember",
     "int *f(struct t *p, unsigned long q) { q -= offsetof(struct t, a); "
     "return (int *)((char *)p + offsetof(struct t, c)) + "
     "*(int *)((unsigned long)p - offsetof(struct t, c)); }",
     {"Distance t.a"}},
    {"Tables",
     "struct row r = { .offset = offsetof(struct t, m), "
     ".size = sizeof_field(struct t, m), .name = \"m\" };\n"
     "void f(struct row *x) { x->offset = offsetof(struct t, b); }",
     {}},
    {"OffsetParameter",
     "void put(size_t offset);\nvoid f(void) { put(offsetof(struct t, m)); }",
     {}},
    {"AccessCheck",
     "int f(size_t off, size_t n) { return off >= offsetof(struct t, c) && "
     "off + n <= offsetofend(struct t, c); }",
     {}},
    {"AccessSwitch",
     "int f(size_t off, size_t n) { size_t end; switch (off) {\n"
     "case offsetof(struct t, a): end = offsetofend(struct t, a); break;\n"
     "case offsetof(struct t, c) ... offsetofend(struct t, c) - 1:\n"
     "  end = offsetofend(struct t, c); break;\n"
     "default: return 0; }\nreturn off + n <= end; }",
     {}},
    {"WhichMember",
     "int f(size_t off) { return off == offsetof(struct t, c); }",
     {}},
    {"CompileTimeChoice",
     "int f(void) { return offsetof(struct t, c) == 8 ? 1 : 2; }",
     {}},
    {"InnerRecordOnly",
     "void f(struct t *p) { memset(&p->in.x, 0, offsetof(struct t, in.y) - "
     "offsetof(struct t, in.x)); }",
     {"Distance (anonymous at main.c:23:3).x-y",
      "Distance (anonymous at main.c:23:3).y-x"}},
};
INSTANTIATE_TEST_SUITE_P(Ranges, Demands, testing::ValuesIn(Ranges),
                         [](const auto &Info) { return Info.param.Name; });

const Case Assertions[] = {
    {"First",
     "void f(void) { BUILD_BUG_ON(offsetof(struct t, a) != 0); }",
     {"AssertedOffset t.a"}},
    {"AtFileScope",
     "_Static_assert(offsetof(struct t, c) == 8, \"third\");",
     {"AssertedOffset t.c"}},
    {"InBlock",
     "void f(void) { _Static_assert(offsetof(struct t, c) == 8, \"third\"); }",
     {"AssertedOffset t.c"}},
    {"InSizeOf",
     "int f(void) { return BUILD_BUG_ON_ZERO(offsetof(struct t, c) != 8); }",
     {"AssertedOffset t.c"}},
    {"TwoRecords",
     "_Static_assert(offsetof(struct t, b) == offsetof(struct base, second), "
     "\"\");",
     {"AssertedOffset base.second", "AssertedOffset t.b"}},
    {"Adjacent",
     "_Static_assert(offsetofend(struct t, a) == offsetof(struct t, b), \"\");",
     {"AssertedSpan t.a-b"}},
    {"GroupSize",
     "void f(void) { BUILD_BUG_ON(offsetof(struct t, end) - "
     "offsetofend(struct t, begin) > 8); }",
     {"AssertedSpan t.begin-end"}},
    {"GroupMember",
     "void f(void) { BUILD_BUG_ON(!(offsetof(struct t, m) >= "
     "offsetofend(struct t, begin) && offsetofend(struct t, m) <= "
     "offsetof(struct t, end))); }",
     {"AssertedOrder t.end-m", "AssertedOrder t.m-begin"}},
    {"MemberOfUnionInOrder",
     "void f(void) { BUILD_BUG_ON(offsetof(struct t, u) < "
     "offsetofend(struct t, c)); }",
     {"AssertedOrder t.u|v-c"}},
    {"Alignment",
     "void f(void) { BUILD_BUG_ON(offsetof(struct t, v) % 8); "
     "BUILD_BUG_ON(offsetof(struct t, c) & 3); }",
     {}},
    {"AlignmentByLuck",
     "void f(void) { BUILD_BUG_ON(offsetof(struct t, c) % 8); }",
     {"AssertedOffset t.c"}},
    {"AlignmentOfSum",
     "struct cb { char c; char data[8]; };\n"
     "void f(void) { BUILD_BUG_ON((offsetof(struct t, v) + "
     "offsetof(struct cb, data)) % 4 != 1); }",
     {"AssertedOffset cb.data"}},
    {"AlwaysTrue",
     "void f(void) { BUILD_BUG_ON(offsetof(struct t, c) >= 4096); }",
     {}},
    {"Last",
     "void f(void) { BUILD_BUG_ON(sizeof(struct t) != ((offsetofend(struct t, "
     "z) + 7) & ~7UL)); }",
     {"AssertedEnd t.z"}},
    {"SameCopies",
     "struct both { union { struct { int h, i; }; struct { int h, i; } copy; "
     "}; "
     "};\nvoid f(void) { BUILD_BUG_ON(offsetof(struct both, i) != "
     "offsetof(struct both, copy.i)); }",
     {"AssertedOffset (anonymous at main.c:37:23).i",
      "AssertedOffset (anonymous at main.c:37:45).i"}},
    {"Unreached",
     "static inline void never(void) { BUILD_BUG_ON(offsetof(struct t, c) != "
     "8); }",
     {"AssertedOffset t.c"}},
};
INSTANTIATE_TEST_SUITE_P(Assertions, Demands, testing::ValuesIn(Assertions),
                         [](const auto &Info) { return Info.param.Name; });

const Case Others[] = {
    {"Assembly",
     "void f(void) { asm volatile(\"# %0\" : : \"i\" (offsetof(struct t, m))); "
     "}",
     {"Assembly t.m"}},
    {"ValueInRegister",
     "void f(struct t *p) { asm volatile(\"# %0\" : : \"r\" (p->m)); }",
     {}},
    {"ByPosition", "struct base b = { 1, 2 };", {"Positional base.second"}},
    {"ByPositionOne", "struct base b = { 1 };", {"Positional base.first"}},
    {"ByPositionInFunction",
     "int f(void) { struct base b = { 1, 2 }; return b.first; }",
     {"Positional base.second"}},
    {"ByPositionWithoutBraces",
     "struct base b[2] = { 1, 2, 3, 4 };",
     {"Positional base.second"}},
    {"ByPositionLiteral",
     "struct base f(void) { return (struct base){ 1, 2 }; }",
     {"Positional base.second"}},
    {"PositionBehindName", "struct t x = { .b = 1, 2 };", {"Positional t.c"}},
    {"NamedMemberOfMember",
     "struct mid m = { .base.first = 1, .base.second = 2 };\n"
     "struct { struct { int i, j; }; int k; } x = { .i = 1, .j = 2 };",
     {}},
    {"ArrayOfNamed",
     "struct base b[2] = { { .second = 1 }, [1].second = 2 };",
     {}},
    {"ByName", "struct base b = { .second = 1, .first = 2 };", {}},
    {"Zero", "struct base b = { 0 };\nstruct mid m = { { 0 } };", {}},
    {"Empty", "struct base b = {};", {}},
};
INSTANTIATE_TEST_SUITE_P(Others, Demands, testing::ValuesIn(Others),
                         [](const auto &Info) { return Info.param.Name; });

// Pointers to members, or to the record, that are used as something larger or
// as a row.
const Case Views[] = {
    {"WiderNumber",
     "void f(struct t *p) { *(long *)&p->a = 0; }",
     {"Overrun t.a-b"}},
    {"RecordAtMember",
     "struct base *f(struct t *p) { return (struct base *)&p->b; }",
     {"Overrun t.b-c"}},
    {"AsWide", "void f(struct t *p) { *(unsigned *)&p->a = 0; }", {}},
    {"Bytes", "char *f(struct t *p) { return (char *)&p->a; }", {}},
    {"LargerRecordAroundMember",
     "struct mid *f(struct top *p) { return (struct mid *)&p->mid.base; }",
     {}},
    {"CaseOfOtherSize",
     "void f(struct t *p) { switch (sizeof(p->a)) {\n"
     "case 4: *(unsigned *)&p->a = 0; break;\n"
     "case 8: *(long *)&p->a = 0; break;\n"
     "default: *(long *)&p->b = 0; } }",
     {}},
    {"CaseOfThisSize",
     "void f(struct t *p) { switch (sizeof(p->a)) {\n"
     "case 4: *(long *)&p->a = 0; break;\n"
     "case 8: *(long *)&p->b = 0; } }",
     {"Overrun t.a-b"}},
    {"BranchOfOtherSize",
     "void f(struct t *p) { if (sizeof(p->a) == 8) *(long *)&p->a = 0; }",
     {}},
    {"RowByIndex",
     "int f(struct t *p, int i) { int *d = &p->a; return d[i]; }",
     {"Overrun t.a-c"}},
    {"RowByIncrement",
     "void f(struct t *p, int n) { unsigned *d = (unsigned *)&p->b;\n"
     "while (n--) *d++ = 0; }",
     {"Overrun t.b-c"}},
    {"RowByConstant",
     "int f(struct t *p) { int *d = &p->a; return d[1]; }",
     {"Overrun t.a-b"}},
    {"OneByVariable", "int f(struct t *p) { int *d = &p->a; return *d; }", {}},
    {"RowInCallee",
     "static int sum(int *d, int n) { return n ? d[n] : 0; }\n"
     "int f(struct t *p, int n) { return sum(&p->a, n); }",
     {"Overrun t.a-c"}},
    {"RowOfLength",
     "int sum(const int *d, int length);\n"
     "int f(struct t *p, int n) { return sum(&p->a, n); }",
     {"Overrun t.a-c"}},
    {"OneInCallee",
     "static void set(int *d, int n) { *d = n; }\n"
     "void f(struct t *p, int n) { set(&p->a, n); }",
     {}},
    {"RecordAsRow",
     "int f(struct t *p, int i) { int *d = (int *)p; return d[i]; }",
     {"Overrun t.*-*"}},
    {"RecordAsRowInCallee",
     "static int sum(int *d, int n) { return n ? d[n] : 0; }\n"
     "int f(struct t *p) { return sum((int *)p, sizeof(*p) / 4); }",
     {"Overrun t.*-*"}},
    {"StartByVariable",
     "int f(struct t *p) { int *d = (int *)p; return *d; }",
     {"Overrun t.*-a"}},
    {"PointerOverNumbers",
     "void f(struct t *p, void *next) { *(void **)p = next; }",
     {}},
    {"PointerAtStart",
     "struct node { struct node *next; int a; };\n"
     "void f(struct node *p, void *next) { *(void **)p = next; }",
     {"Overrun node.*-next"}},
    {"ToTheEndOfTheObject",
     "void f(struct t *p) { memset(&p->b, 0, (char *)(p + 1) - "
     "(char *)&p->b); }",
     {"Distance t.b"}},
    {"PointerPastAnArray",
     "struct text { int n; char a[8], b[8]; int z; };\n"
     "void f(struct text *p) { char *c = p->a;\n"
     "while (c < p->b + sizeof(p->b)) *c++ = 0; }",
     {"Overrun text.a-b"}},
    {"PointerPastItsArray",
     "struct text { int n; char a[8], b[8]; int z; };\n"
     "void f(struct text *p) { char *c = p->a;\n"
     "while (c < p->a + sizeof(p->a)) *c++ = 0; }",
     {}},
    {"DistanceOfNumbers",
     "void f(struct t *p) { memset(&p->b, 0, (size_t)&p->m - "
     "(size_t)&p->b); }",
     {"Distance t.b-m", "Distance t.m-b"}},
    {"RangeOfLabels",
     "int f(int n) { switch (n) {\n"
     "case offsetof(struct t, a) ... offsetof(struct t, c) + 3: return 1; }\n"
     "return 0; }",
     {"Overrun t.a-c"}},
    {"RangeOfOneLabel",
     "int f(int n) { switch (n) {\n"
     "case offsetof(struct t, a) ... offsetof(struct t, a) + 3: return 1; }\n"
     "return 0; }",
     {}},
    {"MemoryOfThePartAtTheStart",
     "char *f(char *m) { struct mid *p = (struct mid *)m; p->base.first = 1;\n"
     "m += sizeof(struct base); return m; }",
     {"Overrun mid.*-base"}},
    {"MemoryOfTheWhole",
     "char *f(char *m) { struct mid *p = (struct mid *)m; p->more = 1;\n"
     "m += sizeof(struct mid); return m; }",
     {}},
    {"MemoryOfSomethingElse",
     "char *f(char *m) { struct other *p = (struct other *)m; p->p = 1;\n"
     "return m + sizeof(struct base); }",
     {}},
    {"DistanceInEnum",
     "enum { Bytes = offsetof(struct t, m) - offsetof(struct t, b) };",
     {"Distance t.b-m", "Distance t.m-b"}},
    {"CountInEnum",
     "enum { Bytes = offsetof(struct t, c) };\n"
     "void f(struct t *p) { memset(p, 0, Bytes); }",
     {"Block t.c"}},
    {"CountInConstant",
     "static const size_t Bytes = offsetof(struct t, c);\n"
     "void f(struct t *p) { memset(p, 0, Bytes); }",
     {"Block t.c"}},
    {"AddedByAssembly",
     "void f(struct t *p) { asm volatile(\"incl 8(%0)\" : : \"r\" (p)); }",
     {"Overrun t.*-c"}},
    {"AddedByAssemblyInBrackets",
     "void f(struct t *p) { asm volatile(\"# [%0, #4]\" : : \"r\" (p)); }",
     {"Overrun t.*-b"}},
    {"PointerInAssembly",
     "void f(struct t *p) { asm volatile(\"# %0\" : : \"r\" (p)); }",
     {}},
};
INSTANTIATE_TEST_SUITE_P(Views, Demands, testing::ValuesIn(Views),
                         [](const auto &Info) { return Info.param.Name; });

// Members of anonymous structs are fields of the record around them.
const Case Anonymous[] = {
    {"ClearUpToInner",
     "void f(struct nest *p) { memset(p, 0, offsetof(struct nest, c)); }",
     {"Block nest.c"}},
    {"DistanceAcrossBraces",
     "long f(struct nest *p) { return (char *)&p->d - (char *)&p->o; }",
     {"Distance nest.d-o", "Distance nest.o-d"}},
    {"AssertedInner",
     "_Static_assert(offsetof(struct nest, b) == 8, \"\");",
     {"AssertedOffset nest.b"}},
    {"AssertedSpanInside",
     "_Static_assert(offsetof(struct nest, d) - offsetof(struct nest, a) == "
     "12, \"\");",
     {"AssertedSpan nest.a-d"}},
    {"OverrunIntoInner",
     "void f(struct nest *p) { memset(p, 0, 8); }",
     {"Overrun nest.*-a"}},
    {"PositionalInside",
     "struct nest n = {1, {2, 3}};",
     {"Positional nest.a", "Positional nest.b"}},
    {"ContainerOfInner",
     "struct nest *f(int *p) { return container_of(p, struct nest, c); }",
     {}},
};

INSTANTIATE_TEST_SUITE_P(Anonymous, Demands, testing::ValuesIn(Anonymous),
                         [](const auto &Info) { return Info.param.Name; });

TEST(Demands, PlaceIsThatOfTheFirstUse) {
  TestTU Unit = TestTU::withCode(
      "struct t { int a, b; };\n"
      "void f(struct t *p) {\n"
      "  __builtin_memset(p, 0, __builtin_offsetof(struct t, b));\n"
      "  __builtin_memset(p, 1, __builtin_offsetof(struct t, b));\n}");
  auto Facts = Unit.build();
  ASSERT_TRUE(bool(Facts));
  ASSERT_EQ(Facts->Demands.size(), 1u);
  const DemandFact &Demand = Facts->Demands[0];
  EXPECT_EQ(Facts->Strings[Demand.Function], "f");
  EXPECT_EQ(Facts->Strings[Demand.File], "main.c");
  EXPECT_EQ(Demand.Line, 3u);
}

} // namespace
} // namespace kst
