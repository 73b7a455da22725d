// SPDX-License-Identifier: GPL-2.0-or-later
//
// What to count and how, from KST_OPTIONS and from -mllvm -kst-...: the words
// are the same. docs/guide/measuring.md lists them.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace kst::counters {

struct Options {
  llvm::StringSet<> Structs;  ///< names without "struct "
  llvm::StringSet<> Embedded; ///< in address mode: types inside of those
  bool AllStructs = false;
  bool Kernel = false;
  bool Count = true, Trace = false;
  /// Accesses that types do not tell: none; those that inlining brings
  /// together with the address of a member; all, by looking at run time.
  enum { Off, Static, On } ByAddress = Off;
  bool CallsReturn = false; ///< calls without noreturn come back
  bool StripDebug = false;
  bool Rules = true;  ///< false: count also where it must not be
  bool Naive = false; ///< one increment for each access, where it stands

  /// Of programs all memory that is not a function's own is looked at, in
  /// structs or not: what shares a line may be anything.
  bool all() const { return !Kernel && AllStructs && ByAddress == Off; }
  /// Nothing to look for: the plugin leaves the unit alone.
  bool idle() const { return !AllStructs && Structs.empty(); }

  /// Words separated by blanks or semicolons; later ones override. Errors
  /// name the word or the file.
  llvm::Error parse(llvm::StringRef Words);
  /// The environment, then the command line.
  static llvm::Expected<Options> get();

private:
  bool CallsReturnGiven = false, ByAddressGiven = false;
  llvm::Error set(llvm::StringRef Name, llvm::StringRef Value, bool HasValue);
  llvm::Error structs(llvm::StringRef Value);
  llvm::Error structsOf(llvm::StringRef File);
};

} // namespace kst::counters
