// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/MeasuredView.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kst {

namespace {

/// A line on which fewer visits than this use two fields is no group.
constexpr double GroupHolds = 0.01;

std::string share(uint64_t Part, uint64_t All) {
  return All ? percent(double(Part) / double(All)) : "-";
}

std::string textOf(const ProfileCoverage &P, const char *Key) {
  auto It = P.Text.find(Key);
  return It == P.Text.end() ? std::string() : It->second;
}

ProfileRows rowsOf(const ProfileCoverage &P, bool Several) {
  ProfileRows Made{P.Name, {}};
  auto Add = [&](const char *Head, const std::string &What) {
    if (!What.empty())
      Made.Rows.push_back({Head, What});
  };
  Add("workload", textOf(P, "label"));
  Add("program", textOf(P, "program"));
  Add("release", textOf(P, "release"));
  Add("CPUs", textOf(P, "cpus"));
  Add("duration", P.Seconds > 0 ? brief(P.Seconds) + " s" : "");
  Add("runs", P.Runs > 1 ? std::to_string(P.Runs) : "");
  Add("lost", P.Lost ? std::to_string(P.Lost) + " events or objects" : "");
  Add("weight", Several ? percent(P.Share) : "");
  if (P.Accesses) {
    Add("accesses",
        std::to_string(P.Accesses) + " counted: " +
            share(P.Placed, P.Accesses) + " at a place of the source, " +
            share(P.ByField, P.Accesses) + " by address, at a field");
    for (const auto &[Why, Count] : P.NotPlaced)
      Add("no place", share(Count, P.Accesses) + "  " + Why);
  }
  if (P.Trace)
    Add("order", std::to_string(P.Events) + " accesses in order; each tells " +
                     brief(P.OrderBits) +
                     " bits of the next, by chance with probability " +
                     (P.ByChance <= 0.005 ? std::string("0.005 or less")
                                          : brief(P.ByChance)) +
                     (P.Structured ? ": fields are used in groups"
                                   : ": no more than frequencies explain"));
  if (P.Samples)
    Add("samples", std::to_string(P.Samples) + ", " +
                       share(P.SamplesUsed, P.Samples) +
                       " in functions that were analysed");
  Add("functions", std::to_string(P.FunctionsEntered) + " entered, " +
                       std::to_string(P.FunctionsNeverEntered) +
                       " instrumented and never entered, " +
                       std::to_string(P.FunctionsNotInstrumented) +
                       " with accesses and not instrumented");
  return Made;
}

} // namespace

const char *toWord(Origin From) {
  switch (From) {
  case Origin::Static:
    return "static";
  case Origin::Measured:
    return "measured";
  case Origin::Derived:
    return "derived";
  case Origin::NeverHit:
    return "never hit";
  case Origin::NotReached:
    return "not reached";
  case Origin::NotInstrumented:
    return "not instrumented";
  }
  return "";
}

double measuredShare(const AffinityEvidence &E,
                     const std::vector<uint32_t> &Fields) {
  std::vector<bool> Asked(E.Record.Fields.size());
  for (uint32_t F : Fields)
    Asked[F] = true;
  double All = 0, Counted = 0;
  for (const CoAccessSet &Set : E.Sets)
    for (const FieldTouch &T : Set.Touches)
      if (Asked[T.Field]) {
        double Accesses = Set.Weight * (T.Reads + T.Writes);
        All += Accesses;
        Counted += Accesses * Set.From.MeasuredShare;
      }
  return All > 0 ? Counted / All : 0;
}

double measuredShare(const AffinityEvidence &E) {
  std::vector<uint32_t> Fields(E.Record.Fields.size());
  std::iota(Fields.begin(), Fields.end(), 0);
  return measuredShare(E, Fields);
}

std::string measuredWords(const AffinityEvidence &E, double Share) {
  if (E.Covered.Profiles.empty())
    return {};
  if (Share < 0.0005)
    return "estimated";
  return Share > 0.9995 ? "measured" : percent(Share) + " measured";
}

std::vector<ProfileRows> profileRows(const Report &R) {
  std::vector<ProfileRows> All;
  const std::vector<ProfileCoverage> &Of = R.Evidence.Covered.Profiles;
  for (const ProfileCoverage &P : Of)
    All.push_back(rowsOf(P, Of.size() > 1));
  return All;
}

std::string scaleWords(const Coverage &C) {
  if (!C.Static || C.StaticScale <= 0)
    return {};
  return "Code that was not measured has its static weight times " +
         brief(C.StaticScale) +
         ", which brings the code that was seen by both into line; single "
         "functions are off by a factor of " +
         brief(C.StaticSpread > 0 ? std::exp(C.StaticSpread) : 1) +
         " (one standard deviation).";
}

std::vector<std::vector<std::string>> measuredFields(const ReportView &View) {
  const AffinityEvidence &E = View.E;
  std::vector<std::vector<std::string>> Rows;
  if (E.Origins.empty())
    return Rows;
  std::vector<uint32_t> Order;
  double All = 0;
  for (uint32_t F = 0; F < E.Origins.size(); ++F) {
    const FieldOrigin &Of = E.Origins[F];
    All += E.Fields[F].total();
    if (!E.Record.Fields[F].Absent &&
        (E.Fields[F].total() > 0 || Of.Reads + Of.Writes))
      Order.push_back(F);
  }
  std::stable_sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
    return E.Fields[A].total() > E.Fields[B].total();
  });
  Rows.push_back({"field", "evidence", "reads", "writes", "by address",
                  "measured", "share", "95 %"});
  for (uint32_t F : Order) {
    const FieldOrigin &Of = E.Origins[F];
    double Scale = All > 0 ? 1 / All : 0;
    Rows.push_back({displayName(E.Record, F), toWord(Of.From),
                    std::to_string(Of.Reads), std::to_string(Of.Writes),
                    std::to_string(Of.ByAddress), percent(Of.MeasuredShare),
                    percent(E.Fields[F].total() * Scale),
                    percent(Of.Uses.Low * Scale) + " to " +
                        percent(std::min(1.0, Of.Uses.High * Scale))});
  }
  return Rows;
}

std::vector<std::vector<std::string>> underProfiles(const Report &R) {
  std::vector<std::vector<std::string>> Rows;
  if (R.UnderProfiles.empty())
    return Rows;
  Rows.push_back({"if this profile alone is believed", "cost", "advice",
                  "lines without a group"});
  for (const ProfileAdvice &P : R.UnderProfiles) {
    std::string Lines;
    for (const ProfileAdvice::Group &G : P.Groups)
      if (G.Together < GroupHolds)
        Lines += (Lines.empty() ? "" : ", ") + std::to_string(G.Line);
    Rows.push_back({P.Name, change(P.Now, P.New),
                    P.Holds ? "holds" : "does not hold",
                    Lines.empty() ? "none" : Lines});
  }
  return Rows;
}

std::string holdsWords(const Report &R) {
  if (R.UnderProfiles.empty())
    return {};
  size_t Holds = 0;
  for (const ProfileAdvice &P : R.UnderProfiles)
    Holds += P.Holds;
  if (Holds == R.UnderProfiles.size())
    return "The proposed order is worth it under every profile alone.";
  return "The proposed order is worth it under " + std::to_string(Holds) +
         " of " + std::to_string(R.UnderProfiles.size()) +
         " profiles alone; under the others the gain is below the threshold.";
}

} // namespace kst
