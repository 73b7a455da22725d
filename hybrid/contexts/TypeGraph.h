// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which type of object leads to which: by pointers, and by what it holds. The
// shortest way to an anchor says whose an object is.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kst {

inline constexpr uint32_t NoType = ~0u;

/// A member of a type that leads to another.
struct TypeLink {
  std::string Member; ///< at any depth of unnamed members
  uint64_t OffsetBytes = 0;
  uint32_t To = NoType; ///< into TypeGraph::Types
  bool Held = false;    ///< part of it; else a pointer
  /// Functions that store the pointer, "function file:line"; empty where the
  /// graph is not of source.
  std::vector<std::string> StoredBy = {};
};

struct LinkedType {
  std::string Name;
  uint64_t SizeBytes = 0; ///< 0: only pointers to it are known
  std::vector<TypeLink> Links;
};

/// One pointer on the way to an anchor.
struct PathStep {
  std::string Member;       ///< with what it is held in, `f_path.dentry`
  uint64_t OffsetBytes = 0; ///< in the type where the step begins
  uint32_t To = NoType;
  uint32_t From = NoType; ///< that has the link: the type or what it holds
  uint32_t Link = 0;      ///< there
};

/// How a type leads to an anchor.
struct AnchorPath {
  uint32_t Anchor = NoType; ///< NoType: not at all
  uint32_t Pointers = 0;    ///< that are followed; 0: it holds the anchor
  /// Pointers 0: where it holds it. Else Next is the first of the pointers.
  uint64_t AnchorOffset = 0;
  PathStep Next;
};

class TypeGraph {
public:
  /// The row of a type of that name, made if there is none.
  uint32_t type(const std::string &Name);
  /// NoType if there is none.
  uint32_t find(const std::string &Name) const;

  std::vector<LinkedType> Types;

  /// By type, the shortest way to one of the anchors, by at most Most pointers.
  /// Of ways with the same number of pointers: the anchor that comes first,
  /// what the type itself has before what it holds, then the lower offset. What
  /// a way goes through is on the shortest way itself. Skipped: `TYPE.MEMBER`,
  /// or `TYPE` for all of its pointers.
  std::vector<AnchorPath> paths(const std::vector<uint32_t> &Anchors,
                                uint32_t Most,
                                const std::vector<std::string> &Skipped) const;

  /// The first pointers of all ways from a type that have at most one pointer
  /// more than the shortest, and at most Most: in the order of what paths()
  /// prefers. Only those of one pointer if there is one, and not in a union
  /// with other pointers. None if the type holds an anchor.
  std::vector<PathStep> ways(const std::vector<AnchorPath> &Paths,
                             uint32_t Type, uint32_t Most,
                             const std::vector<std::string> &Skipped) const;

  /// Pointers that may lead right into an object with an anchor, whatever their
  /// type says: to a struct of the kind that has them, which may be the head of
  /// a list that the anchor holds (`sk_buff.next`), the first of each such
  /// struct; and, with `ToHeld`, to what an anchor holds (`xa_node.array`).
  std::vector<PathStep> inward(const std::vector<uint32_t> &Anchors,
                               uint32_t Type, bool ToHeld,
                               const std::vector<std::string> &Skipped) const;

  /// Whether it is one of Skipped: a type, or `TYPE.MEMBER` of a pointer of
  /// that type or of what it holds.
  bool canSkip(const std::string &Name) const;

private:
  std::map<std::string, uint32_t> ByName;
};

/// The steps from a type to its anchor.
std::vector<PathStep> stepsOf(const std::vector<AnchorPath> &Paths,
                              uint32_t Type);

} // namespace kst
