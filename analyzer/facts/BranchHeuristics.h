// SPDX-License-Identifier: GPL-2.0-or-later
//
// How likely each edge of a function's control flow is, judged by its source
// alone. Sources of the rules and numbers:
//   [BL]  Ball, Larus: Branch Prediction for Free (PLDI'93)
//   [WL]  Wu, Larus: Static Branch Frequency and Program Profile Analysis
//         (MICRO'94): hit rates as probabilities, Dempster-Shafer combination
//   [BPI] LLVM, lib/Analysis/BranchProbabilityInfo.cpp
//   [GCC] gcc/predict.def
//   [K]   conventions of the kernel, listed at their rules
// Rules look at the function's own text and at declarations, never into the
// bodies of callees: the answer must not depend on which bodies were parsed.

#pragma once

#include "analyzer/facts/LoopForest.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace kst {

/// Probabilities of the rules, 0..1, and expected trips of loops.
struct FlowOptions {
  /// likely(), unlikely(). Between GCC's 0.90 and LLVM's 2000:1, at the
  /// geometric mean of their odds (9 and 2000: 134:1).
  double Expect = 0.99;
  /// The same around a static key: a switch set at run time, so GCC's value.
  double StaticKey = 0.90;
  /// Way to a cold or noreturn call, a trap or a WARN. [BPI]
  double Cold = 0.001;
  /// Way that must return an error. [GCC] negative return, 98 % not taken,
  /// weakened since -EAGAIN and -ENOENT are everyday answers.
  double Error = 0.05;
  /// Guard clause that returns, continues, breaks or jumps. [GCC] 34 %
  double Guard = 0.34;
  /// A pointer is not null. [GCC] 70 %, [WL] 60 %
  double PointerSet = 0.70;
  /// Two values are equal. [BPI] 12:20, [GCC] 34 %
  double Equal = 0.375;
  /// A signed number is below zero. [WL] 16 %; for errors in the kernel less
  double Negative = 0.10;
  /// A variable that by its name carries an error code is not zero. [K]
  double ErrorCode = 0.20;
  /// A count goes down to zero: once in a life (see LifeWeights). [K]
  double LastReference = 1 / 16.0;
  /// A branch inside a loop leaves it. [WL] 20 %
  double LoopExit = 0.20;
  /// Any further label of an `asm goto`. [K] static keys, faults
  double AsmGoto = 0.10;
  /// A loop that retries or spins goes round once more. [K]
  double Repeat = 0.10;
  /// A wait loop that sleeps goes round once more. [K]
  double Sleep = 0.50;

  /// Runs of the body for each entry: loops of unknown length, loops over
  /// CPUs, walks up a hierarchy. [WL] has 7.3 (0.88 back edge), from programs
  /// that compute; the kernel's lists are mostly short. 2 agreed best with
  /// recordings of 26 structs among 1.5, 2, 3 and 8.
  double Trips = 2;
  double CpuTrips = 8;
  double AncestorTrips = 3;
  /// Longest constant trip count that is believed.
  double MaxTrips = 64;
};

/// The probability of each of LoopForest::edges(). Those of the edges out of
/// one block sum to 1. Deterministic; linear in the size of the graph.
std::vector<double> estimateBranches(const clang::CFG &Graph,
                                     const clang::ASTContext &Context,
                                     const LoopForest &Forest,
                                     const FlowOptions &Options);

/// Two independent pieces of evidence for one branch as one ([WL], the
/// Dempster-Shafer rule for two exclusive outcomes).
double combineEvidence(double A, double B);

} // namespace kst
