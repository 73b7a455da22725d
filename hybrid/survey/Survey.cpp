// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/survey/Survey.h"

#include <algorithm>
#include <tuple>

namespace kst {

void rank(std::vector<SurveyRow> &Rows) {
  std::ranges::sort(Rows, [](const SurveyRow &A, const SurveyRow &B) {
    return std::make_tuple(-A.saving(), -A.Objective, std::tie(A.Name, A.File),
                           A.Line) < std::make_tuple(-B.saving(), -B.Objective,
                                                     std::tie(B.Name, B.File),
                                                     B.Line);
  });
}

} // namespace kst
