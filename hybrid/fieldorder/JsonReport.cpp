// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/JsonReport.h"

#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/JsonLayouts.h"
#include "hybrid/fieldorder/JsonMeasured.h"
#include "hybrid/fieldorder/ReplayView.h"
#include "hybrid/fieldorder/WorseView.h"
#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

Json coverageOf(const AffinityEvidence &E) {
  const Coverage &C = E.Covered;
  Json Failed = Json::array();
  for (const FailedUnit &Unit : C.UnitsFailed)
    Failed.push_back({{"file", Unit.File}, {"reason", Unit.Reason}});
  Json Units = {{"selected", C.UnitsSelected},
                {"parsed", C.UnitsParsed},
                {"own_commands", ownCommands(C)}};
  if (C.UnitsDerived)
    Units["derived_commands"] = {{"units", C.UnitsDerived},
                                 {"flags_from", C.FlagsFrom}};
  if (C.UnitsByTemplate)
    Units["template_commands"] = C.UnitsByTemplate;
  Units["failed"] = std::move(Failed);
  Json Unread = Json::array();
  for (const Site &S : C.FunctionsUnread)
    Unread.push_back({{"function", S.Function}, {"location", location(S)}});
  Json Made = {
      {"translation_units", std::move(Units)},
      {"functions", {{"read", C.FunctionsRead}, {"unread", std::move(Unread)}}},
      {"accesses",
       {{"resolved", C.AccessesResolved},
        {"dropped", Json(C.AccessesDropped)}}},
      {"flags_dropped", Json(C.FlagsDropped)},
      {"evidence", {{"static", C.Static}, {"dynamic", C.Dynamic}}}};
  if (!C.Reference.empty())
    Made["reference"] = {{"name", C.Reference},
                         {"share", rounded(referenceShare(E))}};
  if (C.Profiles.empty())
    return Made;
  Made["profiles"] = profilesJson(C);
  Made["measured_share"] = rounded(measuredShare(E));
  Made["static_scale"] = rounded(C.StaticScale);
  Made["static_spread"] = rounded(C.StaticSpread);
  return Made;
}

/// All members of an anonymous union, with the functions that use them.
Json membersOf(const AffinityEvidence &E, uint32_t F) {
  Json Members = Json::array();
  for (const std::string &Name : E.Record.Fields[F].Members) {
    Json Users = Json::array();
    for (const MemberUse &Use : E.Members)
      if (Use.Field == F && Use.Member == Name)
        for (const Site &S : Use.Users)
          Users.push_back(
              {{"function", S.Function}, {"location", location(S)}});
    Members.push_back({{"name", Name}, {"users", std::move(Users)}});
  }
  return Members;
}

Json fieldOf(const Report &R, uint32_t F, double Share) {
  const FieldInfo &Info = R.Evidence.Record.Fields[F];
  FieldUse Use = useOf(R.Evidence, F);
  double Total = Use.total();
  Json Field = {
      {"name", Info.Name},
      {"type", Info.TypeName},
      {"offset", Info.OffsetBits / 8},
      {"size", Info.ZeroSize ? 0 : (Info.SizeBits + 7) / 8},
      {"align", Info.AlignBytes},
      {"hotness", rounded(Share)},
      {"reads", rounded(Use.Reads)},
      {"writes", rounded(Use.Writes)},
      {"remote_reads", rounded(Use.RemoteReads)},
      {"remote_writes", rounded(Use.RemoteWrites)},
      {"remote_share", rounded(remoteShare(Use))},
      {"lockless_share", rounded(locklessShare(Use))},
      {"lock_share", rounded(Total > 0 ? Use.Lock / Total : 0)},
      {"sites", Use.Sites},
      {"evidence", evidenceWord(R.Evidence, F)},
  };
  if (Info.BitField)
    Field["bits"] = {{"offset", Info.OffsetBits % 8}, {"size", Info.SizeBits}};
  if (Info.Group != NoGroup)
    Field["group"] = Info.Group;
  if (!Info.Members.empty())
    Field["members"] = membersOf(R.Evidence, F);
  if (F < R.Evidence.Origins.size())
    addOrigin(Field, R.Evidence.Origins[F]);
  return Field;
}

Json groupsOf(const RecordInfo &Record) {
  Json Groups = Json::array();
  for (const GroupInfo &G : Record.Groups) {
    Json One = {{"name", G.Name},
                {"align", G.AlignBytes},
                {"location", location({"", Record.File, G.Line})}};
    if (G.Parent != NoGroup)
      One["parent"] = G.Parent;
    Groups.push_back(std::move(One));
  }
  return Groups;
}

