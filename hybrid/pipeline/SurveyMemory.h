// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory that the structs of a survey take: numbers of objects that the user
// names, or copies from a running kernel.

#ifndef KST_HYBRID_PIPELINE_SURVEYMEMORY_H
#define KST_HYBRID_PIPELINE_SURVEYMEMORY_H

#include "hybrid/pipeline/SurveyTree.h"

namespace kst {

/// Reads and checks --slabinfo, so that mistakes are said before the work.
llvm::Error checkSlabinfo(const std::string &File);

/// Fills SurveyRow::Memory in. Which cache is for which struct is told by the
/// texts of the selected units; a cache that none of them makes is for the
/// struct of its name. Numbers of --objects win. Warns of structs that are not
/// in the survey and of caches that do not fit.
llvm::Error priceMemory(const SurveyRequest &Asked, const Configs &All,
                        Survey &To);

} // namespace kst

#endif
