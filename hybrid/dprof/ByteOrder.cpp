// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/ByteOrder.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace kst {
namespace {

using ReportJson = nlohmann::json;

/// Larger structs are none of the kernel.
constexpr uint64_t MostBytes = 1 << 20;

const ReportJson *member(const ReportJson &Of, const char *Name) {
  auto At = Of.is_object() ? Of.find(Name) : Of.end();
  return Of.is_object() && At != Of.end() ? &*At : nullptr;
}

std::string text(const ReportJson *Of) {
  return Of && Of->is_string() ? Of->get<std::string>() : std::string();
}

std::optional<uint32_t> number(const ReportJson *Of) {
  if (!Of || !Of->is_number_unsigned() || Of->get<uint64_t>() > MostBytes)
    return std::nullopt;
  return uint32_t(Of->get<uint64_t>());
}

const ReportJson *reportOf(const ReportJson &All, const std::string &Struct) {
  const ReportJson *Several = member(All, "reports");
  if (!Several)
    return Struct.empty() || text(member(All, "struct")) == Struct ? &All
                                                                   : nullptr;
  if (!Several->is_array() || (Struct.empty() && Several->size() != 1))
    return nullptr;
  for (const ReportJson &One : *Several)
    if (Struct.empty() || text(member(One, "struct")) == Struct)
      return &One;
  return nullptr;
}

} // namespace

Result<ByteOrder> ByteOrder::read(std::string_view Report, std::string Struct) {
  const ReportJson All =
      ReportJson::parse(Report, nullptr, /*allow_exceptions=*/false);
  if (All.is_discarded())
    return Failure{"not JSON"};
  if (text(member(All, "schema")).rfind("kst-report", 0) != 0)
    return Failure{"no report of kstatic-affinity --struct NAME --json FILE"};
  const ReportJson *Of = reportOf(All, Struct);
  if (!Of)
    return Failure{Struct.empty() ? "of several structs: say which with --type"
                                  : "has no report on struct " + Struct};
  ByteOrder Out;
  Out.Name = text(member(*Of, "struct"));
  const ReportJson *Layouts = member(*Of, "layouts");
  const ReportJson *Proposed = Layouts ? member(*Layouts, "proposed") : nullptr;
  const ReportJson *Names = Proposed ? member(*Proposed, "order") : nullptr;
  const ReportJson *Offsets = Proposed ? member(*Proposed, "offsets") : nullptr;
  const ReportJson *Fields = member(*Of, "fields");
  const auto Size = number(member(*Of, "size"));
  const auto NewSize = Proposed ? number(member(*Proposed, "size")) : Size;
  if (!Fields || !Fields->is_array() || !Names || !Names->is_array() ||
      !Offsets || !Offsets->is_array() || Offsets->size() != Names->size() ||
      !Size || !NewSize)
    return Failure{"its report on struct " + Out.Name + " has no order"};
  if (*NewSize > *Size)
    return Failure{"the proposed order of " + Out.Name + " needs " +
                   std::to_string(*NewSize) + " bytes, the present one " +
                   std::to_string(*Size) + ": objects would overlap"};
  // Fields without a name, and others of one name, keep their sequence.
  std::multimap<std::string, uint32_t> Places;
  for (size_t Rank = 0; Rank < Names->size(); ++Rank)
    if (auto New = number(&(*Offsets)[Rank]))
      Places.emplace(text(&(*Names)[Rank]), *New);
  constexpr uint32_t Padding = ~0u;
  Out.To.assign(*Size, Padding);
  for (const ReportJson &Field : *Fields) {
    const std::string Name = text(member(Field, "name"));
    const auto Old = number(member(Field, "offset")),
               Bytes = number(member(Field, "size"));
    auto New = Places.find(Name);
    if (!Old || !Bytes || New == Places.end() || *Old + *Bytes > *Size ||
        New->second + *Bytes > *Size)
      return Failure{"its order of struct " + Out.Name + " is damaged"};
    Out.Fields.push_back({Name, *Old, *Bytes});
    for (uint32_t B = 0; B < *Bytes; ++B)
      if (Out.To[*Old + B] == Padding)
        Out.To[*Old + B] = New->second + B;
    Places.erase(New);
  }
  for (uint32_t B = 0; B < *Size; ++B)
    if (Out.To[B] == Padding)
      Out.To[B] = B && Out.To[B - 1] + 1 < *Size ? Out.To[B - 1] + 1 : B;
  std::stable_sort(Out.Fields.begin(), Out.Fields.end(),
                   [](const Field &A, const Field &B) {
                     return A.OffsetBytes < B.OffsetBytes;
                   });
  return Out;
}

uint64_t ByteOrder::movedBytes() const {
  uint64_t Moved = 0;
  for (uint32_t B = 0; B < To.size(); ++B)
    Moved += To[B] != B;
  return Moved;
}

} // namespace kst