Json setOf(const RecordInfo &Record, const CoAccessSet &Set, double Total) {
  Json Touches = Json::array();
  for (const FieldTouch &T : Set.Touches) {
    Json Sites = Json::array();
    for (const AccessSite &At : T.Sites) {
      Sites.push_back({{"function", At.Where.Function},
                       {"location", location(At.Where)},
                       {"reads", rounded(At.Reads)},
                       {"writes", rounded(At.Writes)}});
      if (At.Assumed)
        Sites.back()["assumed"] = true;
    }
    Touches.push_back({{"name", jsonName(Record, T.Field)},
                       {"probability", rounded(T.Probability)},
                       {"reads", rounded(T.Reads)},
                       {"writes", rounded(T.Writes)},
                       {"lockless_share", rounded(T.LocklessShare)},
                       {"sites", std::move(Sites)}});
    for (const Spot &At : T.Spots)
      Touches.back()["spots"].push_back(
          {{"offset", At.OffsetBytes},
           {"probability", rounded(At.Probability)},
           {"writes", rounded(At.Writes)}});
  }
  Json Made = {{"weight", rounded(Set.Weight)},
               {"share", rounded(Total > 0 ? Set.Weight / Total : 0)},
               {"kind", toWord(Set.Kind)},
               {"function", Set.Where.Function},
               {"location", location(Set.Where)},
               {"instance", toWord(Set.Cpu)},
               {"phase", toWord(Set.When)},
               {"fields", std::move(Touches)}};
  if (Set.Others)
    Made["others"] = rounded(*Set.Others);
  if (Set.From.ReferenceShare > 0)
    Made["reference_share"] = rounded(Set.From.ReferenceShare);
  if (Set.From.From != Origin::Static)
    addOrigin(Made, Set.From);
  return Made;
}

Json phasesOf(const AffinityEvidence &E) {
  Json Shares = Json::object();
  for (Phase When : AllPhases)
    Shares[toWord(When)] = rounded(phaseShare(E, When));
  return Shares;
}

/// What weighs less than this share of all is left out of a brief report.
constexpr double LeastShare = 1e-3;

/// What was left out: how many, and their share of all.
struct LeftOut {
  size_t Number = 0;
  double Share = 0;
  bool take(double Of, bool Full) {
    if (Full || Of >= LeastShare)
      return false;
    ++Number;
    Share += Of;
    return true;
  }
  void tell(Json &In, const char *Key) const {
    if (Number)
      In[Key] = {{"number", Number}, {"share", rounded(Share)}};
  }
};

Json setsOf(const AffinityEvidence &E, double Total, LeftOut &Rest, bool Full) {
  Json Sets = Json::array();
  for (const CoAccessSet &Set : E.Sets)
    if (!Rest.take(Total > 0 ? Set.Weight / Total : 0, Full))
      Sets.push_back(setOf(E.Record, Set, Total));
  return Sets;
}

Json affinityOf(const Report &R, LeftOut &Rest, bool Full) {
  double All = 0;
  for (const AffinityEdge &Edge : R.Edges)
    All += Edge.Gain + Edge.Loss;
  Json Edges = Json::array();
  for (const AffinityEdge &Edge : R.Edges) {
    if (Rest.take(All > 0 ? (Edge.Gain + Edge.Loss) / All : 0, Full))
      continue;
    Edges.push_back({{"a", jsonName(R.Evidence.Record, Edge.A)},
                     {"b", jsonName(R.Evidence.Record, Edge.B)},
                     {"gain", rounded(Edge.Gain)},
                     {"loss", rounded(Edge.Loss)},
                     {"static", rounded(Edge.Static)},
                     {"dynamic", rounded(Edge.Dynamic)}});
    if (!R.Evidence.Origins.empty()) {
      Edges.back()["low"] = rounded(Edge.Sure.Low);
      Edges.back()["high"] = rounded(Edge.Sure.High);
    }
  }
  return Edges;
}

Json seenByJson(const Report &R) {
  Json All = Json::array();
  for (const UnanalyzedUsers &Of : R.SeenBy)
    All.push_back({{"config", Of.Config},
                   {"known", Of.Unknown.empty()},
                   {"unknown", Of.Unknown},
                   {"units", Of.Units},
                   {"not_looked_at", Of.Missed},
                   {"some", Json(Of.Some)},
                   {"at_most", Of.AtMost}});
  return All;
}

Json opaqueJson(const Report &R) {
  Json All = Json::array();
  for (const OpaqueUse &Use : R.OpaqueUses)
    All.push_back({{"what", Use.What},
                   {"function", Use.Where.Function},
                   {"location", location(Use.Where)}});
  return All;
}

