// SPDX-License-Identifier: GPL-2.0-or-later
//
// One definition, several configurations: each has the fields that its #ifdefs
// leave it, at offsets of its own. An order is found for all of them together,
// so all must number the fields alike.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/core/Result.h"

#include <vector>

namespace kst {

struct JoinedConfigs {
  /// Every field that any configuration has, in the order of the source, each
  /// as in the first configuration that has it. Name, place, size and alignment
  /// are those of the first configuration.
  RecordInfo Joint;
  /// One per configuration, in the order given. Fields are numbered as in
  /// Joint; those that a configuration lacks are FieldInfo::Absent.
  std::vector<AffinityEvidence> Configs;
  /// Beside Configs: the number of the program that it is about. Several may be
  /// forms of one definition in one program; their weights are in one unit.
  /// Empty: each is a program of its own.
  std::vector<uint32_t> Programs;

  uint32_t program(size_t Config) const {
    return Programs.empty() ? static_cast<uint32_t>(Config) : Programs[Config];
  }
};

/// `Configs` is not empty and is about the same definition; the error names the
/// two places when it is not. Fields are the same if they have the same line
/// and name; an anonymous one, whose name depends on its members, the same line
/// and rank among the anonymous ones there. So are anonymous structs with their
/// lines.
Result<JoinedConfigs> joinConfigs(std::vector<AffinityEvidence> Configs,
                                  std::vector<uint32_t> Programs = {});

} // namespace kst
