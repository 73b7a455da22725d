// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which function of the source a sample profile means. It has symbols, or
// hashes of them, and no files, and C has static functions of one name in many
// files.

#ifndef KST_PASSES_READERS_SAMPLENAMES_H
#define KST_PASSES_READERS_SAMPLENAMES_H

#include "passes/readers/FunctionCode.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ProfileData/SampleProf.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kst {

/// A symbol without what compilers put behind names.
struct SampledSymbol {
  std::string Name;
  /// Of `-funique-internal-linkage-names`, for static functions: says in which
  /// unit it is. Else "".
  llvm::StringRef Unit;
  /// `.cold`, `.part`: a piece of the function, that calls do not go to.
  bool Part = false;
};

/// Without `.llvm.1`, `.isra.0`, `.constprop.0`, `.part.0`, `.cold`,
/// `.lto_priv.0` and `.__uniq.1`, in any number. Names that begin with a dot
/// stay. Clang mangles names that it gives the unit, in C, too: `_ZL3fooi` is
/// foo. Unit borrows.
SampledSymbol sampledSymbol(llvm::StringRef Symbol);

class SampleNames {
public:
  /// Knows no files: each name is one function.
  SampleNames() = default;
  /// Borrows the program that was sampled.
  explicit SampleNames(const FunctionCode &Program);

  struct Meaning {
    SampledSymbol Symbol; ///< an empty name: a hash that nothing has
    /// Into FunctionCode::Functions; None: not in the program, or Several are.
    uint32_t Function = None;
    bool Several = false;
  };
  static constexpr uint32_t None = ~0u;

  /// Of several functions of the name: in one file they are one, that with the
  /// last line; else the one in the unit that the symbol
  /// names; else the one in file Around, that of the function it is inlined
  /// into, since C looks there first; else none. Assembly is never inlined.
  /// Lives as long as Id and this.
  Meaning find(llvm::sampleprof::FunctionId Id) const;
  Meaning findInlined(llvm::sampleprof::FunctionId Id,
                      llvm::StringRef Around) const;

  /// All functions of that name, into FunctionCode::Functions.
  llvm::ArrayRef<uint32_t> named(llvm::StringRef Name) const;

private:
  Meaning find(llvm::sampleprof::FunctionId Id, llvm::StringRef Around,
               bool Inlined) const;

  const FunctionCode *Program = nullptr;
  llvm::StringMap<std::vector<uint32_t>> ByName;
  std::unordered_map<uint64_t, llvm::StringRef> ByHash;
};

} // namespace kst

#endif
