// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions in the version of the source that was measured beside the version
// that is analysed: what each of them does to one struct, and where.

#pragma once

#include "hybrid/evidence/AccessPlaces.h"
#include "hybrid/evidence/FunctionNames.h"
#include "hybrid/evidence/LineAlignment.h"

#include <map>
#include <vector>

namespace kst {

/// An access as it was measured. Field: not known yet.
struct MeasuredAccess : LineAccess {
  uint64_t BeginBits = 0, SizeBits = 0; ///< in the measured struct
  bool BitField = false;
};

struct FunctionVersions {
  FunctionId Id = None;
  SourceFunction Was;               ///< as the profile names it
  std::vector<MeasuredAccess> Then; ///< by line, column
  std::vector<LineAccess> Now;      ///< likewise; fields are those analysed
  /// Its lines are the same ones as far as the accesses tell: those of either
  /// version are at the same place in the other, and behind it another function
  /// begins at the same distance.
  bool Unchanged = false;
};

/// The functions that a profile and the program have in common.
class CodeVersions {
public:
  /// Borrows all three.
  CodeVersions(const Program &Whole, const FunctionNames &Names,
               const Profile &From);

  /// Lines between the names of a function then and now; 0 where the profile
  /// has no line of it or the program no such function.
  int64_t distance(const SourceFunction &Of) const;
  /// The line of its name now less the lines of the profile: what makes a line
  /// of the profile relative. 0: not known.
  uint32_t lineThen(const SourceFunction &Of) const;
  /// In the program, or None.
  FunctionId find(const SourceFunction &Of) const;
  /// Functions whose names are in another line than they were.
  uint32_t moved() const { return Moved; }
  /// Finds functions that other files can call where they are in another file
  /// now. Only sure of versions that differ: else they are other functions.
  /// False: there is none.
  bool followFiles();
  /// The file where it is now, if that is another one, else "".
  std::string_view otherFile(const SourceFunction &Of) const;
  uint32_t found() const { return Found; }

  /// The functions that are known on both sides, with their accesses of that
  /// row of Profile::Structs then, and of the structs of its name now.
  std::vector<FunctionVersions> of(uint32_t Struct, AccessPlaces &Places) const;

private:
  struct Known {
    FunctionId Id = None;
    uint32_t Then = 0, Now = 0; ///< lines of the name
    bool OtherFile = false;
    bool SameEnd = true; ///< as far as the functions behind it tell
  };
  const Known *known(const SourceFunction &Of) const;
  void compareEnds();
  std::string_view fileOf(FunctionId Id) const;

  const Program &Whole;
  const FunctionNames &Names;
  const Profile &From;
  std::map<SourceFunction, Known> All;
  uint32_t Moved = 0, Found = 0;
};

/// Where the lines of a function went, by the accesses whose fields the caller
/// has filled in.
LineMap linesOf(const FunctionVersions &Of);

} // namespace kst
