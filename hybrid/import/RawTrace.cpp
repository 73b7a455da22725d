// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/RawTrace.h"

#include "hybrid/import/RawHeader.h"

namespace kst {
namespace {

constexpr std::string_view RawTraceMagic = "KSTEVENT";
constexpr size_t EventBytes = 16;
constexpr uint32_t AddressBits = 48, ContextShift = 62;

/// Up to the first NUL.
std::string_view nameIn(std::string_view Padded) {
  return Padded.substr(0, Padded.find('\0'));
}

} // namespace

bool looksLikeRawTrace(std::string_view Bytes) {
  return Bytes.starts_with(RawTraceMagic);
}

RawTraceEvent RawTraceRecord::event(uint64_t I) const {
  uint64_t Where, What;
  memcpy(&Where, EventBytes + I * 16, 8);
  memcpy(&What, EventBytes + I * 16 + 8, 8);
  constexpr unsigned Free = 64 - AddressBits;
  uint8_t Context = 0;
  if (this->What == KernelEvents) {
    Context = static_cast<uint8_t>(What >> ContextShift);
    What &= (uint64_t(1) << ContextShift) - 1;
  }
  return {static_cast<uint64_t>(static_cast<int64_t>(Where << Free) >> Free),
          Where >> 48 | What >> 24 << 16,
          static_cast<uint32_t>(What & 0xffffff), Context};
}

RawLife RawTraceRecord::life(uint64_t I) const {
  static_assert(sizeof(kst_life) == 16);
  kst_life Life;
  memcpy(&Life, EventBytes + I * sizeof Life, sizeof Life);
  return {Life.caller, Life.asked, Life.cache};
}

Result<RawTrace> RawTrace::open(std::string_view Bytes) {
  if (!looksLikeRawTrace(Bytes))
    return Failure{"not a raw trace"};
  auto Header = readRawHeader(Bytes, "raw trace", " is ");
  if (!Header)
    return Failure{Header.error()};
  RawTrace Trace;
  Trace.Bytes = Bytes;
  Trace.At = Header->Begin;
  Trace.Text = std::move(Header->Text);
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
    Record.Hash = rawNumber<uint64_t>(Body, 0);
    Record.TraceBase = rawNumber<uint32_t>(Body, 8);
    Record.Sites = rawNumber<uint32_t>(Body, 12);
    return true;
  case RawTraceRecord::Events:
  case RawTraceRecord::KernelEvents:
    if (Body.size() % EventBytes != 8)
      return broken("events of wrong size");
    Record.Lost = rawNumber<uint64_t>(Body, 0);
    Record.Count = Body.size() / EventBytes;
    Record.EventBytes = Body.data() + 8;
    return true;
  case RawTraceRecord::Object: {
    if (Body.size() < 24)
      return broken("an object of wrong size");
    Record.Address = rawNumber<uint64_t>(Body, 0);
    uint64_t Size = rawNumber<uint64_t>(Body, 8);
    Record.Number = rawNumber<uint32_t>(Body, 16);
    Record.Cpu = rawNumber<uint32_t>(Body, 20);
    Record.Struct = nameIn(Body.substr(24));
    if (!Size || Size > ~0u || !Record.Number || Record.Struct.empty())
      return broken("an object without a size, number or struct");
    Record.SizeBytes = static_cast<uint32_t>(Size);
    return true;
  }
  case RawTraceRecord::Cache:
    if (Body.size() < 16)
      return broken("a cache of wrong size");
    Record.Number = rawNumber<uint32_t>(Body, 0);
    Record.SizeBytes = rawNumber<uint32_t>(Body, 4);
    Record.ObjectBytes = rawNumber<uint32_t>(Body, 8);
    Record.Name = nameIn(Body.substr(16));
    if (!Record.SizeBytes || Record.Name.empty())
      return broken("a cache without a size or name");
    return true;
  case RawTraceRecord::Image:
    if (Body.size() < 32)
      return broken("an image of wrong size");
    Record.Address = rawNumber<uint64_t>(Body, 0);
    Record.End = rawNumber<uint64_t>(Body, 8);
    Record.Bias = rawNumber<uint64_t>(Body, 16);
    Record.Name = nameIn(Body.substr(24));
    if (Record.Address >= Record.End || Record.Name.empty())
      return broken("an image without addresses or name");
    return true;
  }
  return broken("a record of unknown kind " +
                std::to_string(static_cast<uint32_t>(Record.What)));
}

/// Always false: the last record, or damage.
bool RawTrace::end(std::string_view Body) {
  if (Body.size() != 8)
    return broken("an end record of wrong size");
  std::string Wrong =
      wrongRawEnd(Bytes, At, RawRecordBytes + 8, rawNumber<uint64_t>(Body, 0));
  if (!Wrong.empty())
    return broken(Wrong);
  Ended = true;
  return false;
}

bool RawTrace::next(RawTraceRecord &Record) {
  if (Ended || Damage)
    return false;
  if (At == Bytes.size()) {
    Damage = Failure{std::string("raw trace is ") + NoRawEnd};
    return false;
  }
  if (Bytes.size() - At < RawRecordBytes)
    return broken("the last record is cut short");
  Record = RawTraceRecord();
  uint32_t Kind = rawNumber<uint32_t>(Bytes, At);
  Record.What = static_cast<RawTraceRecord::Kind>(Kind);
  Record.Stream = rawNumber<uint32_t>(Bytes, At + 4);
  uint64_t Size = rawNumber<uint64_t>(Bytes, At + 8);
  if (Size % 8 || Size > Bytes.size() - At - RawRecordBytes)
    return broken("a record of " + std::to_string(Size) +
                  " bytes is cut short or of wrong size");
  std::string_view Body = Bytes.substr(At + RawRecordBytes, Size);
  if (Kind == KST_EVENT_END)
    return end(Body);
  if (!take(Record, Body))
    return false;
  At += RawRecordBytes + Size;
  return true;
}

} // namespace kst
