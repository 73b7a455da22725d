// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/ReportedOrder.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
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

/// Reports on `Struct`, or all if that is empty.
std::vector<const ReportJson *> reportsOf(const ReportJson &All,
                                          const std::string &Struct) {
  std::vector<const ReportJson *> Out;
  auto Add = [&](const ReportJson &One) {
    if (Struct.empty() || text(member(One, "struct")) == Struct)
      Out.push_back(&One);
  };
  const ReportJson *Several = member(All, "reports");
  if (!Several)
    Add(All);
  else if (Several->is_array())
    for (const ReportJson &One : *Several)
      Add(One);
  return Out;
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

/// Products of three of them are numbers.
double amount(const ReportJson *Of) {
  return Of && Of->is_number() ? std::clamp(Of->get<double>(), 0.0, 1e90) : 0;
}

/// Members of an array; none of what is none.
const ReportJson &items(const ReportJson *Of) {
  static const ReportJson None = ReportJson::array();
  return Of && Of->is_array() ? *Of : None;
}

Site siteOf(const ReportJson &Of) {
  Site Out{text(member(Of, "function")), text(member(Of, "location")), 0};
  const size_t Colon = Out.File.rfind(':');
  if (Colon == std::string::npos)
    return Out;
  std::from_chars(Out.File.data() + Colon + 1,
                  Out.File.data() + Out.File.size(), Out.Line);
  Out.File.resize(Colon);
  return Out;
}

/// The enumerator that stands at the place of the word.
template <typename Enum, size_t N>
Enum enumOf(const std::string &Word, const char *const (&Words)[N],
            Enum Otherwise) {
  for (size_t I = 0; I < N; ++I)
    if (Word == Words[I])
      return Enum(I);
  return Otherwise;
}

CoAccessSet setOf(const ReportJson &Of,
                  const std::map<std::string, uint32_t> &Fields) {
  static constexpr const char *Cpus[] = {"local", "remote", "chosen",
                                         "unknown"},
                              *Phases[] = {"steady", "set-up", "first-use",
                                           "teardown", "configuration"};
  CoAccessSet Out;
  Out.Weight = amount(member(Of, "weight"));
  Out.Cpu = enumOf(text(member(Of, "instance")), Cpus, CpuRelation::Unknown);
  Out.When = enumOf(text(member(Of, "phase")), Phases, Phase::Steady);
  Out.Where = siteOf(Of);
  for (const ReportJson &Field : items(member(Of, "fields"))) {
    const auto Known = Fields.find(text(member(Field, "name")));
    if (Known == Fields.end())
      continue;
    FieldTouch &Touch = Out.Touches.emplace_back();
    Touch.Field = Known->second;
    Touch.Probability = std::min(1.0, amount(member(Field, "probability")));
    Touch.Reads = amount(member(Field, "reads"));
    Touch.Writes = amount(member(Field, "writes"));
    for (const ReportJson &At : items(member(Field, "sites")))
      Touch.Sites.push_back({siteOf(At), amount(member(At, "reads")),
                             amount(member(At, "writes")),
                             member(At, "assumed") != nullptr});
  }
  return Out;
}

Result<ReportedOrder> orderOf(const ReportJson &Of) {
  ReportedOrder Out;
  const std::string Name = Out.Record.Name = text(member(Of, "struct"));
  const ReportJson *Layouts = member(Of, "layouts");
  const ReportJson *Proposed = Layouts ? member(*Layouts, "proposed") : nullptr;
  const ReportJson *Names = Proposed ? member(*Proposed, "order") : nullptr;
  const ReportJson *Offsets = Proposed ? member(*Proposed, "offsets") : nullptr;
  const ReportJson *Fields = member(Of, "fields");
  const auto Size = number(member(Of, "size"));
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
  std::map<std::string, uint32_t> Numbers;
  for (const ReportJson &Row : *Fields) {
    const auto Field = fieldOf(Row, *Size);
    auto New = Places.find(text(member(Row, "name")));
    if (!Field || New == Places.end() ||
        New->second + (Field->OffsetBits % 8 + Field->SizeBits + 7) / 8 > *Size)
      return Failure{"its order of struct " + Name + " is damaged"};
    Numbers.emplace(Field->Name, uint32_t(Out.Record.Fields.size()));
    Out.Record.Fields.push_back(*Field);
    Out.Current.OffsetBits.push_back(Field->OffsetBits);
    Out.Proposed.OffsetBits.push_back(uint64_t(New->second) * 8);
    Places.erase(New);
  }
  Out.Verdict = text(member(Of, "verdict"));
  Out.DefinedAt = text(member(Of, "defined_at"));
  for (const ReportJson &Set : items(member(Of, "sets")))
    Out.Sets.push_back(setOf(Set, Numbers));
  return Out;
}

} // namespace

Result<std::vector<ReportedOrder>>
ReportedOrder::read(std::string_view Report, const std::string &Struct) {
  const ReportJson All =
      ReportJson::parse(Report, nullptr, /*allow_exceptions=*/false);
  if (All.is_discarded())
    return Failure{"not JSON"};
  if (text(member(All, "schema")).rfind("kst-report", 0) != 0)
    return Failure{"no report of kstatic-affinity --struct NAME --json FILE"};
  std::vector<ReportedOrder> Out;
  for (const ReportJson *One : reportsOf(All, Struct)) {
    auto Order = orderOf(*One);
    if (!Order)
      return Failure{Order.error()};
    Out.push_back(std::move(*Order));
  }
  if (Out.empty())
    return Failure{Struct.empty() ? "has no report"
                                  : "has no report on struct " + Struct};
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