Json reportOf(const Report &R, bool Full) {
  const AffinityEvidence &E = R.Evidence;
  std::vector<double> Heat = hotness(E);
  Json Fields = Json::array();
  for (uint32_t F = 0; F < E.Record.Fields.size(); ++F)
    if (!E.Record.Fields[F].Absent)
      Fields.push_back(fieldOf(R, F, Heat[F]));
  double Total = totalWeight(E);
  LeftOut WeakSets, WeakPairs;
  Json Made = {
      {"schema", "kst-report/1"},
      {"tool", {{"version", R.Tool.Version}, {"llvm", R.Tool.Llvm}}},
      {"struct", E.Record.Name},
      {"defined_at", location({"", E.Record.File, E.Record.Line})},
      {"size", E.Record.SizeBytes},
      {"align", E.Record.AlignBytes},
      {"target", {{"triple", R.Triple}, {"cache_line", R.CacheLineBytes}}},
      {"verdict", toWord(R.Layouts.What)},
      {"reasons", Json(R.Layouts.Reasons)},
      {"worse", Json(worseOf(ReportView(R)))},
      {"coverage", coverageOf(E)},
      {"model",
       {{"machine", R.On.Name},
        {"line_cycles", rounded(R.LineCycles)},
        {"lost_cycles", rounded(R.LostCycles)},
        {"lambda_pad", rounded(R.LambdaPad)},
        {"instance_align", R.InstanceAlignBytes},
        {"total_weight", rounded(Total)}}},
      {"users", usersJson(E.Users)},
      {"seed", R.Seed},
      {"fields", std::move(Fields)},
      {"sets", setsOf(E, Total, WeakSets, Full)},
      {"phases", phasesOf(R.Evidence)},
      {"affinity", affinityOf(R, WeakPairs, Full)},
      {"layouts", layoutsJson(R)},
      {"configs", configsJson(R)},
      {"frontier", frontierJson(R)},
      {"stability", stabilityJson(R)},
      {"paths", pathsJson(R)},
      {"constraints", constraintsJson(R)},
      {"opaque_uses", opaqueJson(R)},
  };
  WeakSets.tell(Made, "sets_left_out");
  WeakPairs.tell(Made, "affinity_left_out");
  if (E.Lives.Wanted > 0)
    Made["lives"] = {{"wanted", rounded(E.Lives.Wanted)},
                     {"before", rounded(E.Lives.Before)}};
  if (!R.AlsoChanged.empty())
    Made["also_changed"] = Json(R.AlsoChanged);
  if (!R.SeenBy.empty())
    Made["seen_by"] = seenByJson(R);
  for (const SlabInfo &Slab : E.Record.Slabs)
    Made["slab_caches"].push_back(
        {{"location", location({"", Slab.File, Slab.Line})},
         {"align", Slab.AlignBytes},
         {"on_lines", Slab.OnLines}});
  if (!E.Record.Groups.empty())
    Made["groups"] = groupsOf(E.Record);
  if (!R.UnderProfiles.empty())
    Made["under_profiles"] = underProfilesJson(R);
  if (R.Replay)
    Made["replay"] = replayJson(R);
  return Made;
}

std::string compact(const Json &Value) { return jsonText(Value, -1); }

/// Takes the fewest columns Value can need from Left; false when that is more
/// than is left. Keeps print() from writing large values to measure them.
bool mayFit(const Json &Value, size_t &Left) {
  size_t Least = 1; // a digit, or a bracket
  if (Value.is_string())
    Least = Value.get_ref<const std::string &>().size() + 2;
  if (Least > Left)
    return false;
  Left -= Least;
  if (!Value.is_structured())
    return true;
  for (const auto &Item : Value.items())
    if (!mayFit(Item.value(), Left))
      return false;
  return true;
}

/// Indented JSON in which whatever fits a line is on one line: small to read,
/// small on disk, and a diff of two reports shows one line per field.
void print(const Json &Value, size_t Indent, std::string &Out) {
  constexpr size_t Width = 110;
  size_t Left = Width;
  if (!Value.is_structured() || Value.empty() || mayFit(Value, Left)) {
    std::string Line = compact(Value);
    if (!Value.is_structured() || Value.empty() ||
        Line.size() + Indent <= Width) {
      Out += Line;
      return;
    }
  }
  std::string Margin(Indent + 1, ' ');
  Out += Value.is_object() ? "{" : "[";
  const char *Separator = "\n";
  for (const auto &Item : Value.items()) {
    Out += Separator + Margin;
    if (Value.is_object())
      Out += compact(Json(Item.key())) + ": ";
    print(Item.value(), Indent + 1, Out);
    Separator = ",\n";
  }
  Out += "\n" + std::string(Indent, ' ') + (Value.is_object() ? "}" : "]");
}

std::string printed(const Json &Value) {
  std::string Out;
  print(Value, 0, Out);
  return Out + "\n";
}

} // namespace

std::string toJson(const Report &R, bool Full) {
  return printed(reportOf(R, Full));
}

std::string toJson(const std::vector<Report> &Reports, bool Full) {
  if (Reports.size() == 1)
    return toJson(Reports.front(), Full);
  Json All = Json::array();
  for (const Report &R : Reports)
    All.push_back(reportOf(R, Full));
  return printed({{"schema", "kst-reports/1"}, {"reports", std::move(All)}});
}

} // namespace kst
