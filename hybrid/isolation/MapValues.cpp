// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/MapValues.h"

namespace kst {

MapValues::MapValues(const LinkMap &Map, const LinkPlacement &Now,
                     const SymbolValue &Symbol, const LinkPlacement *Before) {
  for (size_t P = 0; P < Map.Parts.size(); ++P)
    if (!Map.Parts[P].Name.empty())
      Parts.emplace(Map.Parts[P].Name, P);
  // What this walk has not reached yet is as before.
  const auto Of = [this, &Now, Before](const std::string &Name,
                                       bool Size) -> std::optional<uint64_t> {
    const auto At = Parts.find(Name);
    if (At == Parts.end())
      return 0;
    const LinkPlacement &From =
        At->second < Now.PartAddress.size() || !Before ? Now : *Before;
    const auto &All = Size ? From.PartSize : From.PartAddress;
    if (At->second >= All.size())
      return std::nullopt;
    return All[At->second];
  };
  In.AddressOf = [Of](const std::string &Name) { return Of(Name, false); };
  In.SizeOf = [Of](const std::string &Name) { return Of(Name, true); };
  In.Symbol = [&Now, &Symbol,
               Before](const std::string &Name) -> std::optional<uint64_t> {
    if (auto At = Now.Assigned.find(Name); At != Now.Assigned.end())
      return At->second;
    if (Before)
      if (auto At = Before->Assigned.find(Name); At != Before->Assigned.end())
        return At->second;
    return Symbol ? Symbol(Name) : std::nullopt;
  };
}

std::optional<uint64_t> MapValues::of(const std::string &Text, uint64_t Dot) {
  In.Dot = Dot;
  return evaluate(Text, In);
}

uint64_t MapValues::relroOffset(const std::string &Text, uint64_t Dot) {
  const size_t Comma = Text.find(','), End = Text.rfind(')');
  if (Comma == std::string::npos || End == std::string::npos || End < Comma)
    return 0;
  return of(Text.substr(Comma + 1, End - Comma - 1), Dot).value_or(0);
}

uint64_t startOf(const PartRule &Rule, uint64_t Dot, uint64_t Was) {
  switch (Rule.Start) {
  case PartStart::Between:
    return Dot;
  case PartStart::Aligned:
    return aligned(Dot, Rule.AlignBytes);
  case PartStart::NextPage:
    return aligned(aligned(Dot, Rule.PageBytes) + Dot % Rule.PageBytes,
                   Rule.AlignBytes);
  case PartStart::PageStart:
    return aligned(aligned(Dot, Rule.PageBytes), Rule.AlignBytes);
  case PartStart::Fixed:
    return Was;
  }
  return Dot;
}

bool isDataStart(const MapStatement &S) {
  return S.Name == "." && S.Text.starts_with("DATA_SEGMENT_ALIGN");
}

bool isRelroEnd(const MapStatement &S) {
  return S.Name == "." && S.Text.starts_with("DATA_SEGMENT_RELRO_END");
}

bool isDataEnd(const MapStatement &S) {
  return S.Name == "." && S.Text.starts_with("DATA_SEGMENT_END");
}

} // namespace kst
