// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sites of a profile at the accesses of the analysed source: how often
// functions were entered, how often their blocks ran, how often each field of
// the struct was touched, and what found no place and why.

#ifndef KST_HYBRID_MERGE_PROFILEMATCH_H
#define KST_HYBRID_MERGE_PROFILEMATCH_H

#include "hybrid/link/Program.h"
#include "hybrid/model/EvidenceOrigin.h"
#include "hybrid/model/Profile.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kst {

/// What one profile says about one function of the program.
struct MatchedFunction {
  bool Counted = false; ///< instrumented: its zeros are measurements
  bool HasEntry = false;
  double Entries = 0;
  double Samples = 0;
  std::vector<std::pair<uint32_t, double>> Blocks; ///< runs, zeros too; sorted
};

/// Counts of one field; those by address included in Reads and Writes.
struct MatchedField {
  uint64_t Reads = 0, Writes = 0, ByAddress = 0;
  uint64_t Unplaced = 0; ///< of the others: at no access of the source
  uint64_t Handed = 0;   ///< times its address was handed on
  uint32_t SitesReached = 0, SitesNotReached = 0; ///< by function entered or not
};

/// Fields that a function which was not analysed, or which the source side sees
/// differently, touched.
struct StraySet {
  std::string Function, File; ///< File: as the analysis spells files
  uint32_t Line = 0;
  double Entries = 0; ///< or the largest count, where entries are not known
  struct Use {
    double Reads = 0, Writes = 0, Most = 0; ///< Most: of a single site
    uint32_t Line = 0;
  };
  std::map<uint32_t, Use> Fields;
};

struct MatchedProfile {
  std::vector<std::pair<FunctionId, MatchedFunction>> Functions; ///< sorted
  std::vector<MatchedField> Fields; ///< as RecordInfo::Fields
  std::vector<StraySet> Strays;     ///< by file and function of the profile
  ProfileCoverage Covered;
};

/// Functions of a program by name, for any number of profiles. Borrows the
/// program.
class ProfileMatcher {
public:
  ProfileMatcher(const Program &Whole, RecordId Target);

  /// Structs: rows of Profile::Structs that are the target. Deterministic; does
  /// not fail: what finds no place is counted by reason.
  MatchedProfile match(const Profile &From,
                       const std::vector<uint32_t> &Structs);

  /// Functions that access the struct through its own type, by FunctionId.
  std::vector<bool> withSites() const;

private:
  /// A place of a function that touches memory.
  struct Spot {
    uint32_t Block = 0, Line = 0;
    bool Reads = false, Writes = false;
    /// Records in which the address lies, from the inside out.
    struct Inside {
      std::string_view Record;
      uint64_t OffsetBytes = 0, SizeBytes = 0;
    };
    std::vector<Inside> Where;
  };
  struct Found {
    std::vector<uint32_t> Blocks;
    bool Exact = false; ///< line and field agree, and it is one block
    bool Placed = false;
  };
  FunctionId function(const std::string &Name, const std::string &File,
                      std::string &Why) const;
  const std::string &fileOf(FunctionId Id) const;
  const std::vector<Spot> &spots(FunctionId Id);
  bool isAt(const Spot &At, uint32_t Field) const;
  void addChain(Spot &At, FunctionId Id, ValueId Address, uint32_t Size) const;
  Found find(FunctionId Id, const MeasuredSite &Site, std::string_view Struct,
             uint32_t Field);
  bool touches(FunctionId Id, uint32_t Field, unsigned Depth);
  std::vector<uint32_t> fieldsAt(const MeasuredSite &Site,
                                 std::string_view Path) const;

  const Program &Whole;
  RecordInfo Record;
  std::unordered_map<std::string_view, std::vector<FunctionId>> ByName;
  std::unordered_map<FunctionId, std::vector<Spot>> Spots;
  std::map<std::pair<FunctionId, uint32_t>, bool> Touches;
  /// What find() said, by everything it depends on: profiles of one program
  /// ask the same again and again.
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
  std::unordered_map<Question, Found, QuestionHash> Answers;
  std::map<std::string, uint32_t, std::less<>> StructIds;
};

/// The top-level field that a path such as `list.next` begins with, or None.
/// The name of an anonymous union is those of its members.
uint32_t fieldOfPath(const RecordInfo &Record, std::string_view Path);

/// Whether two spellings of a file agree: the shorter one's parts, without
/// leading "." and "..", are the last parts of the longer.
bool sameFile(std::string_view A, std::string_view B);

} // namespace kst

#endif
