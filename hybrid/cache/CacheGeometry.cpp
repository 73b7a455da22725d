// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/cache/CacheGeometry.h"

#include <bit>
#include <charconv>
#include <optional>

namespace kst {
namespace {

/// No level of any machine has more; keeps products within 64 bits.
constexpr uint64_t MaxCacheBytes = uint64_t(1) << 44;

constexpr uint32_t MinLineBytes = 16, MaxLineBytes = 65536;

std::optional<uint64_t> number(std::string_view Text) {
  uint64_t Value = 0;
  auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Value);
  if (Error != std::errc() || End != Text.data() + Text.size())
    return std::nullopt;
  return Value;
}

/// A number of bytes with K, M or G behind it, or alone.
std::optional<uint64_t> bytes(std::string_view Text) {
  unsigned Shift = 0;
  if (!Text.empty())
    switch (Text.back()) {
    case 'K':
      Shift = 10;
      break;
    case 'M':
      Shift = 20;
      break;
    case 'G':
      Shift = 30;
      break;
    }
  if (Shift)
    Text.remove_suffix(1);
  std::optional<uint64_t> Value = number(Text);
  if (!Value || *Value > MaxCacheBytes >> Shift)
    return std::nullopt;
  return *Value << Shift;
}

std::string spelledBytes(uint64_t Bytes) {
  for (auto [Shift, Unit] : {std::pair(30, "G"), {20, "M"}, {10, "K"}})
    if (Bytes % (uint64_t(1) << Shift) == 0)
      return std::to_string(Bytes >> Shift) + Unit;
  return std::to_string(Bytes);
}

std::optional<CacheLevel> levelNamed(std::string_view Name) {
  for (CacheLevel Level : {CacheLevel::L1, CacheLevel::L2, CacheLevel::Llc})
    if (Name == spelling(Level))
      return Level;
  return std::nullopt;
}

/// Of `32K/8`.
Result<CacheShape> shape(std::string_view Text, uint32_t LineBytes) {
  size_t Slash = Text.find('/');
  std::optional<uint64_t> Size = bytes(Text.substr(0, Slash));
  std::string_view WaysText =
      Slash == Text.npos ? std::string_view() : Text.substr(Slash + 1);
  if (!Size || !*Size)
    return Failure{"the size is a number of bytes, such as 32K, up to 16384G"};
  uint64_t Lines = *Size / LineBytes;
  std::optional<uint64_t> Ways =
      WaysText == "full" ? std::optional(Lines) : number(WaysText);
  if (!Ways || !*Ways || *Ways > UINT32_MAX)
    return Failure{"behind the size stand / and the number of ways, such as "
                   "/8, or /full"};
  if (*Size % LineBytes || Lines % *Ways)
    return Failure{spelledBytes(*Size) + " are not a whole number of sets of " +
                   std::to_string(*Ways) + " lines of " +
                   std::to_string(LineBytes) + " bytes"};
  return CacheShape{Lines / *Ways, uint32_t(*Ways)};
}

} // namespace

const char *spelling(CacheLevel Level) {
  static const char *const Names[] = {"l1", "l2", "llc"};
  return Names[size_t(Level)];
}

Result<CacheGeometry> parseCacheGeometry(std::string_view Text) {
  CacheGeometry Geometry;
  std::array<std::string_view, CacheLevels> Shapes;
  bool LineGiven = false;
  for (std::string_view Rest = Text; !Rest.empty();) {
    size_t Comma = Rest.find(',');
    std::string_view Part = Rest.substr(0, Comma);
    Rest = Comma == Rest.npos ? std::string_view() : Rest.substr(Comma + 1);
    size_t Equals = Part.find('=');
    std::string_view Name = Part.substr(0, Equals);
    std::string_view Value =
        Equals == Part.npos ? std::string_view() : Part.substr(Equals + 1);
    std::optional<CacheLevel> Level = levelNamed(Name);
    if (!Level && Name != "line")
      return Failure{"'" + std::string(Part) +
                     "': expected l1=SIZE/WAYS, l2=SIZE/WAYS, llc=SIZE/WAYS or "
                     "line=BYTES, with commas between"};
    if (Level ? !Shapes[size_t(*Level)].empty() : LineGiven)
      return Failure{std::string(Name) + " is given twice"};
    if (Level) {
      if (Value.empty())
        return Failure{"'" + std::string(Part) + "': no size"};
      Shapes[size_t(*Level)] = Value;
      continue;
    }
    std::optional<uint64_t> Line = number(Value);
    if (!Line || *Line < MinLineBytes || *Line > MaxLineBytes ||
        !std::has_single_bit(*Line))
      return Failure{"'" + std::string(Part) +
                     "': a line has 16 to 65536 bytes, a power of two"};
    Geometry.LineBytes = uint32_t(*Line);
    LineGiven = true;
  }
  bool Any = false;
  for (size_t Level = 0; Level < CacheLevels; ++Level) {
    if (Shapes[Level].empty())
      continue;
    Any = true;
    Result<CacheShape> Shape = shape(Shapes[Level], Geometry.LineBytes);
    if (!Shape)
      return Shape.within("'" + std::string(spelling(CacheLevel(Level))) + "=" +
                          std::string(Shapes[Level]) + "'");
    Geometry.Shapes[Level] = *Shape;
  }
  if (!Any)
    return Failure{"no cache: give l1, l2 or llc"};
  return Geometry;
}

std::string spelling(const CacheGeometry &Geometry) {
  std::string Text;
  for (size_t Level = 0; Level < CacheLevels; ++Level) {
    const CacheShape &Shape = Geometry.Shapes[Level];
    if (Shape.exists())
      Text += std::string(spelling(CacheLevel(Level))) + "=" +
              spelledBytes(Shape.lines() * Geometry.LineBytes) + "/" +
              std::to_string(Shape.Ways) + ",";
  }
  return Text + "line=" + std::to_string(Geometry.LineBytes);
}

} // namespace kst
