// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Placement.h"

#include "hybrid/core/EditDistance.h"

#include <algorithm>
#include <charconv>

namespace kst {

Result<uint32_t> fieldNamed(const RecordInfo &Record, const std::string &Name) {
  const auto &Fields = Record.Fields;
  if (!Name.empty()) {
    for (uint32_t F = 0; F < Fields.size(); ++F)
      if (Fields[F].Name == Name)
        return F;
    for (uint32_t F = 0; F < Fields.size(); ++F)
      if (std::ranges::find(Fields[F].Members, Name) != Fields[F].Members.end())
        return F;
  }
  std::string Message =
      "'" + Record.Name + "' has no top-level field '" + Name + "'";
  const FieldInfo *Nearest = nullptr;
  unsigned Least =
      static_cast<unsigned>(std::max<size_t>(2, Name.size() / 3)) + 1;
  for (const FieldInfo &Field : Fields)
    if (unsigned D =
            Field.Name.empty() ? Least : editDistance(Field.Name, Name, Least);
        D < Least) {
      Least = D;
      Nearest = &Field;
    }
  if (Nearest)
    Message += "; did you mean '" + Nearest->Name + "'?";
  return Failure{Message};
}

Result<Placement> parsePlacement(const RecordInfo &Record,
                                 const std::string &Text) {
  size_t Equals = Text.find('=');
  Placement Demand;
  Demand.Text = Text;
  Result<uint32_t> Field = fieldNamed(Record, Text.substr(0, Equals));
  if (!Field)
    return Failure{Field.error()};
  Demand.Field = *Field;
  if (Equals == std::string::npos)
    return Demand;

  const std::string What = Text.substr(Equals + 1);
  auto After = [&](const char *Prefix) {
    return What.substr(std::string(Prefix).size());
  };
  if (What == "first") {
    Demand.Kind = PlacementKind::First;
  } else if (What == "last") {
    Demand.Kind = PlacementKind::Last;
  } else if (What.starts_with("line:")) {
    Demand.Kind = PlacementKind::Line;
    std::string Number = After("line:");
    auto [End, Error] = std::from_chars(
        Number.data(), Number.data() + Number.size(), Demand.Line);
    if (Error != std::errc() || End != Number.data() + Number.size())
      return Failure{"'" + Number +
                     "' is not the number of a line (0, 1, ...)"};
  } else if (What.starts_with("with:") || What.starts_with("apart:")) {
    bool With = What.starts_with("with:");
    Demand.Kind = With ? PlacementKind::With : PlacementKind::Apart;
    Result<uint32_t> Other =
        fieldNamed(Record, After(With ? "with:" : "apart:"));
    if (!Other)
      return Failure{Other.error()};
    if (*Other == Demand.Field)
      return Failure{"'" + Text + "' names the same field twice"};
    Demand.Other = *Other;
  } else {
    return Failure{"'" + What +
                   "' is none of first, last, line:N, with:OTHER, apart:OTHER"};
  }
  return Demand;
}

bool meets(const Placement &Demand, const RecordInfo &Record,
           std::span<const uint32_t> Order,
           std::span<const uint64_t> OffsetBits, uint32_t LineBytes) {
  const uint64_t LineBits = 8ull * LineBytes;
  auto Bits = [&](uint32_t F) {
    return std::max<uint64_t>(1, Record.Fields[F].SizeBits);
  };
  auto First = [&](uint32_t F) { return OffsetBits[F] / LineBits; };
  auto Last = [&](uint32_t F) {
    return (OffsetBits[F] + Bits(F) - 1) / LineBits;
  };
  const uint32_t F = Demand.Field, Other = Demand.Other;
  switch (Demand.Kind) {
  case PlacementKind::Stay:
    return true; // a rule of moves, see Constraints
  case PlacementKind::First:
    return OffsetBits[F] == 0;
  case PlacementKind::Last: {
    auto At = std::ranges::find(Order, F);
    return std::all_of(
        At == Order.end() ? At : At + 1, Order.end(), [&](uint32_t X) {
          return Record.Fields[X].FlexibleArray || !Record.Fields[X].SizeBits;
        });
  }
  case PlacementKind::Line:
    return First(F) == Demand.Line && Last(F) == Demand.Line;
  case PlacementKind::With:
    return First(F) == First(Other);
  case PlacementKind::Apart:
    return Last(F) < First(Other) || Last(Other) < First(F);
  }
  return true;
}

} // namespace kst
