// SPDX-License-Identifier: GPL-2.0-or-later
//
// Orders from words and from lists, on a record whose move units a person can
// number: 0 lock, 1 clock, 2 {lo, mid, hi} (bit-fields), 3 left|right,
// 4 {set, get} (made by one macro), 5 count, 6 tail (flexible array).

#include "Records.h"

#include "hybrid/layout/Advise.h"
#include "hybrid/layout/AskedOrder.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

using Order = MoveUnitOrder;
using Texts = std::vector<std::string>;

RecordInfo sample() {
  RecordInfo R = record({field("lock", 4), field("clock", 8), bits("lo", 3),
                         bits("mid", 5), bits("hi", 24), field("left|right", 8),
                         field("set", 8), field("get", 8), field("count", 4),
                         field("tail", 0, 8)});
  R.Fields[5].Anonymous = true;
  R.Fields[5].Members = {"left", "right"};
  R.Fields[9].FlexibleArray = true;
  return R;
}

struct Question {
  JoinedConfigs Evidence;
  std::unique_ptr<LayoutProblem> Problem;
  Texts Notes;

  explicit Question(RecordInfo R = sample()) {
    AffinityEvidence E;
    E.Record = R;
    E.Sets = {visit(10, {touch(0), touch(8)})};
    E.Rules.push_back({RuleKind::Join, {6, 7}, "one macro makes them", {}});
    Evidence.Joint = std::move(R);
    Evidence.Configs.push_back(std::move(E));
    Problem = std::make_unique<LayoutProblem>(Evidence, LayoutOptions());
  }
  /// The order, or nothing; then Error says why.
  Order ask(const std::string &Text) {
    Notes.clear();
    return taken(askedOrder(*Problem, Text, &Notes));
  }
  Order read(const std::string &Text) {
    Notes.clear();
    return taken(orderFromText(*Problem, Text, "my.order", &Notes));
  }
  Order taken(Result<Order> Got) {
    Error = Got.error();
    return Got ? *Got : Order{};
  }
  std::string Error;
};

TEST(AskedOrder, EveryForm) {
  struct Case {
    const char *Text;
    Order Expected;
  };
  Question Q;
  for (const Case &C : {
           Case{"move count after lock", {0, 5, 1, 2, 3, 4, 6}},
           Case{"move lock after count", {1, 2, 3, 4, 5, 0, 6}},
           Case{"move count before clock", {0, 5, 1, 2, 3, 4, 6}},
           Case{"move lock before count", {1, 2, 3, 4, 0, 5, 6}},
           Case{"  move\tcount  first ", {5, 0, 1, 2, 3, 4, 6}},
           Case{"move lock last", {1, 2, 3, 4, 5, 0, 6}},
           Case{"move count to the front", {5, 0, 1, 2, 3, 4, 6}},
           Case{"move lock to end", {1, 2, 3, 4, 5, 0, 6}},
           Case{"move lock after tail", {1, 2, 3, 4, 5, 6, 0}},
           Case{"move tail first", {6, 0, 1, 2, 3, 4, 5}},
           // Several go in the order in which they are named.
           Case{"move count,clock before lock", {5, 1, 0, 2, 3, 4, 6}},
           Case{"move clock , count after left", {0, 2, 3, 1, 5, 4, 6}},
           Case{"move lock and clock last", {2, 3, 4, 5, 0, 1, 6}},
           Case{"swap lock and count", {5, 1, 2, 3, 4, 0, 6}},
           Case{"swap lock with clock", {1, 0, 2, 3, 4, 5, 6}},
           // One after the other.
           Case{"move count first; move lock after right",
                {5, 1, 2, 3, 0, 4, 6}},
           Case{"move count first and move lock after count",
                {5, 0, 1, 2, 3, 4, 6}},
           Case{"swap lock and clock; and move clock last;",
                {0, 2, 3, 4, 5, 1, 6}},
           Case{"move lock first", {0, 1, 2, 3, 4, 5, 6}},
       }) {
    EXPECT_EQ(Q.ask(C.Text), C.Expected) << C.Text << ": " << Q.Error;
    bool Unchanged = C.Expected == Q.Problem->space().declared();
    EXPECT_EQ(Q.Notes, Unchanged ? Texts{"this is the present order"} : Texts{})
        << C.Text;
  }
}

