// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/JsonLayouts.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/LayoutView.h"
#include "hybrid/fieldorder/PathView.h"
#include "hybrid/layout/MissSaving.h"
#include "hybrid/report/Numbers.h"

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

Json layoutOf(const Report &R, const ScoredLayout &Scored) {
  const RecordInfo &Record = R.Evidence.Record;
  LayoutView View = viewOf(R, Scored.Plan);
  Json Order = Json::array(), Offsets = Json::array(), Lines = Json::array();
  for (const FieldPlace &P : View.Places) {
    Order.push_back(jsonName(Record, P.Field));
    Offsets.push_back(P.BeginBits / 8);
  }
  for (const LineView &Line : View.Lines) {
    Json Names = Json::array();
    for (uint32_t F : Line.Fields)
      Names.push_back(jsonName(Record, F));
    Lines.push_back({{"index", Line.Index},
                     {"share", rounded(Line.Share)},
                     {"fields", std::move(Names)}});
  }
  return {{"order", std::move(Order)},
          {"offsets", std::move(Offsets)},
          {"size", View.SizeBytes},
          {"lines", std::move(Lines)},
          {"cost", costJson(Scored.Price)},
          {"lower_bound", rounded(Scored.LowerBound)},
          {"gap", rounded(Scored.Gap)}};
}

/// The order of all fields, of whatever configuration, as the source would
/// declare them.
Json orderOf(const RecordInfo &Record, const Layout &Plan) {
  Json Names = Json::array();
  for (uint32_t F : Plan.Order)
    Names.push_back(jsonName(Record, F));
  return Names;
}

Json comparedOf(const OrderScore &Score) {
  return {{"name", Score.Name},
          {"cost", costJson(Score.Price)},
          {"total", rounded(Score.Objective)},
          {"moves", Score.Moves},
          {"size", Score.Plan.SizeBytes},
          {"breaks", Json(Score.Notes)}};
}

Json askedOf(const RecordInfo &Record, const OrderScore &Score) {
  return {
      {"question", Score.Name},        {"order", orderOf(Record, Score.Plan)},
      {"cost", costJson(Score.Price)}, {"total", rounded(Score.Objective)},
      {"moves", Score.Moves},          {"size", Score.Plan.SizeBytes},
      {"breaks", Json(Score.Notes)}};
}

/// The same quantity for the current and the proposed layout.
template <typename T> Json pair(const T &Current, const T &Proposed) {
  return {{"current", Current}, {"proposed", Proposed}};
}

Json offsetsOf(const ConfigScore &Target) {
  Json Offsets = Json::array();
  const std::vector<uint64_t> &Now = Target.Current.OffsetBits,
                              &Then = Target.Proposed.OffsetBits;
  const std::vector<FieldInfo> &Fields = Target.Record.Fields;
  for (uint32_t F = 0; F < Fields.size(); ++F)
    if (!Fields[F].Absent)
      Offsets.push_back(
          {{"name", Fields[F].Name},
           {"current", F < Now.size() ? Now[F] / 8 : Fields[F].OffsetBits / 8},
           {"proposed",
            F < Then.size() ? Then[F] / 8 : Fields[F].OffsetBits / 8}});
  return Offsets;
}

Json configOf(const ConfigScore &Target) {
  LayoutView Now = placesOf(Target.Record, Target.Current);
  LayoutView Then = placesOf(Target.Record, Target.Proposed);
  return {
      {"name", Target.Name},
      {"triple", Target.Triple},
      {"line_bytes", Target.LineBytes},
      {"optimised", Target.Optimised},
      {"shared", Target.Shared},
      {"visits", rounded(Target.Visits)},
      {"size", pair(Now.SizeBytes, Then.SizeBytes)},
      {"cost", pair(costJson(Target.Now), costJson(Target.New))},
      {"holes", pair(Now.HoleCount, Then.HoleCount)},
      {"hole_bytes", pair((Now.HoleBits + 7) / 8, (Then.HoleBits + 7) / 8)},
      {"padding_bytes", pair(Now.PaddingBytes, Then.PaddingBytes)},
      {"offsets", offsetsOf(Target)},
  };
}

} // namespace

Json costJson(const Cost &Price) {
  return {{"total", rounded(Price.total())},
          {"lines", rounded(Price.Lines)},
          {"sharing", rounded(Price.Sharing)},
          {"padding", rounded(Price.Padding)},
          {"lines_touched", rounded(Price.Touched)},
          {"lines_lost", rounded(Price.Lost)}};
}

std::string jsonName(const RecordInfo &R, uint32_t F) {
  return F < R.Fields.size() ? R.Fields[F].Name : "";
}

