// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/index/IndexFile.h"

#include "hybrid/facts/FactsFile.h"
#include "hybrid/index/Archive.h"

#include <cstring>
#include <zstd.h>

namespace kst {

namespace {

enum : size_t { HeadSection, FactsSection, RowsSection, SectionCount };
constexpr size_t HeadBytes = 32, SectionBytes = 32;
/// Against hostile files: what zstd can make of so many bytes at most, and what
/// the largest tree needs.
constexpr uint64_t MostExpansion = 4096, MostRawBytes = uint64_t(16) << 30;
const char *const Again = "; make it again with 'kstatic-affinity index'";

template <typename T> T at(std::string_view Bytes, size_t Offset) {
  T Value;
  memcpy(&Value, Bytes.data() + Offset, sizeof(T));
  return Value;
}

template <typename T> void put(std::string &To, T Value) {
  To.append(reinterpret_cast<const char *>(&Value), sizeof(T));
}

/// Numbers that mostly ascend, as differences modulo 2^32.
struct Ascending {
  std::vector<uint32_t> &Rows;
};

template <typename A> void archive(A &To, Ascending Of) {
  std::vector<uint32_t> Steps;
  uint32_t Last = 0;
  if constexpr (!A::Reads)
    for (uint32_t Row : Of.Rows)
      Steps.push_back(Row - std::exchange(Last, Row));
  To(Steps);
  if constexpr (A::Reads)
    for (uint32_t Step : Steps)
      Of.Rows.push_back(Last += Step);
}

} // namespace

template <typename A> void archive(A &To, Hash128 &Of) {
  To(Of.Low);
  To(Of.High);
}

template <typename A> void archive(A &To, IndexedAnswer &Of) {
  To(Of.Path);
  To(Of.Kind);
  To(Of.SizeBytes);
  To(Of.Hash);
}

template <typename A> void archive(A &To, IndexedUnit &Of) {
  To(Of.Relative);
  To(Of.Key);
  archive(To, Ascending{Of.Answers});
}

template <typename A> void archive(A &To, FailedUnit &Of) {
  To(Of.File);
  To(Of.Reason);
}

template <typename A> void archive(A &To, UnitRows &Of) {
  To(Of.MainFile);
  To(Of.Triple);
  for (std::vector<uint32_t> UnitRows::*Rows :
       {&UnitRows::Strings, &UnitRows::Records, &UnitRows::Functions,
        &UnitRows::Tables, &UnitRows::Slabs, &UnitRows::Variables,
        &UnitRows::Drops, &UnitRows::Demands, &UnitRows::PointerFlows})
    archive(To, Ascending{Of.*Rows});
}

template <typename A> void archive(A &To, Index &Of) {
  To(Of.Tool);
  To(Of.FactsId);
  To(Of.SourceRoot);
  To(Of.Builds);
  To(Of.Answers);
  To(Of.Units);
  To(Of.Failed);
}

std::string writeIndex(const Index &Of, int Level) {
  std::string Table, Body;
  const uint64_t Begin = HeadBytes + SectionCount * SectionBytes;
  auto Add = [&](const std::string &Raw) {
    std::string Packed(ZSTD_compressBound(Raw.size()), '\0');
    Packed.resize(ZSTD_compress(Packed.data(), Packed.size(), Raw.data(),
                                Raw.size(), Level));
    put<uint64_t>(Table, Begin + Body.size());
    put<uint64_t>(Table, Packed.size());
    put<uint64_t>(Table, Raw.size());
    put(Table, hash64(Packed));
    Body += Packed;
  };
  ArchiveWriter Head, Rows;
  Head(Of);
  Rows(Of.Store.units());
  Add(Head.Bytes);
  Add(writeFacts(Of.Store.all()));
  Add(Rows.Bytes);
  std::string Out = "KSTINDEX";
  put(Out, IndexFormatVersion);
  put(Out, uint32_t(SectionCount));
  put<uint64_t>(Out, Begin + Body.size());
  put(Out, hash64(Table));
  Out += Table;
  Out += Body;
  return Out;
}

namespace {

Failure damaged(const std::string &Why = "wrong checksum") {
  return {"the index is damaged: " + Why + Again};
}

class Reader {
public:
  explicit Reader(std::string_view Bytes) : Bytes(Bytes) {}

