// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is asked of the pipeline, as plain values: whoever fills them in, from a
// command line, a test or another program, asks the same way.

#ifndef KST_HYBRID_PIPELINE_REQUEST_H
#define KST_HYBRID_PIPELINE_REQUEST_H

#include "analyzer/compile/CompileDatabase.h"
#include "analyzer/run/RunUnits.h"
#include "hybrid/cache/CacheGeometry.h"
#include "hybrid/core/Record.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/evidence/MeasuredCode.h"
#include "hybrid/evidence/ReferenceParts.h"
#include "hybrid/layout/PlaceField.h"
#include "hybrid/pipeline/Errors.h"
#include "hybrid/program/Frequencies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kst {

/// A struct, and what is asked about it alone. The words are those of the
/// options of the same names (see the man page).
struct StructRequest {
  std::string Name; ///< NAME, NAME@FILE or NAME@FILE:LINE; typedefs too
  std::vector<std::string> Pins;       ///< FIELD[=PLACE]
  std::vector<std::string> LiftRules;  ///< ids
  std::vector<std::string> Contention; ///< FIELD=ARRIVALS
  std::vector<std::string> Align;      ///< FIELD[,FIELD...]
  std::vector<std::string> WhatIf;     ///< questions, in words
  std::vector<std::string> OrderFiles; ///< orders to price
  std::optional<uint64_t> TestSeed; ///< of a random order in place of the best
  std::vector<std::string> PatchFiles; ///< patches that it is to be in
  bool Write = false;                  ///< its header is to be changed
  /// Each object is used by one thread or CPU; else in which turns.
  bool Private = false;
  UserTurns Turns = UserTurns::Unsaid;
  double VisitsPerLife = 0; ///< of an object; 0: as the evidence has it

  bool wantsPatch() const { return Write || !PatchFiles.empty(); }
};

/// Whether one of the structs is this record; all are if none is asked for. A
/// record without a line may be on any.
inline bool asksFor(const std::vector<StructRequest> &Structs,
                    const RecordInfo &Of) {
  return Structs.empty() ||
         std::ranges::any_of(Structs, [&](const StructRequest &One) {
           const RecordSpelling Meant = parseRecordSpelling(One.Name);
           return Meant.Name == Of.Name &&
                  Meant.isAt(Of.File, Of.Line ? Of.Line : Meant.Line);
         });
}

/// Which units are looked at, and how.
struct UnitsRequest {
  DatabaseOptions Units; ///< StructNames: left to the pipeline
  RunOptions Run;        ///< Cache.Directory empty: no cache. Its ToolId: left
                         ///< to the pipeline
  bool Plain = false;    ///< without any of the shortcuts that save time
  std::string Index;     ///< a file with facts of the units; "": none
};

struct ProfileRequest {
  std::string File;
  double Weight = 1; ///< > 0
};

/// How often code runs elsewhere; see hybrid/evidence/Reference.
struct ReferenceRequest {
  std::vector<std::string> Files;
  bool Shipped = false; ///< nobody asked for them: only where they fit
  ReferenceParts Parts;
};

/// A trace on which orders are replayed; none if it has no name.
struct ValidateRequest {
  std::string Trace;
  CacheGeometry Geometry;
};

/// Structs of a tree: what evidence there is, what the layout stage assumes.
struct AnalyzeRequest : UnitsRequest {
  std::vector<StructRequest> Structs; ///< none: no unit is left out for them
  HotFunctions Hot;
  /// Who says so: "--hot NAME" or "FILE:LINE", for messages.
  std::map<std::string, std::string> HotFrom;
  std::vector<ProfileRequest> Profiles;
  ReferenceRequest References;
  MergeOptions Merge;
  bool OneThread = false; ///< the program has one thread
  /// CPUs of the machines that orders are for; 0: those of a profile, and
  /// ServerCpus without one.
  uint32_t Cpus = 0;
  LayoutOptions Layout; ///< Demands, Lift, Rules: left to the pipeline
  ValidateRequest Validate;
  /// StructRequest::Write without having seen all, or beside opaque uses.
  bool WriteUnseen = false;
  DiagnosticConsumer Diags;

  /// What is said of a struct, as a user says it who named these structs.
  std::string spelled(const StructRequest &Struct,
                      const std::string &Words) const {
    return Structs.size() == 1 ? Words : Struct.Name + ":" + Words;
  }
};

/// A field that the one struct does not have yet.
struct PlaceRequest : AnalyzeRequest {
  std::string Field;                 ///< its declaration
  std::vector<std::string> UsedWith; ///< fields, at least one
  Writer Writes = Writer::None;
  /// Writes per visit that uses it; without, 1 if local and 0.1 if remote.
  std::optional<double> WriteShare;
  uint32_t SizeBytes = 0, AlignBytes = 0; ///< 0: from its type
};

} // namespace kst

#endif
