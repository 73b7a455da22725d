// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/io/RawTrace.h"

#include "hybrid/io/RawCounters.h"

#include <cstring>

namespace kst {
namespace {

constexpr std::string_view Magic = "KSTEVENT";
constexpr uint32_t Version = 1;
constexpr size_t HeaderBytes = 16, RecordBytes = 16, EventBytes = 16;
constexpr uint32_t AddressBits = 48;

template <typename T> T numberAt(std::string_view Bytes, size_t At) {
  T Value;
  memcpy(&Value, Bytes.data() + At, sizeof(T));
  return Value;
}

} // namespace

bool looksLikeRawTrace(std::string_view Bytes) {
  return Bytes.starts_with(Magic);
}

RawTraceEvent RawTraceRecord::event(uint64_t I) const {
  uint64_t Where, What;
  memcpy(&Where, EventBytes + I * 16, 8);
  memcpy(&What, EventBytes + I * 16 + 8, 8);
  constexpr unsigned Free = 64 - AddressBits;
  return {static_cast<uint64_t>(static_cast<int64_t>(Where << Free) >> Free),
          Where >> 48 | What >> 24 << 16,
          static_cast<uint32_t>(What & 0xffffff)};
}

Result<RawTrace> RawTrace::open(std::string_view Bytes) {
  if (!looksLikeRawTrace(Bytes))
    return Failure{"not a raw trace"};
  if (Bytes.size() < HeaderBytes)
    return Failure{"raw trace is cut short: no header"};
  if (uint32_t Found = numberAt<uint32_t>(Bytes, 8); Found != Version)
    return Failure{"raw trace of version " + std::to_string(Found) +
                   "; this program reads version " + std::to_string(Version)};
  uint64_t TextBytes = numberAt<uint32_t>(Bytes, 12);
  uint64_t Begin = HeaderBytes + ((TextBytes + 7) & ~uint64_t(7));
  if (Begin > Bytes.size())
    return Failure{"raw trace is cut short: in the text of the header"};
  auto Text = readKeyValues(Bytes.substr(HeaderBytes, TextBytes));
  if (!Text)
    return Text.within("raw trace is damaged");
  RawTrace Trace;
  Trace.Bytes = Bytes;
  Trace.At = Begin;
  Trace.Text = std::move(*Text);
  return Trace;
}

bool RawTrace::broken(const std::string &What) {
  Damage = Failure{"raw trace is damaged at byte " + std::to_string(At) + ": " +
                   What};
  return false;
}

bool RawTrace::take(RawTraceRecord &Record, std::string_view Body) {
  switch (Record.What) {
  case RawTraceRecord::Unit:
    if (Body.size() != 16)
      return broken("a unit of wrong size");
    Record.Hash = numberAt<uint64_t>(Body, 0);
    Record.TraceBase = numberAt<uint32_t>(Body, 8);
    Record.Sites = numberAt<uint32_t>(Body, 12);
    return true;
  case RawTraceRecord::Events:
    if (Body.size() % EventBytes != 8)
      return broken("events of wrong size");
    Record.Lost = numberAt<uint64_t>(Body, 0);
    Record.Count = Body.size() / EventBytes;
    Record.EventBytes = Body.data() + 8;
    return true;
  case RawTraceRecord::Object: {
    if (Body.size() < 24)
      return broken("an object of wrong size");
    Record.Address = numberAt<uint64_t>(Body, 0);
    uint64_t Size = numberAt<uint64_t>(Body, 8);
    Record.Number = numberAt<uint32_t>(Body, 16);
    Record.Cpu = numberAt<uint32_t>(Body, 20);
    Record.Struct = Body.substr(24);
    Record.Struct = Record.Struct.substr(0, Record.Struct.find('\0'));
    if (!Size || Size > ~0u || !Record.Number || Record.Struct.empty())
      return broken("an object without a size, number or struct");
    Record.SizeBytes = static_cast<uint32_t>(Size);
    return true;
  }
  }
  return broken("a record of unknown kind " +
                std::to_string(static_cast<uint32_t>(Record.What)));
}

bool RawTrace::next(RawTraceRecord &Record) {
  if (At == Bytes.size() || Damage)
    return false;
  if (Bytes.size() - At < RecordBytes)
    return broken("the last record is cut short");
  Record = RawTraceRecord();
  Record.What =
      static_cast<RawTraceRecord::Kind>(numberAt<uint32_t>(Bytes, At));
  Record.Stream = numberAt<uint32_t>(Bytes, At + 4);
  uint64_t Size = numberAt<uint64_t>(Bytes, At + 8);
  if (Size % 8 || Size > Bytes.size() - At - RecordBytes)
    return broken("a record of " + std::to_string(Size) +
                  " bytes is cut short or of wrong size");
  if (!take(Record, Bytes.substr(At + RecordBytes, Size)))
    return false;
  At += RecordBytes + Size;
  return true;
}

} // namespace kst
