// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a perf.data says of itself: in front of its records and behind them, or,
// in a pipe, in some of them.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/import/PerfEvents.h"
#include "hybrid/import/Tracepoints.h"

#include <map>
#include <string>

namespace kst {

class PerfHeader {
public:
  /// Of either byte order, or of version 1.
  static bool looksLikeOne(std::string_view Bytes);
  /// Bytes live as long as this. A Failure if they are no header, or not whole.
  static Result<PerfHeader> read(std::string_view Bytes);

  bool isBig() const { return Big; }
  bool isPipe() const { return Pipe; }
  std::string_view records() const { return Records; }
  const PerfEvents &events() const { return Events; }
  /// Null: the file does not have them, or not yet.
  Tracepoints *formats() { return HaveFormats ? &Formats : nullptr; }
  const std::map<std::string, std::string> &text() const { return Text; }
  uint32_t pageBytes() const { return PageBytes ? PageBytes : 4096; }
  /// What is wrong or missing; empty: nothing.
  const std::string &damage() const { return Damage; }

  // Of a pipe.
  /// The records begin again, and with them what they say.
  void forgetEvents();
  /// An attribute and its numbers. False: it is not whole.
  bool addEvent(std::string_view Body);
  void addFeature(uint64_t Which, std::string_view Body);
  /// Formats of tracepoints; the first count.
  void addFormats(std::string_view Body);

private:
  ForeignBytes in(std::string_view Part) const { return {Part, Big}; }
  bool readFile();
  void readEvents(std::string_view Table, uint64_t RowBytes);
  void readFeatures(uint64_t At);
  std::vector<uint64_t> numbers(std::string_view Rows) const;

  std::string_view Bytes, Records;
  bool Big = false, Pipe = false, HaveFormats = false;
  std::string Damage;
  std::map<std::string, std::string> Text;
  uint32_t PageBytes = 0;
  PerfEvents Events;
  Tracepoints Formats;
};

} // namespace kst
