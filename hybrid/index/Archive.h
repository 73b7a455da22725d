// SPDX-License-Identifier: GPL-2.0-or-later
//
// Values as bytes and back by one description: `template <typename A> void
// archive(A &To, T &Value)` hands each member of T to To. Numbers as they lie
// in memory (little-endian), a count before the elements of what has many.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kst {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

template <typename T>
concept ArchivedNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends to Bytes.
class ArchiveWriter {
public:
  static constexpr bool Reads = false;
  std::string Bytes;

  template <ArchivedNumber T> void operator()(const T &Number) {
    Bytes.append(reinterpret_cast<const char *>(&Number), sizeof(T));
  }
  void operator()(const std::string &Text) {
    (*this)(uint32_t(Text.size()));
    Bytes += Text;
  }
  template <typename T> void operator()(const std::vector<T> &Rows) {
    (*this)(uint32_t(Rows.size()));
    for (const T &Row : Rows)
      (*this)(Row);
  }
  template <typename K, typename V>
  void operator()(const std::map<K, V> &Rows) {
    (*this)(uint32_t(Rows.size()));
    for (const auto &[Key, Value] : Rows) {
      (*this)(Key);
      (*this)(Value);
    }
  }
  template <typename T>
    requires(!ArchivedNumber<T>)
  void operator()(const T &Value) {
    archive(*this, const_cast<T &>(Value));
  }
};

/// Reads what an ArchiveWriter wrote. Foreign bytes: what does not fit leaves
/// the rest empty, and good() false. Takes at most some hundred times the
/// memory of the bytes.
class ArchiveReader {
public:
  static constexpr bool Reads = true;
  explicit ArchiveReader(std::string_view Bytes) : Rest(Bytes) {}

  bool good() const { return Good; }
  bool atEnd() const { return Good && Rest.empty(); }
  std::string_view rest() const { return Rest; }

  template <ArchivedNumber T> void operator()(T &Number) {
    if (!has(sizeof(T)))
      return;
    if constexpr (std::is_same_v<T, bool>) {
      Good &= uint8_t(Rest[0]) <= 1;
      Number = Rest[0] == 1;
    } else
      memcpy(&Number, Rest.data(), sizeof(T));
    Rest.remove_prefix(sizeof(T));
  }
  void operator()(std::string &Text) {
    const uint32_t Size = count();
    Text.assign(Rest.substr(0, Size));
    Rest.remove_prefix(Size);
  }
  template <typename T> void operator()(std::vector<T> &Rows) {
    const uint32_t Size = count();
    for (uint32_t I = 0; Good && I != Size; ++I)
      (*this)(Rows.emplace_back());
  }
  template <typename K, typename V> void operator()(std::map<K, V> &Rows) {
    const uint32_t Size = count();
    for (uint32_t I = 0; Good && I != Size; ++I) {
      K Key{};
      (*this)(Key);
      (*this)(Rows[Key]);
    }
  }
  template <typename T>
    requires(!ArchivedNumber<T>)
  void operator()(T &Value) {
    archive(*this, Value);
  }

private:
  bool has(size_t Size) { return Good = Good && Size <= Rest.size(); }
  /// Every element has at least a byte.
  uint32_t count() {
    uint32_t Size = 0;
    (*this)(Size);
    return has(Size) ? Size : 0;
  }

  std::string_view Rest;
  bool Good = true;
};

} // namespace kst
