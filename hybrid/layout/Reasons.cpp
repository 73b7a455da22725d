// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Reasons.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace kst {

static std::string format(double Value, std::chars_format Form, int Digits) {
  char Buffer[64];
  auto [End, Error] =
      std::to_chars(Buffer, Buffer + sizeof Buffer, Value, Form, Digits);
  return std::string(Buffer, Error == std::errc() ? End : Buffer);
}

std::string figure(double Value) {
  return format(Value, std::chars_format::general, 4);
}

std::string inPercent(double Share) {
  return format(100 * Share, std::chars_format::fixed, 1) + " %";
}

/// Of all visits, as cycles of one.
static std::string cyclesOf(double All, const LayoutProblem &Problem) {
  const double Visits = Problem.model().visits();
  return format(Visits > 0 ? All / Visits : All, std::chars_format::fixed, 1);
}

static std::string nameOf(const RecordInfo &Record, uint32_t Field) {
  const std::string &Name = Record.Fields[Field].Name;
  std::string Text = "'";
  Text += Name.empty() ? "unnamed " + std::to_string(Field) : Name;
  Text += "'";
  return Text;
}

/// Fewer lines saved by a visit are no reason.
static constexpr double LeastLines = 0.05;

static void explainSets(Advice &Result, const AffinityEvidence &Evidence,
                        const LayoutOptions &Options) {
  struct Change {
    const CoAccessSet *Set;
    double Before, After, Saved;
  };
  std::vector<Change> Changes;
  // Sets come strongest first; the tail cannot matter in three sentences.
  size_t Count = std::min<size_t>(Evidence.Sets.size(), 64);
  for (size_t I = 0; I < Count; ++I) {
    const CoAccessSet &Set = Evidence.Sets[I];
    double Before =
        expectedLines(Evidence.Record, Set, Result.Current.Plan, Options);
    double After =
        expectedLines(Evidence.Record, Set, Result.Proposed.Plan, Options);
    double Saved = Set.Weight * (Before - After);
    if (Before - After >= LeastLines && Set.When == Phase::Steady)
      Changes.push_back({&Set, Before, After, Saved});
  }
  std::ranges::stable_sort(Changes, [](const Change &A, const Change &B) {
    return A.Saved > B.Saved;
  });
  std::set<Site> Named; // one sentence for each place
  for (const Change &C : Changes) {
    if (Named.size() == 3 || !Named.insert(C.Set->Where).second)
      continue;
    std::string Place = C.Set->Where.Function.empty()
                            ? std::string("A visit")
                            : "A visit by " + C.Set->Where.Function + "()";
    if (!C.Set->Where.File.empty())
      Place += " (" + C.Set->Where.File + ":" +
               std::to_string(C.Set->Where.Line) + ")";
    Result.Reasons.push_back(Place + " touches " + figure(C.Before) +
                             " lines now and " + figure(C.After) +
                             " in the proposed order.");
  }
}

/// True if the extents of the two fields reach a common line of an instance
/// that starts on a line.
static bool shareLine(const RecordInfo &Record, const Layout &Plan, uint32_t F,
                      uint32_t H, uint32_t LineBytes) {
  auto Lines = [&](uint32_t X) {
    uint64_t Bits =
        std::max<uint64_t>(1, touchedBits(Record.Fields[X], LineBytes));
    uint64_t At = Plan.OffsetBits[X];
    return std::pair(At / (8ull * LineBytes),
                     (At + Bits - 1) / (8ull * LineBytes));
  };
  auto [F0, F1] = Lines(F);
  auto [H0, H1] = Lines(H);
  return F0 <= H1 && H0 <= F1;
}

/// The first configuration as if all CPUs shared each object; null if it is
/// known who does.
static const ConfigScore *otherCase(const Advice &Result) {
  const ConfigScore &First = Result.Configs.front();
  for (const ConfigScore &Of : Result.Configs)
    if (Of.Config == First.Config && Of.Shared && !First.Shared)
      return &Of;
  return nullptr;
}

