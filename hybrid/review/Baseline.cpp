// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/Baseline.h"

#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <set>

namespace kst {

namespace {

using Json = nlohmann::ordered_json;

constexpr char Schema[] = "kst-baseline/1";
constexpr uint64_t MaxBytes = uint64_t(1) << 32;
constexpr uint32_t MaxAlign = 1u << 20;

std::string text(const Json &Of) { return jsonText(Of, -1); }

Json fieldJson(const FieldInfo &F) {
  Json Of = {{"name", F.Name},
             {"type", F.TypeName},
             {"offset_bits", F.OffsetBits},
             {"size_bits", F.SizeBits},
             {"align", F.AlignBytes}};
  if (F.ExplicitAlignBytes)
    Of["explicit_align"] = F.ExplicitAlignBytes;
  if (!F.Members.empty())
    Of["members"] = F.Members;
  if (F.BitField)
    Of["storage_bits"] = F.StorageUnitBits;
  if (F.Anonymous)
    Of["anonymous"] = true;
  return Of;
}

/// Values of an object, and whether all that were asked for were there.
class Reader {
public:
  explicit Reader(const Json &Of) : Of(Of), Good(Of.is_object()) {}

  std::string string(const char *Key) {
    if (Good && Of.contains(Key) && Of[Key].is_string())
      return Of[Key].get<std::string>();
    return fail(Key), std::string();
  }
  uint64_t number(const char *Key, uint64_t Most,
                  std::optional<uint64_t> Default = std::nullopt) {
    if (Default && Good && !Of.contains(Key))
      return *Default;
    if (Good && Of.contains(Key) && Of[Key].is_number_unsigned() &&
        Of[Key].get<uint64_t>() <= Most)
      return Of[Key].get<uint64_t>();
    return fail(Key), 0;
  }
  /// A power of two.
  uint32_t power(const char *Key, uint32_t Least, uint32_t Most) {
    const uint64_t Value = number(Key, Most);
    if (Good && (Value < Least || !std::has_single_bit(Value)))
      fail(Key);
    return static_cast<uint32_t>(Value);
  }
  double real(const char *Key) {
    if (Good && Of.contains(Key) && Of[Key].is_number() &&
        Of[Key].get<double>() >= 0)
      return Of[Key].get<double>();
    return fail(Key), 0;
  }
  bool flag(const char *Key) {
    if (!Good || !Of.contains(Key))
      return false;
    if (Of[Key].is_boolean())
      return Of[Key].get<bool>();
    return fail(Key), false;
  }
  /// Elements of an array; none if there is none and it may be missing.
  std::vector<Json> array(const char *Key, bool Needed = true) {
    if (Good && Of.contains(Key) && Of[Key].is_array())
      return {Of[Key].begin(), Of[Key].end()};
    if (Needed || (Good && Of.contains(Key)))
      fail(Key);
    return {};
  }
  bool good() const { return Good; }
  const std::string &bad() const { return Bad; }

private:
  void fail(const char *Key) {
    if (Bad.empty())
      Bad = Key;
    Good = false;
  }
  const Json &Of;
  bool Good;
  std::string Bad; ///< the first key that is missing or wrong
};

std::optional<FieldInfo> fieldOf(const Json &Of, std::string &Bad) {
  Reader From(Of);
  FieldInfo F;
  F.Name = From.string("name");
  F.TypeName = From.string("type");
  F.OffsetBits = From.number("offset_bits", 8 * MaxBytes);
  F.SizeBits = From.number("size_bits", 8 * MaxBytes);
  F.AlignBytes = From.power("align", 1, MaxAlign);
  F.ExplicitAlignBytes =
      static_cast<uint32_t>(From.number("explicit_align", MaxAlign, 0));
  for (const Json &Member : From.array("members", false)) {
    if (!Member.is_string()) {
      Bad = "members";
      return std::nullopt;
    }
    F.Members.push_back(Member.get<std::string>());
  }
  F.BitField = Of.is_object() && Of.contains("storage_bits");
  F.StorageUnitBits =
      static_cast<uint32_t>(From.number("storage_bits", 1024, 0));
  F.Anonymous = From.flag("anonymous");
  F.ZeroSize = F.SizeBits == 0;
  Bad = From.bad();
  if (!From.good())
    return std::nullopt;
  return F;
}

std::optional<BaselineStruct> structOf(const Json &Of, std::string &Bad) {
  Reader From(Of);
  BaselineStruct S;
  S.Record.Name = From.string("struct");
  S.Record.File = From.string("file");
  S.Config = From.string("config");
  S.Triple = From.string("triple");
  S.LineBytes = From.power("cache_line", 16, 4096);
  S.Record.SizeBytes = From.number("size", MaxBytes);
  S.Record.AlignBytes = From.power("align", 1, MaxAlign);
  S.Cost = From.real("cost");
  S.Lines = From.real("lines");
  S.Sharing = From.real("sharing");
  const std::vector<Json> Fields = From.array("fields");
  Bad = From.bad();
  if (!From.good())
    return std::nullopt;
  for (const Json &One : Fields) {
    std::optional<FieldInfo> F = fieldOf(One, Bad);
    if (!F || F->OffsetBits + F->SizeBits > 8 * S.Record.SizeBytes) {
      Bad = "fields" + (Bad.empty() ? "" : ": " + Bad);
      return std::nullopt;
    }
    S.Record.Fields.push_back(std::move(*F));
  }
  return S;
}

/// What of the fields no layout has; "": they can be one.
std::string contradiction(const RecordInfo &Record) {
  std::set<std::string> Names;
  uint64_t End = 0, Largest = 0, LastStart = 0;
  std::string Overlaps;
  for (const FieldInfo &F : Record.Fields) {
    if (!F.Name.empty() && !Names.insert(F.Name).second)
      return "two fields '" + F.Name + "'";
    if (!F.ZeroSize && F.OffsetBits < End && Overlaps.empty())
      Overlaps = "field '" + F.Name + "' overlaps the one before";
    End = std::max(End, F.OffsetBits + F.SizeBits);
    Largest = std::max(Largest, F.SizeBits);
    LastStart = std::max(LastStart, F.OffsetBits);
  }
  // A union is as large as its largest member.
  const uint64_t Align = 8 * uint64_t(Record.AlignBytes);
  const bool Union =
      LastStart == 0 &&
      8 * Record.SizeBytes == (Largest + Align - 1) / Align * Align;
  return Union ? "" : Overlaps;
}

} // namespace

std::string toJson(const LayoutBaseline &B) {
  std::string Out = "{\n \"schema\": \"" + std::string(Schema) + "\",\n";
  Out += " \"tool\": " +
         text({{"version", B.Tool.Version}, {"llvm", B.Tool.Llvm}}) + ",\n";
  Out += " \"structs\": [";
  bool First = true;
  for (const BaselineStruct &S : B.Structs) {
    const Json Head = {
        {"struct", S.Record.Name},      {"file", S.Record.File},
        {"config", S.Config},           {"triple", S.Triple},
        {"cache_line", S.LineBytes},    {"size", S.Record.SizeBytes},
        {"align", S.Record.AlignBytes}, {"cost", rounded(S.Cost)},
        {"lines", rounded(S.Lines)},    {"sharing", rounded(S.Sharing)}};
    std::string Line = text(Head);
    Line.pop_back(); // fields follow
    Out += std::string(First ? "\n  " : ",\n  ") + Line + ",\"fields\":[";
    for (size_t F = 0; F != S.Record.Fields.size(); ++F)
      Out += (F ? ",\n   " : "\n   ") + text(fieldJson(S.Record.Fields[F]));
    Out += "\n  ]}";
    First = false;
  }
  return Out + "\n ]\n}\n";
}

Result<LayoutBaseline> readBaseline(std::string_view Text) {
  const Json Root = Json::parse(Text.begin(), Text.end(), nullptr, false);
  if (Root.is_discarded() || !Root.is_object())
    return Failure{"not a baseline: it is no JSON object"};
  if (!Root.contains("schema") || !Root["schema"].is_string())
    return Failure{"not a baseline: it names no schema"};
  if (const std::string Is = Root["schema"].get<std::string>(); Is != Schema)
    return Failure{"not a baseline of this version: its schema is '" + Is +
                   "', not '" + Schema +
                   "'; write a new one with --write-baseline"};
  LayoutBaseline B;
  Reader From(Root);
  std::set<std::array<std::string, 3>> Seen;
  for (const Json &One : From.array("structs")) {
    std::string Bad;
    std::optional<BaselineStruct> S = structOf(One, Bad);
    if (!S)
      return Failure{"struct " + std::to_string(B.Structs.size() + 1) + ": '" +
                     Bad + "' is missing or no possible value"};
    if (!Seen.insert({S->Record.Name, S->Record.File, S->Config}).second)
      return Failure{"struct " + S->Record.Name + " of " + S->Record.File +
                     " is there twice for " + S->Config};
    if (const std::string Why = contradiction(S->Record); !Why.empty())
      return Failure{"struct " + S->Record.Name + ": " + Why};
    B.Structs.push_back(std::move(*S));
  }
  if (B.Structs.empty())
    return Failure{"it has no structs"};
  return B;
}

} // namespace kst
