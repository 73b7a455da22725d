// SPDX-License-Identifier: GPL-2.0-or-later
//
// All units of a selection as one program: functions and records that several
// units share are one, and calls know their possible callees.

#pragma once

#include "hybrid/core/Record.h"
#include "hybrid/facts/Facts.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kst {

using FunctionId = uint32_t;
using RecordId = uint32_t;

/// Strings of all units under one numbering. Borrows them.
class StringPool {
public:
  StrId intern(const std::string &Text);
  /// None for a string that no unit holds.
  StrId find(std::string_view Text) const;
  const std::string &operator[](StrId Id) const { return *Texts[Id]; }

private:
  std::unordered_map<std::string_view, StrId> Ids;
  std::vector<const std::string *> Texts;
};

/// A possible callee of a call. The shares of all of them add up to 1: callees
/// whose body was not seen get none.
struct PossibleCallee {
  FunctionId Function = 0;
  double Share = 1;
};

/// One function body of the program, in the unit that holds it.
struct LinkedFunction {
  uint32_t Unit = 0;
  const FunctionFact *Fact = nullptr;
  StrId Key = 0; ///< pool
  bool AddressTaken = false;
  bool InTable = false;     ///< stored in a table of functions
  bool InWorkTable = false; ///< in one that is not for configuration
  bool TableCalled = false; ///< a call through that table is in the program
  bool Called = false;      ///< directly, by a function of the program
};

/// The merged facts of the selected units. Borrows the facts: they must
/// outlive the program and stay where they are. The order of Units does not
/// matter for what comes out, as long as each has its own MainFile.
class Program {
public:
  explicit Program(const std::vector<TuFacts> &Units);

  StringPool Strings;
  std::vector<LinkedFunction> Functions;

  uint32_t unitCount() const { return Units.size(); }
  const TuFacts &unit(uint32_t Index) const { return *Units[Index]; }
  const TuFacts &unitOf(FunctionId Id) const {
    return *Units[Functions[Id].Unit];
  }
  /// A unit's string in the pool.
  StrId string(uint32_t Unit, StrId Local) const {
    return StringMaps[Unit][Local];
  }
  const std::string &text(uint32_t Unit, StrId Local) const {
    return Units[Unit]->Strings[Local];
  }
  /// A unit's record in the program; None stays None.
  RecordId record(uint32_t Unit, uint32_t Local) const {
    return Local == None ? None : RecordMaps[Unit][Local];
  }

  size_t recordCount() const { return Records.size(); }
  const RecordFact &recordFact(RecordId Id) const;
  const FieldFact &fieldFact(RecordId Id, uint32_t Field) const;
  /// The record that a field holds by value, or None.
  RecordId embedded(RecordId Id, uint32_t Field) const;
  const std::string &recordName(RecordId Id) const;
  /// A string of the unit that the record's facts are from.
  const std::string &recordText(RecordId Id, StrId Local) const {
    return text(Records[Id].Unit, Local);
  }
  RecordInfo recordInfo(RecordId Id) const;
  /// The target of the unit that the record's facts are from.
  const std::string &recordTriple(RecordId Id) const {
    return recordText(Id, Units[Records[Id].Unit]->Triple);
  }

  /// All definitions of a struct or union of that name, which may say where it
  /// is (see RecordSpelling); more than one when units disagree.
  std::vector<RecordId> recordsNamed(const std::string &Name) const;
  /// All records that the text of this one's definition makes, itself first:
  /// units may lay it out in several ways, and a header that is included under
  /// several macros gives it several names. Whoever edits the text changes all.
  std::vector<RecordId> recordsOfText(RecordId Id) const;
  /// The known record names closest to a misspelt one, best first.
  std::vector<std::string> namesLike(const std::string &Name) const;

  /// The function that this unit means by a key (pool): the body that it has
  /// itself, else that of any unit; None when no unit holds the body.
  FunctionId functionByKey(uint32_t Unit, StrId Key) const;
  /// By name, also of static functions.
  std::vector<FunctionId> functionsNamed(const std::string &Name) const;

  /// The functions stored in a field, ascending.
  const std::vector<FunctionId> &tableFunctions(RecordId Id,
                                                uint32_t Field) const;

  /// Who may be called by call number Call of the function.
  std::vector<PossibleCallee> callees(FunctionId Caller,
                                      const CallFact &Call) const;

  /// Name of the function that a direct call names; "" for any other call.
  std::string_view calleeName(uint32_t Unit, const CallFact &Call) const;

private:
  struct RecordPlace {
    uint32_t Unit, Local;
  };
  void addUnit(uint32_t Unit);
  void addFunction(uint32_t Unit, const FunctionFact &Fact);
  /// Whether two bodies of one name are one function: what one file has
  /// whichever way it is compiled, on the same records.
  bool isSameBody(const LinkedFunction &Known, uint32_t Unit,
                  const FunctionFact &Fact) const;
  bool isSameLayout(RecordId Id, uint32_t Unit, const RecordFact &Fact) const;
  std::pair<StrId, uint32_t> placeOf(RecordId Id) const;
  void addTables();
  void markCalled();

  std::vector<const TuFacts *> Units;
  std::vector<std::vector<StrId>> StringMaps;
  std::vector<std::vector<RecordId>> RecordMaps;
  std::vector<RecordPlace> Records;
  std::map<std::string, std::vector<RecordId>> RecordsByName;
  std::map<std::pair<StrId, uint32_t>, std::vector<RecordId>> RecordsByPlace;
  std::unordered_map<StrId, FunctionId> FunctionsByKey;
  /// Of units that define what another unit defines in another way: two
  /// programs, or one file that is compiled twice.
  std::map<std::pair<uint32_t, StrId>, FunctionId> OwnFunctions;
  /// (record, field) -> functions stored there, sorted, each once.
  std::map<std::pair<RecordId, uint32_t>, std::vector<FunctionId>> Tables;
};

} // namespace kst
