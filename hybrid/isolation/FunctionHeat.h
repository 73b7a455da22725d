// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much each function of an image runs, out of a profile or the reference.

#pragma once

#include "hybrid/isolation/LinkedImage.h"
#include "hybrid/profile/Profile.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

/// Shares of all that runs, by symbol of the image. A function that no profile
/// names has 0.
struct FunctionHeat {
  std::vector<double> OfSymbol; ///< by number in the image; sums to 1, or to 0
  size_t Named = 0;             ///< functions of the image with heat
  double Unplaced = 0; ///< share of the profile in functions of no symbol
};

/// Heat of a function: lines of it that ran, each as often as it ran; entries
/// where a profile has no lines. Functions of one name are told apart by the
/// source file of their object.
FunctionHeat functionHeat(const LinkedImage &Image, const Profile &Counts);
/// `Sources`: of each symbol, its source file or the end of its name; "" where
/// nobody knows.
FunctionHeat functionHeat(const ObjectFile &File,
                          const std::vector<std::string> &Sources,
                          const Profile &Counts);

/// "kernel/fork.c" for kernel/fork.o; members of archives as well.
std::string sourceOf(const std::string &ObjectName);

/// Heat of each piece of the chains: of code the functions in it.
std::map<LinkPiece, double> pieceHeat(const LinkedImage &Image,
                                      const FunctionHeat &Heat);

} // namespace kst
