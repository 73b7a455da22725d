// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which instance an expression means.

#include "test/unit/support/FactsText.h"
#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

const char *Declarations = R"c(
struct part { int x; struct s *back; };
struct ops { struct s *(*find)(struct s *); };
struct s { int a; struct part b; struct s *next; int row[4];
           const struct ops *ops; };
extern struct s one, many[8];
extern struct s per __percpu_section;
struct task { struct s *mine; };
struct task *get_current(void);
struct s *find(struct s *);
void fill(struct s **);
void use(const void *);
)c";

/// The argument of the last call of use() in `void f(p, q, i) { Body }`.
std::string used(const std::string &Body) {
  TestTU Unit = TestTU::withCode(
      "#include \"kernel.h\"\n" + std::string(Declarations) +
      "void f(struct s *p, struct s *q, long i) {" + Body + "}");
  Unit.Headers["kernel.h"] = kernelLike();
  llvm::Expected<TuFacts> Facts = Unit.build();
  if (!Facts)
    return toString(Facts.takeError());
  std::string Argument = "no call";
  for (const FunctionFact &Function : Facts->Functions)
    for (uint32_t I = Function.Calls.Begin; I != Function.Calls.End; ++I)
      if (const CallFact &Call = Facts->Calls[I];
          Facts->Strings[Call.Callee] == "use")
        Argument = FactsText(*Facts, Function)
                       .value(Facts->ValueArgs[Call.Args.Begin]);
  return Argument;
}

TEST(ValueBuilder, NamesTheInstanceOfAnExpression) {
  struct {
    const char *Expression, *Expected;
  } Cases[] = {
      {"p", "arg0"},
      {"&p->b.x", "arg0.b.x"},
      {"p->next", "*(arg0.next)"},
      {"&p->next->b", "*(arg0.next).b"},
      {"&p->row[i]", "arg0.row[arg2]"},
      {"&p[1]", "arg0[1]"},
      {"p + i", "arg0[arg2]"},
      {"p - 1", "arg0[?]"},
      {"&one.a", "&one.a"},
      {"&many[i].b", "&many[arg2].b"},
      {"i ? p : q", "{arg0|arg1}"},
      {"i ? p : 0", "arg0"},
      {"(void *)(long)p", "arg0"},
      {"READ_ONCE(p->next)", "*(arg0.next)"},
      {"container_of(&q->b, struct s, b)", "arg1"},
      {"container_of(p, struct part, back)", "(arg0 - back)"},
      {"(char *)p + offsetof(struct s, b)", "arg0.b"},
      {"(char *)p + i", "?"},
      {"per_cpu_ptr(&per, i)", "percpu &per@arg2"},
      {"&per_cpu_ptr(&per, i)->b", "percpu &per@arg2.b"},
      {"this_cpu_ptr(&per)", "percpu &per@this_cpu"},
      {"get_current()->mine", "*(current.mine)"},
      {"find(p)", "call0"},
      {"p->ops->find(p)", "call0"},
      {"({ struct s *l = q; l; })", "arg1"},
      {"use", "use"},
      {"0", "0"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(used("use(" + std::string(Case.Expression) + ");"), Case.Expected)
        << Case.Expression;
}

TEST(ValueBuilder, FollowsLocalVariables) {
  struct {
    const char *Body, *Expected;
  } Cases[] = {
      {"struct s *l = p; use(l);", "arg0"},
      {"struct s *l; l = p->next; use(l);", "*(arg0.next)"},
      {"struct s *l = p; if (i) l = q; use(l);", "local{arg1|arg0}"},
      {"for (; p; p = p->next) use(p);", "local{arg0|*(local.next)}"},
      // In front of the loop it is what was passed.
      {"if (i) { use(p); return; } for (p = q; p; p = p->next) fill(&q);",
       "arg0"},
      {"struct s *l = p->next; if (i) find(q); for (p = q; p; p = p->next) "
       "use(l);",
       "*(arg0.next)"},
      {"while (i--) { use(p); p = q; }", "local{arg0|arg1}"},
      {"struct s l; use(&l.b);", "object0.b"},
      {"struct s *l; fill(&l); use(l);", "*(object0)"},
      // A known limit: what fill() may store instead is not seen.
      {"struct s *l = p; fill(&l); use(l);", "arg0"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(used(Case.Body), Case.Expected) << Case.Body;
}

} // namespace
} // namespace kst
