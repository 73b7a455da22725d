// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which few objects to align, so that a change of size stays in its segment.

#pragma once

#include "hybrid/isolation/CutPlan.h"
#include "hybrid/isolation/FunctionHeat.h"

namespace kst {

/// Objects of one section name in link order, as far as they have bytes.
struct Chain {
  std::string Section; ///< of the objects, ".text"
  std::string Output;  ///< of the image
  std::vector<LinkPiece> Pieces;
  bool Array = false; ///< tables that code walks: never padded
};

/// All chains of what is loaded, in the order of addresses.
std::vector<Chain> chainsOf(const LinkedImage &Image);

/// Sections whose entries code walks as an array break if something is put
/// between objects. What is neither code nor one of the few sections of plain
/// data is taken for such: __ex_table, initcalls, tracepoints, __dyndbg.
bool isArraySection(const std::string &Name, bool Code);

struct IsolationAsked {
  unsigned Cuts = 32;
  uint64_t AlignBytes = 64; ///< a power of two
  std::string Section = ".text";
  /// How often each source file changed; empty: all objects alike.
  std::map<std::string, uint64_t> Churn;
};

struct CutRow {
  LinkPiece At;
  std::string Object;
  uint64_t AddressWas = 0, PaddingBytes = 0;
  uint64_t AlignWas = 1; ///< bytes; from AlignBytes on nothing is to be done
  double SegmentHeat = 0, SegmentChurn = 0; ///< shares, from here to the next
  uint32_t SegmentObjects = 0;
};

/// Displaced heat: which share of all heat a change of size moves, expected
/// over the objects that change.
struct PlanStep {
  uint32_t Cuts = 0;
  double Exact = 0, Greedy = 0, Even = 0;
};

struct SegmentRow {
  uint32_t Objects = 0;
  double Heat = 0, Churn = 0;
};

struct IsolationPlan {
  IsolationAsked Asked;
  size_t Objects = 0, ChurnKnown = 0;
  std::vector<CutRow> Cuts;
  std::vector<PlanStep> Steps; ///< from 0 cuts on
  /// The most that changes displace in their own objects, which no cut helps.
  double OwnObjects = 0;
  SegmentRow First; ///< of the segment before the first cut
  /// Bytes that the section grows by, out of the replayed link, and what they
  /// would be if every object were aligned so.
  int64_t PaddingBytes = 0, AllPaddingBytes = 0;
  uint64_t SizeBytes = 0;
  std::string Chain; ///< all objects in link order, for the linker script
  std::vector<std::string> Order;
};

/// A failure if there is no such chain, or it must not be padded.
Result<IsolationPlan> isolate(const LinkedImage &Image,
                              const FunctionHeat &Heat,
                              const IsolationAsked &Asked);

/// `llvm-objcopy --set-section-alignment` for each cut.
std::string objcopyLines(const IsolationPlan &Plan);
/// The section's objects in link order, with the location counter aligned at
/// each cut.
std::string linkerScript(const IsolationPlan &Plan);
/// A line for each cut, for the Makefile of its directory in kbuild. Assembly:
/// objects whose source that is.
std::map<std::string, std::vector<std::string>>
makefileLines(const IsolationPlan &Plan, const std::set<std::string> &Assembly);

} // namespace kst
