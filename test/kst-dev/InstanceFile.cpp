// SPDX-License-Identifier: GPL-2.0-or-later
//
// See InstanceFile.h. The reader walks the parsed document once; the first
// thing that is wrong is kept with its path, and everything after it is read
// as zeros.

#include "test/kst-dev/InstanceFile.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <initializer_list>

namespace kst {

using nlohmann::json;

namespace {

constexpr int MaxDepth = 8; ///< the format needs 6
constexpr uint64_t MaxFields = 4096, MaxBits = uint64_t(1) << 40;
constexpr uint64_t MaxAlign = uint64_t(1) << 28;

const json Nothing;

/// A value of the document and the way to it. What is wrong with it goes into
/// Problem, unless something was wrong before.
class Node {
public:
  Node(const json &Value, std::string Path, std::string &Problem)
      : Value(Value), Path(std::move(Path)), Problem(Problem) {}

  void wrong(const std::string &Want) const {
    if (Problem.empty())
      Problem = Path + ": expected " + Want;
  }
  bool has(const char *Name) const { return Value.contains(Name); }
  size_t size() const { return Value.size(); }
  Node operator[](const char *Name) const;
  Node operator[](size_t I) const {
    return {Value[I], Path + "[" + std::to_string(I) + "]", Problem};
  }
  /// An object that has no member but these.
  bool object(std::initializer_list<const char *> Known) const;
  /// Calls Visit with every item, as long as nothing is wrong.
  template <typename Visitor> void each(uint64_t Most, Visitor Visit) const;
  bool array(uint64_t Least, uint64_t Most) const {
    return Value.is_array() && size() >= Least && size() <= Most;
  }

