// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/RawCounters.h"

#include "hybrid/import/RawHeader.h"
#include "passes/abi/kst_abi.h"

namespace kst {
namespace {

constexpr std::string_view RawCountersMagic = "KSTCOUNT";

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
    if (__builtin_add_overflow(To[I], rawNumber<uint64_t>(Counts, I * 8),
                               &To[I]))
      return "a sum of counters that does not fit 64 bits";
  return nullptr;
}

} // namespace

bool looksLikeRawCounters(std::string_view Bytes) {
  return Bytes.starts_with(RawCountersMagic);
}

Result<RawCounters> readRawCounters(std::string_view Bytes) {
  if (!looksLikeRawCounters(Bytes))
    return Failure{"not raw counters"};
  auto Header = readRawHeader(Bytes, "raw counters", " are ");
  if (!Header)
    return Failure{Header.error()};
  RawCounters Raw;
  Raw.Text = std::move(Header->Text);

  for (uint64_t At = Header->Begin; At < Bytes.size();) {
    if (Bytes.size() - At < RawRecordBytes)
      return at(At, "the last record is cut short");
    uint64_t Hash = rawNumber<uint64_t>(Bytes, At);
    uint64_t Count = rawNumber<uint32_t>(Bytes, At + 8);
    uint32_t Kind = rawNumber<uint32_t>(Bytes, At + 12);
    if (Kind > KST_COUNT_OTHERS)
      return at(At, "a record of unknown kind " + std::to_string(Kind));
    if (Kind == KST_COUNT_END) {
      std::string Wrong = Count ? "an end record with counters"
                                : wrongRawEnd(Bytes, At, RawRecordBytes, Hash);
      if (!Wrong.empty())
        return at(At, Wrong);
      for (const auto &[Unit, Counts] : Raw.Others)
        if (auto All = Raw.Units.find(Unit);
            All == Raw.Units.end() || All->second.size() != Counts.size())
          return at(At, "counts of some threads of a unit without its counts");
      return Raw;
    }
    if (Count * 8 > Bytes.size() - At - RawRecordBytes)
      return at(At, "a record of " + std::to_string(Count) +
                        " counters is cut short");
    auto &Records = Kind == KST_COUNT_UNIT     ? Raw.Units
                    : Kind == KST_COUNT_OBJECT ? Raw.Objects
                                               : Raw.Others;
    if (const char *Wrong = addRecord(
            Records[Hash], Bytes.substr(At + RawRecordBytes, Count * 8)))
      return at(At, Wrong);
    At += RawRecordBytes + Count * 8;
  }
  return Failure{std::string("raw counters are ") + NoRawEnd};
}

} // namespace kst
