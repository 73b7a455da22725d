// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/ReportedOrder.h"

#include <nlohmann/json.hpp>

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

/// Its place in bits; nothing if the report is damaged.
std::optional<FieldInfo> fieldOf(const ReportJson &Field, uint64_t SizeBytes) {
  const auto Offset = number(member(Field, "offset")),
             Size = number(member(Field, "size"));
  if (!Offset || !Size || uint64_t(*Offset) + *Size > SizeBytes)
    return std::nullopt;
  FieldInfo Out;
  Out.Name = text(member(Field, "name"));
  Out.OffsetBits = uint64_t(*Offset) * 8;
  Out.SizeBits = uint64_t(*Size) * 8;
  if (const ReportJson *Bits = member(Field, "bits")) {
    const auto First = number(member(*Bits, "offset")),
               Width = number(member(*Bits, "size"));
    if (!First || !Width || *First > 7 ||
        Out.OffsetBits + *First + *Width > SizeBytes * 8)
      return std::nullopt;
    Out.OffsetBits += *First;
    Out.SizeBits = *Width;
    Out.BitField = true;
  }
  return Out;
}

} // namespace

Result<ReportedOrder> ReportedOrder::read(std::string_view Report,
                                          const std::string &Struct) {
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
  ReportedOrder Out;
  const std::string Name = Out.Record.Name = text(member(*Of, "struct"));
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
    return Failure{"its report on struct " + Name + " has no order"};
  if (*NewSize > *Size)
    return Failure{"the proposed order of " + Name + " needs " +
                   std::to_string(*NewSize) + " bytes, the present one " +
                   std::to_string(*Size) + ": objects would overlap"};
  Out.Record.SizeBytes = Out.Current.SizeBytes = *Size;
  Out.Proposed.SizeBytes = *NewSize;
  // Fields without a name, and others of one name, keep their sequence.
  std::multimap<std::string, uint32_t> Places;
  for (size_t Rank = 0; Rank < Names->size(); ++Rank)
    if (auto New = number(&(*Offsets)[Rank]))
      Places.emplace(text(&(*Names)[Rank]), *New);
  for (const ReportJson &Row : *Fields) {
    const auto Field = fieldOf(Row, *Size);
    auto New = Places.find(text(member(Row, "name")));
    if (!Field || New == Places.end() ||
        New->second + (Field->OffsetBits % 8 + Field->SizeBits + 7) / 8 > *Size)
      return Failure{"its order of struct " + Name + " is damaged"};
    Out.Record.Fields.push_back(*Field);
    Out.Current.OffsetBits.push_back(Field->OffsetBits);
    Out.Proposed.OffsetBits.push_back(uint64_t(New->second) * 8);
    Places.erase(New);
  }
  return Out;
}

uint64_t ReportedOrder::movedBytes() const {
  uint64_t Moved = 0;
  for (size_t F = 0; F < Record.Fields.size(); ++F)
    if (Current.OffsetBits[F] / 8 != Proposed.OffsetBits[F] / 8)
      Moved += (Record.Fields[F].SizeBits + 7) / 8;
  return Moved;
}

} // namespace kst
