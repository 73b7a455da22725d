// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events of the kernel's tracing by their formats
// (Documentation/trace/events.rst), which recordings have with them.

#pragma once

#include "hybrid/import/KernelRecord.h"

#include <set>
#include <unordered_map>
#include <vector>

namespace kst {

/// Decodes the events that a trace has. Formats of different kernels name the
/// same fields at other places, in other sizes; one that lacks a field that is
/// needed is not understood.
class Tracepoints {
public:
  /// The byte order of the events.
  void setOrder(bool BigEndian) { Big = BigEndian; }
  /// The text of an event's `format` file. False: not understood, or an event
  /// of ours that lacks a field.
  bool add(std::string_view System, std::string_view Text);

  /// Fills what the event says; What stays Other if it is none of ours, or its
  /// bytes do not fit the format. Names are copied here.
  void decode(uint32_t Id, std::string_view Bytes, KernelRecord &Out);

private:
  struct Place {
    uint32_t Offset = 0, Bytes = 0;
  };
  struct Format {
    KernelRecord::Kind What = KernelRecord::Other;
    std::vector<std::pair<uint64_t KernelRecord::*, Place>> Numbers;
    Place Name, Flags, Task;
    bool NameIsRelative = false;
  };
  uint64_t number(std::string_view Bytes, Place At) const;
  std::string_view name(std::string_view Bytes, const Format &Of);

  bool Big = false;
  std::unordered_map<uint32_t, Format> Formats; ///< by number
  std::set<std::string, std::less<>> Names;
};

} // namespace kst