static void explainConflicts(Advice &Result, const LayoutProblem &Problem) {
  struct Clash {
    uint32_t F, H;
    double Weight;
  };
  const RecordInfo &Record = Problem.record(0);
  const uint32_t Count = static_cast<uint32_t>(Record.Fields.size());
  const Conflicts &All = Problem.conflicts();
  std::vector<Clash> Clashes;
  for (uint32_t F = 0; F < Count; ++F)
    for (const Conflicts::Neighbour &N : All.of(F))
      if (N.Field > F)
        Clashes.push_back({F, N.Field, N.Weight});
  std::ranges::stable_sort(Clashes, [](const Clash &A, const Clash &B) {
    return A.Weight > B.Weight;
  });
  size_t Ended = 0, Left = 0;
  const bool BothCases = otherCase(Result);
  auto Lost = [&](const Clash &C) {
    return " lose " +
           cyclesOf(C.Weight * Problem.model().lostCycles(), Problem) +
           " cycles a visit more on one line than apart" +
           (BothCases ? ", the mean of both cases" : "");
  };
  const uint32_t LineBytes = Problem.options().LineBytes;
  for (const Clash &C : Clashes) {
    bool Before = shareLine(Record, Result.Current.Plan, C.F, C.H, LineBytes);
    bool After = shareLine(Record, Result.Proposed.Plan, C.F, C.H, LineBytes);
    std::string Pair = nameOf(Record, C.F) + " and " + nameOf(Record, C.H);
    if (Before && !After && Ended++ < 2)
      Result.Reasons.push_back(Pair + " no longer share a line: they" +
                               Lost(C) + ".");
    if (After && Left++ < 1)
      Result.Reasons.push_back(Pair + " share a line: they" + Lost(C) + ".");
    if (Ended >= 2 && Left >= 1)
      break;
  }
}

/// Fields that the proposed order takes to another place.
static size_t movesOf(const Advice &Result) {
  double New = Result.ObjectiveNew;
  for (const FrontierPoint &P : Result.Frontier)
    if (P.TotalCost <= New * (1 + 1e-9))
      return P.Moves;
  return 0;
}

/// What the order changes in both cases, where nothing says which it is; on
/// which the gain rests, if it is none in the other.
static void explainCases(Advice &Result, const LayoutProblem &Problem) {
  const ConfigScore *Shared = otherCase(Result);
  if (!Shared)
    return;
  constexpr double Dust = 1e-9;
  auto Less = [](const ConfigScore &Of) {
    return 1 - Of.New.total() / Of.Now.total();
  };
  auto Words = [&](const ConfigScore &Of) {
    const double Saved = Less(Of);
    return inPercent(std::abs(Saved)) + (Saved < -Dust ? " more" : " less");
  };
  const ConfigScore &Handed = Result.Configs.front();
  const std::string Cpus =
      std::to_string(Problem.evidence().Configs.front().Users.Cpus.Wanted);
  Result.Reasons.push_back(
      "Nothing says who shares an object, so two cases count half each: handed "
      "from one CPU to the next, the proposed order costs " +
      Words(Handed) + "; shared by all " + Cpus + " CPUs, " + Words(*Shared) +
      ".");
  if (Less(Handed) < -Dust)
    Result.Reasons.push_back(
        "The proposal rests on objects that CPUs share at the same time.");
  if (Less(*Shared) < -Dust)
    Result.Reasons.push_back(
        "The proposal rests on objects that one CPU at a time uses.");
}

/// The fields of a remedy as --align takes them.
static std::string named(const RecordInfo &Record, const Remedy &Of) {
  std::string Out;
  for (uint32_t F : Of.Fields)
    Out += (Out.empty() ? "" : ",") + Record.Fields[F].Name;
  return Out;
}

/// The fields of a remedy, and that they save.
static std::string onOwnLine(const RecordInfo &Record, const Remedy &Of) {
  std::string Out = nameOf(Record, Of.Fields.front());
  if (Of.Fields.size() == 1)
    return Out + ", as the last field, saves ";
  Out += ", as the first of the last fields";
  for (size_t I = 1; I != Of.Fields.size(); ++I)
    Out += (I > 1 && I + 1 == Of.Fields.size() ? " and " : ", ") +
           nameOf(Record, Of.Fields[I]);
  return Out + " behind it, saves ";
}

