// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who uses one object of a record: what is known beyond the relation of single
// visits, and who said so. False sharing needs two CPUs or threads that use the
// same object.

#pragma once

#include "hybrid/core/CpuCount.h"

#include <optional>
#include <string>

namespace kst {

/// How the users of one object come: one after the other, each for a while, or
/// all at the same time.
enum class UserTurns { Unsaid, HandedOver, Shared };

struct Ownership {
  /// Each object has one user at a time: all its visits are local.
  bool Exclusive = false;
  /// Else: share of the visits of unknown relation that another CPU or thread
  /// makes, 0..1; nothing: not known, the model's assumption holds.
  std::optional<double> OthersShare;
  /// Where that comes from, for people; "" when nothing is known.
  std::string Source;
  /// User space, and no analysed unit starts a thread: nothing that this value
  /// rests on, but worth a question.
  bool StartsNoThread = false;
  UserTurns Turns = UserTurns::Unsaid; ///< as somebody told, --users
  /// How many CPUs there are; OthersShare is of that many.
  CpuCount Cpus;
};

} // namespace kst
