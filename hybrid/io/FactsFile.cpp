// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/io/FactsFile.h"

#include "hybrid/io/FactsCheck.h"
#include "hybrid/io/Hash.h"

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace kst {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tables are copied as they lie in memory");

struct Header {
  char Magic[8];
  uint32_t Version;
  uint32_t TableCount;
  uint64_t FileBytes;
  uint64_t Checksum;
  uint32_t MainFile;
  uint32_t Triple;
};
static_assert(sizeof(Header) == 40);
constexpr char Magic[8] = {'K', 'S', 'T', 'F', 'A', 'C', 'T', 'S'};
constexpr size_t RowAlign = 8;
constexpr size_t ChecksumFrom = offsetof(Header, MainFile);

// Bytes that no member covers are not initialised and must not reach the file.
// A struct with doubles has no unique representation: count its members.
template <typename T> constexpr size_t TailPadding = 0;
template <>
constexpr size_t TailPadding<RecordFact> =
    sizeof(RecordFact) - (offsetof(RecordFact, Fields) + sizeof(Range));
static_assert(sizeof(RecordFact) == 48 && TailPadding<RecordFact> == 4);
static_assert(sizeof(BlockFact) == sizeof(double) + 2 * sizeof(uint32_t));
static_assert(sizeof(LoopFact) == 2 * sizeof(double) + 2 * sizeof(uint32_t));
template <typename T>
constexpr bool NoHiddenBytes =
    std::has_unique_object_representations_v<T> ||
    std::is_same_v<T, RecordFact> || std::is_same_v<T, BlockFact> ||
    std::is_same_v<T, LoopFact>;

/// Calls Each with every table of plain rows, in the order of the file.
template <typename Facts, typename Visit>
bool forEachTable(Facts &F, Visit Each) {
  return Each(F.Records) && Each(F.Fields) && Each(F.Functions) &&
         Each(F.Values) && Each(F.ValueArgs) && Each(F.Accesses) &&
         Each(F.Calls) && Each(F.Stores) && Each(F.Blocks) && Each(F.Loops) &&
         Each(F.Tables) && Each(F.Drops) && Each(F.ColdCallees) &&
         Each(F.Demands);
}
constexpr uint32_t TableCount = 14 + 2;
static_assert(sizeof(TuFacts) == (14 + 1) * sizeof(std::vector<int>) + 8,
              "a new table also belongs into forEachTable and checkFacts");

size_t padded(size_t Bytes) { return (Bytes + RowAlign - 1) & ~(RowAlign - 1); }

class Writer {
public:
  explicit Writer(size_t Bytes) : Out(Bytes, '\0') {}

  template <typename T> bool table(const std::vector<T> &Rows) {
    static_assert(std::is_trivially_copyable_v<T> && NoHiddenBytes<T>);
    rows(Rows.data(), Rows.size());
    if constexpr (TailPadding<T> != 0)
      for (size_t I = 0; I < Rows.size(); ++I)
        memset(&Out[LastRows + (I + 1) * sizeof(T) - TailPadding<T>], 0,
               TailPadding<T>);
    return true;
  }

  template <typename T> void rows(const T *Rows, size_t Count) {
    assert(Count < None && "table too large for 32-bit numbers");
    uint32_t Head[2] = {static_cast<uint32_t>(Count), sizeof(T)};
    put(Head, sizeof(Head));
    LastRows = At;
    put(Rows, Count * sizeof(T));
    At = padded(At);
  }

  void put(const void *Bytes, size_t Count) {
    if (Count)
      memcpy(&Out[At], Bytes, Count);
    At += Count;
  }

  std::string Out;
  size_t At = sizeof(Header);

private:
  size_t LastRows = 0;
};

/// Hands out consecutive tables of a file; every method returns false at the
/// first thing that does not fit. Bytes begin at a multiple of RowAlign.
class Reader {
public:
  explicit Reader(std::string_view Bytes) : Bytes(Bytes) {}

  template <typename T> bool table(std::vector<T> &Rows) {
    const T *Begin;
    uint32_t Count;
    if (!rows(Begin, Count))
      return false;
    Rows.assign(Begin, Begin + Count); // one memmove
    return true;
  }

  template <typename T> bool rows(const T *&Begin, uint32_t &Count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= RowAlign);
    uint32_t Head[2];
    if (Bytes.size() - At < sizeof(Head))
      return false;
    memcpy(Head, Bytes.data() + At, sizeof(Head));
    At += sizeof(Head);
    uint64_t Size = uint64_t(Head[0]) * sizeof(T);
    if (Head[1] != sizeof(T) || padded(Size) > Bytes.size() - At)
      return false;
    Begin = reinterpret_cast<const T *>(Bytes.data() + At);
    Count = Head[0];
    At += padded(Size);
    return true;
  }

  bool atEnd() const { return At == Bytes.size(); }

private:
  std::string_view Bytes;
  size_t At = sizeof(Header);
};