TEST(AskedOrder, WhatCannotBePartedMovesAlong) {
  Question Q;
  EXPECT_EQ(Q.ask("move mid first"), (Order{2, 0, 1, 3, 4, 5, 6}));
  EXPECT_EQ(Q.Notes, (Texts{"'mid' takes 'lo', 'hi' with it: adjacent "
                            "bit-fields are one unit"}));
  EXPECT_EQ(Q.ask("move lo, hi first"), (Order{2, 0, 1, 3, 4, 5, 6}));
  EXPECT_EQ(Q.Notes, (Texts{"'lo', 'hi' take 'mid' with them: adjacent "
                            "bit-fields are one unit"}));
  EXPECT_EQ(Q.ask("move lo,mid,hi first"), (Order{2, 0, 1, 3, 4, 5, 6}));
  EXPECT_TRUE(Q.Notes.empty());
  EXPECT_EQ(Q.ask("swap get and lock"), (Order{4, 1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(Q.Notes,
            (Texts{"'get' takes 'set' with it: one macro makes them"}));
  EXPECT_EQ(Q.ask("move lock after set"), (Order{1, 2, 3, 4, 0, 5, 6}));
  EXPECT_EQ(Q.Notes,
            (Texts{"after 'set' means after 'get': one macro makes them"}));
  Q.ask("move lock after get");
  EXPECT_TRUE(Q.Notes.empty());
}

TEST(AskedOrder, MistakesNameTheWord) {
  const std::string Forms =
      "; the forms are: move A[, B] after|before C; move A[, B] first|last; "
      "swap A and B";
  Question Q;
  struct Case {
    const char *Text;
    std::string Error;
  };
  for (const Case &C : {
           Case{"", "expected 'move' or 'swap' instead of the end" + Forms},
           Case{"put lock first",
                "expected 'move' or 'swap' instead of 'put'" + Forms},
           Case{"move", "expected a field instead of the end" + Forms},
           Case{"move ,lock first", "expected a field instead of ','" + Forms},
           Case{"move lock", "expected 'after', 'before', 'first' or 'last' "
                             "instead of the end" +
                                 Forms},
           Case{"move lock clock first",
                "expected 'after', 'before', 'first' or 'last' instead of "
                "'clock'" +
                    Forms},
           Case{"move lock to line 3",
                "expected 'front' or 'end' instead of 'line'" + Forms},
           Case{"move lock after",
                "expected a field instead of the end" + Forms},
           Case{"move lock after count now",
                "expected ';' and another move instead of 'now'" + Forms},
           Case{"move lock after clock and count",
                "expected 'move' or 'swap' instead of 'count'" + Forms},
           Case{"move lock,lock first",
                "'lock' is to move twice at once" + Forms},
           Case{"move lock after lock", "'lock' moves itself, so nothing can "
                                        "be put beside it" +
                                            Forms},
           Case{"move lo after hi",
                "'hi' moves itself, so nothing can be put beside it" + Forms},
           Case{"swap lock", "expected 'and' instead of the end" + Forms},
           Case{"swap lock and lock", "'lock' cannot trade places with itself"},
           Case{"swap lo and hi", "'lo' and 'hi' cannot trade places: "
                                  "adjacent bit-fields are one unit"},
           Case{"move cuont first", "'sample' has no top-level field 'cuont'; "
                                    "did you mean 'count'?"},
           Case{"move lock after left.x",
                "'left.x' is not the name of a top-level field"},
           Case{"move lo\x01"
                "ck first",
                "'lo?ck' is not the name of a top-level field"},
       }) {
    EXPECT_EQ(Q.ask(C.Text), Order{}) << C.Text;
    EXPECT_EQ(Q.Error, C.Error) << C.Text;
  }
}

TEST(AskedOrder, WordsAreTakenByTheirPlace) {
  Question Q(record({field("move", 8), field("after", 8), field("first", 8),
                     field("and", 8)}));
  EXPECT_EQ(Q.ask("move first after move"), (Order{0, 2, 1, 3}));
  EXPECT_EQ(Q.ask("move and first and move first first"), (Order{2, 3, 0, 1}));
  EXPECT_EQ(Q.ask("swap and and after"), (Order{0, 3, 2, 1}));
}

TEST(AskedOrder, AFieldThatConfigurationsDeclareTwiceMovesAsOne) {
  Question Q(record({field("a", 8), field("n", 4), field("n", 8), field("b", 8),
                     field("c", 8)}));
  EXPECT_EQ(Q.ask("move n last"), (Order{0, 3, 4, 1, 2}));
  EXPECT_EQ(Q.ask("move c after n"), (Order{0, 1, 2, 4, 3}));
  EXPECT_EQ(Q.ask("move c before n"), (Order{0, 4, 1, 2, 3}));
  EXPECT_EQ(Q.ask("swap n and c"), (Order{0, 4, 3, 1, 2}));
  EXPECT_EQ(Q.read("c\nn\n"), (Order{0, 4, 1, 3, 2}));
  EXPECT_EQ(Q.read("n\nc\nn\n"), (Order{0, 1, 4, 3, 2}));
}

TEST(AskedOrder, OffsetsFollowWhateverIsAsked) {
  // lock 0..4, count 4..8, clock 8..16, bit-fields 16..20, left|right 24..32,
  // set 32..40, get 40..48; tail at 48.
  Question Q;
  Order Asked = Q.ask("move count after lock");
  OrderScore Score = scoreOf(*Q.Problem, "question", Asked);
  std::vector<uint64_t> Bytes;
  for (uint64_t Bits : Score.Plan.OffsetBits)
    Bytes.push_back(Bits / 8);
  EXPECT_EQ(Bytes,
            (std::vector<uint64_t>{0, 8, 16, 16, 17, 24, 32, 40, 4, 48}));
  EXPECT_EQ(Score.Plan.SizeBytes, 48u);
  EXPECT_EQ(Score.Moves, 1u);
  EXPECT_TRUE(Score.Notes.empty());

  // Not legal, but its offsets are those that it would have.
  Score = scoreOf(*Q.Problem, "question", Q.ask("move lock after tail"));
  // clock 0..8, bit-fields 8..12, left|right 16..24, set 24, get 32, count
  // 40..44; tail begins at a multiple of 8.
  EXPECT_EQ(Score.Plan.OffsetBits[9] / 8, 48u);
  EXPECT_EQ(Score.Plan.OffsetBits[0] / 8, 48u);
  EXPECT_EQ(Score.Plan.SizeBytes, 56u);
  EXPECT_EQ(Score.Notes, (Texts{"tail: flexible array: stays last"}));
}

TEST(OrderFile, ListedFieldsTradeTheirPlaces) {
  Question Q;
  // Places 0, 1 and 5 in a new order; the others stay.
  EXPECT_EQ(Q.read("count\nlock\nclock\n"), (Order{5, 0, 2, 3, 4, 1, 6}));
  EXPECT_EQ(Q.read("# mine\n\n  count  # was cold\r\nlock"),
            (Order{5, 1, 2, 3, 4, 0, 6}));
  EXPECT_TRUE(Q.Notes.empty());
  EXPECT_EQ(Q.read("right\nmid\n"), (Order{0, 1, 3, 2, 4, 5, 6}));
  EXPECT_EQ(Q.Notes, (Texts{"'mid' takes 'lo', 'hi' with it: adjacent "
                            "bit-fields are one unit"}));
  EXPECT_EQ(Q.read("clock\nlo\nhi\n"), (Order{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Q.Notes.back(), "this is the present order");
}

TEST(OrderFile, MistakesNameTheLine) {
  Question Q;
  struct Case {
    const char *Text, *Error;
  };
  for (const Case &C :
       {Case{"", "my.order: names no field; one name a line was expected"},
        Case{"# nothing\n\n",
             "my.order: names no field; one name a line was expected"},
        Case{"lock\n\ncuont\n", "my.order:3: 'sample' has no top-level field "
                                "'cuont'; did you mean 'count'?"},
        Case{"lock\nclock\nlock\n", "my.order:3: 'lock' is listed twice"},
        Case{"left\nright\n", "my.order:2: 'right' is a part of 'left|right', "
                              "which is listed already"},
        Case{"lock, clock\n",
             "my.order:1: 'lock, clock' is not the name of a top-level field"},
        Case{"lo\nlock\nhi\n", "my.order:3: 'hi' cannot be parted from 'lo': "
                               "adjacent bit-fields are one unit"},
        Case{"hi\nlo\n", "my.order:2: 'lo' cannot come after 'hi': adjacent "
                         "bit-fields are one unit"},
        Case{"get\ncount\nset\n", "my.order:3: 'set' cannot be parted from "
                                  "'get': one macro makes them"}}) {
    EXPECT_EQ(Q.read(C.Text), Order{}) << C.Text;
    EXPECT_EQ(Q.Error, C.Error) << C.Text;
  }
}

TEST(OrderFile, TakesJson) {
  Question Q;
  const Order Expected{5, 1, 2, 3, 4, 0, 6};
  EXPECT_EQ(Q.read(R"({"order": ["count", "lock"]})"), Expected);
  EXPECT_EQ(Q.read(R"(
    {"struct": "sample", "layouts": {"current": {"order": ["lock"]},
     "proposed": {"order": ["count", "lock"]}}})"),
            Expected);
  // The order of all configurations comes before that of the first.
  EXPECT_EQ(Q.read(R"({"layouts": {"proposed": {"order": ["lock"]},
     "order": ["count", "lock"]}})"),
            Expected);
  EXPECT_EQ(Q.read(R"({"reports": [{"struct": "other"}, {"struct": "sample",
     "layouts": {"proposed": {"order": ["count", "lock"]}}}]})"),
            Expected);
  for (auto [Text, Error] :
       {std::pair{"{", "my.order: not JSON, though it starts with '{'"},
        std::pair{R"({"struct": "other", "order": []})",
                  "my.order: its report is not about 'sample'"},
        std::pair{R"({"reports": [{"struct": "other"}]})",
                  "my.order: none of its reports is about 'sample'"},
        std::pair{R"({"layouts": 3})",
                  "my.order: has neither \"layouts\": {\"order\": [...]} nor "
                  "\"order\": [...]"},
        std::pair{R"({"order": ["lock", 3]})",
                  "my.order: \"order\" has something that is no name"},
        std::pair{R"({"order": ["lock", "lock"]})",
                  "my.order: 'lock' is listed twice"}}) {
    EXPECT_EQ(Q.read(Text), Order{}) << Text;
    EXPECT_EQ(Q.Error, Error) << Text;
  }
}

// A report lists every field, those without a name too.
TEST(OrderFile, UnnamedFieldsOfAReportAreTakenInTurn) {
  RecordInfo R = record({field("a", 8), marker(""), field("b", 8),
                         field("c", 8), marker(""), field("d", 8)});
  Question Q(R);
  EXPECT_EQ(Q.read(R"({"order": ["a", "", "c", "b", "", "d"]})"),
            (Order{0, 1, 3, 2, 4, 5}));
}

} // namespace
