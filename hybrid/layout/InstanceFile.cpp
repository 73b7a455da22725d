// SPDX-License-Identifier: GPL-2.0-or-later
//
// See InstanceFile.h. The reader walks the parsed document once; the first
// thing that is wrong is kept with its path, and everything after it is read
// as zeros.

#include "hybrid/layout/InstanceFile.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <initializer_list>

namespace kst {

using nlohmann::json;

namespace {

constexpr int MaxDepth = 8; ///< the format needs 6
constexpr uint64_t MaxFields = 4096, MaxBits = uint64_t(1) << 40;
constexpr uint64_t MaxAlign = uint64_t(1) << 28;

class Reader {
public:
  std::string Problem;

  Instance instance(const json &Top);

private:
  void wrong(const std::string &Path, const std::string &Want) {
    if (Problem.empty())
      Problem = Path + ": expected " + Want;
  }
  const json &member(const json &Of, const std::string &Path,
                     const char *Name) {
    auto At = Of.find(Name);
    if (At != Of.end())
      return *At;
    if (Problem.empty())
      Problem = Path + ": has no member '" + Name + "'";
    return Nothing;
  }
  /// Of must be an object, and have no member but these.
  bool object(const json &Of, const std::string &Path,
              std::initializer_list<const char *> Known);
  bool array(const json &Of, const std::string &Path, uint64_t Most);
  uint64_t integer(const json &Of, const std::string &Path, uint64_t Least,
                   uint64_t Most);
  uint32_t align(const json &Of, const std::string &Path, bool Zero = false);
  double number(const json &Of, const std::string &Path, double Least,
                double Most);
  bool flag(const json &Of, const std::string &Path, const char *Name);
  std::string text(const json &Of, const std::string &Path);
  template <size_t N>
  size_t oneOf(const json &Of, const std::string &Path,
               const char *const (&Names)[N]);

  void constants(const json &Top, Instance &Out);
  RecordInfo record(const json &Of);
  FieldInfo field(const json &Of, const std::string &Path);
  void group(RecordInfo &R, const json &Of, const std::string &Path);
  SourceRule rule(const json &Of, const std::string &Path, uint64_t Fields);
  CoAccessSet set(const json &Of, const std::string &Path, uint64_t Fields);