bool readStrings(Reader &In, std::vector<std::string> &Strings) {
  std::vector<uint32_t> Lengths;
  const char *Text;
  uint32_t Left;
  if (!In.table(Lengths) || !In.rows(Text, Left))
    return false;
  Strings.clear();
  Strings.reserve(Lengths.size());
  for (uint32_t Length : Lengths) {
    if (Length > Left)
      return false;
    Strings.emplace_back(Text, Length);
    Text += Length;
    Left -= Length;
  }
  return Left == 0;
}

Result<TuFacts> readAligned(std::string_view Bytes) {
  Header Head;
  if (Bytes.size() < sizeof(Head))
    return Failure{"not a facts file: too short"};
  memcpy(&Head, Bytes.data(), sizeof(Head));
  if (memcmp(Head.Magic, Magic, sizeof(Magic)) != 0)
    return Failure{"not a facts file"};
  if (Head.Version != FactsFormatVersion || Head.TableCount != TableCount)
    return Failure{"facts file of version " + std::to_string(Head.Version) +
                   "; this program reads version " +
                   std::to_string(FactsFormatVersion)};
  if (Head.FileBytes != Bytes.size())
    return Failure{"facts file is cut short or has bytes behind its end"};
  if (Head.Checksum != hash64(Bytes.substr(ChecksumFrom)))
    return Failure{"facts file is damaged: wrong checksum"};

  TuFacts F;
  Reader In(Bytes);
  if (!forEachTable(F, [&](auto &Table) { return In.table(Table); }) ||
      !readStrings(In, F.Strings) || !In.atEnd())
    return Failure{"facts file is damaged: a table does not fit"};
  F.MainFile = Head.MainFile;
  F.Triple = Head.Triple;
  if (auto Broken = checkFacts(F))
    return *Broken;
  return F;
}

} // namespace

std::string writeFacts(const TuFacts &F) {
  std::vector<uint32_t> Lengths;
  std::string Text;
  size_t TextBytes = 0;
  for (const std::string &S : F.Strings)
    TextBytes += S.size();
  Lengths.reserve(F.Strings.size());
  Text.reserve(TextBytes);
  for (const std::string &S : F.Strings) {
    Lengths.push_back(static_cast<uint32_t>(S.size()));
    Text += S;
  }

  size_t Size = sizeof(Header);
  auto Measure = [&](const auto &Table) {
    Size += 8 + padded(Table.size() * sizeof(Table[0]));
    return true;
  };
  forEachTable(F, Measure);
  Measure(Lengths);
  Measure(Text);

  Writer Out(Size);
  forEachTable(F, [&](const auto &Table) { return Out.table(Table); });
  Out.rows(Lengths.data(), Lengths.size());
  Out.rows(Text.data(), Text.size());
  assert(Out.At == Size);

  Header Head = {{}, FactsFormatVersion, TableCount, Size,
                 0,  F.MainFile,         F.Triple};
  memcpy(Head.Magic, Magic, sizeof(Magic));
  memcpy(Out.Out.data(), &Head, sizeof(Head));
  Head.Checksum = hash64(std::string_view(Out.Out).substr(ChecksumFrom));
  memcpy(Out.Out.data(), &Head, sizeof(Head));
  return std::move(Out.Out);
}

Result<TuFacts> readFacts(std::string_view Bytes) {
  if (Bytes.empty() ||
      reinterpret_cast<uintptr_t>(Bytes.data()) % RowAlign == 0)
    return readAligned(Bytes);
  std::vector<uint64_t> Copy(padded(Bytes.size()) / RowAlign);
  memcpy(Copy.data(), Bytes.data(), Bytes.size());
  return readAligned({reinterpret_cast<char *>(Copy.data()), Bytes.size()});
}

} // namespace kst
