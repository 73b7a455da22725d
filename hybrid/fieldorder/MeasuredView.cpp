// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/MeasuredView.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/report/Numbers.h"

#include <numeric>

namespace kst {

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

} // namespace kst
