// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables of plain rows as bytes of a file: u32 rows, u32 bytes per row, the
// rows as they lie in memory, zeros up to a multiple of 8. What our binary
// files are made of, once their header was believed.

#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kst {

static_assert(std::endian::native == std::endian::little,
              "tables are copied as they lie in memory");

inline constexpr size_t TableAlign = 8;
inline size_t tablePadded(size_t Bytes) {
  return (Bytes + TableAlign - 1) & ~(TableAlign - 1);
}

/// Appends tables to a string. Rows without padding only.
class TableWriter {
public:
  explicit TableWriter(size_t HeaderBytes) : Out(HeaderBytes, '\0') {}

  template <typename T> void table(const std::vector<T> &Rows) {
    static_assert(std::is_trivially_copyable_v<T> &&
                  std::has_unique_object_representations_v<T>);
    rows(Rows.data(), Rows.size());
  }

  template <typename T> void rows(const T *Rows, size_t Count) {
    assert(Count < ~0u && "table too large for 32-bit numbers");
    uint32_t Head[2] = {static_cast<uint32_t>(Count), sizeof(T)};
    Out.append(reinterpret_cast<const char *>(Head), sizeof(Head));
    Out.append(reinterpret_cast<const char *>(Rows), Count * sizeof(T));
    Out.resize(tablePadded(Out.size()), '\0');
  }

  /// Lengths, then bytes: two tables.
  void texts(const std::vector<std::string> &Texts) {
    std::vector<uint32_t> Lengths;
    std::string Bytes;
    size_t All = 0;
    for (const std::string &Text : Texts)
      All += Text.size();
    Lengths.reserve(Texts.size());
    Bytes.reserve(All);
    for (const std::string &Text : Texts) {
      Lengths.push_back(static_cast<uint32_t>(Text.size()));
      Bytes += Text;
    }
    table(Lengths);
    rows(Bytes.data(), Bytes.size());
  }

  std::string Out;
};

/// Hands out consecutive tables of a file; every method returns false at the
/// first thing that does not fit. No more memory than Bytes are long. Bytes
/// begin at a multiple of TableAlign.
class TableReader {
public:
  TableReader(std::string_view Bytes, size_t HeaderBytes)
      : Bytes(Bytes), At(HeaderBytes) {}

  template <typename T> bool table(std::vector<T> &Rows) {
    const T *Begin;
    uint32_t Count;
    if (!rows(Begin, Count))
      return false;
    Rows.assign(Begin, Begin + Count); // one memmove
    return true;
  }

  template <typename T> bool rows(const T *&Begin, uint32_t &Count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= TableAlign);
    uint32_t Head[2];
    if (Bytes.size() - At < sizeof(Head))
      return false;
    memcpy(Head, Bytes.data() + At, sizeof(Head));
    At += sizeof(Head);
    uint64_t Size = uint64_t(Head[0]) * sizeof(T);
    if (Head[1] != sizeof(T) || tablePadded(Size) > Bytes.size() - At)
      return false;
    Begin = reinterpret_cast<const T *>(Bytes.data() + At);
    Count = Head[0];
    At += tablePadded(Size);
    return true;
  }

  bool texts(std::vector<std::string> &Texts) {
    const uint32_t *Lengths;
    const char *Text;
    uint32_t Count, Left;
    if (!rows(Lengths, Count) || !rows(Text, Left))
      return false;
    Texts.clear();
    Texts.reserve(Count);
    for (uint32_t I = 0; I < Count; ++I) {
      if (Lengths[I] > Left)
        return false;
      Texts.emplace_back(Text, Lengths[I]);
      Text += Lengths[I];
      Left -= Lengths[I];
    }
    return Left == 0;
  }

  bool atEnd() const { return At == Bytes.size(); }

private:
  std::string_view Bytes;
  size_t At;
};

} // namespace kst
