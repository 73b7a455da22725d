// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rows of a survey out of the reports that --struct makes.

#ifndef KST_HYBRID_PIPELINE_SURVEYROWS_H
#define KST_HYBRID_PIPELINE_SURVEYROWS_H

#include "hybrid/fieldorder/Report.h"
#include "hybrid/pipeline/Session.h"
#include "hybrid/survey/Survey.h"

namespace kst {

/// What the evidence says of a struct, and what the present order costs; no
/// search.
SurveyRow pricedRow(const StructInConfigs &Struct,
                    const LayoutProblem &Problem);

/// Adds the fields that hold a struct of this name by value, in any
/// configuration.
void addHolders(SurveyRow &Row, const StructInConfigs &Struct);

/// Adds what the search of a report found.
void addFound(SurveyRow &Row, const Report &R, SearchEffort Effort);

} // namespace kst

#endif
