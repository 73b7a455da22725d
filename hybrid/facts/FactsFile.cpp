// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/facts/FactsFile.h"

#include "hybrid/core/Hash.h"
#include "hybrid/core/TableBytes.h"
#include "hybrid/facts/FactsCheck.h"

#include <cassert>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace kst {
namespace {

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
constexpr size_t ChecksumFrom = offsetof(Header, MainFile);

// Bytes that no member covers are not initialised and must not reach the file.
// A struct with doubles has no unique representation: count its members.
template <typename T> constexpr size_t TailPadding = 0;
template <>
constexpr size_t TailPadding<RecordFact> =
    sizeof(RecordFact) - (offsetof(RecordFact, Groups) + sizeof(Range));
static_assert(sizeof(RecordFact) == 56 && TailPadding<RecordFact> == 4);
template <>
constexpr size_t TailPadding<BlockFact> =
    sizeof(BlockFact) - (offsetof(BlockFact, Loop) + sizeof(uint32_t));
static_assert(sizeof(BlockFact) == 16 && TailPadding<BlockFact> == 4);
static_assert(sizeof(EdgeFact) == sizeof(double) + 2 * sizeof(uint32_t));
static_assert(sizeof(LoopFact) == 2 * sizeof(double) + 2 * sizeof(uint32_t));
template <typename T>
constexpr bool NoHiddenBytes =
    std::has_unique_object_representations_v<T> ||
    std::is_same_v<T, RecordFact> || std::is_same_v<T, BlockFact> ||
    std::is_same_v<T, LoopFact> || std::is_same_v<T, EdgeFact>;

/// Calls Each with every table of plain rows, in the order of the file.
template <typename Facts, typename Visit>
bool forEachTable(Facts &F, Visit Each) {
  return Each(F.Records) && Each(F.Fields) && Each(F.Groups) &&
         Each(F.Functions) && Each(F.Values) && Each(F.ValueArgs) &&
         Each(F.Accesses) && Each(F.Calls) && Each(F.Stores) &&
         Each(F.Blocks) && Each(F.Loops) && Each(F.Edges) && Each(F.Tests) &&
         Each(F.Tables) && Each(F.Slabs) && Each(F.Variables) &&
         Each(F.Drops) && Each(F.Demands) && Each(F.PointerFlows);
}
constexpr uint32_t TableCount = 19 + 2;
static_assert(sizeof(TuFacts) == (19 + 1) * sizeof(std::vector<int>) + 8,
              "a new table also belongs into forEachTable and checkFacts");

/// Appends rows whose hidden bytes, if they have any, become zeros.
template <typename T>
void writeRows(TableWriter &To, const std::vector<T> &Rows) {
  static_assert(std::is_trivially_copyable_v<T> && NoHiddenBytes<T>);
  To.rows(Rows.data(), Rows.size());
  if constexpr (TailPadding<T> != 0) {
    static_assert(sizeof(T) % TableAlign == 0, "rows end where the file does");
    char *End = To.Out.data() + To.Out.size();
    for (size_t I = 0; I < Rows.size(); ++I)
      memset(End - I * sizeof(T) - TailPadding<T>, 0, TailPadding<T>);
  }
}

/// The bytes of the file, so that it grows only once.
size_t fileBytes(const TuFacts &F) {
  size_t Size = sizeof(Header);
  auto Measure = [&](size_t Bytes) { Size += 8 + tablePadded(Bytes); };
  forEachTable(F, [&](const auto &Table) {
    Measure(Table.size() * sizeof(Table[0]));
    return true;
  });
  size_t TextBytes = 0;
  for (const std::string &S : F.Strings)
    TextBytes += S.size();
  Measure(F.Strings.size() * sizeof(uint32_t));
  Measure(TextBytes);
  return Size;
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
  TableReader In(Bytes, sizeof(Head));
  if (!forEachTable(F, [&](auto &Table) { return In.table(Table); }) ||
      !In.texts(F.Strings) || !In.atEnd())
    return Failure{"facts file is damaged: a table does not fit"};
  F.MainFile = Head.MainFile;
  F.Triple = Head.Triple;
  if (auto Broken = checkFacts(F))
    return *Broken;
  return F;
}

} // namespace

std::string writeFacts(const TuFacts &F) {
  const size_t Size = fileBytes(F);
  TableWriter To(sizeof(Header));
  To.Out.reserve(Size);
  forEachTable(F, [&](const auto &Table) {
    writeRows(To, Table);
    return true;
  });
  To.texts(F.Strings);
  assert(To.Out.size() == Size);

  Header Head = {{}, FactsFormatVersion, TableCount, Size,
                 0,  F.MainFile,         F.Triple};
  memcpy(Head.Magic, Magic, sizeof(Magic));
  memcpy(To.Out.data(), &Head, sizeof(Head));
  Head.Checksum = hash64(std::string_view(To.Out).substr(ChecksumFrom));
  memcpy(To.Out.data(), &Head, sizeof(Head));
  return std::move(To.Out);
}

Result<TuFacts> readFacts(std::string_view Bytes) {
  if (Bytes.empty() ||
      reinterpret_cast<uintptr_t>(Bytes.data()) % TableAlign == 0)
    return readAligned(Bytes);
  std::vector<uint64_t> Copy(tablePadded(Bytes.size()) / TableAlign);
  memcpy(Copy.data(), Bytes.data(), Bytes.size());
  return readAligned({reinterpret_cast<char *>(Copy.data()), Bytes.size()});
}

} // namespace kst
