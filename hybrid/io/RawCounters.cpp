// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/io/RawCounters.h"

#include <cstring>

namespace kst {
namespace {

constexpr std::string_view Magic = "KSTCOUNT";
constexpr uint32_t Version = 1;
constexpr size_t HeaderBytes = 16, RecordBytes = 16;

template <typename T> T numberAt(std::string_view Bytes, size_t At) {
  T Value;
  memcpy(&Value, Bytes.data() + At, sizeof(T));
  return Value;
}

Failure at(size_t Offset, const std::string &What) {
  return {"raw counters are damaged at byte " + std::to_string(Offset) + ": " +
          What};
}

/// False if a sum does not fit or if an earlier record has another size.
const char *addRecord(std::vector<uint64_t> &To, std::string_view Counts) {
  size_t N = Counts.size() / 8;
  if (To.empty())
    To.resize(N);
  if (To.size() != N)
    return "a record of other size than an earlier one of its hash";
  for (size_t I = 0; I < N; ++I)
    if (__builtin_add_overflow(To[I], numberAt<uint64_t>(Counts, I * 8),
                               &To[I]))
      return "a sum of counters that does not fit 64 bits";
  return nullptr;
}

} // namespace

uint64_t structNameHash(std::string_view Name) {
  uint64_t Hash = 0xcbf29ce484222325;
  for (unsigned char C : Name)
    Hash = (Hash ^ C) * 0x100000001b3;
  return Hash;
}

bool looksLikeRawCounters(std::string_view Bytes) {
  return Bytes.starts_with(Magic);
}

Result<std::map<std::string, std::string>>
readKeyValues(std::string_view Text) {
  std::map<std::string, std::string> Out;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    std::string_view Line = Text.substr(0, End);
    Text.remove_prefix(End == Text.npos ? Text.size() : End + 1);
    if (Line.empty())
      continue;
    size_t Equals = Line.find('=');
    if (Equals == 0 || Equals == Line.npos)
      return Failure{"the text has a line that is not key=value"};
    Out[std::string(Line.substr(0, Equals))] = Line.substr(Equals + 1);
  }
  return Out;
}

Result<RawCounters> readRawCounters(std::string_view Bytes) {
  if (!looksLikeRawCounters(Bytes))
    return Failure{"not raw counters"};
  if (Bytes.size() < HeaderBytes)
    return Failure{"raw counters are cut short: no header"};
  if (uint32_t Found = numberAt<uint32_t>(Bytes, 8); Found != Version)
    return Failure{"raw counters of version " + std::to_string(Found) +
                   "; this program reads version " + std::to_string(Version)};
  uint64_t TextBytes = numberAt<uint32_t>(Bytes, 12);
  uint64_t At = HeaderBytes + ((TextBytes + 7) & ~uint64_t(7));
  if (At > Bytes.size())
    return Failure{"raw counters are cut short: in the text of the header"};
  RawCounters Raw;
  auto Text = readKeyValues(Bytes.substr(HeaderBytes, TextBytes));
  if (!Text)
    return Text.within("raw counters are damaged");
  Raw.Text = std::move(*Text);

  while (At < Bytes.size()) {
    if (Bytes.size() - At < RecordBytes)
      return at(At, "the last record is cut short");
    uint64_t Hash = numberAt<uint64_t>(Bytes, At);
    uint64_t Count = numberAt<uint32_t>(Bytes, At + 8);
    uint32_t Kind = numberAt<uint32_t>(Bytes, At + 12);
    if (Kind > 1)
      return at(At, "a record of unknown kind " + std::to_string(Kind));
    if (Count * 8 > Bytes.size() - At - RecordBytes)
      return at(At, "a record of " + std::to_string(Count) +
                        " counters is cut short");
    auto &Records = Kind ? Raw.Objects : Raw.Units;
    if (const char *Wrong =
            addRecord(Records[Hash], Bytes.substr(At + RecordBytes, Count * 8)))
      return at(At, Wrong);
    At += RecordBytes + Count * 8;
  }
  return Raw;
}

} // namespace kst