  Result<Index> read() {
    if (auto Wrong = head())
      return *Wrong;
    Index Of;
    auto Raw = section(HeadSection);
    if (!Raw)
      return Failure{Raw.error()};
    ArchiveReader Head(*Raw);
    Head(Of);
    if (!Head.atEnd())
      return damaged("its head");
    for (const IndexedUnit &Unit : Of.Units)
      for (uint32_t Answer : Unit.Answers)
        if (Answer >= Of.Answers.size())
          return damaged("an answer that is not there");
    auto Store = store();
    if (!Store)
      return Failure{Store.error()};
    Of.Store = std::move(*Store);
    if (Of.Store.size() != Of.Units.size())
      return damaged("units without facts");
    return Of;
  }

private:
  std::optional<Failure> head() const {
    if (!looksLikeIndex(Bytes))
      return Failure{"not an index of kstatic-affinity"};
    const Failure Short{std::string("the index is cut short, or has bytes "
                                    "behind its end") +
                        Again};
    if (Bytes.size() < HeadBytes)
      return Short;
    if (const auto Version = at<uint32_t>(Bytes, 8);
        Version != IndexFormatVersion)
      return Failure{"an index of version " + std::to_string(Version) +
                     "; this program reads version " +
                     std::to_string(IndexFormatVersion) + Again};
    if (at<uint64_t>(Bytes, 16) != Bytes.size())
      return Short;
    constexpr size_t TableBytes = SectionCount * SectionBytes;
    if (at<uint32_t>(Bytes, 12) != SectionCount ||
        Bytes.size() < HeadBytes + TableBytes ||
        hash64(Bytes.substr(HeadBytes, TableBytes)) != at<uint64_t>(Bytes, 24))
      return damaged();
    return std::nullopt;
  }

  Result<std::string> section(size_t Number) const {
    const size_t Row = HeadBytes + Number * SectionBytes;
    const auto Offset = at<uint64_t>(Bytes, Row);
    const auto Size = at<uint64_t>(Bytes, Row + 8);
    const auto RawSize = at<uint64_t>(Bytes, Row + 16);
    if (Offset > Bytes.size() || Size > Bytes.size() - Offset ||
        RawSize > MostRawBytes || RawSize / MostExpansion > Size + 1)
      return damaged("a section that does not fit");
    const std::string_view Packed = Bytes.substr(Offset, Size);
    if (hash64(Packed) != at<uint64_t>(Bytes, Row + 24))
      return damaged();
    std::string Raw(RawSize, '\0');
    if (ZSTD_decompress(Raw.data(), Raw.size(), Packed.data(), Packed.size()) !=
        RawSize)
      return damaged("a section does not unpack");
    return Raw;
  }

  Result<FactsStore> store() const {
    auto RawFacts = section(FactsSection), RawRows = section(RowsSection);
    if (!RawFacts || !RawRows)
      return Failure{RawFacts ? RawRows.error() : RawFacts.error()};
    auto Facts = readFacts(*RawFacts);
    if (!Facts)
      return damaged(Facts.error());
    std::vector<UnitRows> Units;
    ArchiveReader From(*RawRows);
    From(Units);
    if (!From.atEnd())
      return damaged("rows of its units");
    auto Store = FactsStore::from(std::move(*Facts), std::move(Units));
    if (!Store)
      return damaged(Store.error());
    return Store;
  }

  std::string_view Bytes;
};

} // namespace

Result<Index> readIndex(std::string_view Bytes) { return Reader(Bytes).read(); }

} // namespace kst