  uint64_t integer(uint64_t Least, uint64_t Most) const;
  uint32_t small(uint64_t Least, uint64_t Most) const {
    return static_cast<uint32_t>(integer(Least, Most));
  }
  uint32_t powerOfTwo(uint64_t Least, uint64_t Most = MaxAlign) const;
  double number(double Least, double Most) const;
  std::string text() const;
  /// The member of that name; absent means false.
  bool flag(const char *Name) const;
  template <size_t N> size_t oneOf(const char *const (&Names)[N]) const;
  template <typename Visitor> void members(Visitor Visit) const {
    if (!Value.is_object())
      return wrong("an object");
    for (auto It = Value.begin(); It != Value.end(); ++It)
      Visit(It.key(), Node(*It, Path + "." + It.key(), Problem));
  }

private:
  const json &Value;
  const std::string Path; ///< "" is the instance itself
  std::string &Problem;
};

Node Node::operator[](const char *Name) const {
  auto It = Value.find(Name);
  if (It == Value.end() && Problem.empty())
    Problem =
        (Path.empty() ? "instance" : Path) + ": has no member '" + Name + "'";
  return {It == Value.end() ? Nothing : *It,
          Path.empty() ? Name : Path + "." + Name, Problem};
}

bool Node::object(std::initializer_list<const char *> Known) const {
  const std::string Self = Path.empty() ? "instance" : Path;
  if (!Value.is_object() && Problem.empty())
    Problem = Self + ": expected an object";
  for (auto It = Value.begin(); Value.is_object() && It != Value.end(); ++It) {
    bool Found = false;
    for (const char *Name : Known)
      Found |= It.key() == Name;
    if (!Found && Problem.empty())
      Problem = Self + ": unknown member '" + It.key() + "'";
  }
  return Problem.empty();
}

template <typename Visitor>
void Node::each(uint64_t Most, Visitor Visit) const {
  if (!Value.is_array())
    wrong("an array");
  else if (size() > Most)
    wrong("at most " + std::to_string(Most) + " items");
  for (size_t I = 0; Problem.empty() && I < size(); ++I)
    Visit(I, (*this)[I]);
}

uint64_t Node::integer(uint64_t Least, uint64_t Most) const {
  // Integers that JSON can say without a sign are unsigned to the parser.
  if (Value.is_number_unsigned())
    if (uint64_t Number = Value.get<uint64_t>();
        Number >= Least && Number <= Most)
      return Number;
  wrong("an integer from " + std::to_string(Least) + " to " +
        std::to_string(Most));
  return Least;
}

uint32_t Node::powerOfTwo(uint64_t Least, uint64_t Most) const {
  uint64_t Number = integer(Least, Most);
  if (Number & (Number - 1))
    wrong("a power of two");
  return static_cast<uint32_t>(Number);
}

double Node::number(double Least, double Most) const {
  if (Value.is_number())
    if (double Number = Value.get<double>();
        std::isfinite(Number) && Number >= Least && Number <= Most)
      return Number;
  wrong("a number from " + json(Least).dump() + " to " + json(Most).dump());
  return Least;
}

std::string Node::text() const {
  if (Value.is_string())
    return Value.get<std::string>();
  wrong("a string");
  return {};
}

bool Node::flag(const char *Name) const {
  if (!has(Name))
    return false;
  Node Member = (*this)[Name];
  if (!Member.Value.is_boolean())
    Member.wrong("true or false");
  return Member.Value.is_boolean() && Member.Value.get<bool>();
}

template <size_t N> size_t Node::oneOf(const char *const (&Names)[N]) const {
  std::string All;
  for (size_t I = 0; I < N; ++I) {
    if (Value.is_string() && Value.get_ref<const std::string &>() == Names[I])
      return I;
    All += (I ? ", '" : "one of '") + std::string(Names[I]) + "'";
  }
  wrong(All);
  return 0;
}

FieldInfo fieldOf(const Node &In) {
  FieldInfo F;
  if (!In.object({"name", "offset_bits", "size_bits", "align_bytes",
                  "explicit_align_bytes", "storage_unit_bits", "bit_field",
                  "packed", "zero_size", "flexible_array"}))
    return F;
  F.Name = In["name"].text();
  F.OffsetBits = In["offset_bits"].integer(0, MaxBits);
  F.SizeBits = In["size_bits"].integer(0, MaxBits);
  F.AlignBytes = In["align_bytes"].powerOfTwo(1);
  if (In.has("explicit_align_bytes"))
    F.ExplicitAlignBytes = In["explicit_align_bytes"].powerOfTwo(0);
  F.BitField = In.flag("bit_field");
  F.Packed = In.flag("packed");
  F.ZeroSize = In.flag("zero_size");
  F.FlexibleArray = In.flag("flexible_array");
  if (F.BitField) {
    F.StorageUnitBits = In["storage_unit_bits"].small(8, 1024);
    if (F.SizeBits > F.StorageUnitBits)
      In["size_bits"].wrong("at most storage_unit_bits");
  } else if (In.has("storage_unit_bits")) {
    In.wrong("no storage_unit_bits without bit_field");
  } else if (F.SizeBits % 8) {
    In["size_bits"].wrong("whole bytes: it is not a bit-field");
  }
  return F;
}

void addGroup(RecordInfo &R, const Node &In) {
  GroupInfo G;
  if (!In.object(
          {"begin", "end", "parent", "align_bytes", "explicit_align_bytes"}))
    return;
  const auto Number = static_cast<uint32_t>(R.Groups.size());
  G.AlignBytes = In["align_bytes"].powerOfTwo(1);
  if (In.has("explicit_align_bytes"))
    G.ExplicitAlignBytes = In["explicit_align_bytes"].powerOfTwo(0);
  if (In.has("parent")) {
    if (!Number)
      return In["parent"].wrong("none: no group comes before this one");
    G.Parent = In["parent"].small(0, Number - 1);
  }
  const uint32_t Begin = In["begin"].small(0, R.Fields.size()),
                 End = In["end"].small(0, R.Fields.size());
  if (Begin >= End)
    return In["end"].wrong("more than begin");
  R.Groups.push_back(G);
  for (uint32_t F = Begin; F < End; ++F) {
    if (R.Fields[F].Group != G.Parent)
      return In.wrong("fields of its parent that no other group has");
    R.Fields[F].Group = Number;
  }
}

RecordInfo recordOf(const Node &In) {
  RecordInfo R;
  if (!In.object({"name", "size_bytes", "align_bytes", "union", "packed",
                  "randomize_layout", "fields", "groups"}))
    return R;
  R.Name = In["name"].text();
  R.SizeBytes = In["size_bytes"].integer(0, MaxBits / 8);
  R.AlignBytes = In["align_bytes"].powerOfTwo(1);
  R.Union = In.flag("union");
  R.Packed = In.flag("packed");
  R.RandomizeLayout = In.flag("randomize_layout");
  const Node Fields = In["fields"];
  Fields.each(MaxFields, [&](size_t, const Node &Field) {
    R.Fields.push_back(fieldOf(Field));
  });
  if (R.Fields.empty())
    Fields.wrong("at least one field");
  if (In.has("groups"))
    In["groups"].each(MaxFields,
                      [&](size_t, const Node &Group) { addGroup(R, Group); });
  return R;
}

SourceRule ruleOf(const Node &In, uint64_t Fields) {
  SourceRule R;
  if (!In.object({"kind", "fields", "why"}))
    return R;
  R.Kind = static_cast<RuleKind>(In["kind"].oneOf(InstanceRuleNames));
  if (In.has("why"))
    R.Why = In["why"].text();
  const Node List = In["fields"];
  // A barrier may stand behind the last field.
  const uint64_t Most = R.Kind == RuleKind::Barrier ? Fields : Fields - 1;
  List.each(Fields, [&](size_t I, const Node &Field) {
    R.Fields.push_back(Field.small(0, Most));
    if (I && R.Fields[I] != R.Fields[I - 1] + 1)
      List.wrong("adjacent fields, ascending");
  });
  if (R.Kind == RuleKind::AllFixed ? List.size() != 0
      : R.Kind == RuleKind::Join   ? List.size() < 2
                                   : List.size() != 1)
    List.wrong("one field (join: two or more, all_fixed: none)");
  return R;
}

CoAccessSet setOf(const Node &In, uint64_t Fields) {
  CoAccessSet S;
  if (!In.object({"weight", "cpu", "others", "shared", "touches"}))
    return S;
  S.Weight = In["weight"].number(0, 1e300);
  S.Cpu = static_cast<CpuRelation>(In["cpu"].oneOf(InstanceCpuNames));
  if (In.has("others"))
    S.Others = In["others"].number(0, 1);
  if (In.has("shared"))
    S.Shared = In["shared"].number(0, 1);
  In["touches"].each(Fields, [&](size_t, const Node &One) {
    if (!One.array(2, 3))
      return One.wrong("[field, probability] or [field, probability, writes]");
    FieldTouch T;
    T.Field = One[size_t(0)].small(0, Fields - 1);
    T.Probability = One[1].number(0, 1);
    if (One.size() == 3)
      T.Writes = One[2].number(0, 1e300);
    if (!S.Touches.empty() && T.Field <= S.Touches.back().Field)
      One.wrong("a field after that of the touch before it");
    S.Touches.push_back(std::move(T));
  });
  return S;
}

void readConstants(const Node &In, Instance &Out) {
  Out.LineBytes = In["line_bytes"].powerOfTwo(16, 4096);
  Out.InstanceAlignBytes = In["instance_align_bytes"].powerOfTwo(1);
  Out.AnchorAlignBytes = In["anchor_align_bytes"].powerOfTwo(1);
  const Node Lambda = In["lambda"];
  if (Lambda.object({"share", "pad"})) {
    Out.LambdaShare = Lambda["share"].number(0, 1e9);
    Out.LambdaPad = Lambda["pad"].number(0, 1e9);
  }
  const Node Sharing = In["sharing"];
  if (Sharing.object({"unknown_remote_share", "chosen_remote_share",
                      "other_cpus", "stays"})) {
    Out.UnknownRemoteShare = Sharing["unknown_remote_share"].number(0, 1);
    Out.ChosenRemoteShare = Sharing.has("chosen_remote_share")
                                ? Sharing["chosen_remote_share"].number(0, 1)
                                : Out.UnknownRemoteShare;
    Out.OtherCpus = Sharing["other_cpus"].number(1, 1e9);
    if (Sharing.has("stays"))
      Out.Stays = Sharing["stays"].number(0, 1e300);
  }
}

Instance instanceOf(const Node &In) {
  Instance Out;
  if (!In.object({"schema", "name", "origin", "line_bytes",
                  "instance_align_bytes", "anchor_align_bytes", "lambda",
                  "sharing", "record", "rules", "sets"}))
    return Out;
  if (In["schema"].text() != InstanceSchema)
    In["schema"].wrong(std::string("\"") + InstanceSchema + "\"");
  Out.Name = In["name"].text();
  In["origin"].members([&](const std::string &Name, const Node &Value) {
    Out.Origin[Name] = Value.text();
  });
  readConstants(In, Out);
  Out.Record = recordOf(In["record"]);
  const uint64_t Fields = Out.Record.Fields.size();
  In["rules"].each(4 * MaxFields, [&](size_t, const Node &Rule) {
    Out.Rules.push_back(ruleOf(Rule, Fields));
  });
  In["sets"].each(~uint64_t(0), [&](size_t, const Node &Set) {
    Out.Sets.push_back(setOf(Set, Fields));
  });
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
  std::string Problem;
  Instance Out = instanceOf(Node(Top, "", Problem));
  if (!Problem.empty())
    return Failure{Problem};
  return Out;
}

} // namespace kst