  const json Nothing;
};

std::string item(const std::string &Path, size_t I) {
  return Path + "[" + std::to_string(I) + "]";
}

bool Reader::object(const json &Of, const std::string &Path,
                    std::initializer_list<const char *> Known) {
  if (!Of.is_object()) {
    wrong(Path, "an object");
    return false;
  }
  for (auto At = Of.begin(); At != Of.end(); ++At) {
    bool Found = false;
    for (const char *Name : Known)
      Found |= At.key() == Name;
    if (!Found && Problem.empty())
      Problem = Path + ": unknown member '" + At.key() + "'";
  }
  return Problem.empty();
}

bool Reader::array(const json &Of, const std::string &Path, uint64_t Most) {
  if (!Of.is_array())
    wrong(Path, "an array");
  else if (Of.size() > Most)
    wrong(Path, "at most " + std::to_string(Most) + " items");
  return Problem.empty();
}

uint64_t Reader::integer(const json &Of, const std::string &Path,
                         uint64_t Least, uint64_t Most) {
  // Integers that JSON can say without a sign are unsigned to the parser.
  if (Of.is_number_unsigned())
    if (uint64_t Value = Of.get<uint64_t>(); Value >= Least && Value <= Most)
      return Value;
  wrong(Path, "an integer from " + std::to_string(Least) + " to " +
                  std::to_string(Most));
  return Least;
}

uint32_t Reader::align(const json &Of, const std::string &Path, bool Zero) {
  uint64_t Value = integer(Of, Path, Zero ? 0 : 1, MaxAlign);
  if (Value & (Value - 1))
    wrong(Path, "a power of two");
  return static_cast<uint32_t>(Value);
}

double Reader::number(const json &Of, const std::string &Path, double Least,
                      double Most) {
  if (Of.is_number())
    if (double Value = Of.get<double>();
        std::isfinite(Value) && Value >= Least && Value <= Most)
      return Value;
  auto Short = [](double Value) { return json(Value).dump(); };
  wrong(Path, "a number from " + Short(Least) + " to " + Short(Most));
  return Least;
}

/// Absent means false.
bool Reader::flag(const json &Of, const std::string &Path, const char *Name) {
  auto At = Of.find(Name);
  if (At == Of.end())
    return false;
  if (!At->is_boolean())
    wrong(Path + "." + Name, "true or false");
  return At->is_boolean() && At->get<bool>();
}

std::string Reader::text(const json &Of, const std::string &Path) {
  if (Of.is_string())
    return Of.get<std::string>();
  wrong(Path, "a string");
  return {};
}

template <size_t N>
size_t Reader::oneOf(const json &Of, const std::string &Path,
                     const char *const (&Names)[N]) {
  std::string All;
  for (size_t I = 0; I < N; ++I) {
    if (Of.is_string() && Of.get_ref<const std::string &>() == Names[I])
      return I;
    All += (I ? ", '" : "one of '") + std::string(Names[I]) + "'";
  }
  wrong(Path, All);
  return 0;
}

FieldInfo Reader::field(const json &Of, const std::string &Path) {
  FieldInfo F;
  if (!object(Of, Path,
              {"name", "offset_bits", "size_bits", "align_bytes",
               "explicit_align_bytes", "storage_unit_bits", "bit_field",
               "packed", "zero_size", "flexible_array"}))
    return F;
  auto Integer = [&](const char *Name, uint64_t Most) {
    return integer(member(Of, Path, Name), Path + "." + Name, 0, Most);
  };
  F.Name = text(member(Of, Path, "name"), Path + ".name");
  F.OffsetBits = Integer("offset_bits", MaxBits);
  F.SizeBits = Integer("size_bits", MaxBits);
  F.AlignBytes = align(member(Of, Path, "align_bytes"), Path + ".align_bytes");
  if (Of.contains("explicit_align_bytes"))
    F.ExplicitAlignBytes =
        align(Of["explicit_align_bytes"], Path + ".explicit_align_bytes", true);
  F.BitField = flag(Of, Path, "bit_field");
  F.Packed = flag(Of, Path, "packed");
  F.ZeroSize = flag(Of, Path, "zero_size");
  F.FlexibleArray = flag(Of, Path, "flexible_array");
  if (F.BitField) {
    F.StorageUnitBits =
        static_cast<uint32_t>(integer(member(Of, Path, "storage_unit_bits"),
                                      Path + ".storage_unit_bits", 8, 1024));
    if (F.SizeBits > F.StorageUnitBits)
      wrong(Path + ".size_bits", "at most storage_unit_bits");
  } else if (Of.contains("storage_unit_bits")) {
    wrong(Path, "no storage_unit_bits without bit_field");
  } else if (F.SizeBits % 8) {
    wrong(Path + ".size_bits", "whole bytes: it is not a bit-field");
  }
  return F;
}

void Reader::group(RecordInfo &R, const json &Of, const std::string &Path) {
  GroupInfo G;
  if (!object(
          Of, Path,
          {"begin", "end", "parent", "align_bytes", "explicit_align_bytes"}))
    return;
  const auto Number = static_cast<uint32_t>(R.Groups.size());
  G.AlignBytes = align(member(Of, Path, "align_bytes"), Path + ".align_bytes");
  if (Of.contains("explicit_align_bytes"))
    G.ExplicitAlignBytes =
        align(Of["explicit_align_bytes"], Path + ".explicit_align_bytes", true);
  if (Of.contains("parent")) {
    if (!Number)
      return wrong(Path + ".parent", "none: no group comes before this one");
    G.Parent = static_cast<uint32_t>(
        integer(Of["parent"], Path + ".parent", 0, Number - 1));
  }
  const uint64_t Fields = R.Fields.size();
  auto Place = [&](const char *Name) {
    return static_cast<uint32_t>(
        integer(member(Of, Path, Name), Path + "." + Name, 0, Fields));
  };
  const uint32_t Begin = Place("begin"), End = Place("end");
  if (Begin >= End)
    return wrong(Path + ".end", "more than begin");
  R.Groups.push_back(G);
  for (uint32_t F = Begin; F < End; ++F) {
    if (R.Fields[F].Group != G.Parent)
      return wrong(Path, "fields of its parent that no other group has");
    R.Fields[F].Group = Number;
  }
}

RecordInfo Reader::record(const json &Of) {
  RecordInfo R;
  const std::string Path = "record";
  if (!object(Of, Path,
              {"name", "size_bytes", "align_bytes", "union", "packed",
               "randomize_layout", "fields", "groups"}))
    return R;
  R.Name = text(member(Of, Path, "name"), "record.name");
  R.SizeBytes = integer(member(Of, Path, "size_bytes"), "record.size_bytes", 0,
                        MaxBits / 8);
  R.AlignBytes = align(member(Of, Path, "align_bytes"), "record.align_bytes");
  R.Union = flag(Of, Path, "union");
  R.Packed = flag(Of, Path, "packed");
  R.RandomizeLayout = flag(Of, Path, "randomize_layout");
  const json &Fields = member(Of, Path, "fields");
  if (array(Fields, "record.fields", MaxFields))
    for (size_t I = 0; I < Fields.size(); ++I)
      R.Fields.push_back(field(Fields[I], item("record.fields", I)));
  if (R.Fields.empty())
    wrong("record.fields", "at least one field");
  if (Of.contains("groups") && array(Of["groups"], "record.groups", MaxFields))
    for (size_t I = 0; I < Of["groups"].size(); ++I)
      group(R, Of["groups"][I], item("record.groups", I));
  return R;
}

SourceRule Reader::rule(const json &Of, const std::string &Path,
                        uint64_t Fields) {
  SourceRule R;
  if (!object(Of, Path, {"kind", "fields", "why"}))
    return R;
  R.Kind = static_cast<RuleKind>(
      oneOf(member(Of, Path, "kind"), Path + ".kind", InstanceRuleNames));
  if (Of.contains("why"))
    R.Why = text(Of["why"], Path + ".why");
  const json &List = member(Of, Path, "fields");
  if (!array(List, Path + ".fields", Fields))
    return R;
  for (size_t I = 0; I < List.size(); ++I) {
    // A barrier may stand behind the last field.
    uint64_t Most = R.Kind == RuleKind::Barrier ? Fields : Fields - 1;
    R.Fields.push_back(static_cast<uint32_t>(
        integer(List[I], item(Path + ".fields", I), 0, Most)));
    if (I && R.Fields[I] != R.Fields[I - 1] + 1)
      wrong(Path + ".fields", "adjacent fields, ascending");
  }
  if (R.Kind == RuleKind::AllFixed ? !List.empty()
      : R.Kind == RuleKind::Join   ? List.size() < 2
                                   : List.size() != 1)
    wrong(Path + ".fields", "one field (join: two or more, all_fixed: none)");
  return R;
}

CoAccessSet Reader::set(const json &Of, const std::string &Path,
                        uint64_t Fields) {
  CoAccessSet S;
  if (!object(Of, Path, {"weight", "cpu", "shared", "touches"}))
    return S;
  S.Weight = number(member(Of, Path, "weight"), Path + ".weight", 0, 1e300);
  S.Cpu = static_cast<CpuRelation>(
      oneOf(member(Of, Path, "cpu"), Path + ".cpu", InstanceCpuNames));
  if (Of.contains("shared"))
    S.Shared = number(member(Of, Path, "shared"), Path + ".shared", 0, 1);
  const json &Touches = member(Of, Path, "touches");
  if (!array(Touches, Path + ".touches", Fields))
    return S;
  for (size_t I = 0; I < Touches.size(); ++I) {
    const json &One = Touches[I];
    const std::string At = item(Path + ".touches", I);
    if (!One.is_array() || One.size() < 2 || One.size() > 3) {
      wrong(At, "[field, probability] or [field, probability, writes]");
      return S;
    }
    FieldTouch T;
    T.Field = static_cast<uint32_t>(integer(One[0], At + "[0]", 0, Fields - 1));
    T.Probability = number(One[1], At + "[1]", 0, 1);
    if (One.size() == 3)
      T.Writes = number(One[2], At + "[2]", 0, 1e300);
    if (!S.Touches.empty() && T.Field <= S.Touches.back().Field)
      wrong(At, "a field after that of the touch before it");
    S.Touches.push_back(std::move(T));
  }
  return S;
}

void Reader::constants(const json &Top, Instance &Out) {
  Out.LineBytes = static_cast<uint32_t>(
      integer(member(Top, "instance", "line_bytes"), "line_bytes", 16, 4096));
  if (Out.LineBytes & (Out.LineBytes - 1))
    wrong("line_bytes", "a power of two");
  Out.InstanceAlignBytes = align(
      member(Top, "instance", "instance_align_bytes"), "instance_align_bytes");
  Out.AnchorAlignBytes = align(member(Top, "instance", "anchor_align_bytes"),
                               "anchor_align_bytes");
  const json &Lambda = member(Top, "instance", "lambda");
  if (object(Lambda, "lambda", {"share", "remote", "pad"})) {
    auto Get = [&](const char *Name) {
      return number(member(Lambda, "lambda", Name),
                    std::string("lambda.") + Name, 0, 1e9);
    };
    Out.LambdaShare = Get("share");
    Out.LambdaRemote = Get("remote");
    Out.LambdaPad = Get("pad");
  }
  const json &Conflict = member(Top, "instance", "conflict");
  if (object(
          Conflict, "conflict",
          {"unknown_remote_share", "remote_pair_share", "fields_per_line"})) {
    auto Get = [&](const char *Name, double Least, double Most) {
      return number(member(Conflict, "conflict", Name),
                    std::string("conflict.") + Name, Least, Most);
    };
    Out.UnknownRemoteShare = Get("unknown_remote_share", 0, 1);
    Out.RemotePairShare = Get("remote_pair_share", 0, 1);
    Out.FieldsPerLine = Get("fields_per_line", 1, 1e9);
  }
}

Instance Reader::instance(const json &Top) {
  Instance Out;
  if (!object(Top, "instance",
              {"schema", "name", "origin", "line_bytes", "instance_align_bytes",
               "anchor_align_bytes", "lambda", "conflict", "record", "rules",
               "sets"}))
    return Out;
  if (text(member(Top, "instance", "schema"), "schema") != InstanceSchema)
    wrong("schema", std::string("\"") + InstanceSchema + "\"");
  Out.Name = text(member(Top, "instance", "name"), "name");
  const json &Origin = member(Top, "instance", "origin");
  if (!Origin.is_object())
    wrong("origin", "an object");
  else
    for (auto At = Origin.begin(); At != Origin.end(); ++At)
      Out.Origin[At.key()] = text(*At, "origin." + At.key());
  constants(Top, Out);
  Out.Record = record(member(Top, "instance", "record"));
  uint64_t Fields = Out.Record.Fields.size();
  const json &Rules = member(Top, "instance", "rules");
  if (array(Rules, "rules", 4 * MaxFields))
    for (size_t I = 0; I < Rules.size() && Problem.empty(); ++I)
      Out.Rules.push_back(rule(Rules[I], item("rules", I), Fields));
  const json &Sets = member(Top, "instance", "sets");
  if (array(Sets, "sets", ~uint64_t(0)))
    for (size_t I = 0; I < Sets.size() && Problem.empty(); ++I)
      Out.Sets.push_back(set(Sets[I], item("sets", I), Fields));
  return Out;
}

} // namespace

Result<Instance> readInstance(std::string_view Text) {
  bool TooDeep = false;
  json::parser_callback_t Cap = [&](int Depth, json::parse_event_t, json &) {
    TooDeep |= Depth > MaxDepth;
    return Depth <= MaxDepth; // what is deeper is not kept
  };
  json Top = json::parse(Text.begin(), Text.end(), Cap,
                         /*allow_exceptions=*/false);
  if (TooDeep)
    return Failure{"nested more than " + std::to_string(MaxDepth) +
                   " levels deep"};
  if (Top.is_discarded())
    return Failure{"not a JSON document"};
  Reader In;
  Instance Out = In.instance(Top);
  if (!In.Problem.empty())
    return Failure{In.Problem};
  return Out;
}

} // namespace kst
