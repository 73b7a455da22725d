// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where in the analysed source an access is that was measured: the blocks of a
// function that touch these bytes of the struct in that line.

#pragma once

#include "hybrid/profile/Profile.h"
#include "hybrid/program/Program.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kst {

/// Where a measured site is.
struct SitePlace {
  std::vector<uint32_t> Blocks;
  bool Exact = false; ///< line and field agree, and it is one block
  bool Placed = false;
};

/// Accesses of a program. Borrows it and the subject. What was asked is
/// remembered: profiles of one program ask the same again and again.
class AccessPlaces {
public:
  AccessPlaces(const Program &Whole, const RecordInfo &Record)
      : Whole(Whole), Record(Record) {}

  /// The place in function Id of a site of that struct; Field: of the subject,
  /// if the site says which, else None.
  const SitePlace &find(FunctionId Id, const MeasuredSite &Site,
                        std::string_view Struct, uint32_t Field);

  /// Accesses of the subject through its own type that counters in compiled
  /// code see: their blocks, by FunctionId. One that reads and writes is there
  /// twice.
  std::vector<std::vector<uint32_t>> accessBlocks() const;

  /// A place of a function that touches memory, or hands an address on.
  struct Spot {
    StrId File = 0; ///< of the function's unit
    uint32_t Block = 0, Line = 0;
    uint32_t Column = 0; ///< as of AccessFact; 0 of an address
    bool Reads = false, Writes = false, Bulk = false;
    /// Records in which the address lies, from the inside out.
    struct Inside {
      std::string_view Record;
      uint64_t OffsetBytes = 0, SizeBytes = 0;
      uint32_t Field = None; ///< of the record
    };
    std::vector<Inside> Where;
  };
  /// All of a function. Good until the program goes.
  const std::vector<Spot> &spots(FunctionId Id);

private:
  void addChain(Spot &At, FunctionId Id, ValueId Address, uint32_t Size) const;
  bool isAt(const Spot &At, uint32_t Field) const;
  bool touches(FunctionId Id, uint32_t Field, unsigned Depth);
  std::vector<const Spot *> candidates(FunctionId Id, const MeasuredSite &Site,
                                       std::string_view Struct, uint32_t Field);
  SitePlace inCallees(FunctionId Id, uint32_t Field);
  SitePlace ofPart(FunctionId Id, const MeasuredSite &Site,
                   std::string_view Struct);
  SitePlace look(FunctionId Id, const MeasuredSite &Site,
                 std::string_view Struct, uint32_t Field);

  const Program &Whole;
  const RecordInfo &Record;
  std::unordered_map<FunctionId, std::vector<Spot>> Spots;
  std::map<std::pair<FunctionId, uint32_t>, bool> Touches;
  /// Everything that an answer depends on.
  struct Question {
    FunctionId Id;
    uint32_t Struct, Line, OffsetBytes, SizeBytes, Field;
    SiteKind Kind;
    bool operator==(const Question &) const = default;
  };
  struct QuestionHash {
    size_t operator()(const Question &Q) const {
      uint64_t H = Q.Id;
      for (uint32_t Part : {Q.Struct, Q.Line, Q.OffsetBytes, Q.SizeBytes,
                            Q.Field, uint32_t(Q.Kind)})
        H = (H ^ Part) * 0x9e3779b97f4a7c15ull, H ^= H >> 29;
      return H;
    }
  };
  std::unordered_map<Question, SitePlace, QuestionHash> Answers;
  std::map<std::string, uint32_t, std::less<>> StructIds;
};

} // namespace kst
