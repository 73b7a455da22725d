// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallFacts.h"

#include "hybrid/facts/FactsCheck.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

using namespace kst;

namespace {

std::string complaint(const TuFacts &F) {
  auto Broken = checkFacts(F);
  return Broken ? Broken->Message : "";
}

TEST(FactsCheck, AcceptsEmptyAndSmallFacts) {
  EXPECT_EQ(complaint(TuFacts()), "");
  EXPECT_EQ(complaint(smallFacts()), "");
}

struct Case {
  const char *Complaint; ///< must occur in the message
  std::function<void(TuFacts &)> Break;
};

TEST(FactsCheck, NamesTheBrokenRule) {
  const uint32_t Out = 1000;
  const Case Cases[] = {
      {"first string", [](TuFacts &F) { F.Strings[0].push_back('x'); }},
      {"first string", [](TuFacts &F) { F.Strings.clear(); }},
      {"name of the unit", [&](TuFacts &F) { F.MainFile = Out; }},
      {"name of the unit", [&](TuFacts &F) { F.Triple = 7; }},
      {"string of a record", [&](TuFacts &F) { F.Records[0].Name = 7; }},
      {"string of a record", [&](TuFacts &F) { F.Records[0].File = Out; }},
      {"fields of a record", [](TuFacts &F) { F.Records[0].Fields.End = 3; }},
      {"fields of a record", [](TuFacts &F) { F.Records[0].Fields = {2, 1}; }},
      {"alignment of a record",
       [](TuFacts &F) { F.Records[0].AlignBytes = 0; }},
      {"string of a field", [&](TuFacts &F) { F.Fields[0].Name = Out; }},
      {"string of a field", [&](TuFacts &F) { F.Fields[0].TypeName = Out; }},
      {"embedded record", [](TuFacts &F) { F.Fields[1].Embedded = 1; }},
      {"alignment of a field", [](TuFacts &F) { F.Fields[1].AlignBytes = 6; }},
      {"groups of a record", [](TuFacts &F) { F.Records[0].Groups.End = 9; }},
      {"string of a group", [&](TuFacts &F) { F.Groups[0].Name = Out; }},
      {"alignment of a group", [](TuFacts &F) { F.Groups[0].AlignBytes = 3; }},
      {"fields of a group", [](TuFacts &F) { F.Groups[0].Fields = {1, 1}; }},
      {"fields of a group", [](TuFacts &F) { F.Groups[0].Fields.End = 3; }},
      {"parent of a group", [](TuFacts &F) { F.Groups[0].Parent = 0; }},
      {"not in its parent", [](TuFacts &F) { F.Groups[1].Fields = {1, 2}; }},
      {"string of a function", [&](TuFacts &F) { F.Functions[0].Key = Out; }},
      {"string of a function", [&](TuFacts &F) { F.Functions[0].Name = Out; }},
      {"string of a function", [&](TuFacts &F) { F.Functions[0].File = Out; }},
      {"range of a function",
       [](TuFacts &F) { F.Functions[0].Values.End = 16; }},
      {"range of a function",
       [](TuFacts &F) { F.Functions[0].Calls.Begin = 2; }},
      {"range of a function",
       [](TuFacts &F) { F.Functions[0].Accesses.End = 2; }},
      {"range of a function",
       [](TuFacts &F) { F.Functions[0].Blocks.End = 3; }},
      {"range of a function", [](TuFacts &F) { F.Functions[0].Loops.End = 3; }},
      {"range of a function",
       [](TuFacts &F) { F.Functions[0].Returns.End = 10; }},
      {"range of a function",
       [](TuFacts &F) { F.Functions[0].ParamRecords = {9, 10}; }},
      {"returned value", [&](TuFacts &F) { F.ValueArgs[4] = Out; }},
      {"number of parameter",
       [](TuFacts &F) { F.Functions[0].ParamRecords = {0, 2}; }},
      {"record of a parameter", [](TuFacts &F) { F.ValueArgs[3] = 1; }},
      {"ranges of functions overlap",
       [](TuFacts &F) { F.Functions.push_back(F.Functions[0]); }},
      {"loop of a block", [](TuFacts &F) { F.Blocks[1].Loop = 2; }},
      {"frequency of a block", [](TuFacts &F) { F.Blocks[1].Frequency = -1; }},
      {"frequency of a block",
       [](TuFacts &F) {
         F.Blocks[0].Frequency = std::numeric_limits<double>::quiet_NaN();
       }},
      {"parent of a loop", [](TuFacts &F) { F.Loops[1].Parent = 2; }},
      {"frequency of a loop",
       [](TuFacts &F) {
         F.Loops[1].HeaderFrequency = std::numeric_limits<double>::infinity();
       }},
      {"loops form a cycle", [](TuFacts &F) { F.Loops[0].Parent = 1; }},
      {"loops form a cycle", [](TuFacts &F) { F.Loops[1].Parent = 1; }},
      {"address of an access", [](TuFacts &F) { F.Accesses[0].Address = 15; }},
      {"kind of an access",
       [](TuFacts &F) { F.Accesses[0].Kind = static_cast<AccessForm>(99); }},
      {"block of an access", [](TuFacts &F) { F.Accesses[0].Block = 2; }},
      {"file of an access", [&](TuFacts &F) { F.Accesses[0].File = Out; }},
      {"kind of a call",
       [](TuFacts &F) { F.Calls[0].Kind = static_cast<CallKind>(99); }},
      {"string of a call", [&](TuFacts &F) { F.Calls[0].Callee = Out; }},
      {"string of a call", [&](TuFacts &F) { F.Calls[0].File = Out; }},
      {"function table of a call",
       [](TuFacts &F) { F.Calls[0].TableField = 2; }},
      {"function table of a call",
       [](TuFacts &F) { F.Calls[0].TableRecord = None; }},
      {"arguments of a call", [](TuFacts &F) { F.Calls[0].Args = {8, 10}; }},
      {"block of a call", [](TuFacts &F) { F.Calls[0].Block = 2; }},
      {"parameter in a value", [](TuFacts &F) { F.Values[0].A = 1; }},
      {"field in a value", [](TuFacts &F) { F.Values[1].A = 15; }},
      {"field in a value", [](TuFacts &F) { F.Values[1].B = None; }},
      {"field in a value", [](TuFacts &F) { F.Values[7].C = 2; }},
      {"address of a load", [](TuFacts &F) { F.Values[2].A = None; }},
      {"name in a value", [](TuFacts &F) { F.Values[3].A = 7; }},
      {"name in a value", [](TuFacts &F) { F.Values[12].A = 7; }},
      {"index in a value", [](TuFacts &F) { F.Values[5].B = 15; }},
      {"index in a value", [](TuFacts &F) { F.Values[6].A = None; }},
      {"loop of a local", [](TuFacts &F) { F.Values[8].B = 2; }},
      {"arguments of a value", [](TuFacts &F) { F.Values[9].Args = {2, 10}; }},
      {"arguments of a value", [](TuFacts &F) { F.Values[14].Args = {2, 1}; }},
      {"alternative of a value", [](TuFacts &F) { F.ValueArgs[1] = 15; }},
      {"call of a value", [](TuFacts &F) { F.Values[10].A = 1; }},
      {"kind of a value",
       [](TuFacts &F) { F.Values[13].Kind = static_cast<ValueKind>(99); }},
      {"values form a cycle", [](TuFacts &F) { F.Values[1].A = 2; }},
      {"values form a cycle", [](TuFacts &F) { F.ValueArgs[1] = 9; }},
      {"ranges of functions overlap",
       [](TuFacts &F) { F.Values.insert(F.Values.end(), 5, F.Values[9]); }},
      {"string of a function table",
       [&](TuFacts &F) { F.Tables[0].Function = 7; }},
      {"field of a function table", [](TuFacts &F) { F.Tables[0].Field = 2; }},
      {"slab cache", [](TuFacts &F) { F.Slabs[0].Record = 1; }},
      {"slab cache", [](TuFacts &F) { F.Slabs[0].File = 7; }},
      {"slab cache", [](TuFacts &F) { F.Slabs[0].AlignBytes = 3; }},
      {"place of a dropped", [](TuFacts &F) { F.Drops[0].Record = 1; }},
      {"place of a dropped", [](TuFacts &F) { F.Drops[0].File = 7; }},
      {"range of a function",
       [](TuFacts &F) { F.Functions[0].Stores.End = 2; }},
      {"value of a store", [](TuFacts &F) { F.Stores[0].Address = 15; }},
      {"value of a store", [](TuFacts &F) { F.Stores[0].Stored = 15; }},
      {"block of a store", [](TuFacts &F) { F.Stores[0].Block = 2; }},
      {"block of an edge", [](TuFacts &F) { F.Edges[0].From = 2; }},
      {"block of an edge", [](TuFacts &F) { F.Edges[0].To = 2; }},
      {"block of a test",
       [](TuFacts &F) {
         F.Tests.push_back({0, 0, 2, 0, 0, TestKind::Equal, 0});
         F.Functions[0].Tests = {0, 1};
       }},
      {"value of a test",
       [](TuFacts &F) {
         F.Tests.push_back({0, 0, 1, 15, 0, TestKind::Equal, 0});
         F.Functions[0].Tests = {0, 1};
       }},
      {"range of a function",
       [](TuFacts &F) { F.Functions[0].Tests = {0, 1}; }},
      // Values and calls are numbers within their function.
      {"address of an access", [](TuFacts &F) {
         F.Values.push_back(F.Values[0]);
         F.Accesses[0].Address = 15;
       }},
      {"call of a value", [](TuFacts &F) {
         F.Calls.push_back(F.Calls[0]);
         F.Calls[1].Args = {};
         F.Values[10].A = 1;
       }},
      {"probability of an edge",
       [](TuFacts &F) { F.Edges[0].Probability = 1.5; }},
  };
  for (size_t I = 0; I < std::size(Cases); ++I) {
    TuFacts F = smallFacts();
    Cases[I].Break(F);
    EXPECT_NE(complaint(F).find(Cases[I].Complaint), std::string::npos)
        << "case " << I << ", wanted '" << Cases[I].Complaint << "', got '"
        << complaint(F) << "'";
  }
}

// `p = p->next` in a loop: the definition of a Local may depend on itself, and
// operands need not come before their users.
TEST(FactsCheck, AcceptsCyclesThroughLocalAndAnyOrder) {
  TuFacts F = smallFacts();
  F.ValueArgs[6] = 2;    // Local 8: {0, Load 2}
  F.Values[1].A = 8;     // Load(Field(Local))
  F.Values[9].Args = {}; // a Choice of the same would be no cycle either
  EXPECT_EQ(complaint(F), "");
}

// Overlapping ranges must not make the check quadratic: 100,000 x 100,000
// steps would take minutes.
TEST(FactsCheck, StaysLinearOnOverlappingRanges) {
  const uint32_t N = 100000;
  TuFacts F = smallFacts();
  F.ValueArgs.assign(N, 0);
  F.Functions.clear();
  F.Calls.assign(N, F.Calls[0]);
  F.Values.assign(N, {ValueKind::Local, 0, None, 0, {0, N}});
  F.Functions.assign(N, {});
  for (FunctionFact &Fn : F.Functions)
    Fn.Returns = {0, N};
  EXPECT_NE(complaint(F), "");
  F.Values.assign(N, {ValueKind::Choice, 0, None, 0, {0, N}});
  EXPECT_NE(complaint(F), "");
}

} // namespace
