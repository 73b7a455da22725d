// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rows of facts that belong together, taken from one TuFacts into another.

#pragma once

#include "hybrid/facts/FactsVisit.h"

namespace kst {

/// Text and Record are called with each name in a copied row (see
/// FactsVisit.h), to say what it is over there. Borrows both.
struct RowCopy {
  RowCopy(const TuFacts &From, TuFacts &To) : From(From), To(To) {}

  const TuFacts &From;
  TuFacts &To;

  template <typename OnText, typename OnRecord>
  uint32_t record(uint32_t Id, OnText Text, OnRecord Record) {
    RecordFact New = From.Records[Id];
    visitNames(New, Text, Record);
    New.Fields =
        named(To.Fields, rowsOf(From.Fields, New.Fields), Text, Record);
    New.Groups =
        named(To.Groups, rowsOf(From.Groups, New.Groups), Text, Record);
    To.Records.push_back(New);
    return To.Records.size() - 1;
  }

  template <typename OnText, typename OnRecord>
  uint32_t function(uint32_t Id, OnText Text, OnRecord Record) {
    FunctionFact New = From.Functions[Id];
    visitNames(New, Text, Record);
    New.Values =
        named(To.Values, rowsOf(From.Values, New.Values), Text, Record);
    for (uint32_t V = New.Values.Begin; V != New.Values.End; ++V)
      To.Values[V].Args = args(To.Values[V].Args);
    New.Calls = named(To.Calls, rowsOf(From.Calls, New.Calls), Text, Record);
    for (uint32_t C = New.Calls.Begin; C != New.Calls.End; ++C)
      To.Calls[C].Args = args(To.Calls[C].Args);
    New.Accesses =
        named(To.Accesses, rowsOf(From.Accesses, New.Accesses), Text, Record);
    New.Stores = plain(To.Stores, rowsOf(From.Stores, New.Stores));
    New.Blocks = plain(To.Blocks, rowsOf(From.Blocks, New.Blocks));
    New.Loops = plain(To.Loops, rowsOf(From.Loops, New.Loops));
    New.Edges = plain(To.Edges, rowsOf(From.Edges, New.Edges));
    New.Tests = plain(To.Tests, rowsOf(From.Tests, New.Tests));
    New.Returns = args(New.Returns);
    New.ParamRecords = args(New.ParamRecords);
    for (uint32_t P = New.ParamRecords.Begin; P != New.ParamRecords.End; ++P)
      if (To.ValueArgs[P] != None)
        Record(To.ValueArgs[P]);
    To.Functions.push_back(New);
    return To.Functions.size() - 1;
  }

  /// How long the tables of records and functions are.
  struct Mark {
    size_t Records, Fields, Groups, Functions, Values, ValueArgs, Accesses,
        Calls, Stores, Blocks, Loops, Edges, Tests;
  };
  Mark mark() const {
    return {To.Records.size(),   To.Fields.size(), To.Groups.size(),
            To.Functions.size(), To.Values.size(), To.ValueArgs.size(),
            To.Accesses.size(),  To.Calls.size(),  To.Stores.size(),
            To.Blocks.size(),    To.Loops.size(),  To.Edges.size(),
            To.Tests.size()};
  }
  /// Forgets what was copied since.
  void back(const Mark &Then) {
    To.Records.resize(Then.Records);
    To.Fields.resize(Then.Fields);
    To.Groups.resize(Then.Groups);
    To.Functions.resize(Then.Functions);
    To.Values.resize(Then.Values);
    To.ValueArgs.resize(Then.ValueArgs);
    To.Accesses.resize(Then.Accesses);
    To.Calls.resize(Then.Calls);
    To.Stores.resize(Then.Stores);
    To.Blocks.resize(Then.Blocks);
    To.Loops.resize(Then.Loops);
    To.Edges.resize(Then.Edges);
    To.Tests.resize(Then.Tests);
  }

private:
  template <typename Row>
  static Range plain(std::vector<Row> &Into, std::span<const Row> Rows) {
    const uint32_t Begin = Into.size();
    Into.insert(Into.end(), Rows.begin(), Rows.end());
    return {Begin, uint32_t(Into.size())};
  }
  template <typename Row, typename OnText, typename OnRecord>
  static Range named(std::vector<Row> &Into, std::span<const Row> Rows,
                     OnText Text, OnRecord Record) {
    const Range New = plain(Into, Rows);
    for (uint32_t I = New.Begin; I != New.End; ++I)
      visitNames(Into[I], Text, Record);
    return New;
  }
  Range args(Range Old) {
    return plain(To.ValueArgs, rowsOf(From.ValueArgs, Old));
  }
};

} // namespace kst
