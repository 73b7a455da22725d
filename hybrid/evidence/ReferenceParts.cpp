// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/ReferenceParts.h"

#include <algorithm>

namespace kst {
namespace {

/// One function in two estimates.
class Mixer {
public:
  Mixer(const Program &Whole, const Estimate &Source, const Estimate &Reference,
        const ReferenceParts &Parts, FunctionId Id)
      : Facts(Whole.unitOf(Id)), Fact(*Whole.Functions[Id].Fact), Id(Id),
        ForBranches(Parts.Branches ? Reference.Code : Source.Code),
        ForTrips(Parts.Trips ? Reference.Code : Source.Code) {}

  void apply(CodeFrequencies &To) const {
    for (uint32_t L = 0; L != Fact.Loops.size(); ++L)
      To.setLoop(Id, L, entry(L), header(L));
    for (uint32_t B = 0; B != Fact.Blocks.size(); ++B) {
      const uint32_t Loop = Facts.Blocks[Fact.Blocks.Begin + B].Loop;
      To.setBlock(Id, B,
                  share(ForBranches.block(Id, B), around(ForBranches, Loop)) *
                      (Loop == None ? 1 : header(Loop)),
                  ForBranches.known(Id, B));
    }
  }

private:
  static double share(double Of, double In) { return In > 0 ? Of / In : 0; }
  double around(const CodeFrequencies &Code, uint32_t Loop) const {
    return Loop == None ? 1 : Code.loopHeader(Id, Loop);
  }
  uint32_t parent(uint32_t Loop) const {
    return Facts.Loops[Fact.Loops.Begin + Loop].Parent;
  }
  double entry(uint32_t Loop) const {
    const uint32_t Outer = parent(Loop);
    return share(ForBranches.loopEntry(Id, Loop), around(ForBranches, Outer)) *
           (Outer == None ? 1 : header(Outer));
  }
  double header(uint32_t Loop) const {
    return entry(Loop) *
           share(ForTrips.loopHeader(Id, Loop), ForTrips.loopEntry(Id, Loop));
  }

  const TuFacts &Facts;
  const FunctionFact &Fact;
  FunctionId Id;
  const CodeFrequencies &ForBranches, &ForTrips;
};

/// In the unit of the reference: the factor of the source's calls.
double unitOf(const Estimate &Source, const Estimate &Reference) {
  double Theirs = 0, Ours = 0;
  for (FunctionId Id = 0; Id != Source.Often.Total.size(); ++Id) {
    Theirs += Reference.Often.Total[Id];
    Ours += Source.Often.Total[Id];
  }
  return Ours > 0 ? Theirs / Ours : 1;
}

} // namespace

Estimate mixed(const Program &Whole, const Estimate &Source,
               const Estimate &Reference, const ReferenceParts &Parts) {
  if (Parts.all() || Reference.Referenced.empty())
    return Reference;
  Estimate Made = {Source.Often, Source.Code, Reference.Referenced,
                   Reference.UnseenAtMost};
  for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
    Mixer(Whole, Source, Reference, Parts, Id).apply(Made.Code);
  if (Parts.Tables)
    Made.Code.setCalleeWeights(Reference.Often.Total, Reference.Code.unseen());
  Made.Code.setBelief(Reference.Code.belief());
  const double Unit = unitOf(Source, Reference);
  std::vector<double> Fixed;
  for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id) {
    double &Entry = Made.Often.Entry[Id];
    Entry = Parts.Entries ? Reference.Often.Entry[Id] : Entry * Unit;
    Fixed.push_back(Parts.Runs && Reference.referenced(Id) > 0
                        ? Reference.Often.Total[Id]
                        : -1);
  }
  Made.Often.Total =
      propagate(callGraph(Whole, Made.Code), Made.Often.Entry, Fixed);
  return Made;
}

} // namespace kst