/// The remedy that saves most, if an order does not do as much.
static void explainRemedy(Advice &Result, const LayoutProblem &Problem) {
  if (Result.Remedies.empty())
    return;
  const Remedy &Best = Result.Remedies.front();
  const RecordInfo &Record = Problem.record(0);
  const uint32_t Line = Problem.options().LineBytes;
  const bool OneLine = Result.Proposed.Plan.SizeBytes <= Line;
  if (!(Best.Saves > 0) ||
      (!OneLine && Best.Saves < Result.ObjectiveNow - Result.ObjectiveNew))
    return;
  const std::string Attribute =
      "__attribute__((aligned(" + std::to_string(Line) + "))) on ";
  Result.Reasons.push_back(
      (Best.Fields.empty() ? "Objects that begin on a line: " + Attribute +
                                 "the struct, without another order, saves "
       : OneLine ? "All of it fits one line, so no order can part fields: " +
                       Attribute + onOwnLine(Record, Best)
                 : "More than an order brings: " + Attribute +
                       onOwnLine(Record, Best)) +
      cyclesOf(Best.Saves, Problem) + " cycles a visit (" +
      inPercent(Best.Saves / Result.ObjectiveNew) +
      (otherCase(Result) ? " of the mean of both cases) and takes "
                         : ") and takes ") +
      std::to_string(Best.Bytes) + " bytes more for each object" +
      (Best.Fields.empty() ? "." : ": --align " + named(Record, Best) + "."));
}

void explain(Advice &Result, const LayoutProblem &Problem) {
  const AffinityEvidence &Evidence = Problem.evidence().Configs.front();
  const LayoutOptions &Options = Problem.options();
  const Cost &Now = Result.Current.Price;
  auto Parts = [&](const Cost &Of) {
    return cyclesOf(Of.total(), Problem) + " cycles, " +
           cyclesOf(Of.Sharing, Problem) +
           " of them for lines that other CPUs took";
  };
  const std::string In =
      otherCase(Result) ? ", objects handed from CPU to CPU," : "";
  Result.Reasons.push_back("The present order" + In + " costs a visit " +
                           Parts(Now) + ".");
  for (auto [Lock, Arrivals] : Options.Arrivals)
    Result.Reasons.push_back(
        "While " + nameOf(Evidence.Record, Lock) + " is held, " +
        figure(Arrivals) +
        " other CPUs arrive (--contention) and take its line from the holder.");
  if (Result.What != Verdict::Reorder) {
    explainConflicts(Result, Problem);
    explainRemedy(Result, Problem);
    return;
  }
  const Cost &New = Result.Proposed.Price;
  const double Less = (Now.total() - New.total()) / Now.total();
  Result.Reasons.push_back(
      "The proposed order costs " + Parts(New) + ": " +
      inPercent(std::abs(Less)) + (Less < 0 ? " more" : " less") + "; " +
      std::to_string(movesOf(Result)) + " of " +
      std::to_string(Evidence.Record.Fields.size()) + " fields move.");
  explainCases(Result, Problem);
  if (Result.Best)
    Result.Reasons.push_back(
        "That is " +
        inPercent((Result.ObjectiveNow - Result.ObjectiveNew) /
                  (Result.ObjectiveNow - Result.Best->Objective)) +
        " of what the best order found saves, which moves " +
        std::to_string(Result.Best->Moves) +
        (Result.Best->Moves == 1 ? " field" : " fields") +
        " (--ambitious proposes that one).");
  Result.Reasons.push_back("No order can cost less than " +
                           cyclesOf(Result.Proposed.LowerBound, Problem) +
                           "; the proposed one is within " +
                           inPercent(Result.Proposed.Gap) + " of that.");
  explainSets(Result, Evidence, Options);
  explainConflicts(Result, Problem);
  explainRemedy(Result, Problem);
}

} // namespace kst
