// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/RawHeader.h"

#include "passes/abi/kst_abi.h"

namespace kst {
namespace {

constexpr uint32_t Version = KST_RAW_VERSION;
constexpr size_t FixedBytes = 16;

Result<std::map<std::string, std::string>> keyValues(std::string_view Text) {
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

} // namespace

Result<RawHeader> readRawHeader(std::string_view Bytes, const std::string &What,
                                const std::string &Is) {
  if (Bytes.size() < FixedBytes)
    return Failure{What + Is + "cut short: no header"};
  uint32_t Found = rawNumber<uint32_t>(Bytes, 8);
  if (Found && Found < Version)
    return Failure{What + " of version " + std::to_string(Found) +
                   ": made by an older runtime, whose files do not tell "
                   "whether they are whole; build with this version's pass "
                   "and runtime, and count again"};
  if (Found != Version)
    return Failure{What + " of version " + std::to_string(Found) +
                   "; this program reads version " + std::to_string(Version)};
  uint64_t TextBytes = rawNumber<uint32_t>(Bytes, 12);
  uint64_t Begin = FixedBytes + ((TextBytes + 7) & ~uint64_t(7));
  if (Begin > Bytes.size())
    return Failure{What + Is + "cut short: in the text of the header"};
  auto Text = keyValues(Bytes.substr(FixedBytes, TextBytes));
  if (!Text)
    return Text.within(What + Is + "damaged");
  return RawHeader{std::move(*Text), Begin};
}

std::string wrongRawEnd(std::string_view Bytes, size_t At, size_t Size,
                        uint64_t Before) {
  if (Before != At)
    return "the end record is that of a file with " + std::to_string(Before) +
           " bytes before it: a part is missing or was put in";
  if (At + Size != Bytes.size())
    return "bytes behind the end record";
  return "";
}

} // namespace kst
