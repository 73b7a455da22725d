// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a request says in names of fields: understood, or checked against the
// bare definition, by the same readers, on a struct without evidence.

#ifndef KST_HYBRID_PIPELINE_QUESTIONS_H
#define KST_HYBRID_PIPELINE_QUESTIONS_H

#include "hybrid/pipeline/Request.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

/// The places that the pins of a struct demand. The fields may be of any
/// configuration.
llvm::Expected<std::vector<Placement>> demandsOf(const AnalyzeRequest &Asked,
                                                 const StructRequest &Struct,
                                                 const RecordInfo &Record);

/// SharingOptions::Arrivals, by field, from the words of --contention.
llvm::Expected<std::map<uint32_t, double>>
arrivalsOf(const AnalyzeRequest &Asked, const StructRequest &Struct,
           const RecordInfo &Record);

/// An order that somebody has in mind.
struct OrderInMind {
  std::string Name; ///< the question, or the file
  MoveUnitOrder Order;
  std::vector<std::string> Notes; ///< what was taken along
};

/// The fields of StructRequest::Align, each once, as they are said. A
/// usageError for one to which no attribute can be given: a bit-field, one
/// without size or name, in an anonymous struct, or of a packed record or a
/// union.
llvm::Expected<std::vector<uint32_t>> alignedOf(const AnalyzeRequest &Asked,
                                                const StructRequest &Struct,
                                                const RecordInfo &Record);

/// The orders of StructRequest::WhatIf, then those of OrderFiles.
llvm::Expected<std::vector<OrderInMind>>
ordersInMind(const AnalyzeRequest &Asked, const StructRequest &Struct,
             const LayoutProblem &Problem);

/// Every usageError in these and in `UsedWith`, joined. `Records`: the struct
/// in each configuration that has it, at least one. `Rules`: those of its text.
llvm::Error fieldMistakes(const AnalyzeRequest &Asked,
                          const StructRequest &Struct,
                          const std::vector<std::string> &UsedWith,
                          const std::vector<RecordInfo> &Records,
                          std::vector<SourceRule> Rules);

} // namespace kst

#endif
