// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/PhaseView.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/report/Numbers.h"

namespace kst {

const char *toWord(Phase When) {
  switch (When) {
  case Phase::Steady:
    return "steady";
  case Phase::SetUp:
    return "set-up";
  case Phase::FirstUse:
    return "first-use";
  case Phase::TearDown:
    return "teardown";
  case Phase::Configuration:
    return "configuration";
  }
  return "steady";
}

double phaseShare(const AffinityEvidence &E, Phase When) {
  double All = 0, Of = 0;
  for (const CoAccessSet &Set : E.Sets) {
    All += Set.Weight;
    if (Set.When == When)
      Of += Set.Weight;
  }
  return All > 0 ? Of / All : 0;
}

std::string phaseWords(const AffinityEvidence &E) {
  double SetUp = phaseShare(E, Phase::SetUp);
  double TearDown = phaseShare(E, Phase::TearDown);
  double Configuration = phaseShare(E, Phase::Configuration);
  std::string Words;
  if (SetUp + TearDown > 0)
    Words = percent(SetUp + TearDown) + " of visits are set-up (" +
            percent(SetUp) + ") or teardown (" + percent(TearDown) +
            "), by one CPU that shares with nobody";
  if (Configuration > 0)
    Words += (Words.empty() ? "" : "; ") + percent(Configuration) +
             (Words.empty() ? " of visits" : "") + " are configuration";
  return Words;
}

std::string visitWords(const CoAccessSet &Set) {
  std::string Words;
  if (Set.When != Phase::Steady)
    Words = std::string(toWord(Set.When)) + " ";
  if (Set.Cpu != CpuRelation::Unknown)
    Words += std::string(toWord(Set.Cpu)) + " ";
  return Words + toWord(Set.Kind);
}

} // namespace kst
