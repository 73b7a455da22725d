// SPDX-License-Identifier: GPL-2.0-or-later
//
// Types as the kernel's tables write them: "struct_sk_buff*", "u8:1", "u32[3]".

#include "hybrid/groups/GroupCheck.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace kst {

namespace {

/// A type without what tables leave out: keywords, attributes, blanks.
struct PlainType {
  std::string Base;
  size_t Pointers = 0;
  std::optional<uint64_t> Bits;  ///< of a bit-field
  std::optional<uint64_t> Bound; ///< of an array, if it is a plain number
};

std::optional<uint64_t> numberIn(const std::string &Text) {
  if (Text.empty() || Text.size() > 9 ||
      !std::ranges::all_of(
          Text, [](unsigned char C) { return std::isdigit(C) != 0; }))
    return std::nullopt;
  return std::stoull(Text);
}

PlainType plain(std::string Text) {
  PlainType Type;
  if (const size_t Colon = Text.rfind(':'); Colon != Text.npos) {
    Type.Bits = numberIn(Text.substr(Colon + 1));
    Text.resize(Colon);
  }
  if (const size_t Open = Text.find('['); Open != Text.npos) {
    const size_t Close = Text.find(']', Open);
    if (Close != Text.npos)
      Type.Bound = numberIn(Text.substr(Open + 1, Close - Open - 1));
    Text.resize(Open);
  }
  for (const char *Gone : {"__percpu", "__rcu", "__user", "__iomem"})
    for (size_t At; (At = Text.find(Gone)) != Text.npos;)
      Text.replace(At, std::string(Gone).size(), " ");
  Type.Pointers = static_cast<size_t>(std::ranges::count(Text, '*'));
  // Words, whether blanks or underscores part them.
  std::string Word;
  auto Keep = [&] {
    for (const char *Keyword : {"struct", "union", "enum", "const", "volatile"})
      if (Word == Keyword)
        Word.clear();
    Type.Base += Word;
    Word.clear();
  };
  for (char C : Text)
    if (C == ' ' || C == '_' || C == '*')
      Keep();
    else
      Word += C;
  Keep();
  if (Type.Base == "unsigned")
    Type.Base = "unsignedint";
  return Type;
}

} // namespace

bool isSameType(const std::string &InTable, const FieldInfo &Field) {
  // A table cannot tell these.
  if (Field.Anonymous || Field.TypeName.find("(*") != std::string::npos)
    return true;
  const PlainType Row = plain(InTable);
  const bool Unnamed = Field.TypeName.find("(unnamed") != std::string::npos ||
                       Field.TypeName.find("(anonymous") != std::string::npos;
  if (Row.Bits.value_or(0) != (Field.BitField ? Field.SizeBits : 0))
    return false;
  if (Unnamed)
    return Row.Base.empty();
  const PlainType Real = plain(Field.TypeName);
  if (Row.Bound && Real.Bound && *Row.Bound != *Real.Bound)
    return false;
  return Row.Base == Real.Base && Row.Pointers == Real.Pointers;
}

} // namespace kst
