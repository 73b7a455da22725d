// SPDX-License-Identifier: GPL-2.0-or-later
//
// Numbers in bytes of either byte order, front to back.

#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace kst {

/// Walks bytes that nobody checked. What does not fit is 0 or empty, and from
/// then on good() is false.
class ForeignBytes {
public:
  ForeignBytes() = default;
  ForeignBytes(std::string_view Bytes, bool Big) : Bytes(Bytes), Big(Big) {}

  bool good() const { return Good; }
  size_t left() const { return Bytes.size() - At; }
  size_t position() const { return At; }

  template <typename T> T take() {
    std::string_view Part = take(sizeof(T));
    return Part.empty() ? T(0) : number<T>(Part);
  }
  std::string_view take(uint64_t Size) {
    if (!Good || Size > left()) {
      Good = false;
      return {};
    }
    At += Size;
    return Bytes.substr(At - Size, Size);
  }
  /// Up to a zero, which is taken, too.
  std::string_view takeText() {
    size_t End = Bytes.find('\0', At);
    if (End == Bytes.npos) {
      Good = false;
      return {};
    }
    std::string_view Text = take(End - At);
    take(1);
    return Text;
  }
  /// The number at a place, 0 if it is not inside; moves nothing.
  template <typename T> T at(uint64_t Place) const {
    if (Place > Bytes.size() || Bytes.size() - Place < sizeof(T))
      return 0;
    return number<T>(Bytes.substr(Place, sizeof(T)));
  }
  /// A part of all bytes, as far as they go.
  std::string_view part(uint64_t Begin, uint64_t Size) const {
    return Begin > Bytes.size() ? std::string_view()
                                : Bytes.substr(Begin, Size);
  }

private:
  template <typename T> T number(std::string_view Part) const {
    T Value;
    memcpy(&Value, Part.data(), sizeof(T));
    if (!Big)
      return Value;
    T Turned = 0;
    for (size_t I = 0; I < sizeof(T); ++I)
      Turned = static_cast<T>(Turned << 4 << 4 |
                              static_cast<unsigned char>(Part[I]));
    return Turned;
  }

  std::string_view Bytes;
  size_t At = 0;
  bool Big = false, Good = true;
};

} // namespace kst
