// SPDX-License-Identifier: GPL-2.0-or-later
//
// What each profile covers, where the numbers of a field come from, and under
// which profiles the advice holds.

#include "hybrid/fieldorder/DescribeParts.h"
#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <cmath>

namespace kst {
namespace {

/// A line on which fewer visits than this use two fields is no group.
constexpr double GroupHolds = 0.01;
constexpr size_t FieldsShown = 15;

std::string share(uint64_t Part, uint64_t All) {
  return All ? percent(double(Part) / double(All)) : "-";
}

/// What became of a profile of another version: what a reader has to know who
/// checks a count by hand.
void addTransfer(const ProfileTransfer &Of, Table &T) {
  if (!Of.Made)
    return;
  std::string Text = transferWords(Of);
  if (Of.SizeBytes)
    Text += ", of a struct of " + counted(Of.SizeBytes, "byte");
  if (Of.FunctionsMoved)
    Text += "; " + std::to_string(Of.FunctionsMoved) + " of " +
            counted(Of.Functions, "function") + " in another line";
  T.Rows.push_back({{"version", Text}});
  for (const TransferredMember &M : Of.Members)
    if (M.Field.empty())
      T.Rows.push_back(
          {{"no field",
            share(M.Counts, Of.Counts) + "  " +
                (M.Name.empty() ? counted(M.SizeBytes, "byte") : M.Name) +
                " at offset " + std::to_string(M.OffsetBytes) + " then"}});
}

Entry profile(const ProfileCoverage &P, bool Several) {
  Table T{{{"about"}, {""}}};
  T.Quiet = true;
  auto Add = [&](const char *About, const std::string &What) {
    if (!What.empty())
      T.Rows.push_back({{About, What}});
  };
  auto AddText = [&](const char *About, const char *Key) {
    if (auto It = P.Text.find(Key); It != P.Text.end())
      Add(About, It->second);
  };
  AddText("workload", "label");
  AddText("program", "program");
  AddText("release", "release");
  AddText("CPUs", "cpus");
  Add("duration", P.Seconds > 0 ? brief(P.Seconds) + " s" : "");
  Add("runs", P.Runs > 1 ? std::to_string(P.Runs) : "");
  Add("lost", P.Lost ? std::to_string(P.Lost) + " events or objects" : "");
  Add("weight", Several ? percent(P.Share) : "");
  addTransfer(P.Transfer, T);
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
  return {"", strong(P.Name), {std::move(T)}};
}

/// How static weights were brought into the unit of the counts.
std::string scaleWords(const Coverage &C) {
  return "Code that was not measured has its static weight times " +
         brief(C.StaticScale) +
         ", which brings the code that was seen by both into line; single "
         "functions are off by a factor of " +
         brief(C.StaticSpread > 0 ? std::exp(C.StaticSpread) : 1) +
         " (one standard deviation).";
}

/// Fields of which something is known, hottest first.
Table fields(const ReportView &View) {
  const AffinityEvidence &E = View.E;
  std::vector<uint32_t> Order;
  double All = 0;
  for (uint32_t F = 0; F < E.Origins.size(); ++F) {
    const FieldOrigin &From = E.Origins[F];
    All += E.Fields[F].total();
    if (!E.Record.Fields[F].Absent &&
        (E.Fields[F].total() > 0 || From.Reads + From.Writes))
      Order.push_back(F);
  }
  std::ranges::stable_sort(Order, [&](uint32_t A, uint32_t B) {
    return E.Fields[A].total() > E.Fields[B].total();
  });
  Table T{{{"field"},
           {"evidence"},
           {"reads", true},
           {"writes", true},
           {"by address", true},
           {"measured", true},
           {"share", true},
           {"95 %"}}};
  double Scale = All > 0 ? 1 / All : 0;
  for (uint32_t F : Order) {
    const FieldOrigin &From = E.Origins[F];
    T.Rows.push_back(
        {{code(displayName(E.Record, F)), toWord(From.From),
          std::to_string(From.Reads), std::to_string(From.Writes),
          std::to_string(From.ByAddress), percent(From.MeasuredShare),
          percent(E.Fields[F].total() * Scale),
          percent(From.Uses.Low * Scale) + " to " +
              percent(std::min(1.0, From.Uses.High * Scale))}});
  }
  T.shorten(FieldsShown, " fields");
  return T;
}

void underProfiles(const Report &R, Section &Part) {
  Table T{{{"if this profile alone is believed"},
           {"cost", true},
           {"advice"},
           {"lines without a group"}}};
  size_t Holds = 0;
  for (const ProfileAdvice &P : R.UnderProfiles) {
    std::string Lines;
    for (const ProfileAdvice::Group &G : P.Groups)
      if (G.Together < GroupHolds)
        Lines += (Lines.empty() ? "" : ", ") + std::to_string(G.Line);
    T.Rows.push_back(
        {{P.Name, change(P.Now, P.New), P.Holds ? "holds" : "does not hold",
          Lines.empty() ? "none" : Lines}});
    Holds += P.Holds;
  }
  Part.Body.push_back(std::move(T));
  Part.Body.push_back(Paragraph{
      Holds == R.UnderProfiles.size()
          ? "The proposed order is worth it under every profile alone."
          : "The proposed order is worth it under " + std::to_string(Holds) +
                " of " + std::to_string(R.UnderProfiles.size()) +
                " profiles alone; under the others the gain is below the "
                "threshold."});
}

} // namespace

void describeMeasured(const ReportView &View, Document &Doc) {
  const Coverage &C = View.E.Covered;
  if (C.Profiles.empty())
    return;
  Section Part{"what was measured"};
  Part.Wide = true;
  for (const ProfileCoverage &P : C.Profiles)
    Part.Body.push_back(profile(P, C.Profiles.size() > 1));
  if (C.Static && C.StaticScale > 0)
    Part.Body.push_back(Paragraph{scaleWords(C)});
  if (!View.E.Origins.empty())
    Part.Body.push_back(fields(View));
  if (!View.R.UnderProfiles.empty())
    underProfiles(View.R, Part);
  Doc.Sections.push_back(std::move(Part));
}

} // namespace kst