static Json remediesOf(const Report &R) {
  Json Out = Json::array();
  for (const Remedy &Of : R.Layouts.Remedies) {
    Out.push_back({{"kind", Of.Fields.empty() ? "align_object" : "align"},
                   {"saves", rounded(Of.Saves)},
                   {"bytes", Of.Bytes}});
    if (!Of.Fields.empty())
      Out.back()["field"] = jsonName(R.Evidence.Record, Of.Fields.front());
    for (size_t I = 1; I < Of.Fields.size(); ++I)
      Out.back()["with"].push_back(jsonName(R.Evidence.Record, Of.Fields[I]));
    if (Of.Lock)
      Out.back()["if_contended"] = rounded(Of.IfContended);
  }
  return Out;
}

Json layoutsJson(const Report &R) {
  const Advice &A = R.Layouts;
  Json Compared = Json::array(), Asked = Json::array();
  for (const OrderScore &Score : A.Compared)
    Compared.push_back(comparedOf(Score));
  for (const OrderScore &Score : A.Asked)
    Asked.push_back(askedOf(R.Evidence.Record, Score));
  Json Layouts = {{"current", layoutOf(R, A.Current)},
                  {"proposed", layoutOf(R, A.Proposed)},
                  {"order", orderOf(R.Evidence.Record, A.Proposed.Plan)},
                  {"total",
                   {{"current", rounded(A.ObjectiveNow)},
                    {"proposed", rounded(A.ObjectiveNew)},
                    {"bound", rounded(A.ObjectiveBound)}}},
                  {"best", A.Best ? comparedOf(*A.Best) : Json()},
                  {"proven", A.Proven},
                  {"fixed", A.Fixed},
                  {"demands_met", A.Unmet.empty()},
                  {"compared", std::move(Compared)},
                  {"asked", std::move(Asked)},
                  {"remedies", remediesOf(R)}};
  if (!A.Unmet.empty())
    Layouts["unmet"] = A.Unmet;
  return Layouts;
}

Json configsJson(const Report &R) {
  Json Configs = Json::array();
  for (const ConfigScore &Target : R.Layouts.Configs)
    Configs.push_back(configOf(Target));
  return Configs;
}

Json frontierJson(const Report &R) {
  Json Points = Json::array();
  for (const FrontierPoint &Point : R.Layouts.Frontier)
    Points.push_back({{"moves", Point.Moves},
                      {"cost", rounded(Point.TotalCost)},
                      {"moved", Json(Point.Moved)}});
  return Points;
}

Json stabilityJson(const Report &R) {
  const Stability &Weights = R.Layouts.Weights;
  Json Moves = Json::array();
  for (const Stability::Move &Move : Weights.Moves)
    Moves.push_back({{"field", Move.Field},
                     {"survives", rounded(Move.Survives)},
                     {"assumed", rounded(Move.Assumed)}});
  Json Assumed = Json::array();
  for (const Stability::Case &Of : Weights.Assumed)
    Assumed.push_back({{"case", Of.Name}, {"gain", rounded(Of.Gain)}});
  Json Misses;
  if (auto Saving = missSaving(R.Layouts, R.Evidence))
    Misses = {{"low", rounded(Saving->Low)},
              {"middle", rounded(Saving->Middle)},
              {"high", rounded(Saving->High)}};
  return {{"draws", Weights.Draws},
          {"factor", rounded(Weights.Factor)},
          {"survives", rounded(Weights.Survives)},
          {"gain_low", rounded(Weights.GainLow)},
          {"gain_high", rounded(Weights.GainHigh)},
          {"misses_saved", std::move(Misses)},
          {"assumed", std::move(Assumed)},
          {"moves", std::move(Moves)}};
}

Json pathsJson(const Report &R) {
  Json Paths = Json::array();
  for (const PathView &Path : pathsOf(R)) {
    Paths.push_back({{"function", Path.Where.Function},
                     {"location", location(Path.Where)},
                     {"set", Path.Set},
                     {"weight", rounded(Path.Weight)},
                     {"share", rounded(Path.Share)},
                     {"lines", pair(rounded(Path.Before), rounded(Path.After))},
                     {"saved", rounded(Path.Saved)}});
    if (!R.Evidence.Covered.Profiles.empty())
      Paths.back()["measured_share"] =
          rounded(R.Evidence.Sets[Path.Set].From.MeasuredShare);
  }
  return Paths;
}

Json constraintsJson(const Report &R) {
  Json Notes = Json::array();
  for (const ConstraintNote &Note : R.Layouts.Constraints)
    Notes.push_back(
        {{"field", Note.Field},
         {"why", Note.Why},
         {"location", location(Note.Where)},
         {"liftable", Note.Liftable},
         {"id", Note.Id},
         {"strength", Note.Strength == RuleStrength::Hard ? "hard" : "soft"},
         {"unliftable", Note.Unliftable},
         {"lifted", Note.Lifted},
         {"blocks", rounded(Note.Blocks)}});
  return Notes;
}

} // namespace kst
