// SPDX-License-Identifier: GPL-2.0-or-later
//
// From places and how threads meet there to findings for people.

#pragma once

#include "hybrid/core/Machine.h"
#include "hybrid/sharing/LineMeetings.h"
#include "hybrid/sharing/Sharing.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace kst {

/// `To`: not 0.
inline uint64_t roundUp(uint64_t Bytes, uint64_t To) {
  return (Bytes + To - 1) / To * To;
}

/// Bytes that mean the same wherever they are: a member of the elements of an
/// array, a variable.
struct SharedPlace {
  enum Kind : uint8_t {
    Static, ///< a variable, or in one
    Block,  ///< on the heap or on a stack: its root is one block of memory
    OfType, ///< of a type, of which there are any number
  } Root = Block;
  std::string Key; ///< of its root
  std::string Object, Type;
  std::string Field;      ///< of the element, or of the object that is no array
  std::string Path;       ///< of all from the object on
  std::string Array;      ///< the path of the array that has the element
  uint64_t SizeBytes = 0; ///< of the element, or of the object
  uint64_t StrideBytes = 0; ///< of an element; 0: none
  uint64_t AccessBytes = 0;
  uint64_t Objects = 0; ///< of the type, that a trace has; 0: not known
  /// An attribute on the member moves it: it is no bit-field, and in no union.
  bool Movable = true;
  /// Edits that give lines of their own to the root, to an element (its record,
  /// or its array), and to a member (of which record it is); without Bytes.
  LineEdit OfRoot, OfElement, OfMember;
  /// Reads and writes by site and role.
  std::map<std::pair<Site, std::string>, std::pair<double, double>> Users;
};

/// Findings of less than this share of all accesses are left out, a tenth of a
/// cycle an access or so: a judgement.
inline constexpr double LeastLost = 3e-4;

/// Fills in False and True, with remedies in the words of C.
void addFindings(SharingReport &To, const std::vector<SharedPlace> &Places,
                 const Meetings &Met, const Machine &On, uint32_t Threads);

} // namespace kst
